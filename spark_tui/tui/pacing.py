"""Shows tokens no faster than at a pace, by letting the engine wait for it."""

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_tui.session.pacing import Pace

_WINDOW_S = 1.0
_FOLLOWED = 100.0
"""Tokens a second up to which each can be looked at; of more, a frame of the screen shows several at once."""


class Pacer:
    """Waits before each token until it is due. `pace` may change at any time; None waits for nothing.

    Args: linger: lets so many seconds pass, on the engine's thread; a pause ends it. clock: seconds.
    """

    def __init__(self, linger: Callable[[float], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self.pace: Pace | None = None
        self._linger, self._clock = linger, clock
        self._due = 0.0
        self._shown: deque[float] = deque()

    @property
    def rate(self) -> float | None:
        """Tokens a second as they were shown of late, measured; None before there are two."""
        times = list(self._shown)
        return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else None

    def begin(self) -> None:
        """The stream begins."""
        self._due = 0.0
        self._shown = deque()

    def go_on(self) -> None:
        """The stream goes on after a pause: what was due meanwhile is due now, one token after the other."""
        self._due = max(self._due, self._clock())
        self._shown = deque()

    def wait(self) -> bool:
        """Let a token wait for its time; one that comes late is not made up for by those after it.

        Returns: whether there is time to look at it before the next one.
        """
        came = self._clock()
        while (pace := self.pace) is not None and (left := self._left(pace)) > 0:
            self._linger(left)
        if pace is None:
            return False
        self._due = max(self._due, came) + 1 / pace.rate
        now, shown = self._clock(), self._shown
        shown.append(now)
        while now - shown[0] > max(_WINDOW_S, 4 / pace.rate):
            shown.popleft()
        return pace.rate <= _FOLLOWED

    def _left(self, pace: "Pace") -> float:
        """Seconds until the next token is due; never more than one takes at the pace that holds now."""
        now = self._clock()
        self._due = min(self._due, now + 1 / pace.rate)
        return self._due - now
