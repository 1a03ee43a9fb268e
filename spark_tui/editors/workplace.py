"""One session of an editor: its repository, its model, and the prompt under way."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from functools import partial
from itertools import count
from threading import Lock
from typing import Any

from acp import helpers, schema

from spark_tui.config import Settings
from spark_tui.crash_report import problem_of
from spark_tui.editors import options
from spark_tui.editors.blocks import read_blocks
from spark_tui.editors.buffers import BufferedRepository, OpenFiles
from spark_tui.editors.checks import run_check
from spark_tui.editors.commands import Command, read_command
from spark_tui.editors.decisions import Decisions, finished, tell_outcome, tell_usage
from spark_tui.editors.editor import NO, YES, Editor
from spark_tui.editors.history import title_of
from spark_tui.editors.model_loader import ModelLoader
from spark_tui.editors.options import Mode
from spark_tui.editors.prompt_reader import PromptReader
from spark_tui.editors.tasks import ShownTask
from spark_tui.editors.turns import GrowingEdit, Maker, at_once, in_order, played, reports
from spark_tui.errors import ConsentMissing, SparkError, UsageError
from spark_tui.providers.base import Waits
from spark_tui.safe_text import visible
from spark_tui.session.accept import on_disk, paths_of
from spark_tui.session.ask import Anew
from spark_tui.session.events import Held, Status
from spark_tui.session.inbox import Began
from spark_tui.session.request import with_attached
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.session.turn import Turn
from spark_tui.tasks.background import BackgroundTasks
from spark_tui.tasks.request import read_request

_WEIGHING_SECONDS = 4.0
"""How long the model may weigh places if the words name none; then it edits the likeliest."""
_STOP_SECONDS = 0.3
"""How long the answer to a cancel waits for the engine, which stops at the next token."""
_IDLE_SECONDS = 5.0
"""How long a prompt waits for the end of one that was cancelled."""
_MOST_LOGGED = 10
_log = logging.getLogger(__name__)


class Workplace:
    """A session of an editor. Mutable; one event loop.

    Args:
        editor: The editor at the other end.
        session: The session: repository and model.
        repo: The repository of the session, as it reads with the editor's unsaved texts.
        settings: The settings of the user for the repository.
        engine: Held by the session that computes, as all sessions of a process share processors.
    """

    def __init__(
        self,
        editor: Editor,
        session: Session,
        repo: BufferedRepository,
        settings: Settings,
        engine: Lock,
    ) -> None:
        self.editor = editor
        self.session = session
        self.mode = Mode.EDIT
        self.model = ModelLoader(editor, session)
        self._settings = settings
        self._engine = engine
        self._finder = TargetFinder(session, settings)
        self._files = OpenFiles(editor, repo)
        self._reader = PromptReader(editor, session, self._files, self._finder)
        self._decisions = Decisions(editor, session, self._files)
        self._tasks: BackgroundTasks | None = None
        self._numbers = count(1)
        self._work: asyncio.Task[Any] | None = None
        """The prompt under way, or the last one."""
        self._is_cancelled = False
        self._has_title = False
        self._handlers: dict[str, Callable[[str], Any]] = {
            "accept": self._accept,
            "ask": self._ask,
            "check": self._set_check,
            "keep": self._keep,
            "log": self._show_log,
            "redo": self._redo,
            "rename": self._rename,
            "task": self._begin_task,
            "undo": self._undo,
        }

    async def prompt(self, blocks: Iterable[Any]) -> Any:
        """Answer a prompt.

        Returns:
            A `PromptResponse` of `acp.schema`.

        Raises:
            UsageError: Another prompt is under way.
        """
        while self._work is not None and not self._work.done():
            # Only a cancelled prompt is awaited: an editor may send the next one before that has
            # ended.
            if not self._is_cancelled:
                raise UsageError("a prompt is under way here; cancel it, or wait for its end")
            await asyncio.wait([self._work])
        self._is_cancelled = False
        work = self._work = asyncio.ensure_future(self._answer(blocks))
        try:
            turn = await work
        except asyncio.CancelledError:
            # Cancelled by the user, the work has ended and the editor gets an answer. Otherwise
            # this request itself was cancelled, and takes the work with it.
            if self._is_cancelled and work.done():
                return schema.PromptResponse(stop_reason="cancelled")
            work.cancel()
            raise
        return schema.PromptResponse(stop_reason="end_turn", usage=_usage(turn))

    def cancel(self) -> None:
        """End the prompt under way at the next token; nothing of it is written."""
        if self._work is not None and not self._work.done():
            self._is_cancelled = True
            self._work.cancel()

    async def close(self) -> None:
        """End the prompt and the tasks under way, and save."""
        self.cancel()
        if self._work is not None:
            await asyncio.wait([self._work])
        if self._tasks is not None:
            await asyncio.to_thread(self._tasks.close)
        await asyncio.to_thread(self.session.close)

    async def choose(self, name: str, value: str) -> None:
        """Set one of the options that `config_options` lists.

        Raises:
            SparkError: There is no such option, or the value cannot be set.
        """
        if name == options.MODE:
            self.mode = options.read_mode(value)
        elif name == options.MODEL:
            await asyncio.to_thread(self.session.host.change, value, self.session.models)
        elif name == options.CHECK:
            line = "" if value == options.OFF else value
            await asyncio.to_thread(self.session.check.set, line)
        else:
            raise UsageError(f"there is no option {name}; choose mode, model or check")

    async def config(self) -> list[Any]:
        """The options that the user can set."""
        return await asyncio.to_thread(options.config_options, self.session, self.mode)

    async def _answer(self, blocks: Iterable[Any]) -> Turn | None:
        """Answer a prompt; an error is shown, and the conversation goes on.

        Returns:
            The turn that the prompt led to, if any.
        """
        before = self._finder.turn
        try:
            words = await self._reader.read(read_blocks(blocks))
            await self._tell_title(words)
            for notice in self.session.take_notices():
                await self.editor.say(notice)
            found = read_command(words)
            if found is None:
                await self._with_consent(lambda: self._take_words(words))
            else:
                await self._with_consent(lambda: self._run(*found))
        except SparkError as e:
            await self.editor.say("\n".join(filter(None, [str(e), e.detail])))
        except Exception as e:  # noqa: BLE001 - a failed prompt does not end the conversation
            _log.exception("a prompt failed")
            await self.editor.say(str(problem_of(e)))
        finally:
            # The next prompt asks the editor again for its unsaved texts.
            self._files.forget()
        turn = self._finder.turn
        return None if turn is before else turn

    async def _with_consent(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do work; ask before a model that runs elsewhere reads what may hold secrets.

        Raises:
            SparkError: The work failed, or the user does not consent.
        """
        while True:
            try:
                return await work()
            except ConsentMissing as error:
                await self._ask_to_send(error)
                self.session.disclosure.allow(error.paths)

    async def _ask_to_send(self, error: ConsentMissing) -> None:
        """Ask whether files may be sent.

        Raises:
            ConsentMissing: The user does not consent.
        """
        call_id = f"consent-{next(self._numbers)}"
        title = visible(f"Send {', '.join(error.paths)}? It {'; '.join(error.why)}")
        call = helpers.start_tool_call(call_id, title=title, kind="read", status="pending")
        await self.editor.update(call)
        is_allowed = await self.editor.ask(call_id, title, [YES, NO]) == YES.id
        status = "completed" if is_allowed else "failed"
        await self.editor.update(helpers.update_tool_call(call_id, status=status))
        if not is_allowed:
            raise error

    async def _tell_title(self, words: str) -> None:
        if not self._has_title:
            self._has_title = True
            update = schema.SessionInfoUpdate(
                session_update="session_info_update", title=title_of(words)
            )
            await self.editor.update(update)

    async def _take_words(self, words: str) -> None:
        match self.mode:
            case Mode.EDIT:
                await self._edit(words)
            case Mode.ASK:
                await self._ask(words)
            case Mode.TASK:
                await self._begin_task(words)

    async def _run(self, command: Command, argument: str) -> None:
        await self._handlers[command.name](argument)

    async def _edit(self, words: str) -> None:
        """Make an edit at the place to which the words lead."""
        await self.model.loaded()
        # The engine may still be busy with a prompt that was cancelled.
        await asyncio.to_thread(self.session.runner.wait, _IDLE_SECONDS)
        await self._drop_stale()
        places = await asyncio.to_thread(self._finder.places, words)
        await self._files.look(str(place.path) for place in places[:1])
        if not self._finder.names_place(words):
            await self.editor.think("looking for the place\n")
        until = time.monotonic() + _WEIGHING_SECONDS
        await self._play(lambda: self._finder.begin(words, lambda: time.monotonic() > until))

    async def _drop_stale(self) -> None:
        """Forget the last turn if its files have changed: then the words are no follow-up of it."""
        turn = self._finder.turn
        if turn is None:
            return
        with turn.lock:
            paths = paths_of(turn)
            base = turn.review.base
        await self._files.look(paths)
        try:
            now = await asyncio.to_thread(on_disk, self.session.repo, turn)
        except SparkError:
            self._finder.turn = None
            return
        if now != base:
            self._finder.turn = None

    async def _play(self, make: Maker) -> None:
        """Make a turn, run it, and ask about its edit."""
        edit = GrowingEdit(self.editor, self.session, f"edit-{next(self._numbers)}")
        try:
            turn = await self._made(make)
            self._finder.turn = turn
            await self._follow(edit, turn)
            turn = edit.turn or turn
            if not (turn.status.offers and turn.hunks):
                await edit.end("failed")
                await tell_outcome(self.editor, turn)
                return
            await self.editor.say(turn.outcome)
            await self._decide(edit)
        except Exception:
            await edit.end("failed")
            raise
        except asyncio.CancelledError:
            await asyncio.to_thread(self.session.runner.wait, _STOP_SECONDS)
            await edit.end("failed")
            await self._tell_kept(edit)
            raise
        finally:
            if edit.turn is not None:
                self.session.remember(edit.turn)

    async def _tell_kept(self, edit: GrowingEdit) -> None:
        """Say which hunks of an edit that was stopped can still be accepted."""
        turn = edit.turn
        if turn is None or edit.is_settled or turn.status is Status.RUNNING or not turn.hunks:
            return
        count = len(turn.hunks)
        hunks = "1 whole hunk is" if count == 1 else f"{count} whole hunks are"
        await self.editor.say(f"Stopped; nothing was written. {hunks} kept: /accept asks again.")

    async def _made(self, make: Maker) -> Turn:
        """Make a turn over the files as the editor has them.

        Raises:
            SparkError: No turn can be made.
        """
        while True:
            turn = await self._made_once(make)
            with turn.lock:
                paths = paths_of(turn)
            # A turn that was made from the disk is made again if the editor has unsaved text of its
            # files.
            if not await self._files.look(paths):
                return turn

    async def _made_once(self, make: Maker) -> Turn:
        def items() -> Generator[Any, None, None]:
            turn = yield from make()
            yield Began(turn, "")

        made = None
        async with self._reports(items) as batches:
            async for taken in batches:
                for item in taken:
                    if isinstance(item, Began):
                        made = item.turn
        assert made is not None
        return made

    def _reports(
        self, items: Callable[[], Generator[Any, None, None]]
    ) -> AbstractAsyncContextManager[AsyncGenerator[list[Any]]]:
        """Run work on the engine's thread; it ends with the context."""
        return aclosing(reports(self.session.runner, in_order(self._engine, items)))

    async def _follow(self, edit: GrowingEdit, turn: Turn) -> None:
        """Run a turn and show it."""

        def make() -> Generator[Held, None, Turn]:
            yield Held("")
            return turn

        def items() -> Generator[Any, None, None]:
            return played(self.session, make)

        async with self._reports(items) as batches:
            async for taken in batches:
                await edit.take(taken)
                self._finder.turn = edit.turn or turn
        await tell_usage(self.editor, self.session, edit.turn or turn)

    async def _decide(self, edit: GrowingEdit) -> None:
        if await self._decisions.decide(edit):
            await run_check(self.editor, self.session, f"check-{next(self._numbers)}")

    async def _accept(self, _: str) -> None:
        """Ask again about the hunks that are open."""
        turn = self._finder.turn
        if turn is None:
            raise UsageError("there is no edit here yet; say what to change")
        if not turn.hunks:
            raise UsageError(f"no hunk is open: {_why_none(turn)}; say what to change")
        edit = GrowingEdit(self.editor, self.session, f"edit-{next(self._numbers)}")
        await edit.begin(turn)
        await edit.show("pending")
        await self._decide(edit)
        self.session.remember(turn)

    async def _ask(self, words: str) -> None:
        """Have a chat model answer a question."""
        await self.model.loaded()

        def items() -> Generator[Any, None, None]:
            yield from self._finder.answer(words)

        async with self._reports(items) as batches:
            async for taken in batches:
                for item in taken:
                    await self._show_spoken(item)

    async def _show_spoken(self, item: Any) -> None:
        """Show a piece of an answer in words."""
        match item:
            case str():
                await self.editor.stream(item)
            case Waits(line):
                await self.editor.think(line)
            case Anew(reason):
                await self.editor.say(f"\n\n{reason}" if reason else "\n")

    async def _keep(self, argument: str) -> None:
        side, _, where = argument.partition(" ")
        await self.model.loaded()
        await self._play(at_once(lambda: self._finder.keep(side, where)))

    async def _rename(self, argument: str) -> None:
        await self.model.loaded()
        await self._play(at_once(lambda: self._finder.rename(argument, lambda _: None)))

    async def _undo(self, _: str) -> None:
        entry = await finished(asyncio.to_thread(self.session.undo))
        names = ", ".join(file.path for file in entry.files)
        await self.editor.say(f"Took back “{entry.asked}” in {names}; /redo does it again.")

    async def _redo(self, _: str) -> None:
        entry = await finished(asyncio.to_thread(self.session.redo))
        names = ", ".join(file.path for file in entry.files)
        await self.editor.say(f"Did “{entry.asked}” in {names} again; /undo takes it back.")

    async def _show_log(self, _: str) -> None:
        batches = await asyncio.to_thread(self.session.past.log)
        lines = []
        for batch in batches[:_MOST_LOGGED]:
            names = ", ".join(file.path for file in batch.entry.files)
            lines.append(f"- {batch.state}: {batch.entry.asked} ({names})")
        await self.editor.say("\n".join(lines) or "Nothing was accepted here yet.")

    async def _set_check(self, argument: str) -> None:
        if argument:
            await self.choose(options.CHECK, argument)
            update = schema.ConfigOptionUpdate(
                session_update="config_option_update", config_options=await self.config()
            )
            await self.editor.update(update)
        line = self.session.check.line
        words = f"`{line}` runs after each accept." if line else "No check runs after an accept."
        await self.editor.say(words)

    async def _begin_task(self, words: str) -> None:
        """Run a task to its end, and ask about its changes."""
        await self.model.loaded()
        if self._tasks is None:
            self._tasks = BackgroundTasks(self.session, self._settings)
        tasks = self._tasks
        request = read_request(words)
        request = replace(request, words=with_attached(request.words, self._finder.attached))
        task = await asyncio.to_thread(tasks.begin, request)
        await ShownTask(self.editor, task, task.id).follow()
        await self.editor.say(task.view.message)
        what, changes, notes = await asyncio.to_thread(tasks.review, task.id)
        if not changes:
            return
        # The changes of a task are decided hunk by hunk, like an edit.
        make = partial(self.session.propose, what, changes, notes, task=task.id)
        await self._play(at_once(make))


def _why_none(turn: Turn) -> str:
    """Why a turn has no open hunk."""
    match turn.status:
        case Status.INTERRUPTED:
            return "the edit was stopped, and no other hunk was whole"
        case Status.ABSTAINED:
            return "no edit was found"
    return "each was accepted or rejected"


def _usage(turn: Turn | None) -> Any:
    """The token counts of a turn; None without a turn."""
    if turn is None:
        return None
    timing = turn.timing
    return schema.Usage(
        total_tokens=timing.prompt_tokens + timing.generated_tokens,
        input_tokens=timing.prompt_tokens,
        output_tokens=timing.generated_tokens,
        cached_read_tokens=timing.cached_tokens,
    )
