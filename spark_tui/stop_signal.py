"""A signal that ends a forward pass early, so that a pause need not wait for the end of the pass.

The thread that drives a generation sets the signal in `current_signal`; the generation finds it
there, and no layer in between has to pass it on.
"""

from array import array
from contextvars import ContextVar

from spark_tui.errors import SparkError


class StopSignal:
    """The wish that the pass under way end between two layers; any thread may set it.

    The wish holds for one pass: the generation whose pass it ends clears it.
    """

    def __init__(self) -> None:
        # Memory that never moves, so that compiled code can look at it without Python.
        self._cell = array("q", [0])

    @property
    def address(self) -> int:
        """The address of an int64 that is 0 until the signal is set, for compiled code."""
        return self._cell.buffer_info()[0]

    def is_set(self) -> bool:
        """Whether the pass under way should end."""
        return bool(self._cell[0])

    def set(self) -> None:
        """Wish for the end of the pass."""
        self._cell[0] = 1

    def clear(self) -> None:
        """Take the wish back."""
        self._cell[0] = 0


class PassStopped(SparkError):
    """A signal ended a forward pass; the cache holds what it held before."""


current_signal: ContextVar[StopSignal | None] = ContextVar("current_signal", default=None)
"""The signal that stops the passes of generations on this thread; None for no signal."""
