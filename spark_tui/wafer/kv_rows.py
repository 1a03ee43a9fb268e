"""The KV cache on a mesh: each row of PEs holds some of the positions, each column some elements of them.

Rows stay balanced: a new position enters at the last row, and every row down to the first that has room for one more
passes its oldest position up.
Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 4.4.
"""

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.costs import wavelets
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.shifts import pass_up


class KvRows:
    """The keys and values of one layer. It shares its fabric's memory with all else that lies there.

    Args: width: elements of a key on each PE. dtype: of the values.
    """

    def __init__(self, fabric: Fabric, width: int, *, dtype: type = np.float32) -> None:
        self.fabric, self.width = fabric, width
        self.length = 0
        self._values: Values = np.zeros((2, fabric.rows, fabric.columns, 0, width), dtype)
        self.positions = np.zeros((fabric.rows, 0), np.int64)
        self.counts = np.zeros(fabric.rows, np.int64)

    @property
    def bytes_each(self) -> int:
        """Bytes that a position takes on each PE of its row."""
        return 2 * self.width * ELEMENT_BYTES

    @property
    def depth(self) -> int:
        """Positions on the fullest row."""
        return int(self.counts.max())

    @property
    def keys(self) -> Values:
        """(R, C, depth, width); what lies behind a row's count is not of it."""
        held: Values = self._values[0, :, :, : self.depth]
        return held

    @property
    def values(self) -> Values:
        """As `keys`."""
        held: Values = self._values[1, :, :, : self.depth]
        return held

    @property
    def held(self) -> NDArray[np.bool_]:
        """Where a row holds a position, (R, depth)."""
        return np.arange(self.depth) < self.counts[:, None]

    def append(self, key: Values, value: Values) -> None:
        """Take in a position. Args: key, value: (R, C, width), the same on all rows.

        As long as the last row holds none, the row whose turn it is takes it; all rows know it.

        Raises: UsageError: the PE that has no room for it; nothing was changed.
        """
        target = self.length % self.fabric.rows
        self._grow(target)
        slots = self._oldest()
        slots[target] = self.counts[target]
        entry = self.fabric.rows - 1 if self.counts[-1] else target
        pass_up(self.fabric, wavelets(2 * self.width), target, entry)
        rows = np.arange(target, entry)
        moved, positions = self._values[:, rows + 1, :, slots[rows + 1]], self.positions[rows + 1, slots[rows + 1]]
        self._values[:, rows, :, slots[rows]] = moved
        self.positions[rows, slots[rows]] = positions
        self._values[:, entry, :, slots[entry]] = key[entry], value[entry]
        self.positions[entry, slots[entry]] = self.length
        self.counts[target] += 1
        self.length += 1

    def fill(self, keys: Values, values: Values, count: int) -> None:
        """Take in a whole prompt. Args: keys, values: (R, C, m, width), of each row the first `spread_evenly` many.

        Raises: ShapeError: there is something in the cache. UsageError: the PE that has too little room.
        """
        if self.length:
            raise ShapeError(f"a prompt of {count} tokens into a cache that holds {self.length}")
        self._set_counts(spread_evenly(count, self.fabric.rows))
        self._values = np.stack([keys, values])
        self.positions = prompt_positions(count, self.fabric.rows)
        self.length = count

    def trim(self, length: int) -> None:
        """Forget all positions from `length` on, and spread the others evenly again. It is booked at no cycles.

        Raises: ShapeError: it holds fewer.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"{length} positions of a cache that holds {self.length}")
        rows, slots = np.nonzero(self.held)
        order = np.argsort(self.positions[rows, slots])[:length]
        rows, slots = rows[order], slots[order]
        counts = spread_evenly(length, self.fabric.rows)
        kept = self._values[:, rows, :, slots]
        to_rows = np.repeat(np.arange(self.fabric.rows), counts)
        to_slots = np.arange(length) - (np.cumsum(counts) - counts)[to_rows]
        self._set_counts(counts)
        self._values[:, to_rows, :, to_slots] = kept
        self.positions[to_rows, to_slots] = np.arange(length)
        self.length = length

    def _oldest(self) -> NDArray[np.intp]:
        """The slot of the oldest position of each row."""
        if not self.depth:
            return np.zeros(self.fabric.rows, np.intp)
        known = np.where(self.held, self.positions[:, : self.depth], np.iinfo(np.int64).max)
        oldest: NDArray[np.intp] = known.argmin(axis=1)
        return oldest

    def _grow(self, row: int) -> None:
        size = np.zeros(self.fabric.memory.shape, np.int64)
        size[row] = self.bytes_each
        self.fabric.allocate("KV", size)
        if self.counts[row] == self.positions.shape[1]:
            more = max(8, self.positions.shape[1])
            self.positions = np.pad(self.positions, ((0, 0), (0, more)))
            self._values = np.pad(self._values, ((0, 0), (0, 0), (0, 0), (0, more), (0, 0)))

    def _set_counts(self, counts: NDArray[np.int64]) -> None:
        change = (counts - self.counts) * self.bytes_each
        self.fabric.allocate("KV", np.broadcast_to(change[:, None], self.fabric.memory.shape))
        self.counts = counts


def spread_evenly(count: int, rows: int) -> NDArray[np.int64]:
    """Positions of each row: the first ones have one more where they do not come out even."""
    return count // rows + (np.arange(rows) < count % rows)


def prompt_positions(count: int, rows: int) -> NDArray[np.int64]:
    """The positions that rows hold of a prompt, (R, m); `count` where a row has one less."""
    counts = spread_evenly(count, rows)
    within = np.arange(int(counts.max()))
    starts = np.cumsum(counts)[:, None] - counts[:, None]
    return np.where(within < counts[:, None], starts + within, count)
