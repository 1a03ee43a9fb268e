"""The screen's event loop: the engine's thread stands back while the screen is at work, for a key or for a frame.

Both are Python and share its one lock. Whoever waits for that gets it after Python's switch interval: with one length
for both, each frame takes twice its time beside an engine that computes. So the interval is short while the loop has
nothing to do, when the engine holds the lock and a key may come, and long while it has.
"""

import asyncio
import selectors
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SHORT_S = 0.0005
_LONG_S = 0.01
"""As long as most frames take; other threads that wait for the lock, the keyboard's too, wait no longer than this."""
_LOOK_S = 0.004
"""How long the loop may go without looking at what came from outside: to look is to let go of the lock."""


class _Selector(selectors.DefaultSelector):
    """Lets go of Python's lock when the loop has nothing to do, and every few milliseconds when it has."""

    def __init__(self) -> None:
        super().__init__()
        self._looked = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See `selectors.BaseSelector`. What other threads ask of the loop it hears of without this."""
        if timeout is not None and timeout <= 0 and time.perf_counter() - self._looked < _LOOK_S:
            return []
        sys.setswitchinterval(_SHORT_S)
        try:
            return super().select(timeout)
        finally:
            sys.setswitchinterval(_LONG_S)
            self._looked = time.perf_counter()


@contextmanager
def gil_priority() -> Iterator[asyncio.Runner]:
    """What runs in this runner's loop has precedence over all other threads, until it is closed."""
    before = sys.getswitchinterval()
    try:
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(_Selector())) as runner:
            yield runner
    finally:
        sys.setswitchinterval(before)
