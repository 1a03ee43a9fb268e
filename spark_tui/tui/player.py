"""Plays a turn on the session's runner, and keeps what it says until the screen asks."""

from collections import deque
from dataclasses import dataclass

from spark_tui.session.events import Event
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn


@dataclass(frozen=True, slots=True)
class Over:
    """The turn gives no more events; `error` is what ended it, or None."""

    error: Exception | None


class Player:
    """One turn at a time. Every method is for the interface's thread; events come in on the runner's.

    What an earlier turn still says is dropped as soon as another is played.
    """

    def __init__(self, session: Session) -> None:
        self._runner = session.runner
        self._inbox: deque[Event | Over] = deque()
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
        inbox: deque[Event | Over] = deque()
        self._inbox = inbox
        self._number = self._runner.start(turn.events(), inbox.append, lambda error: inbox.append(Over(error)))

    def take(self) -> list[Event | Over]:
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
