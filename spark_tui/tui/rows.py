"""The rows of a unified diff, worked out one at a time: a million lines cost no more than their hunks.

Line numbers inside are 0-based, those of a Row are 1-based (they are for people).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spark_tui.editing.headings import is_heading, named
from spark_tui.editing.spots import Changed, Files, titled
from spark_tui.tui.layout import Lines, lay_out

if TYPE_CHECKING:
    from spark_tui.session.consent import Odd


class HunkLike(Changed, Protocol):
    """What a diff needs of a hunk."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def old_lines(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def new_lines(self) -> tuple[str, ...]: ...  # noqa: D102


class Kind(Enum):
    """What a row shows; CLOSED stands for a whole hunk, FILE names the file that the lines below are of.

    DONE is a line that an accepted hunk brought, GONE one that the file has no more.
    """

    CONTEXT = auto()
    OLD = auto()
    NEW = auto()
    DONE = auto()
    GONE = auto()
    FOLD = auto()
    CLOSED = auto()
    FILE = auto()


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


class Edit(NamedTuple):
    """What was edited in the file besides: which base lines, and by how many lines the file grew there."""

    start: int
    stop: int
    growth: int


Edits = Sequence[Edit]


def further(edits: Edits, line: int) -> int:
    """Where a base line is in the file as it is by now; both 0-based."""
    return line + sum(each.growth for each in edits if each.stop <= line)


def as_edited(lines: Sequence[str], edits: Iterable[HunkLike]) -> Sequence[str]:
    """The lines of a review as they are on disk, wherever as many took the place of others there."""
    now = lines
    for edit in edits:
        if len(edit.new_lines) == len(edit.old_lines):
            now = [*now[: edit.start], *edit.new_lines, *now[edit.start + len(edit.new_lines) :]]
    return now


class _Stretches:
    """Lines of the base, to ask whether one is among them."""

    def __init__(self, lines: Iterable[Lines]) -> None:
        self.lines = sorted(lines)
        self._to = list(accumulate((end for _, end in self.lines), max))

    def __contains__(self, line: int) -> bool:
        before = bisect_right(self.lines, line, key=lambda each: each[0])
        return before > 0 and line < self._to[before - 1]


class DiffRows:
    """The rows of one file's diff, by index.

    Args: base: the file's lines. hunks: in order, not overlapping. shown: base lines that are never folded.
        done: base lines that accepted hunks brought (not folded either). gone: of those, lines that somebody took out
        of the file. odd: what is odd, by the hunk's id.
        out: the rows of a hunk that the user took out, by its id, counting old lines and then new ones.
        closed: what stands for a whole hunk in one row, by its id.
        edits: what was edited in the file besides; see `further`.
    `last_number` is the largest line number any row may show.
    """

    def __init__(
        self, base: Sequence[str] = (), hunks: Sequence[HunkLike] = (), *, shown: Iterable[Lines] = (),
        done: Iterable[Lines] = (), gone: Iterable[Lines] = (), odd: Mapping[str, "Odd"] | None = None,
        out: Mapping[str, Collection[int]] | None = None, closed: Mapping[str, str] | None = None, edits: Edits = (),
    ) -> None:  # fmt: skip
        self.base, self.hunks, self._edits = base, hunks, edits
        self._odd, self._out, self._closed = odd or {}, out or {}, closed or {}
        folded = [number for number, hunk in enumerate(hunks) if hunk.id in self._closed] if closed else []
        self._done, self._gone = _Stretches(done), _Stretches(gone)
        self.files = Files(base)
        heads = ((at, at + 1) for at in self.files.heads)
        self._layout = lay_out(len(base), hunks, [*shown, *self._done.lines, *self._gone.lines, *heads], folded)
        self.last_number = further(edits, len(base)) + max(0, self._layout.grown[-1])

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

    def __getitem__(self, index: int) -> Row:
        layout = self._layout
        if not 0 <= index < layout.rows:
            raise IndexError(index)
        hunk = layout.hunk_before(index)
        if hunk >= 0 and index <= layout.lasts[hunk]:
            return self._changed(hunk, index - layout.firsts[hunk])
        if (fold := layout.fold_at(index)) is not None:
            line = layout.fold_starts[fold]
            return Row(Kind.FOLD, f"{layout.fold_ends[fold] - line:,} unchanged lines", line + 1)
        line = layout.line_of(index)
        if self.files and is_heading(self.base[line]):
            return Row(Kind.FILE, self._title(line), line + 1, line + 1 + layout.grown[hunk + 1])
        kind = Kind.DONE if line in self._done else Kind.GONE if line in self._gone else Kind.CONTEXT
        return Row(kind, self.base[line], line + 1, line + 1 + layout.grown[hunk + 1])

    def _title(self, head: int) -> str:
        """A file's name, and how many lines its open hunks add and take away."""
        path, mark = named(self.base[head]), bisect_right(self.files.heads, head)
        if not path:
            return ""
        first, last = (bisect_right(self._layout.starts, at) for at in (head, self.files.heads[mark]))
        here = self.hunks[first:last]
        return (
            f"{path}  +{sum(len(each.new) for each in here)} −{sum(len(each.old) for each in here)}" if here else path
        )

    def numbers(self, row: Row) -> tuple[int | None, int | None]:
        """The numbers of a row's old and new line in the file as it is by now, where it is in that."""
        if row.kind in {Kind.GONE, Kind.FILE}:
            return None, None
        line = (row.old or 1) - 1 if row.hunk is None else self.hunks[row.hunk].start
        more = further(self._edits, line) - line
        old, new = row.old and row.old + more, row.new and row.new + more
        return (old, new) if not self.files else self._in_its_file(row, line, old, new)

    def _in_its_file(self, row: Row, line: int, old: int | None, new: int | None) -> tuple[int | None, int | None]:
        """Numbers from the heading above on. Args: line: of the base that a row is at."""
        hunk = None if row.hunk is None else self.hunks[row.hunk]
        if hunk is not None and any(map(is_heading, (*hunk.old_lines, *hunk.new_lines))):
            return None, None
        head = self.files.head_of(line - 1 if hunk is not None else line)
        above = further(self._edits, head) + 1
        grown = self._layout.grown[bisect_right(self._layout.ends, head)]
        return old and old - above, new and new - above - grown

    def file_of(self, row: Row) -> str:
        """The file of several that a row is of; "" where there is only one."""
        line = (row.old or 1) - 1 if row.hunk is None else self.hunks[row.hunk].start - 1
        return named(self.base[self.files.head_of(line)]) if self.files else ""

    def hunk_at(self, index: int) -> int | None:
        """The hunk a row belongs to: between two the later one, after the last that one; None without hunks."""
        return min(bisect_left(self.last_rows, index), len(self.hunks) - 1) if self.hunks else None

    def row_of(self, hunk: int, line: int) -> int:
        """The row of line `line` (0-based) among a hunk's new lines."""
        return self.first_rows[hunk] + (0 if self.is_folded(hunk) else len(self.hunks[hunk].old_lines) + line)

    def row_of_line(self, line: int) -> int:
        """The row of a base line, or of the fold that hides it."""
        return self.nearest(Row(Kind.CONTEXT, "", line + 1))

    def is_folded(self, hunk: int) -> bool:
        """Whether one row stands for all of a hunk."""
        return self.hunks[hunk].id in self._closed

    def sizes(self, hunk: int) -> tuple[int, int]:
        """How many rows a hunk's old and new lines have; one that is folded has a single row, as if it were old."""
        each = self.hunks[hunk]
        return (1, 0) if self.is_folded(hunk) else (len(each.old_lines), len(each.new_lines))

    def nearest(self, row: Row) -> int:
        """The row that shows what `row` of an earlier diff of this file showed, or what is nearest to it."""
        line, layout = (row.old or row.new or 1) - 1, self._layout
        hunk = bisect_right(layout.starts, line) - 1
        if hunk >= 0 and (line < layout.ends[hunk] or layout.ends[hunk] == len(self.base)):
            old, new = self.sizes(hunk)
            first = layout.firsts[hunk] + (old if new else 0)
            return min(first + line - layout.starts[hunk], layout.lasts[hunk])
        return max(0, min(layout.row_of(line), layout.rows - 1))

    def _changed(self, number: int, offset: int) -> Row:
        """A row of a hunk. Args: offset: from its first one."""
        hunk, shift = self.hunks[number], self._layout.grown[number]
        old, new, out = hunk.old_lines, hunk.new_lines, offset in self._out.get(hunk.id, ())
        line = hunk.start + 1
        if hunk.id in self._closed:
            return Row(Kind.CLOSED, self._closed[hunk.id], line, line + shift, number)
        if offset < len(old):
            return Row(
                Kind.OLD, titled(old[offset], "deleted"), line + offset, None, number, _get(new, offset), out=out
            )
        at, odd = offset - len(old), self._odd.get(hunk.id)
        spans = odd.spans.get(at, ()) if odd else ()
        return Row(Kind.NEW, titled(new[at], "new"), None, line + at + shift, number, _get(old, at), spans, out)


def live_line(before: Sequence[HunkLike], after: Sequence[HunkLike]) -> tuple[int, int] | None:
    """Which (hunk, new line) was written last; None when nothing tells."""
    known = {(hunk.start, hunk.new_lines) for hunk in before}
    starts = {hunk.start: hunk.new_lines for hunk in before}
    for number in reversed(range(len(after))):
        hunk = after[number]
        if (hunk.start, hunk.new_lines) in known or not hunk.new_lines:
            continue
        return number, _last_difference(starts.get(hunk.start, ()), hunk.new_lines)
    return None


def _last_difference(old: Sequence[str], new: Sequence[str]) -> int:
    """The last line of `new` that is not simply a line of `old` further down."""
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    return max(0, len(new) - 1 - same)


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
    """The hunk with the same content, best in the same place; else the first from here on, else the last."""
    content = hunk.old_lines, hunk.new_lines
    here = min(bisect_left(among, hunk.start, key=lambda each: each.start), len(among) - 1)
    alike = (number for number, each in enumerate(among) if (each.old_lines, each.new_lines) == content)
    return here if (among[here].old_lines, among[here].new_lines) == content else next(alike, here)


def _get(lines: Sequence[str], index: int) -> str | None:
    return lines[index] if index < len(lines) else None
