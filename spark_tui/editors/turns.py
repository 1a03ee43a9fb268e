"""A turn on the engine's thread, and the edit in the editor as it grows."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import nullcontext, suppress
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from acp import helpers, schema

from spark_tui.editing.multi_file import changed
from spark_tui.editing.text import Text
from spark_tui.editors.editor import Editor
from spark_tui.errors import ModelError, SparkError
from spark_tui.safe_text import visible
from spark_tui.session.candidates import where
from spark_tui.session.events import HandedOver, Held, HunkUpdated, Status, Thinking
from spark_tui.session.inbox import Began, Failed, Inbox, Over, Report
from spark_tui.session.runner import Runner
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn

T = TypeVar("T")
EVERY_SECONDS = 0.1
"""The pause between two updates of a growing edit."""
_TURNS_AWAITED_SECONDS = 0.05
_MOST_WHOLE = 20_000
"""Characters of a file that is sent whole with each diff; of a larger file only the change is sent.

Some editors cannot read lines of more than 64 KB.
"""
_AROUND = 3
_GOES_ON = "the edit goes on in this process, behind what is written already; cancel to stop it"
Maker = Callable[[], Generator[Held, None, Turn]]
"""Makes a turn, as a generator that may be closed at any item."""


def at_once(make: Callable[[], Turn]) -> Maker:
    """Make a turn in one step."""

    def maker() -> Generator[Held, None, Turn]:
        yield Held("")
        return make()

    return maker


def in_order(
    engine: Lock, items: Callable[[], Generator[T, None, None]]
) -> Generator[T | Held, None, None]:
    """Do work with the engine once no other session uses it.

    Args:
        engine: The lock to hold meanwhile.
        items: The work, item by item.
    """
    # Wait in short steps: at each item the runner can close this generator.
    while not engine.acquire(timeout=_TURNS_AWAITED_SECONDS):
        yield Held("")
    try:
        yield from items()
    finally:
        engine.release()


def played(session: Session, make: Maker) -> Generator[Report, None, None]:
    """Make a turn and run it; another model may take over with a turn of its own.

    If the turn finds no edit, the likeliest other place with an edit follows.

    Raises:
        SparkError: No turn can be made, or it failed and nobody takes over.
    """
    turn: Turn | None = yield from make()
    last = turn
    while turn is not None:
        last = turn
        yield Began(turn, "")
        error: SparkError | None = None
        try:
            yield from _events(session, turn)
        except SparkError as e:
            error = e
        turn = yield from _heir(session, turn, error)
    if last is not None and last.status is Status.ABSTAINED:
        yield from _elsewhere(session, last)


def _elsewhere(session: Session, turn: Turn) -> Generator[Report, None, None]:
    """Show the likeliest other edit of a request that found none.

    Raises:
        SparkError: The model cannot go on.
    """
    alternatives = session.alternatives_to(turn)
    if alternatives is None or turn.reply:
        return
    for written in alternatives.write():
        yield Held("")
        if written is not None and written.status.offers:
            session.show_alternative(written)
            yield Began(written, "")
            yield from alternatives.events_of(written)
            return


def _heir(
    session: Session, turn: Turn, error: SparkError | None
) -> Generator[Report, None, Turn | None]:
    """The turn of the model that takes over; None if the present turn stands.

    Raises:
        SparkError: The turn failed, and nobody takes over.
    """
    succession = session.succession
    name = succession.heir(turn, error)
    try:
        if name:
            yield HandedOver(succession.reason(turn, error, name))
            return session.take_over(turn, error)
        if error is not None:
            raise error
    except SparkError as e:
        # The other model failed: fall back to the unsure edit that it was to replace.
        before = turn.before or turn
        if before.status is not Status.UNSURE:
            raise
        yield HandedOver(f"{e}; this is the edit of {before.writer}")
        if before is not turn:
            yield Began(before, "")
    return None


def _events(session: Session, turn: Turn) -> Generator[Report, None, None]:
    """Yield the events of a turn; an engine that fails is tried once more, and the user is told."""
    host = session.host_of(turn)
    failures = list[str]()
    untold = deque[str]()

    def fail(problem: str) -> None:
        failures.append(problem)
        if len(failures) > 1:
            raise ModelError(f"the engine failed again ({problem}); name another model")
        untold.append(problem)

    # A remote model has no engine here that could fail, and a rename asks no model.
    is_own = not (host.remote or turn.request.rename)
    with host.on_failure(fail) if is_own else nullcontext():
        for event in turn.events():
            yield event
            # `fail` is called within the engine, where nothing can be yielded.
            while untold:
                yield Failed(untold.popleft())


async def reports(runner: Runner, items: Generator[T, None, None]) -> AsyncGenerator[list[Any]]:
    """Run work on the engine's thread, and yield its items a few times a second.

    Closing the generator ends the work at the next token.

    Raises:
        Exception: The error that ended the work.
    """
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    inbox = Inbox()

    def put(item: Any) -> None:
        inbox.put(item)
        with suppress(RuntimeError):  # the event loop has ended
            loop.call_soon_threadsafe(came.set)

    number = runner.start(items, put, lambda error: put(Over(error)))
    try:
        while True:
            await came.wait()
            came.clear()
            taken = inbox.take()
            yield taken
            for item in taken:
                if isinstance(item, Over) and item.error is not None:
                    raise item.error
                if isinstance(item, Over):
                    return
            # Items that come meanwhile are sent together: an edit is sent whole each time.
            await asyncio.sleep(EVERY_SECONDS)
    finally:
        runner.cancel(number)


class GrowingEdit:
    """The tool call of a turn: its diff is sent again and again as it grows. Mutable.

    Args:
        editor: Shows the edit.
        session: Knows the repository.
        call_id: The name of the tool call.
    """

    def __init__(self, editor: Editor, session: Session, call_id: str) -> None:
        self._editor = editor
        self._session = session
        self.call_id = call_id
        self.turn: Turn | None = None
        """The turn that is shown; None before one is made."""
        self.is_settled = False
        """Whether the user has decided about the edit, and that was carried out."""
        self._sent: object = None

    async def take(self, items: list[Report]) -> None:
        """Show items that a turn yielded."""
        for item in items:
            match item:
                case Began(turn=turn):
                    await self.begin(turn)
                case Thinking(text=text):
                    await self._editor.think(text)
                case Held(line) | HandedOver(line):
                    await self._editor.think(line)
                case Failed(problem):
                    await self._editor.say(f"{problem}; {_GOES_ON}")
        if any(isinstance(item, HunkUpdated) for item in items):
            await self.show("in_progress")

    async def begin(self, turn: Turn) -> None:
        """Show a turn, in place of the one before if there was one."""
        is_first = self.turn is None
        self.turn = turn
        title = visible(f"Edit {where(turn.region)}")
        path = str(self._session.repo.root / turn.region.path)
        locations = [schema.ToolCallLocation(path=path, line=turn.region.start_line)]
        tell = helpers.start_tool_call if is_first else helpers.update_tool_call
        call = tell(
            self.call_id,
            title=title,
            kind="edit",
            status="in_progress",
            content=[],
            locations=locations,
        )
        await self._editor.update(call)

    async def show(self, status: str, title: str | None = None) -> None:
        """Send the proposal as it is now.

        A proposal without a change is not sent: there is none between two answers, and the first
        answer stays in view meanwhile.
        """
        assert self.turn is not None
        with self.turn.lock:
            after = self.turn.review.proposed
        if after != self.turn.file.base:
            await self.show_text(after, status, title)

    async def show_text(self, after: Text, status: str, title: str | None = None) -> None:
        """Send a version of the turn's files as the edit, unless it was the last one sent.

        Args:
            after: The files with the edit.
            status: The status of the tool call.
            title: A new title of the tool call; None to keep the title.
        """
        assert self.turn is not None
        shown = shown_change(self._session, self.turn, self.turn.file.base, after)
        new = (shown, status, title)
        if new == self._sent:
            return
        self._sent = new
        await self._editor.update(
            helpers.update_tool_call(
                self.call_id,
                title=title,
                status=status,
                content=shown.content,
                locations=shown.locations,
            )
        )

    async def end(self, status: str) -> None:
        """Send the status in which the edit ended, unless it is settled; the diff stays in view."""
        if self.turn is not None and not self.is_settled:
            await self._editor.update(helpers.update_tool_call(self.call_id, status=status))


class ShownChange(NamedTuple):
    """A change as an editor shows it: one diff for each file, and where it begins."""

    content: list[Any]
    locations: list[Any]


def shown_change(session: Session, turn: Turn, before: Text, after: Text) -> ShownChange:
    """The change from one version of a turn's files to another."""
    shown = ShownChange([], [])
    for path, old, new in changed(before, after, str(turn.region.path)):
        if old == new:
            continue
        old_text, new_text, line = _excerpts(old, new)
        place = str(session.repo.root / path)
        diff = helpers.tool_diff_content(place, new_text, None if old is None else old_text)
        shown.content.append(diff)
        shown.locations.append(schema.ToolCallLocation(path=place, line=line))
    return shown


def _excerpts(old: Text | None, new: Text | None) -> tuple[str, str, int]:
    """Two versions of a file, cut to the change if long, and the first changed line, 1-based."""
    before = old.raw if old is not None else ()
    behind = new.raw if new is not None else ()
    # The lines that both versions have at the start, then at the end.
    first = 0
    shared = min(len(before), len(behind))
    while first < shared and before[first] == behind[first]:
        first += 1
    last = 0
    while last < shared - first and before[-1 - last] == behind[-1 - last]:
        last += 1
    line = first + 1
    if max(map(_size, (old, new))) > _MOST_WHOLE:
        start = max(0, first - _AROUND)
        left = max(0, last - _AROUND)
        before = before[start : len(before) - left]
        behind = behind[start : len(behind) - left]
    return _as_characters(before), _as_characters(behind), line


def _size(text: Text | None) -> int:
    return text.size if text is not None else 0


def _as_characters(raw: tuple[str, ...]) -> str:
    """Join lines, without bytes that are no characters: no message can hold them."""
    return "".join(raw).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
