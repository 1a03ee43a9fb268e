"""Count the functions between a key and what it does: `python -m tests.hops` prints every one.

A hop is a call from one named function of the package to the next one on the path of an
instruction. The path is the stack at a few points that every instruction has to pass (the words
are parsed, the place is found, the model runs), and behind that the stack of whoever handed the
work over: to another task, to another thread, or to another widget by a message. What two stacks
share counts once, and a token that a generator yields takes no hop. Textual, asyncio and lambdas do
not count.
"""

import asyncio
import importlib
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

from textual.message import Message
from textual.message_pump import MessagePump

from spark_tui.config import Settings
from spark_tui.session.hunk_items import HunkState
from spark_tui.session.runner import Runner
from tests.tui.support import Stage, until

PACKAGE = str(Path(__file__).parent.parent / "spark_tui")
Chain = tuple[CodeType, ...]
_ORIGIN: ContextVar[Chain] = ContextVar("origin", default=())
"""The functions that led to the task, the thread or the message which runs now."""


@dataclass(frozen=True, slots=True)
class Point:
    """A function that the path has to pass.

    Attributes:
        what: What happens there.
        start: Where the path begins, as `module:function`.
        end: The function itself.
        is_every: Whether each call counts, not only the first: none of them should be needed twice.
    """

    what: str
    start: str
    end: str
    is_every: bool = False


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of the way of an instruction.

    Attributes:
        most: How many hops are allowed.
    """

    name: str
    most: int
    points: Sequence[Point]


_MODEL = "QuotingModel.forward"
"""The forward pass of the tests' model, which stands for that of the package."""
_KEY = "spark_tui.tui.app:SparkApp.on_event"
_ATTEMPT = "spark_tui.session.turn:Turn._attempt"
_STEP = "spark_tui.engine.generate:_Run.step"
_FRAME = "spark_tui.tui.screens.painter:Painter._frame"
_DRAW = "spark_tui.tui.widgets.diff_view:DiffView.render_line"
LEGS = (
    Leg(
        "Enter to the forward pass",
        30,
        (
            Point("the words are parsed", _KEY, "spark_tui.mentions:read_request", is_every=True),
            Point("the place is found", _KEY, "spark_tui.context.resolver:rank", is_every=True),
            Point("the file is read", _KEY, "spark_tui.session.turn_factory:TurnFactory.base"),
            Point("the turn is made", _KEY, "spark_tui.session.turn:Turn.__init__"),
            Point("the model runs", _KEY, "tests.providers.quoting_models:QuotingModel.forward"),
        ),
    ),
    Leg(
        "token to screen",
        15,
        (
            Point("a token is chosen", _STEP, _STEP),
            Point(
                "the piece is read",
                "spark_tui.providers.spark_model:_Script.take",
                "spark_tui.editing.formats.quoted:QuotedDraft.take",
                is_every=True,
            ),
            Point("the file is diffed", _ATTEMPT, "spark_tui.editing.hunks:diff"),
            Point(
                "the event is handed over",
                "spark_tui.session.runner:Runner._work",
                "spark_tui.session.inbox:Inbox.put",
            ),
            Point("the event is folded in", _FRAME, "spark_tui.session.turn_state:TurnState.take"),
            Point("the diff is laid out", _FRAME, "spark_tui.tui.widgets.diff_view:DiffView.show"),
            Point("a row is drawn", _DRAW, _DRAW),
        ),
    ),
    Leg(
        "accept to the exchange on disk",
        23,
        (
            Point("consent is asked", _KEY, "spark_tui.vcs.policy:concerns", is_every=True),
            Point("the journal is told", _KEY, "spark_tui.vcs.journal:Journal.prepare"),
            Point("the files are exchanged", _KEY, "spark_tui.vcs.disk:Disk.exchange"),
        ),
    ),
)


@dataclass(slots=True)
class Measured:
    """What was measured of a leg.

    Attributes:
        functions: The functions on the path, in the order in which they are met.
        calls: How often each point was passed, by what happens there.
    """

    leg: Leg
    functions: list[tuple[str, CodeType]] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)

    @property
    def hops(self) -> int:
        """The number of calls from one function to the next."""
        return len(self.functions) - 1

    def __str__(self) -> str:
        lines = [f"{self.leg.name}: {self.hops} hops, {self.leg.most} allowed"]
        last = ""
        for number, (what, code) in enumerate(self.functions):
            if what != last:
                lines.append(f"  {what} ({self.calls[what]} x)")
                last = what
            file = Path(code.co_filename).relative_to(Path(PACKAGE).parent)
            lines.append(f"  {number:4} {code.co_qualname}  {file}:{code.co_firstlineno}")
        return "\n".join(lines)


class Tracer:
    """Notes the chain of functions at each point of a leg, in every thread. Mutable."""

    def __init__(self) -> None:
        codes = {point.end: _code(point.end) for leg in LEGS for point in leg.points}
        self._ends = {code: name for name, code in codes.items()}
        self._chains: list[tuple[str, Chain]] = []

    def path(self, leg: Leg) -> Measured:
        """Join what was noted since the last call to one path, and forget it."""
        noted = self._chains[:]
        self._chains.clear()
        path = Measured(leg)
        for point in leg.points:
            start = _code(point.start)
            chains = [chain for end, chain in noted if end == point.end and start in chain]
            assert chains, f"{point.what}: {point.end} was not called behind {point.start}"
            path.calls[point.what] = len(chains)
            for chain in chains if point.is_every else chains[:1]:
                known = {code for _, code in path.functions}
                behind = dict.fromkeys(chain[chain.index(start) :])
                path.functions += [(point.what, code) for code in behind if code not in known]
        return path

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Note chains within the block."""
        start = Runner.start

        def start_noted(
            runner: Runner, items: Generator[Any, None, None], *callbacks: Callable[[Any], None]
        ) -> int:
            chain = (*_chain(sys._getframe(1)), start.__code__)

            def begun() -> Generator[Any, None, None]:
                _ORIGIN.set(chain)
                sys.setprofile(self._note)  # the thread may be older than the tracer
                yield from items

            return start(runner, begun(), *callbacks)

        to_thread = asyncio.to_thread

        async def to_thread_noted(work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            def work_noted() -> Any:
                sys.setprofile(self._note)
                try:
                    return work(*args, **kwargs)
                finally:
                    sys.setprofile(None)

            token = _ORIGIN.set(_chain(sys._getframe(1)))
            try:
                return await to_thread(work_noted)
            finally:
                _ORIGIN.reset(token)

        post = MessagePump.post_message

        def post_noted(pump: MessagePump, message: Message) -> bool:
            message.hops = _chain(sys._getframe(1))  # type: ignore[attr-defined]
            return post(pump, message)

        dispatch = MessagePump._dispatch_message

        async def dispatch_noted(pump: MessagePump, message: Message) -> None:
            _ORIGIN.set(getattr(message, "hops", ()))
            await dispatch(pump, message)

        loop = asyncio.get_running_loop()
        loop.set_task_factory(_task_noted)  # type: ignore[arg-type]
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            with (
                patch.object(Runner, "start", start_noted),
                patch.object(asyncio, "to_thread", to_thread_noted),
                patch.object(MessagePump, "post_message", post_noted),
                patch.object(MessagePump, "_dispatch_message", dispatch_noted),
            ):
                yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            loop.set_task_factory(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (name := self._ends.get(frame.f_code)) is not None:
            self._chains.append((name, _chain(frame)))


def _task_noted(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **kwargs: Any
) -> "asyncio.Task[Any]":
    context = kwargs.pop("context", None) or copy_context()
    context.run(_ORIGIN.set, _chain(sys._getframe(1)))
    return asyncio.Task(work, loop=loop, context=context, **kwargs)


def _chain(frame: FrameType | None) -> Chain:
    """The functions of the package that led to a frame, the first one first."""
    codes: list[CodeType] = []
    while frame is not None:
        code = frame.f_code
        is_ours = code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<")
        if is_ours or code.co_qualname == _MODEL:
            codes.append(code)
        frame = frame.f_back
    return (*_ORIGIN.get(), *reversed(codes))


def _code(name: str) -> CodeType:
    """The code of a function, written as `module:function`."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    code: CodeType = found.__code__
    return code


async def trace(folder: Path) -> list[Measured]:
    """Measure one instruction, from Enter to its accepted hunks.

    Args:
        folder: For the repository, the model and the state.
    """
    # A letter waits for a second one in a timer, from where the path cannot be followed back.
    stage = Stage(folder, settings=Settings(keys={"all.accept": "f9"}))
    tracer = Tracer()
    async with stage.started((100, 30)) as pilot:
        with tracer.tracing():
            stage.prompt.set_text(stage.words)
            await pilot.press("enter")
            await until(pilot, lambda: stage.gate.holds)
            stage.gate.let(1)
            await until(pilot, lambda: stage.gate.passes > 0 and stage.gate.holds)
            first = tracer.path(LEGS[0])
            stage.gate.open()
            await until(pilot, lambda: bool(stage.view.hunks) and stage.diff.has_focus)
            second = tracer.path(LEGS[1])
            stage.later()
            await pilot.press("f9")
            await until(pilot, lambda: _are_accepted(stage) and not stage.main.busy)
            third = tracer.path(LEGS[2])
    return [first, second, third]


def _are_accepted(stage: Stage) -> bool:
    return {item.state for item in stage.view.items()} == {HunkState.ACCEPTED}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for measured in asyncio.run(trace(Path(name))):
            sys.stdout.write(f"{measured}\n\n")
