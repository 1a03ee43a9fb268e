"""Plays a turn on the session's runner, and keeps its events until the screen asks for them."""

import time
from collections import deque
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from spark_tui.errors import SparkError
from spark_tui.session.events import Event, Held, HunkUpdated, Token
from spark_tui.session.session import Session
from spark_tui.session.throttle import Pacer
from spark_tui.session.turn import Turn


@dataclass(frozen=True, slots=True)
class Over:
    """The turn gives no more events; `error` is what ended it, or None."""

    error: Exception | None


@dataclass(frozen=True, slots=True)
class Failed:
    """What answers failed at a token and holds the turn there; `problem` says why, in words."""

    problem: str


Said = Event | Failed | Over

_STAND_BACK_EVERY_S = 0.004
_STAND_BACK_S = 0.00005
"""How often, and for how long, the engine's thread lets the interface run."""


class _Inbox:
    """What a turn said and nobody took yet.

    Items come in on the runner's thread and are taken on the interface's. Whoever says something
    also stands back for a moment now and then: on a single processor, or beside code that holds
    Python's lock, the interface would otherwise wait until the system takes the processor away.
    """

    def __init__(self) -> None:
        self._said: deque[Said] = deque()
        self._stood_back_at = 0.0

    def put(self, item: Said) -> None:
        """Say something; that nothing came for a moment is nothing to say."""
        if item == Held(""):
            return
        self._said.append(item)
        now = time.perf_counter()
        if now - self._stood_back_at > _STAND_BACK_EVERY_S:
            time.sleep(_STAND_BACK_S)
            self._stood_back_at = time.perf_counter()

    def take(self) -> list[Said]:
        """Take everything said since the last time.

        A hunk update that a newer one replaces, before anything looks at it, is left out.
        """
        items = [self._said.popleft() for _ in range(len(self._said))]
        kept: list[Said] = []
        is_replaced = False
        for item in reversed(items):
            is_update = isinstance(item, HunkUpdated)
            if not (is_update and is_replaced):
                kept.append(item)
            is_replaced = is_update or (is_replaced and isinstance(item, Token))
        return kept[::-1]


class Player:
    """One turn at a time.

    Every method is for the interface's thread; events come in on the runner's.

    What an earlier turn still says is dropped as soon as another is played.
    """

    def __init__(self, session: Session) -> None:
        self._runner = session.runner
        self._session = session
        self._inbox = _Inbox()
        self._number = 0
        self.pacer = Pacer(self._runner.linger)
        """Holds tokens back, when there is a pace."""

    def play(self, turn: Turn) -> None:
        """Start a turn; one that is still running is cancelled."""
        self._inbox = inbox = _Inbox()
        events = self._events(turn, inbox)
        turn.due = partial(self._due, turn)
        self.pacer.begin()
        self._number = self._runner.start(events, inbox.put, partial(self._over, turn, inbox))

    def _over(self, turn: Turn, inbox: _Inbox, error: Exception | None) -> None:
        """Tell the screen first, then save the turn, whatever ends spark during the review."""
        inbox.put(Over(error))
        self._session.remember(turn)

    def _events(self, turn: Turn, inbox: _Inbox) -> Generator[Event, None, None]:
        """The turn's events; when what answers fails, the turn is held until the user goes on.

        Where another model takes the request over from a failure, the turn ends instead.
        """

        def hold(problem: str) -> None:
            inbox.put(Failed(problem))
            with turn.meter.resting():
                self._runner.hold()

        def is_final(error: SparkError) -> bool:
            return self._session.succession.heir(turn, error) != ""

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

    def take(self) -> list[Said]:
        """Everything said since the last time."""
        return self._inbox.take()

    def pause(self) -> None:
        """Stop at the token."""
        self._runner.pause(self._number)

    def resume(self) -> None:
        """Go on with the very next token."""
        self.pacer.go_on()
        self._runner.resume(self._number)

    def drop(self) -> None:
        """Give up the turn, and drop whatever it still says."""
        self._inbox = _Inbox()
        self._runner.cancel(self._number)

    def discard(self) -> None:
        """Give up what is unfinished."""
        self._runner.cancel(self._number)
