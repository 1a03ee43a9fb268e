"""The rows of a unified diff, worked out one at a time: a million lines cost no more than their hunks.

Line numbers inside are 0-based, those of a Row are 1-based (they are for people).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, Protocol

CONTEXT = 3
_LEAST_FOLD = 2

Lines = tuple[int, int]
"""Base lines [start, end)."""


class HunkLike(Protocol):
    """What a diff needs of a hunk: `start` is 0-based in the base."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def old_lines(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new_lines(self) -> tuple[str, ...]: ...  # noqa: D102


class OddLike(Protocol):
    """What is odd about a hunk: in one line, and where in each of its new lines, as offsets."""

    @property
    def words(self) -> str: ...  # noqa: D102
    @property
    def spans(self) -> Mapping[int, tuple[tuple[int, int], ...]]: ...  # noqa: D102


class Kind(Enum):
    """What a row shows; DONE is a line that an accepted hunk brought, CLOSED stands for a whole hunk."""

    CONTEXT = auto()
    OLD = auto()
    NEW = auto()
    DONE = auto()
    FOLD = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `old` and `new` are line numbers or None, `hunk` an index into the hunks.

    `pair` is the line this one replaces or is replaced by; `odd` where it is not what it looks like; `out` whether the
    user took it out; a FOLD's text says how much it hides.
    """

    kind: Kind
    text: str
    old: int | None = None
    new: int | None = None
    hunk: int | None = None
    pair: str | None = None
    odd: tuple[tuple[int, int], ...] = ()
    out: bool = False


class _Block(NamedTuple):
    """`lines` consecutive lines of one kind; `line` is where they start in the base, `shift` what new adds to old.

    `end` is the row after the last: however much a fold hides, it is one row.
    """

    row: int
    end: int
    kind: Kind
    line: int
    lines: int
    shift: int
    hunk: int | None = None


class DiffRows:
    """The rows of one file's diff, by index.

    Args: base: the file's lines. hunks: in order, not overlapping. shown: base lines that are never folded.
        done: base lines that accepted hunks brought (not folded either). odd: what is odd, by the hunk's id.
        out: the rows of a hunk that the user took out, by its id, counting old lines and then new ones.
        closed: what stands for a whole hunk in one row, by its id.
    `last_number` is the largest line number any row may show.
    """

    def __init__(
        self,
        base: Sequence[str] = (),
        hunks: Sequence[HunkLike] = (),
        *,
        shown: Iterable[Lines] = (),
        done: Iterable[Lines] = (),
        odd: Mapping[str, OddLike] | None = None,
        out: Mapping[str, Collection[int]] | None = None,
        closed: Mapping[str, str] | None = None,
    ) -> None:
        self.base, self.hunks, self._done = base, hunks, sorted(done)
        self._odd = [(odd or {}).get(hunk.id) for hunk in hunks]
        self._out = [(out or {}).get(hunk.id, ()) for hunk in hunks]
        self._words = [(closed or {}).get(hunk.id) for hunk in hunks]
        self._texts = [(hunk.old_lines, hunk.new_lines) for hunk in hunks]
        self._blocks: list[_Block] = []
        self._end = 0
        self.first_rows: list[int] = []
        self.last_rows: list[int] = []
        self._lay_out([*shown, *self._done])
        self._starts = [block.row for block in self._blocks]
        self.last_number = len(self.base) + max(0, sum(len(new) - len(old) for old, new in self._texts))

    def __len__(self) -> int:
        return self._end

    def __getitem__(self, index: int) -> Row:
        if not 0 <= index < self._end:
            raise IndexError(index)
        block = self._blocks[bisect_right(self._starts, index) - 1]
        return self._row(block, index - block.row)

    def hunk_at(self, index: int) -> int | None:
        """The hunk a row belongs to: between two the later one, after the last that one; None without hunks."""
        return min(bisect_left(self.last_rows, index), len(self.hunks) - 1) if self.hunks else None

    def row_of(self, hunk: int, line: int) -> int:
        """The row of line `line` (0-based) among a hunk's new lines."""
        return self.first_rows[hunk] + (0 if self.is_folded(hunk) else len(self._texts[hunk][0]) + line)

    def is_folded(self, hunk: int) -> bool:
        """Whether one row stands for all of a hunk."""
        return self._words[hunk] is not None

    def sizes(self, hunk: int) -> tuple[int, int]:
        """How many rows a hunk's old and new lines have; one that is folded has a single row, as if it were old."""
        old, new = self._texts[hunk]
        return (1, 0) if self.is_folded(hunk) else (len(old), len(new))

    def nearest(self, row: Row) -> int:
        """The row that shows what `row` of an earlier diff of this file showed, or what is nearest to it."""
        if not self._blocks:
            return 0
        line = row.old or row.new or 1
        block = self._blocks[max(0, bisect_right([block.line for block in self._blocks], line - 1) - 1)]
        return min(block.row + line - 1 - block.line, block.end - 1)

    def _lay_out(self, shown: Iterable[Lines]) -> None:
        at, shift, number = 0, 0, 0
        changed = [(hunk.start, hunk.start + len(old)) for hunk, (old, _) in zip(self.hunks, self._texts, strict=True)]
        for start, end in _windows(len(self.base), changed, shown):
            self._add(Kind.FOLD, at, start - at, shift)
            at = start
            while number < len(self.hunks) and changed[number][0] <= end:
                line, (old, new) = changed[number][0], self._texts[number]
                self._add(Kind.CONTEXT, at, line - at, shift)
                self.first_rows.append(self._end)
                if self._words[number] is not None:
                    self._add(Kind.CLOSED, line, max(1, len(old)), shift, number)
                else:
                    self._add(Kind.OLD, line, len(old), shift, number)
                    self._add(Kind.NEW, line, len(new), shift, number)
                self.last_rows.append(self._end - 1)
                at, shift, number = line + len(old), shift + len(new) - len(old), number + 1
            self._add(Kind.CONTEXT, at, end - at, shift)
            at = end
        self._add(Kind.FOLD, at, len(self.base) - at, shift)

    def _add(self, kind: Kind, line: int, lines: int, shift: int, hunk: int | None = None) -> None:
        if lines <= 0:
            return
        row = self._end
        self._end += 1 if kind is Kind.FOLD or kind is Kind.CLOSED else lines
        self._blocks.append(_Block(row, self._end, kind, line, lines, shift, hunk))

    def _row(self, block: _Block, offset: int) -> Row:
        line = block.line + offset
        if block.kind is Kind.FOLD:
            return Row(Kind.FOLD, f"{block.lines:,} unchanged lines", line + 1)
        if block.hunk is None:
            done = any(start <= line < end for start, end in self._done)
            return Row(Kind.DONE if done else Kind.CONTEXT, self.base[line], line + 1, line + 1 + block.shift)
        if block.kind is Kind.CLOSED:
            return Row(Kind.CLOSED, self._words[block.hunk] or "", line + 1, line + 1 + block.shift, block.hunk)
        old, new = self._texts[block.hunk]
        if block.kind is Kind.OLD:
            out = offset in self._out[block.hunk]
            return Row(Kind.OLD, old[offset], line + 1, None, block.hunk, _get(new, offset), out=out)
        odd = self._odd[block.hunk]
        spans = odd.spans.get(offset, ()) if odd else ()
        out = len(old) + offset in self._out[block.hunk]
        return Row(Kind.NEW, new[offset], None, line + 1 + block.shift, block.hunk, _get(old, offset), spans, out)


def same_place(before: DiffRows, cursor: int, after: DiffRows) -> int:
    """The row of `after` where a cursor on row `cursor` of `before` belongs: in the same hunk, else by its line."""
    if not len(before) or not len(after):
        return 0
    row = before[min(cursor, len(before) - 1)]
    if row.hunk is None or not after.hunks:
        return after.nearest(row)
    same = _find(before.hunks[row.hunk], after.hunks)
    offset = cursor - before.first_rows[row.hunk]
    if before.is_folded(row.hunk) or after.is_folded(same):
        return after.first_rows[same]
    return min(after.first_rows[same] + offset, after.last_rows[same])


def _find(hunk: HunkLike, among: Sequence[HunkLike]) -> int:
    """The hunk with the same content, else the first that starts here or later, else the last."""
    content = hunk.old_lines, hunk.new_lines
    alike = (number for number, each in enumerate(among) if (each.old_lines, each.new_lines) == content)
    later = (number for number, each in enumerate(among) if each.start >= hunk.start)
    return next(alike, next(later, len(among) - 1))


def _get(lines: Sequence[str], index: int) -> str | None:
    return lines[index] if index < len(lines) else None


def _windows(count: int, changed: Iterable[Lines], shown: Iterable[Lines]) -> Iterator[Lines]:
    """The stretches of base lines to show, in order; a gap too small to be worth folding is shown."""
    wanted = [(start - CONTEXT, end + CONTEXT) for start, end in changed]
    wanted += shown
    if not wanted:
        wanted = [(0, count)]
    start, end = 0, 0
    for first, last in sorted((max(0, first), min(count, last)) for first, last in wanted):
        if first >= end + _LEAST_FOLD:
            if end > start:
                yield start, end
            start = first
        end = max(end, last)
    yield start, count if count - end < _LEAST_FOLD else end
