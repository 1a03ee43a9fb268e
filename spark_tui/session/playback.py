"""How a turn begins and runs in the engine's thread, while its reports wait to be taken.

`Start` is a turn that is about to begin, and `Playback` makes it and lets it run. Only one turn has
the engine's thread: a turn that is to take its place is made beside it.
"""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import TypeVar

from spark_tui.errors import SparkError
from spark_tui.session.events import Event, Held
from spark_tui.session.inbox import Began, Failed, Inbox, Over, Report
from spark_tui.session.session import Session
from spark_tui.session.throttle import Pacer
from spark_tui.session.turn import Turn

T = TypeVar("T")
WEIGHING_S = 1.0
"""How long a request that was sent waits for the places that the model has not weighed yet."""
Maker = Callable[[], Generator[Held, None, Turn | None]]
"""Makes a turn, or finds that there is none to make; may be closed at any item."""


def at_once(make: Callable[[], Turn | None]) -> Maker:
    """Make a turn in one step."""

    def maker() -> Generator[Held, None, Turn | None]:
        yield Held("")
        return make()

    return maker


def returned(work: Generator[object, None, T]) -> T:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


@dataclass(slots=True, eq=False)
class Start:
    """A turn that is about to begin. Mutable.

    Attributes:
        words: The instruction.
        show: Puts the turn on the screen.
        on_begin: Called in the interface's thread once the turn runs.
        on_refuse: Called there where no turn was made, with the reason if there is one.
        is_paused: Whether the turn is to stand still at once.
        is_discarded: Whether it is then to be given up.
        is_beside: Whether the turn is made beside another one, which has the engine's thread.
        inbox: What becomes of it.
        until: How long it may look for the place.
    """

    words: str
    show: Callable[[Turn], None]
    on_begin: Callable[[Turn], None]
    on_refuse: Callable[[Exception | None], None]
    is_paused: bool = False
    is_discarded: bool = False
    is_beside: bool = False
    inbox: Inbox = field(default_factory=Inbox)
    until: float = field(default_factory=lambda: time.monotonic() + WEIGHING_S)

    def hurries(self) -> bool:
        """Whether to begin without the places that the model has not weighed yet."""
        return self.is_paused or time.monotonic() > self.until


class Playback:
    """One turn at a time, on the session's runner.

    Mutable. Every method is for the interface's thread; reports come in on the runner's.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runner = session.runner
        self._inbox = Inbox()
        self._turn: Turn | None = None
        self._number = 0
        """The number by which the runner knows the turn."""
        self.pacer = Pacer(self._runner.linger)
        """What holds tokens back, when there is a pace."""

    def begin(self, start: Start, maker: Maker, *, beside: bool) -> None:
        """Make a turn, then let it run; its inbox tells what becomes of it.

        Args:
            beside: Whether another turn runs, which goes on until this one is made.
        """
        if beside:
            # The engine's thread is with the other turn, so this one is made on a thread of its
            # own.
            start.is_beside = True
            work = partial(self._make_beside, start, maker)
            Thread(target=work, name="spark-start", daemon=True).start()
            return
        made: list[Turn] = []
        items = self._make_and_run(start, maker, made)
        end = partial(self._end, start.inbox, made)
        self._number = self._runner.start(items, start.inbox.put, end)

    def enter(self, start: Start, turn: Turn) -> None:
        """Go on with the reports of a turn that was just made."""
        self._inbox = start.inbox
        self._turn = turn
        if start.is_beside:
            self._run(turn)

    def run(self, turn: Turn) -> None:
        """Let a turn run; one that is still running is cancelled."""
        self._inbox = Inbox()
        self._run(turn)

    def take(self) -> list[Report]:
        """Take everything that the turn reported since the last time."""
        return self._inbox.take()

    def pause(self) -> bool:
        """Stop at the token.

        Returns:
            Whether a server that had not begun to answer was let go of.
        """
        self._runner.pause(self._number)
        return self._turn is not None and self._turn.answerer.release()

    def resume(self) -> None:
        """Go on with the very next token."""
        self.pacer.go_on()
        self._runner.resume(self._number)

    def discard(self) -> None:
        """Give up what is unfinished."""
        self._runner.cancel(self._number)

    def drop(self) -> None:
        """Give up the turn, and drop whatever it still reports."""
        self._inbox = Inbox()
        self._runner.cancel(self._number)

    def _run(self, turn: Turn) -> None:
        inbox = self._inbox
        self._turn = turn
        end = partial(self._end, inbox, [turn])
        self._number = self._runner.start(self._events(turn, inbox), inbox.put, end)

    def _make_and_run(
        self, start: Start, maker: Maker, made: list[Turn]
    ) -> Generator[Report, None, None]:
        """Make a turn in the engine's thread, and go on with its events."""
        turn = yield from maker()
        if turn is None:
            return
        made.append(turn)
        # Asked for before `Began` is given, so the runner stops there and no token is made.
        if start.is_paused:
            self._runner.pause_here()
        yield Began(turn, self._session.staging.standing)
        yield from self._events(turn, start.inbox)

    def _make_beside(self, start: Start, maker: Maker) -> None:
        """Make a turn in a thread of its own, while another turn has the engine's."""
        try:
            turn = returned(maker())
            began = Began(turn, self._session.staging.standing) if turn else Over(None)
        except Exception as error:  # noqa: BLE001 - nobody above this thread could hear of it
            start.inbox.put(Over(error))
        else:
            start.inbox.put(began)

    def _end(self, inbox: Inbox, made: list[Turn], error: Exception | None) -> None:
        """Report the end, then save the turn, in case spark ends during the review."""
        inbox.put(Over(error))
        for turn in made:
            self._session.remember(turn)

    def _events(self, turn: Turn, inbox: Inbox) -> Generator[Event, None, None]:
        """The turn's events; when the provider fails, the turn is held until the user goes on.

        Where another model takes the request over from a failure, the turn ends instead.
        """

        def hold(problem: str) -> None:
            inbox.put(Failed(problem))
            # The time until the user reacts does not count as the turn's.
            with turn.meter.resting():
                self._runner.hold()

        def is_final(error: SparkError) -> bool:
            return self._session.succession.heir(turn, error) != ""

        turn.is_judged_later = True  # nobody waits for a second model before reading
        turn.due = partial(self._due, turn)
        self.pacer.begin()
        host = self._session.host_of(turn)
        with host.on_failure(hold, is_final), closing(turn.events()) as events:
            yield from events

    def _due(self, turn: Turn) -> bool:
        """Wait until the turn may take its next token.

        Returns:
            Whether there is time to look at it.
        """
        if self.pacer.pace is None:
            return False
        with turn.meter.resting():
            return self.pacer.wait()
