"""What each PE has room for in its memory. What does not fit is refused, never clamped."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import UsageError

Bytes: TypeAlias = NDArray[np.int64]


class Memory:
    """The bytes every PE holds, entry by entry. Args: rows, columns: of PEs. sram: bytes of each."""

    def __init__(self, rows: int, columns: int, sram: int) -> None:
        self.sram = sram
        self.used: Bytes = np.zeros((rows, columns), np.int64)
        self.entries: dict[str, Bytes] = {}

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Give `name` so many bytes on every PE, beside what it has, or take some of these back.

        Args: size: bytes, one number or (R, C); negative takes back.
        Raises: UsageError: a PE has too few left; nothing is allocated.
        """
        more = np.broadcast_to(np.asarray(size, np.int64), self.used.shape)
        entries = self.entries | {name: self.entries.get(name, 0) + more}
        self._check(self.used + more, entries)
        self.used, self.entries = self.used + more, entries

    def release(self, name: str) -> None:
        """Take back everything `name` has."""
        self.used = self.used - self.entries.pop(name)

    @contextmanager
    def held(self, name: str, size: int | Bytes) -> Iterator[None]:
        """Allocate a buffer for as long as the block runs."""
        self.allocate(name, size)
        try:
            yield
        finally:
            self.release(name)

    def _check(self, needed: Bytes, entries: dict[str, Bytes]) -> None:
        worst = int(needed.argmax())
        if needed.flat[worst] <= self.sram:
            return
        row, column = divmod(worst, needed.shape[1])
        parts = ", ".join(f"{name} {held[row, column]:,}" for name, held in entries.items() if held[row, column])
        raise UsageError(
            f"PE ({row}, {column}) needs {needed.flat[worst]:,} of {self.sram:,} bytes: {parts}; take a larger grid"
        )
