"""How long an answer may take to go on, how long it may take in all, and how much a server may send for it."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spark_tui.answering import remote_faults
from spark_tui.answering.remote_faults import Fault
from spark_tui.endpoints import Endpoint

_SECONDS_A_CHARACTER = 4.0
"""A server that needs longer than that on average says nothing."""
_EMPTY = 8 << 20
"""Bytes in a row that bring no text."""
_MEGABYTE = 1 << 20


class StreamLimits:
    """Watches one answer arrive. Mutable. Time while nobody reads does not count.

    Args:
        endpoint: Says how long and how much.
        clock: Gives seconds.
    """

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint, self._clock = endpoint, clock
        self._least = max(1, math.ceil(endpoint.silence / _SECONDS_A_CHARACTER))
        self._began = self._since = clock()
        self._total = self._empty = self._characters = 0

    def take(self, size: int, characters: int) -> Fault | None:
        """Take note of what arrived: bytes, and characters of text in them. Returns: what is too much, if anything."""
        now = self._clock()
        self._total += size
        self._empty = 0 if characters else self._empty + size
        self._characters += characters
        if self._characters >= self._least:
            self._since, self._characters = now, 0
        if now - self._since > self._endpoint.silence:
            return remote_faults.silent(self._endpoint)
        if now - self._began > self._endpoint.longest:
            return remote_faults.too_slow(self._endpoint)
        if self._empty > _EMPTY or self._total > self._endpoint.megabytes * _MEGABYTE:
            return remote_faults.too_large(self._endpoint)
        return None

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Count no time while this lasts."""
        before = self._clock()
        try:
            yield
        finally:
            rested = self._clock() - before
            self._began += rested
            self._since += rested
