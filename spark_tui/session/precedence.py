"""Who uses a model first: what the user waits for, then work in the background.

Work in the background takes one piece (a token, a step) after the other, each by leave. It gets no
leave while the user waits for an answer of the same engine or endpoint, so it stands still within a
piece. In this process, pieces of several tasks also take turns: two passes at once are slower than
one after the other.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

HERE = ""
"""The lane of all models of this process, which share its processors."""
_LOOK_S = 0.02
"""How soon background work notices that the user waits no longer."""


class Precedence:
    """Gives leave to work in the background. Safe to use from any thread.

    Args:
        busy: The lanes that the user waits for now: `HERE`, or the address of an endpoint.
    """

    def __init__(self, busy: Callable[[], Collection[str]]) -> None:
        self._busy = busy
        self._changed = threading.Condition()
        self._queue = deque[object]()
        """The background work that waits for the models of this process, or uses them."""

    @contextmanager
    def piece(self, lane: str, gives_up: Callable[[], bool]) -> Iterator[None]:
        """Wait for leave, then do a piece of background work within the context.

        Args:
            lane: What the work uses.
            gives_up: Whether the work ends or pauses instead; then nothing is waited for.
        """
        ticket = object()
        with self._changed:
            if lane == HERE:
                self._queue.append(ticket)
            # Waits in short steps, as nobody reports that the user waits no longer.
            while not gives_up() and not self._may_go(lane, ticket):
                self._changed.wait(_LOOK_S)
        try:
            yield
        finally:
            with self._changed:
                if lane == HERE:
                    self._queue.remove(ticket)
                self._changed.notify_all()

    def _may_go(self, lane: str, ticket: object) -> bool:
        if lane in self._busy():
            return False
        return lane != HERE or self._queue[0] is ticket
