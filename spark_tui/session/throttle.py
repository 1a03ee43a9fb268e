"""Holds tokens back to a chosen pace (`Pacer`): the engine waits before it shows each token.

`session.pace` says how long a token takes at a pace; here the waiting is done.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_tui.session.pace import Pace

PACES = {
    "real": "as fast as it writes",
    "12": "tokens a second, to read along; any number will do",
    "wse3": "a wafer, simulated, with this model",
    "wse2": "the wafer before it",
    "h200": "a GPU, simulated, with this model",
    "h100": "the GPU before it",
    "a100": "the one before that",
    "wse3:llama3-70b": "wafers with a large model",
    "h200:llama3-70b": "GPUs with a large model",
}
"""The paces to choose from, each with its description."""
_WINDOW_S = 1.0  # a rate is that of the last second
_FOLLOWED = 100.0
"""Tokens a second up to which each can be looked at; of more, a frame of the screen shows
several at once.
"""

_LEAST = 4
"""The fewest gaps between tokens that make a rate."""
_LEAST_S = 0.1
"""The least time, in seconds, that those gaps must take together."""


class Rate:
    """The recent rate of tokens, by the gaps between them; a pause makes no gap."""

    def __init__(self) -> None:
        self._gaps: deque[float] = deque()
        self._last: float | None = None

    @property
    def fresh(self) -> bool:
        """Whether the next token is the first, or the first after a pause."""
        return self._last is None

    @property
    def value(self) -> float | None:
        """Tokens a second; None while there are too few to tell."""
        gaps = tuple(self._gaps)
        spent = sum(gaps)
        return len(gaps) / spent if len(gaps) >= _LEAST and spent >= _LEAST_S else None

    def pause(self) -> None:
        """Note that no token comes for a while."""
        self._last = None

    def add(self, now: float) -> None:
        """Note that a token came.

        Args:
            now: Seconds.
        """
        if (last := self._last) is not None:  # read once: another thread may call `pause`
            self._gaps.append(now - last)
            while len(self._gaps) > _LEAST and sum(self._gaps) - self._gaps[0] > _WINDOW_S:
                self._gaps.popleft()
        self._last = now


class Pacer:
    """Waits before each token until it is due.

    `pace` may change at any time; None waits for nothing.

    Args:
        linger: Lets so many seconds pass, on the engine's thread; a pause ends it.
        clock: Seconds.
    """

    def __init__(
        self, linger: Callable[[float], None], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.pace: Pace | None = None
        self._linger = linger
        self._clock = clock
        self._due = 0.0
        self._shown = Rate()

    @property
    def rate(self) -> float | None:
        """Tokens a second, as measured while they are shown; None while there are too few."""
        return self._shown.value

    def begin(self) -> None:
        """Begin a stream."""
        self._due = 0.0
        self._shown = Rate()

    def go_on(self) -> None:
        """Go on after a pause: the next token is due now, and the others follow at the pace."""
        self._due = max(self._due, self._clock())
        self._shown.pause()

    def wait(self) -> bool:
        """Let a token wait until it is due; later tokens do not make up for a late one.

        Returns:
            Whether there is time to look at it before the next one.
        """
        came = self._clock()
        while (pace := self.pace) is not None and (left := self._left(pace)) > 0:
            self._linger(left)
        if pace is None:
            return False
        now = self._clock()
        shown = self._shown
        # Waking up after a pause takes a while: the next token keeps its distance from this one all
        # the same.
        start = now if shown.fresh else came
        self._due = max(self._due, start) + 1 / pace.rate
        shown.add(now)
        return pace.rate <= _FOLLOWED

    def _left(self, pace: "Pace") -> float:
        """Seconds until the next token is due; at most one token's time at the present pace."""
        now = self._clock()
        # The pace may have become faster since the token's time was set.
        self._due = min(self._due, now + 1 / pace.rate)
        return self._due - now
