"""A diff side by side: which rows of the unified one stand in each of its rows."""

from bisect import bisect_right

from spark_tui.tui.rows import DiffRows

LEAST_WIDTH = 100
"""Columns that two sides need."""

Pair = tuple[int | None, int | None]
"""Unified rows, left and right; the same one twice where nothing changes."""


class Sides:
    """Rows of `rows` side by side, worked out one at a time: the n-th old line of a hunk beside its n-th new one."""

    def __init__(self, rows: DiffRows) -> None:
        self._rows = rows
        self._saved = [0]
        """Rows that the hunks before each one need fewer than in the unified diff."""
        self._olds: list[int] = []
        for number in range(len(rows.hunks)):
            old, new = rows.sizes(number)
            self._olds.append(old)
            self._saved.append(self._saved[-1] + min(old, new))
        self._firsts = [first - saved for first, saved in zip(rows.first_rows, self._saved, strict=False)]

    def __len__(self) -> int:
        return len(self._rows) - self._saved[-1]

    def of(self, index: int) -> int:
        """The row in which a unified row stands."""
        hunk = bisect_right(self._rows.first_rows, index) - 1
        if hunk < 0:
            return index
        if index > self._rows.last_rows[hunk]:
            return index - self._saved[hunk + 1]
        offset = index - self._rows.first_rows[hunk]
        return self._firsts[hunk] + (offset if offset < self._olds[hunk] else offset - self._olds[hunk])

    def pair(self, row: int) -> Pair:
        """The unified rows that stand in a row."""
        hunk = bisect_right(self._firsts, row) - 1
        if hunk < 0:
            return row, row
        first, old = self._rows.first_rows[hunk], self._olds[hunk]
        new = self._rows.last_rows[hunk] - first + 1 - old
        offset = row - self._firsts[hunk]
        if offset >= max(old, new):
            return (row + self._saved[hunk + 1],) * 2
        if self._rows.is_folded(hunk):
            return first, first
        return first + offset if offset < old else None, first + old + offset if offset < new else None

    def index(self, row: int) -> int:
        """The unified row that the cursor is on in a row: the new one, unless there is none."""
        left, right = self.pair(row)
        found = left if right is None else right
        assert found is not None
        return found
