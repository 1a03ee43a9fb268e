"""Plays a turn on the session's runner, and keeps what it says until the screen asks."""

from collections import deque
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from spark_tui.session.events import Event
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn


@dataclass(frozen=True, slots=True)
class Over:
    """The turn gives no more events; `error` is what ended it, or None."""

    error: Exception | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The engine failed at a token and holds the turn there; `problem` says why, in words."""

    problem: str


Said = Event | Failed | Over


class Player:
    """One turn at a time. Every method is for the interface's thread; events come in on the runner's.

    What an earlier turn still says is dropped as soon as another is played.
    """

    def __init__(self, session: Session) -> None:
        self._runner, self._session = session.runner, session
        self._inbox: deque[Said] = deque()
        self._number = 0

    @property
    def parked(self) -> bool:
        """Whether the engine stands still, paused."""
        return self._runner.paused

    @property
    def stop_ms(self) -> float | None:
        """Milliseconds from the last pause to the engine standing still."""
        return self._runner.last_stop_ms

    def play(self, turn: Turn) -> None:
        """Start a turn; one that is still running is cancelled."""
        inbox: deque[Said] = deque()
        self._inbox = inbox
        events = self._events(turn, inbox)
        self._number = self._runner.start(events, inbox.append, lambda error: inbox.append(Over(error)))

    def _events(self, turn: Turn, inbox: deque[Said]) -> Generator[Event, None, None]:
        """The turn's events; when the engine fails, the turn is held until the user says to go on."""

        def hold(problem: str) -> None:
            inbox.append(Failed(problem))
            with turn.resting():
                self._runner.hold()

        with self._session.engine.on_failure(hold), closing(turn.events()) as events:
            yield from events

    def take(self) -> list[Said]:
        """Everything said since the last time."""
        inbox = self._inbox
        return [inbox.popleft() for _ in range(len(inbox))]

    def pause(self) -> None:
        """Stop at the token."""
        self._runner.pause(self._number)

    def resume(self) -> None:
        """Go on with the very next token."""
        self._runner.resume(self._number)

    def discard(self) -> None:
        """Give up what is unfinished."""
        self._runner.cancel(self._number)
