"""The bounds of time and size for one answer of a server."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spark_tui.config import Endpoint
from spark_tui.providers import openai_errors
from spark_tui.providers.openai_errors import EndpointFault

_SECONDS_A_CHARACTER = 4.0
"""A server that needs more time for a character on average counts as silent."""
_EMPTY = 8 << 20
"""The most bytes in a row without any text."""
_MEGABYTE = 1 << 20


class Overdue(Exception):
    """A part of an answer did not come in time.

    Args:
        fault: The fault of the server.
    """

    def __init__(self, fault: EndpointFault) -> None:
        super().__init__(fault.words)
        self.fault = fault


class StreamLimits:
    """The bounds of one answer: the time to its next text, the time in all, and the size.

    Mutable. Both times count from the request on; the headers count as a piece of the answer, and
    interim responses (1xx) do not. Time in which the reader rests does not count.

    Args:
        endpoint: Has the bounds.
        clock: Tells the time in seconds.
    """

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._least = max(1, math.ceil(endpoint.silence / _SECONDS_A_CHARACTER))
        self._began = self._since = clock()
        self._total = self._empty = self._characters = 0

    def begin(self) -> None:
        """Take note that the request goes out now: connecting has a limit of its own."""
        self._began = self._since = self._clock()

    def take_headers(self) -> None:
        """Take note that the headers arrived."""
        self._since = self._clock()

    @property
    def left(self) -> float:
        """Seconds in which the next text has to arrive; negative once they are over."""
        return self._ends() - self._clock()

    def overdue(self) -> Overdue:
        """Return the error for text that did not arrive in the time `left`."""
        # the time in all ends first
        if self._ends() < self._since + self._endpoint.silence:
            return Overdue(openai_errors.too_slow(self._endpoint))
        return Overdue(openai_errors.silent(self._endpoint))

    def _ends(self) -> float:
        """Return the time of the clock at which the server counts as silent, or as too slow."""
        return min(self._since + self._endpoint.silence, self._began + self._endpoint.longest)

    def take(self, size: int, characters: int) -> EndpointFault | None:
        """Take note of bytes that arrived.

        Args:
            size: How many bytes.
            characters: How many characters of text the bytes hold.

        Returns:
            The fault, once a bound is crossed; None before.
        """
        now = self._clock()
        self._total += size
        self._empty = 0 if characters else self._empty + size
        self._characters += characters
        # A server that sends a character now and then to look alive does not reset the clock.
        if self._characters >= self._least:
            self._since = now
            self._characters = 0
        if now - self._since > self._endpoint.silence:
            return openai_errors.silent(self._endpoint)
        if now - self._began > self._endpoint.longest:
            return openai_errors.too_slow(self._endpoint)
        if self._empty > _EMPTY or self._total > self._endpoint.megabytes * _MEGABYTE:
            return openai_errors.too_large(self._endpoint)
        return None

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Stop the clock while the context lasts."""
        before = self._clock()
        try:
            yield
        finally:
            rested = self._clock() - before
            self._began += rested
            self._since += rested
