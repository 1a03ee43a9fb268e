"""The rows of a diff, computed for the widget that shows it: unified, or in two sides.

`DiffLayout` holds the places of hunks and folds as a few columns of numbers. Sums over whole
columns make them, nothing is done for each line: a million lines with ten thousand hunks are laid
out within a frame. `DiffRows` computes unified rows one at a time from the layout. `Sides` tells
which unified rows stand side by side.

Line numbers inside are 0-based; those of a `DiffRow` are 1-based (they are for people).
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from itertools import accumulate, chain
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.hunks import Hunk
from spark_tui.editing.line_diff import is_heading, named
from spark_tui.editing.multi_file import (
    ChangedLines,
    Files,
    differs_in_endings_only,
    heading_change,
    titled,
)
from spark_tui.session.hunk_items import Edits, HunkLike, Lines, further

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from spark_tui.session.accept import Odd

    Numbers = NDArray[np.int64]

CONTEXT = 3
"""Unchanged lines that are shown around a hunk."""
# A fold takes a row itself, so one line hidden in it would save nothing.
_LEAST_FOLD = 2
_START = attrgetter("start")
_OLD = attrgetter("old")
_NEW = attrgetter("new")


class Stretch(NamedTuple):
    """Unchanged lines that follow each other: `line` stands in `row`."""

    row: int
    line: int


@dataclass(frozen=True, slots=True)
class DiffLayout:
    """Columns with one number for each hunk or fold; rows and lines are 0-based, in order.

    `starts`, `ends`: the base lines of a hunk. `firsts`, `lasts`: its rows; the last of a hunk
    without rows is before its first. `grown`: by how many lines the hunks before this one make the
    file longer, and at the end of the column, all of them. `fold_starts`, `fold_ends`: the lines
    that a fold hides. `fold_rows`: the row that stands for them.
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
        if fold >= 0:
            behind_fold = Stretch(self.fold_rows[fold] + 1, self.fold_ends[fold])
        else:
            behind_fold = Stretch(0, 0)
        # Stretches compare by row first: the larger one is further down.
        return max(behind_hunk, behind_fold)

    def line_of(self, row: int) -> int:
        """The unchanged line in a row."""
        start = self.after(self.hunk_before(row), bisect_right(self.fold_rows, row) - 1)
        return start.line + row - start.row

    def row_of(self, line: int) -> int:
        """The row of an unchanged line, or of the fold that hides it."""
        hunk = bisect_right(self.ends, line) - 1
        fold = bisect_right(self.fold_starts, line) - 1
        if fold >= 0 and line < self.fold_ends[fold]:
            return self.fold_rows[fold]
        start = self.after(hunk, fold)
        return start.row + line - start.line


def lay_out(
    count: int, hunks: Sequence[ChangedLines], shown: Iterable[Lines], closed: Sequence[int]
) -> DiffLayout:
    """Lay a diff out.

    Args:
        count: The number of lines of the base.
        hunks: In order, not overlapping.
        shown: Lines that are never folded; with neither hunks nor these, no line is folded.
        closed: Hunks that have one row each.
    """
    shown = list(shown)
    if not hunks and not shown:
        return DiffLayout(count)
    import numpy as np  # noqa: PLC0415 - the first paint, which shows no diff, does not wait for it

    # A hunk has as many rows as it has old and new lines; a closed one has one.
    column = partial(np.fromiter, dtype=np.int64, count=len(hunks))
    starts = column(map(_START, hunks))
    olds = column(map(len, map(_OLD, hunks)))
    news = column(map(len, map(_NEW, hunks)))
    heights = olds + news
    heights[closed] = 1
    fold_starts, fold_ends = _folds(count, starts, starts + olds, shown)
    # `before[n]`: the rows that hunks before the n-th have beyond their base lines. `hidden[n]`:
    # the base lines that folds before the n-th hide, less the row that each fold takes.
    before = _sums(heights - olds)
    hidden = _sums(fold_ends - fold_starts - 1)
    # Without hunks and folds, a line would stand in the row of its own number.
    firsts = starts + before[:-1] - hidden[np.searchsorted(fold_ends, starts, "right")]
    fold_rows = fold_starts + before[np.searchsorted(starts, fold_starts)] - hidden[:-1]
    return DiffLayout(
        int(count + before[-1] - hidden[-1]),
        _kept(starts),
        _kept(starts + olds),
        _kept(firsts),
        _kept(firsts + heights - 1),
        _kept(_sums(news - olds)),
        _kept(fold_starts),
        _kept(fold_ends),
        _kept(fold_rows),
    )


def widened(
    count: int, hunks: Sequence[ChangedLines], shown: Sequence[Lines], height: int
) -> Sequence[Lines]:
    """Widen the shown lines on both sides, as far as all rows fit into a height.

    Args:
        count: The number of lines of the base.
        hunks: As for `lay_out`.
        shown: Lines that are never folded.
        height: Rows of the screen.

    Returns:
        The widened stretches; () where not even `shown` fits.
    """

    def stretches(more: int) -> Sequence[Lines]:
        return [(start - more, end + more) for start, end in shown]

    def fits(more: int) -> bool:
        return lay_out(count, hunks, stretches(more), []).rows <= height

    if not shown or len(hunks) > height or not fits(0):
        return ()
    # Bisection: wider stretches never have fewer rows. `least` is known to fit.
    least = 0
    most = height
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return stretches(least)


def _kept(numbers: "Numbers") -> Sequence[int]:
    """The numbers as an array, copied at once; a list would be made number by number.

    Items of the array are Python's own integers.
    """
    return array("q", numbers.astype("q", copy=False).tobytes())


def _sums(numbers: "Numbers") -> "Numbers":
    """The sum of the numbers before each one, and at the end the sum of all."""
    import numpy as np  # noqa: PLC0415 - see above

    return np.concatenate([[0], np.cumsum(numbers)])


def _folds(
    count: int, starts: "Numbers", ends: "Numbers", shown: Sequence[Lines]
) -> tuple["Numbers", "Numbers"]:
    """The starts and ends of the gaps between shown lines that are long enough to fold."""
    import numpy as np  # noqa: PLC0415 - see above

    # All stretches that stay in sight, those around hunks and the `shown` ones.
    more = np.fromiter(chain.from_iterable(shown), np.int64, 2 * len(shown)).reshape(-1, 2)
    firsts = np.concatenate([starts - CONTEXT, more[:, 0]]).clip(0, count)
    lasts = np.concatenate([ends + CONTEXT, more[:, 1]]).clip(0, count)
    # In the order of their starts, a gap reaches from the largest end so far to the next start.
    # Empty stretches (`shown` may lie outside the file) would cut a fold in two.
    order = np.argsort(firsts[lasts > firsts], kind="stable")
    gap_starts = np.concatenate([[0], np.maximum.accumulate(lasts[lasts > firsts][order])])
    gap_ends = np.concatenate([firsts[lasts > firsts][order], [count]])
    folded = gap_ends - gap_starts >= _LEAST_FOLD
    return gap_starts[folded], gap_ends[folded]


# The rows of a unified diff.


class RowKind(Enum):
    """The kind of a row.

    CLOSED stands for a whole hunk. FILE names the file of the lines below, HEADING does where the
    name itself, or what it says of the file, is a hunk. DONE is a line that an accepted hunk
    brought, GONE such a line that the file has no more.
    """

    CONTEXT = auto()
    OLD = auto()
    NEW = auto()
    DONE = auto()
    GONE = auto()
    FOLD = auto()
    CLOSED = auto()
    FILE = auto()
    HEADING = auto()


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row: `old` and `new` are line numbers or None, `hunk` an index into the hunks.

    `pair` is the line this one replaces or is replaced by; `odd` where it is not what it looks
    like; `out` whether the user took it out; `decided` whether its hunk is being accepted or
    rejected (None: neither); a FOLD's text says how much it hides.
    """

    kind: RowKind
    text: str
    old: int | None = None
    new: int | None = None
    hunk: int | None = None
    pair: str | None = None
    odd: tuple[tuple[int, int], ...] = ()
    out: bool = False
    decided: bool | None = None


class _Stretches:
    """Lines of the base, to ask whether one is among them."""

    def __init__(self, lines: Iterable[Lines]) -> None:
        self.lines = sorted(lines)
        # How far the stretches up to each one reach: an earlier one may contain later ones.
        self._to = list(accumulate((end for _, end in self.lines), max))

    def __contains__(self, line: int) -> bool:
        before = bisect_right(self.lines, line, key=itemgetter(0))
        return before > 0 and line < self._to[before - 1]


class DiffRows:
    """The rows of one file's diff, by index.

    Args:
        base: The file's lines.
        hunks: In order, not overlapping.
        shown: Base lines that are never folded.
        done: Base lines that accepted hunks brought (not folded either).
        gone: Lines that accepted hunks brought and somebody took out of the file since.
        odd: Hidden or lookalike text in a hunk, by its id.
        out: The rows of a hunk that the user took out, by its id; old lines count before new ones.
        closed: The words that stand for a folded hunk, by its id.
        decided: Whether a hunk is being accepted (or else rejected), by its id.
        edits: What others edited in the file; see `further`.

    Attributes:
        last_number: The largest line number that any row may show.
    """

    def __init__(
        self,
        base: Sequence[str] = (),
        hunks: Sequence[HunkLike] = (),
        *,
        shown: Iterable[Lines] = (),
        done: Iterable[Lines] = (),
        gone: Iterable[Lines] = (),
        odd: Mapping[str, "Odd"] | None = None,
        out: Mapping[str, Collection[int]] | None = None,
        closed: Mapping[str, str] | None = None,
        decided: Mapping[str, bool] | None = None,
        edits: Edits = (),
    ) -> None:
        self.base = base
        self._edits = edits
        self._odd = odd or {}
        self._out = out or {}
        self._closed = closed or {}
        self._decided = decided or {}
        self._done = _Stretches(done)
        self._gone = _Stretches(gone)
        self.files = Files(base)
        self._names: dict[int, str] = {}
        """The words that take the place of a file's name, by the row of its heading."""
        self._headings: set[str] = set()
        """The ids of the hunks that are a heading and nothing else."""
        self._below_heading: set[str] = set()
        """The ids of the hunks that began with a heading, which stands above them now."""
        self.hunks = self._without_headings(hunks) if self.files else hunks
        self._folded = self._headings | self._closed.keys()
        folded: list[int] = []
        if self._folded:
            folded = [number for number, hunk in enumerate(hunks) if hunk.id in self._folded]
        heads = ((line, line + 1) for line in self.files.heads)
        self._layout = lay_out(
            len(base), self.hunks, [*shown, *self._done.lines, *self._gone.lines, *heads], folded
        )
        self.last_number = further(edits, len(base)) + max(0, self._layout.grown[-1])

    def _without_headings(self, hunks: Sequence[HunkLike]) -> Sequence[HunkLike]:
        """The hunks, without the heading of a file that both versions have.

        The heading is a row of its own. Where a hunk is nothing but the heading, that row is all of
        the hunk.
        """
        shown = list(hunks)
        heads = set(self.files.named_heads)
        for number, hunk in enumerate(hunks):
            if hunk.start not in heads:
                continue
            words = heading_change(hunk.old, hunk.new)
            if not words:
                continue
            self._names[hunk.start] = words
            if len(hunk.old) == len(hunk.new) == 1:
                self._headings.add(hunk.id)
            else:
                self._below_heading.add(hunk.id)
                shown[number] = Hunk(hunk.id, hunk.start + 1, hunk.old[1:], hunk.new[1:])
        return shown

    @property
    def first_rows(self) -> Sequence[int]:
        """The first row of each hunk."""
        return self._layout.firsts

    @property
    def last_rows(self) -> Sequence[int]:
        """The last row of each hunk."""
        return self._layout.lasts

    def __len__(self) -> int:
        return self._layout.rows

    def __getitem__(self, index: int) -> DiffRow:
        layout = self._layout
        if not 0 <= index < layout.rows:
            raise IndexError(index)
        hunk = layout.hunk_before(index)
        if hunk >= 0 and index <= layout.lasts[hunk]:
            return self._changed(hunk, index - layout.firsts[hunk])
        if (fold := layout.fold_at(index)) is not None:
            line = layout.fold_starts[fold]
            return DiffRow(
                RowKind.FOLD, f"{layout.fold_ends[fold] - line:,} unchanged lines", line + 1
            )
        line = layout.line_of(index)
        text = self.base[line]
        if self.files and is_heading(text):
            kind = RowKind.FILE
            text = self._title(line)
        elif line in self._done:
            kind = RowKind.DONE
        elif line in self._gone:
            kind = RowKind.GONE
        else:
            kind = RowKind.CONTEXT
        return DiffRow(kind, text, line + 1, line + 1 + layout.grown[hunk + 1])

    def _title(self, head: int) -> str:
        """A file's name, and how many lines its open hunks add and take away."""
        path = named(self.base[head])
        if not path:
            return ""
        name = self._names.get(head, path)
        # The open hunks of this file begin between its heading and the next one.
        next_head = self.files.heads[bisect_right(self.files.heads, head)]
        first = bisect_right(self._layout.starts, head)
        last = bisect_right(self._layout.starts, next_head)
        hunks = self.hunks[first:last]
        if not hunks:
            return name
        added = sum(len(hunk.new) for hunk in hunks)
        removed = sum(len(hunk.old) for hunk in hunks)
        words = f"{name}  +{added} −{removed}"
        lines = next_head - head - 1
        if not lines:
            words += ", nothing before"
        elif removed == lines and not added:
            words += ", nothing left"
        elif all(differs_in_endings_only(hunk.old, hunk.new) for hunk in hunks):
            words += ", line endings only"
        return words

    def numbers(self, row: DiffRow) -> tuple[int | None, int | None]:
        """The numbers of a row's old and new line in the present file; None for a line it lacks."""
        if row.kind in {RowKind.GONE, RowKind.FILE, RowKind.HEADING}:
            return None, None
        line = (row.old or 1) - 1 if row.hunk is None else self.hunks[row.hunk].start
        # Rows count lines of the base; edits by others have moved these lines since.
        more = further(self._edits, line) - line
        old = row.old and row.old + more
        new = row.new and row.new + more
        if self.files:
            return self._in_its_file(row, line, old, new)
        return old, new

    def _in_its_file(
        self, row: DiffRow, line: int, old: int | None, new: int | None
    ) -> tuple[int | None, int | None]:
        """Count the numbers of a row from the heading of its file.

        Args:
            line: The base line that the row is at.
        """
        if row.hunk is not None:
            hunk = self.hunks[row.hunk]
            if any(map(is_heading, (*hunk.old_lines, *hunk.new_lines))):
                return None, None
            line -= 1  # a hunk may begin where the next file's heading stands
        head = self.files.head_of(line)
        # All up to the heading belongs to earlier files: their lines, the headings, and the lines
        # that their hunks add.
        above = further(self._edits, head) + 1
        grown = self._layout.grown[bisect_right(self._layout.ends, head)]
        return old and old - above, new and new - above - grown

    def file_of(self, row: DiffRow) -> str:
        """The path of a row's file where there are several; "" where there is only one."""
        line = (row.old or 1) - 1
        if row.hunk is not None and row.kind is not RowKind.HEADING:
            line = self.hunks[row.hunk].start - 1
        return named(self.base[self.files.head_of(line)]) if self.files else ""

    def hunk_at(self, index: int) -> int | None:
        """The hunk that a row belongs to; None without hunks.

        A row between two hunks belongs to the later one, a row after the last to the last.
        """
        if not self.hunks:
            return None
        return min(bisect_left(self.last_rows, index), len(self.hunks) - 1)

    def row_of(self, hunk: int, line: int) -> int:
        """The row of line `line` (0-based) among a hunk's new lines."""
        if self.is_folded(hunk):
            return self.first_rows[hunk]
        return self.first_rows[hunk] + len(self.hunks[hunk].old_lines) + line

    def row_of_line(self, line: int) -> int:
        """The row of a base line, or of the fold that hides it."""
        return self.nearest(DiffRow(RowKind.CONTEXT, "", line + 1))

    def is_folded(self, hunk: int) -> bool:
        """Whether one row stands for all of a hunk."""
        return self.hunks[hunk].id in self._folded

    def sizes(self, hunk: int) -> tuple[int, int]:
        """Count the rows of a hunk's old lines and of its new lines.

        A folded hunk has a single row, counted as an old line.
        """
        if self.is_folded(hunk):
            return 1, 0
        return len(self.hunks[hunk].old_lines), len(self.hunks[hunk].new_lines)

    def nearest(self, row: DiffRow) -> int:
        """The row that shows what `row` of an earlier diff of this file showed, or the nearest."""
        line = (row.old or row.new or 1) - 1
        layout = self._layout
        hunk = bisect_right(layout.starts, line) - 1
        # The line is in a hunk, or behind one that ends the file. Count into the new lines of that
        # hunk, or into the old ones if it has no others.
        if hunk >= 0 and (line < layout.ends[hunk] or layout.ends[hunk] == len(self.base)):
            old, new = self.sizes(hunk)
            first = layout.firsts[hunk] + (old if new else 0)
            return min(first + line - layout.starts[hunk], layout.lasts[hunk])
        return max(0, min(layout.row_of(line), layout.rows - 1))

    def _changed(self, number: int, offset: int) -> DiffRow:
        """Make a row of a hunk.

        Args:
            offset: The number of the row in the hunk, from 0.
        """
        hunk = self.hunks[number]
        shift = self._layout.grown[number]
        old = hunk.old_lines
        new = hunk.new_lines
        out = offset in self._out.get(hunk.id, ())
        decided = self._decided.get(hunk.id)
        line = hunk.start + 1
        if hunk.id in self._closed:
            return DiffRow(RowKind.CLOSED, self._closed[hunk.id], line, line + shift, number)
        if hunk.id in self._headings:
            words = self._title(hunk.start)
            return DiffRow(RowKind.HEADING, words, line, line + shift, number, decided=decided)
        if offset < len(old):
            return DiffRow(
                RowKind.OLD,
                titled(old[offset], "deleted"),
                line + offset,
                None,
                number,
                _get(new, offset),
                out=out,
                decided=decided,
            )
        new_line = offset - len(old)
        odd = self._odd.get(hunk.id)
        # Spans are counted in the whole hunk, whose first line may stand in the heading now.
        spans = odd.spans.get(new_line + (hunk.id in self._below_heading), ()) if odd else ()
        return DiffRow(
            RowKind.NEW,
            titled(new[new_line], "new"),
            None,
            line + new_line + shift,
            number,
            _get(old, new_line),
            spans,
            out,
            decided,
        )


def same_place(before: DiffRows, cursor: int, after: DiffRows) -> int:
    """The row of `after` for a cursor on row `cursor` of `before`: same hunk, else same line."""
    if not len(before) or not len(after):
        return 0
    row = before[min(cursor, len(before) - 1)]
    if row.hunk is None or not after.hunks:
        return after.nearest(row)
    same = _find(before.hunks[row.hunk], after.hunks)
    offset = cursor - before.first_rows[row.hunk]
    # The offset counts rows of the hunk, so it means nothing if either hunk is folded.
    if before.is_folded(row.hunk) or after.is_folded(same):
        return after.first_rows[same]
    return min(after.first_rows[same] + offset, after.last_rows[same])


def _find(hunk: HunkLike, among: Sequence[HunkLike]) -> int:
    """The hunk with the same content, best in the same place.

    Without one: the first hunk from there on, else the last.
    """
    here = min(bisect_left(among, hunk.start, key=_START), len(among) - 1)
    if _is_alike(among[here], hunk):
        return here
    for number, other in enumerate(among):
        if _is_alike(other, hunk):
            return number
    return here


def _is_alike(hunk: HunkLike, other: HunkLike) -> bool:
    return hunk.old_lines == other.old_lines and hunk.new_lines == other.new_lines


def _get(lines: Sequence[str], index: int) -> str | None:
    return lines[index] if index < len(lines) else None


# Two sides.

LEAST_WIDTH = 100
"""The least columns in which two sides are shown."""

Pair = tuple[int | None, int | None]
"""Unified rows, left and right; the same one twice where nothing changes."""


class Sides:
    """Shows unified rows side by side, worked out one row at a time.

    The n-th old line of a hunk stands beside its n-th new line.
    """

    def __init__(self, rows: DiffRows) -> None:
        self._rows = rows
        self._saved = [0]
        """How many rows the hunks before each hunk save in two sides; at the end, those of all."""
        self._olds: list[int] = []
        # Side by side a hunk takes max(old, new) rows instead of old + new.
        for number in range(len(rows.hunks)):
            old, new = rows.sizes(number)
            self._olds.append(old)
            self._saved.append(self._saved[-1] + min(old, new))
        self._firsts = [
            first - saved for first, saved in zip(rows.first_rows, self._saved, strict=False)
        ]

    def __len__(self) -> int:
        return len(self._rows) - self._saved[-1]

    def of(self, index: int) -> int:
        """The row of the two sides in which a unified row stands."""
        hunk = bisect_right(self._rows.first_rows, index) - 1
        if hunk < 0:
            return index
        if index > self._rows.last_rows[hunk]:
            return index - self._saved[hunk + 1]
        offset = index - self._rows.first_rows[hunk]
        # A new line stands in the row of the old line with the same number.
        if offset >= self._olds[hunk]:
            offset -= self._olds[hunk]
        return self._firsts[hunk] + offset

    def pair(self, row: int) -> Pair:
        """The unified rows that stand in a row of the two sides."""
        hunk = bisect_right(self._firsts, row) - 1
        if hunk < 0:
            return row, row
        first = self._rows.first_rows[hunk]
        old = self._olds[hunk]
        new = self._rows.last_rows[hunk] - first + 1 - old
        offset = row - self._firsts[hunk]
        # Behind the hunk: the same unchanged line on both sides.
        if offset >= max(old, new):
            return (row + self._saved[hunk + 1],) * 2
        if self._rows.is_folded(hunk):
            return first, first
        left = first + offset if offset < old else None
        right = first + old + offset if offset < new else None
        return left, right

    def index(self, row: int) -> int:
        """The unified row of the cursor in a row of two sides: the new line, else the old one."""
        left, right = self.pair(row)
        index = left if right is None else right
        assert index is not None
        return index
