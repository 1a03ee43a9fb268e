"""Where the hunks and folds of a diff stand: a few columns of numbers, however many lines there are.

A million lines with ten thousand hunks are laid out within a frame: sums over whole columns, nothing a line.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.spots import Changed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

CONTEXT = 3
"""Unchanged lines that are shown around a hunk."""
_LEAST_FOLD = 2
_START, _OLD, _NEW = map(attrgetter, ("start", "old", "new"))

Lines = tuple[int, int]
"""Base lines [start, end), 0-based."""


class Stretch(NamedTuple):
    """Unchanged lines that follow each other: `line` stands in `row`."""

    row: int
    line: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns with a number a hunk or a fold; rows and lines are 0-based, in order.

    `starts`, `ends`: a hunk's base lines. `firsts`, `lasts`: its rows; without any, the last is before the first.
    `grown`: by how much the hunks before it (at its end: all) make the file longer. `fold_starts`, `fold_ends`: the
    lines that a fold hides in `fold_rows`.
    """

    rows: int
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    firsts: Sequence[int] = ()
    lasts: Sequence[int] = ()
    grown: Sequence[int] = (0,)
    fold_starts: Sequence[int] = ()
    fold_ends: Sequence[int] = ()
    fold_rows: Sequence[int] = ()

    def hunk_before(self, row: int) -> int:
        """The last hunk that begins in this row or above it; -1 for none."""
        return bisect_right(self.firsts, row) - 1

    def fold_at(self, row: int) -> int | None:
        """The fold that stands in a row."""
        fold = bisect_right(self.fold_rows, row) - 1
        return fold if fold >= 0 and self.fold_rows[fold] == row else None

    def after(self, hunk: int, fold: int) -> Stretch:
        """The unchanged lines behind the later of a hunk and a fold; -1 for none."""
        behind_hunk = Stretch(self.lasts[hunk] + 1, self.ends[hunk]) if hunk >= 0 else Stretch(0, 0)
        behind_fold = Stretch(self.fold_rows[fold] + 1, self.fold_ends[fold]) if fold >= 0 else Stretch(0, 0)
        return max(behind_hunk, behind_fold)

    def line_of(self, row: int) -> int:
        """The unchanged line in a row."""
        start = self.after(self.hunk_before(row), bisect_right(self.fold_rows, row) - 1)
        return start.line + row - start.row

    def row_of(self, line: int) -> int:
        """The row of an unchanged line, or of the fold that hides it."""
        hunk, fold = bisect_right(self.ends, line) - 1, bisect_right(self.fold_starts, line) - 1
        if fold >= 0 and line < self.fold_ends[fold]:
            return self.fold_rows[fold]
        start = self.after(hunk, fold)
        return start.row + line - start.line


def lay_out(count: int, hunks: Sequence[Changed], shown: Iterable[Lines], closed: Sequence[int] = ()) -> Layout:
    """Lay a diff out.

    Args: count: lines of the base. hunks: in order, not overlapping. shown: lines that are never folded; with neither
        hunks nor these, all are. closed: hunks that have one row each.
    """
    shown = list(shown)
    if not hunks and not shown:
        return Layout(count)
    import numpy as np  # noqa: PLC0415 - the first paint, which shows no diff, does not wait for it

    column = partial(np.fromiter, dtype=np.int64, count=len(hunks))
    starts = column(map(_START, hunks))
    olds, news = (column(map(len, map(lines, hunks))) for lines in (_OLD, _NEW))
    heights = olds + news
    heights[closed] = 1
    fold_starts, fold_ends = _folds(count, starts, starts + olds, shown)
    before, hidden = _sums(heights - olds), _sums(fold_ends - fold_starts - 1)
    firsts = starts + before[:-1] - hidden[np.searchsorted(fold_ends, starts, "right")]
    fold_rows = fold_starts + before[np.searchsorted(starts, fold_starts)] - hidden[:-1]
    return Layout(
        int(count + before[-1] - hidden[-1]),
        _kept(starts), _kept(starts + olds), _kept(firsts), _kept(firsts + heights - 1),
        _kept(_sums(news - olds)), _kept(fold_starts), _kept(fold_ends), _kept(fold_rows),
    )  # fmt: skip


def _kept(numbers: "Numbers") -> Sequence[int]:
    """Copied at once, where a list would be made number by number; what is looked up in it is a Python number."""
    return array("q", numbers.astype("q", copy=False).tobytes())


def _sums(numbers: "Numbers") -> "Numbers":
    """What comes before each number, and at the end all of it."""
    import numpy as np  # noqa: PLC0415 - see above

    return np.concatenate([[0], np.cumsum(numbers)])


def _folds(count: int, starts: "Numbers", ends: "Numbers", shown: Sequence[Lines]) -> tuple["Numbers", "Numbers"]:
    """Starts and ends of the stretches between what is shown; a gap too small to be worth folding is shown."""
    import numpy as np  # noqa: PLC0415 - see above

    more = np.fromiter(chain.from_iterable(shown), np.int64, 2 * len(shown)).reshape(-1, 2)
    firsts = np.concatenate([starts - CONTEXT, more[:, 0]]).clip(0, count)
    lasts = np.concatenate([ends + CONTEXT, more[:, 1]]).clip(0, count)
    order = np.argsort(firsts[lasts > firsts], kind="stable")
    gap_starts = np.concatenate([[0], np.maximum.accumulate(lasts[lasts > firsts][order])])
    gap_ends = np.concatenate([firsts[lasts > firsts][order], [count]])
    folded = gap_ends - gap_starts >= _LEAST_FOLD
    return gap_starts[folded], gap_ends[folded]
