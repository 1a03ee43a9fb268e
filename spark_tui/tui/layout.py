"""Where the hunks and folds of a diff stand: a few lists with a number a hunk, however many lines there are."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple, Protocol

CONTEXT = 3
"""Unchanged lines that are shown around a hunk."""
_LEAST_FOLD = 2
_START = itemgetter(0)

Lines = tuple[int, int]
"""Base lines [start, end), 0-based."""


class Changed(Protocol):
    """What is needed of a hunk: where it starts, 0-based in the base, and the lines that go and come."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def old(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new(self) -> tuple[str, ...]: ...  # noqa: D102


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
    ends = [hunk.start + len(hunk.old) for hunk in hunks]
    folds = list(
        _folds(count, [*((hunk.start - CONTEXT, end + CONTEXT) for hunk, end in zip(hunks, ends, strict=True)), *shown])
    )
    heights = [len(hunk.old) + len(hunk.new) for hunk in hunks]
    for number in closed:
        heights[number] = 1
    firsts, fold_rows, row, line = list[int](), list[int](), 0, 0
    stretches = [(hunk.start, end, height, firsts) for hunk, end, height in zip(hunks, ends, heights, strict=True)]
    for start, end, height, rows in sorted([*stretches, *((*fold, 1, fold_rows) for fold in folds)], key=_START):
        rows.append(row + start - line)
        row, line = rows[-1] + height, end
    return Layout(
        row + count - line,
        [hunk.start for hunk in hunks],
        ends,
        firsts,
        [first + height - 1 for first, height in zip(firsts, heights, strict=True)],
        list(accumulate((len(hunk.new) - len(hunk.old) for hunk in hunks), initial=0)),
        [start for start, _ in folds],
        [end for _, end in folds],
        fold_rows,
    )


def _folds(count: int, shown: Iterable[Lines]) -> Iterator[Lines]:
    """The stretches between what is shown; a gap too small to be worth folding is shown."""
    line = 0
    clipped = sorted((max(0, start), min(end, count)) for start, end in shown if max(0, start) < min(end, count))
    for start, end in (*clipped, (count, count)):
        if start - line >= _LEAST_FOLD:
            yield line, start
        line = max(line, end)
