"""Whole turns for `/v1/edits`: what `spark exec` does without a flag that writes.

A turn runs in a thread of its own, over a session of the repository that the client names. Its
tokens come from the engine's thread, which takes steps of all requests in turn. Nothing is written
to the work tree: the client applies the patch itself.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from spark_tui.config import Settings
from spark_tui.editing.multi_file import Files
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import ConsentMissing, ModelError, SparkError, Transient, UsageError
from spark_tui.mentions import parse_place, read_request
from spark_tui.providers.served_model import ServedFacts, ServerGone
from spark_tui.serve.api_errors import wrong
from spark_tui.serve.engine_calls import CALLS
from spark_tui.serve.engine_thread import EngineThread
from spark_tui.serve.streams import items_of
from spark_tui.serve.turn_order import Overloaded, Priority, RefusedRequest
from spark_tui.session.evaluator import MOST
from spark_tui.session.json_output import is_for_people, result, to_json
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.session.turn import Turn
from spark_tui.vcs.policy import why_private
from spark_tui.vcs.repository import Repository

MOST_AT_ONCE = 8
"""Turns that run side by side."""
BEAT_SECONDS = 1.0
_MOST_WORDS = 20_000
"""Characters of an instruction; sessions refuse far shorter ones in words of their own."""
_END = object()


@dataclass(frozen=True, slots=True)
class EditRequest:
    """A request for an edit.

    Attributes:
        repository: A folder of the repository, absolute.
        instruction: The words of the user.
        at: The place, as after `--at`; "" for none.
        files: Files to look in.
        allowed: Files that may be read although they hold secrets, or git ignores them.
        variations: The number of answers in all; 0 for the best answer alone.
        temperature: See the settings.
        seed: See the settings.
        max_tokens: See the settings.
        streams: Whether to send events as they come.
    """

    repository: Path
    instruction: str
    at: str
    files: tuple[str, ...]
    allowed: tuple[str, ...]
    variations: int
    temperature: float
    seed: int
    max_tokens: int
    streams: bool


_KNOWN = frozenset(
    (
        "repository instruction at file allow variations temperature seed max_tokens stream model"
    ).split()
)


def read_edit(body: Mapping[str, Any]) -> EditRequest:
    """Read a request.

    Raises:
        ApiError: A parameter is wrong.
    """
    for name in body:
        if name not in _KNOWN:
            names = ", ".join(sorted(_KNOWN))
            raise wrong(str(name)[:80], f"{str(name)[:80]} is not known; known are {names}")
    repository = Path(_text(body, "repository"))
    if not repository.is_absolute() or "\0" in str(repository):
        raise wrong("repository", "repository must be the absolute path of a folder")
    instruction = _text(body, "instruction")
    if not instruction.strip() or len(instruction) > _MOST_WORDS:
        raise wrong("instruction", f"instruction must have 1 to {_MOST_WORDS:,} characters")
    files = _paths(body, "file")
    at = _text(body, "at", "")
    if at and files:
        raise wrong("at", "at names the file already; leave out file")
    stream = body.get("stream", False)
    if not isinstance(stream, bool):
        raise wrong("stream", "stream must be true or false")
    default = Settings()
    temperature = body.get("temperature", default.temperature)
    if isinstance(temperature, bool) or not isinstance(temperature, int | float):
        raise wrong("temperature", "temperature must be a number")
    return EditRequest(
        repository,
        instruction,
        at,
        files,
        _paths(body, "allow"),
        _whole(body, "variations", 0, 0, MOST),
        float(temperature),
        _whole(body, "seed", default.seed, 0, 2**63 - 1),
        _whole(body, "max_tokens", default.max_tokens, 1, 1 << 20),
        stream,
    )


def _text(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = body.get(name, default)
    if not isinstance(value, str):
        raise wrong(name, f"{name} must be a text")
    return value


def _paths(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    paths = body.get(name, [])
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise wrong(name, f"{name} must be a list of paths")
    return tuple(paths)


def _whole(body: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = body.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise wrong(name, f"{name} must be a whole number from {least} to {most}")
    return value


class _OwnEngine:
    """The engine's thread of this process; see `Transport`."""

    def __init__(self, thread: EngineThread, client: str) -> None:
        self._thread = thread
        self._client = client

    def call(
        self,
        name: str,
        body: Mapping[str, Any],
        *,
        background: bool = False,
        is_answer: bool = False,
    ) -> Generator[Any, None, None]:
        """See `Transport`."""
        priority = Priority.BACKGROUND if background else Priority.INTERACTIVE
        work = CALLS[name]
        try:
            yield from items_of(
                self._thread, self._client, priority, lambda engine: work(engine, body)
            )
        except RefusedRequest as e:
            raise ServerGone(str(e)) from e

    def release(self) -> None:
        """See `Transport`: nobody pauses here."""

    def beside(self) -> "_OwnEngine":
        """See `Transport`: one edit has no work beside it."""
        return self

    def close(self) -> None:
        """See `Transport`."""


class EditRunner:
    """Runs turns.

    Args:
        thread: The engine's thread.
        facts: What sessions have to know of the model.
        settings: The settings of the server.
        state: The folder of journals.
    """

    def __init__(
        self, thread: EngineThread, facts: ServedFacts, settings: Settings, state: Path
    ) -> None:
        self._thread = thread
        self._facts = facts
        self._settings = settings
        self._state = state
        self._running = 0

    def run(self, edit: EditRequest, client: str) -> "EditEvents":
        """Begin a turn.

        Raises:
            RefusedRequest: Too many turns run.
        """
        if self._running >= MOST_AT_ONCE:
            raise Overloaded(f"{self._running} edits run already; ask again later", 1)
        # Counted in the event loop only, here and in `_ended`, so that no lock is needed.
        self._running += 1
        return EditEvents(lambda: self._events(edit, client), self._ended)

    def _ended(self) -> None:
        self._running -= 1

    def _events(self, edit: EditRequest, client: str) -> Generator[dict[str, Any], None, None]:
        """Run a turn, in a thread of its own."""
        repo = Repository.discover(edit.repository)
        # The session never loads a model: the engine's thread serves it.
        session = Session(repo, _no_model, self._state, folder=edit.repository, is_overheard=True)
        session.host.serve_from(_OwnEngine(self._thread, client), self._facts, str)
        with closing(session):
            yield from self._turn(session, edit)

    def _turn(self, session: Session, edit: EditRequest) -> Generator[dict[str, Any], None, None]:
        finder = TargetFinder(session, self._settings)
        session.disclosure.allow(_allowed(session, edit))
        turn = yield from _told(finder.begin_request(_request(session, edit)), Files())
        # The words may have led to another file than any that the request names.
        _refuse_private(session, edit, turn.region.path)
        problem: dict[str, Any] = {}
        try:
            yield from _told(turn.events(), Files(turn.base.lines))
            if edit.variations:
                yield from _told(turn.vary(edit.variations), Files(turn.base.lines))
        except SparkError as e:
            problem = {"status": "error", "message": " ".join(str(e).split())}
        whole = result(session.repo, turn, self._facts.name, count=edit.variations)
        yield {"event": "turn_ended", **whole, **problem}


def _told(events: Generator[Any, None, Any], files: Files) -> Generator[dict[str, Any], None, Any]:
    """Yield events as JSON, and return the value of their generator."""
    with closing(events):
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                turn: Turn = end.value
                return turn
            if not is_for_people(event):
                yield to_json(event, files)


def _request(session: Session, edit: EditRequest) -> Request:
    """Turn a request into one for a session.

    Raises:
        UsageError: A file is outside the repository, does not exist, or needs a consent.
    """
    place: dict[str, Any] = {"instruction": edit.instruction}
    if edit.at:
        target = parse_place(edit.at)
        place["path"] = _existing(session, edit, target.path)
        place["lines"] = target.lines
        place["symbol"] = target.symbol
    elif not edit.files:
        place = read_request(edit.instruction, session.mentions.file_named)
        if place.get("path"):
            _refuse_private(session, edit, place["path"])
    return Request(
        **place,
        among=tuple(_existing(session, edit, path) for path in edit.files),
        temperature=edit.temperature,
        seed=edit.seed,
        max_tokens=edit.max_tokens,
    )


def _existing(session: Session, edit: EditRequest, path: str) -> str:
    """Return the path of a file within the repository.

    Raises:
        UsageError: The path is outside the repository, is no file, or needs a consent.
    """
    if "\0" in path:
        raise UsageError("a path has no zero bytes")
    inside = session.repo.resolve(path, start=edit.repository)
    if not (session.repo.root / inside).is_file():
        raise UsageError(f"there is no file {path}; check its name")
    _refuse_private(session, edit, inside)
    return inside


def _refuse_private(session: Session, edit: EditRequest, path: str) -> None:
    """Refuse a file whose text nobody gets without a consent.

    The client decides itself what it writes. The consent here is for the text that leaves the
    server.

    Raises:
        ConsentMissing: The file is private, and the request does not allow it.
    """
    if path in _allowed(session, edit):
        return
    if why := why_private(session.repo, path):
        raise ConsentMissing(
            f"{path} {'; '.join(why)}; name it in allow to have it edited", [path], why
        )


def _allowed(session: Session, edit: EditRequest) -> list[str]:
    """Return the files that the request allows to show.

    Raises:
        UsageError: A path is outside the repository.
    """
    return [session.repo.resolve(each, start=edit.repository) for each in edit.allowed]


def _no_model() -> LoadedModel:
    raise Transient("the engine of this server takes no more requests now; ask again later")


class EditEvents:
    """The events of a turn that runs in a thread of its own. Mutable.

    Args:
        events: Makes the events, in that thread.
        ended: Called in the event loop once the thread has ended.
    """

    def __init__(
        self,
        events: Callable[[], Generator[dict[str, Any], None, None]],
        ended: Callable[[], None],
    ) -> None:
        self._events = events
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._items: deque[Any] = deque()
        self._is_cancelled = Event()
        Thread(target=self._run, name="edit", daemon=True).start()

    def cancel(self) -> None:
        """End the turn at its next event."""
        self._is_cancelled.set()

    async def each(self) -> AsyncGenerator[Mapping[str, Any] | None]:
        """Yield the events; None now and then while nothing comes.

        Raises:
            SparkError: What ended the turn before it began.
        """
        try:
            while True:
                # Clear, then look: an item that comes in between sets the event again.
                self._came.clear()
                while self._items:
                    item = self._items.popleft()
                    if item is _END:
                        return
                    if isinstance(item, Exception):
                        raise item
                    yield item
                try:
                    await asyncio.wait_for(self._came.wait(), BEAT_SECONDS)
                except TimeoutError:
                    yield None
        finally:
            self.cancel()

    def _run(self) -> None:
        try:
            with closing(self._events()) as events:
                for event in events:
                    if self._is_cancelled.is_set():
                        break
                    self._put(event)
        except SparkError as e:
            self._put(e)
        except Exception as e:  # noqa: BLE001 - the reader must hear that it ended
            self._put(ModelError(f"the edit failed ({type(e).__name__}: {e})"))
        self._put(_END)
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._ended)

    def _put(self, item: Any) -> None:
        self._items.append(item)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._came.set)
