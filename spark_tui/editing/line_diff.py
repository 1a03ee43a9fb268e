"""The shortest edit script between two lists of lines, and the headings of files among them.

A document is the lines of several files, one file below the other. A heading that names the file
stands above its lines, an end mark below them: so a change at the end of a file lies apart from a
change at the start of the next file. Headings and end marks begin with a NUL, which no text file
holds, and lines that somebody writes are looked through for one (`refuse_headings`), so neither is
ever mistaken for a line of a file. The heading of a renamed file also keeps
the former name, by which `line_changes` finds the earlier version of the file.

Of several equally short scripts `line_changes` always gives the same one. It walks from the top:
equal lines are kept at once; else an old line is dropped if that loses nothing; else a new line is
added. Each choice depends only on the lines below, so taking one change into the old lines (or out
of the new ones) leaves every other change as it was.

Source: Hyyrö (2004), bit-parallel LCS, for most files; Myers (1986), an O(ND) algorithm, for large
files that differ little.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark_tui.errors import UsageError

SIGN = "\0"
"""The first character of a heading, the line that names a file where several files are one text.

A heading reads `SIGN path SIGN flags`, and for a renamed file `SIGN former-name` follows. The flags
are those of `multi_file`.
"""
END = "\0\0"
"""The end mark below the lines of a file: a heading without a path."""


class Section(NamedTuple):
    """A file in a document: heading at `start`, lines [start + 1, stop), end mark at `stop`.

    `origin` is the name before a renaming, else the path.
    """

    path: str
    start: int
    stop: int
    origin: str


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or the end mark."""
    return line.startswith(SIGN)


def named(line: str) -> str:
    """The file that a heading names; "" for the end mark."""
    return line.split(SIGN)[1]


def origin_of(heading: str) -> str:
    """The name that a file had before a renaming, else its name now, read off its heading."""
    _, path, _, *former = heading.split(SIGN)
    return former[0] if former else path


def renames(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether changed lines begin with the heading of a file that gets another name."""
    if not (old and new and is_heading(old[0]) and is_heading(new[0])):
        return False
    return named(old[0]) != named(new[0])


def is_document(lines: Sequence[str]) -> bool:
    """Whether lines are a document, which always begins with a heading."""
    return bool(lines) and is_heading(lines[0])


def heading_of(path: str) -> str:
    """The heading of a new file, without a line ending."""
    return f"{SIGN}{path}{SIGN}"


def section_lines(heading: str, lines: Sequence[str], end: str = "") -> list[str]:
    """The lines of a file in a document: its heading, its own lines, its end mark.

    Args:
        heading: The heading as it stands in the document.
        lines: Those of the file, which may come from anywhere.
        end: The line ending of the mark, where lines have endings.

    Raises:
        UsageError: A line would be read as a heading, so as the beginning of another file.
    """
    refuse_headings(lines)
    return [heading, *lines, f"{END}{end}"]


def refuse_headings(lines: Iterable[str]) -> None:
    """Refuse lines for a file, written by whomever, that would be read as headings.

    Raises:
        UsageError: A line would be.
    """
    if any(map(is_heading, lines)):
        raise UsageError("a line begins with a NUL, which no text file holds; leave it out")


def sections(lines: Sequence[str]) -> list[Section]:
    """Where the lines of each file stand, in order."""
    # headings and end marks take turns, since no file lies within another
    marks = [number for number, line in enumerate(lines) if is_heading(line)]
    found: list[Section] = []
    for start, stop in zip(marks[::2], marks[1::2], strict=True):
        heading = lines[start].removesuffix("\n")
        found.append(Section(named(heading), start, stop, origin_of(heading)))
    return found


def whole_file(old: Sequence[str], new: Sequence[str]) -> str:
    """The path of the file that changed lines create or delete, or "".

    Such lines begin with the heading of the file.
    """
    for lines in (old, new):
        if lines and is_heading(lines[0]):
            return named(lines[0])
    return ""


MAX_CELLS = 100_000_000
"""Up to this many pairs of lines between the first and the last change, all pairs are compared.

`_Table` keeps one bit for each pair: 12 MB, filled in 30 ms.
"""
MAX_EDITS = 1000
"""With more pairs and more edits than this, the whole stretch counts as one change.

The time and memory of `_Frontier` grow with the square of the edits.
"""
_MANY = 5_000
"""Lines that are only added, or only removed, from which on they are one change unexamined."""
_BLOCK = 4096
"""The most lines that one comparison of two slices covers."""


class Change(NamedTuple):
    """Old lines [old_start, old_stop) become new lines [new_start, new_stop); 0-based."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def growth(self) -> int:
        """How many lines the change adds; negative when lines go."""
        return self.new_stop - self.new_start - (self.old_stop - self.old_start)

    def by_line(self) -> "Sequence[Change]":
        """Split a change that keeps the number of lines, as a renaming does, into single lines."""
        if self.growth:
            return [self]
        pairs = zip(range(*self[:2]), range(*self[2:]), strict=True)
        return [Change(old, old + 1, new, new + 1) for old, new in pairs]


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes from `old` to `new`, in order, with at least one kept line between two changes.

    In a document each file is compared with its own other version only, and no change spans two
    files; between changes of two files there need not be a kept line.
    """
    # slices are compared below, and a slice of a list equals no slice of a tuple
    old = tuple(old)
    new = tuple(new)
    # an empty text counts as a document beside a document, and as an empty file beside a file
    if is_document(old or new) and is_document(new or old):
        return list(_changes_by_file(old, new))
    return _changes_of(old, new)


def _changes_by_file(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """The changes of two documents.

    Files keep their order; a file out of order is deleted in one place and created in the other.
    The new name of a file is a change of its own, apart from those of the lines.
    """
    new_sections = sections(new)
    by_origin = {section.origin: section for section in new_sections}
    new_row = 0
    for _, start, stop, origin in sections(old):
        current = by_origin.get(origin)
        # the file is gone, or moved up: then an earlier round has passed and created it
        if current is None or current.start < new_row:
            yield Change(start, stop + 1, new_row, new_row)
            continue
        # new files between the file before and this one
        for section in new_sections:
            if new_row <= section.start < current.start:
                yield Change(start, start, section.start, section.stop + 1)
        old_row = start
        new_row = current.start
        if renames(old[start:stop], new[new_row : current.stop]):
            yield Change(old_row, old_row + 1, new_row, new_row + 1)
            old_row += 1
            new_row += 1
        # A heading that keeps its name is compared as well: its flags may differ. The end mark is
        # left out, so that a change at the end of a file never reaches beyond the file.
        for change in _changes_of(old[old_row:stop], new[new_row : current.stop]):
            yield Change(
                change.old_start + old_row,
                change.old_stop + old_row,
                change.new_start + new_row,
                change.new_stop + new_row,
            )
        new_row = current.stop + 1
    for section in new_sections:
        if new_row <= section.start:
            yield Change(len(old), len(old), section.start, section.stop + 1)


def _changes_of(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes of one file, or of lines that are no document."""
    # An edit is a few lines in a long file, so most lines are in the common head and tail. Only the
    # core between these two is compared line by line.
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    old_core = old[head : len(old) - tail]
    new_core = new[head : len(new) - tail]
    if not (old_core and new_core) and len(old_core) + len(new_core) > _MANY:
        # Lines are only added, or only removed. A table of them takes a time that grows with the
        # square of their number.
        return [Change(head, len(old) - tail, head, len(new) - tail)]
    if len(old_core) * len(new_core) <= MAX_CELLS:
        return list(_changes(old, new, head, _Table(old_core, new_core)))
    frontier = _Frontier(old_core, new_core)
    if not frontier.complete:
        return [Change(head, len(old) - tail, head, len(new) - tail)]
    return list(_changes(old, new, head, frontier))


def _common_head(old: Sequence[str], new: Sequence[str], i: int = 0, j: int = 0) -> int:
    """How many equal lines old[i:] and new[j:] begin with.

    The count is negative where `i` or `j` lies beyond the last line: by as many lines as that.
    """
    limit = min(len(old) - i, len(new) - j)
    # Comparing slices is far quicker than comparing lines one by one. The slices double while they
    # are equal and are cut in half where they differ, until a slice of one line differs.
    count = 0
    size = 1
    while size and count < limit:
        if old[i + count : i + count + size] == new[j + count : j + count + size]:
            count += size
            size = min(2 * size, _BLOCK)
        else:
            size //= 2
    # slices that end beyond both lists are equal, too
    return min(count, limit)


def _common_tail(old: Sequence[str], new: Sequence[str], head: int) -> int:
    # without the head, so that no line is in the head and in the tail
    limit = min(len(old), len(new)) - head
    tail = 0
    while tail + _BLOCK <= limit and _before_end(old, tail) == _before_end(new, tail):
        tail += _BLOCK
    while tail < limit and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return tail


def _before_end(lines: Sequence[str], tail: int) -> Sequence[str]:
    return lines[len(lines) - tail - _BLOCK : len(lines) - tail]


class _Table:
    """The lengths of the longest common subsequences of all ends of two lists of lines.

    One row of bits for each old line, after Hyyrö (2004), bit-parallel LCS: in the row of line i,
    the zeros among the lowest w bits count the lines old[i:] has in common with the last w new
    lines.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old_count = len(old)
        self.new_count = len(new)
        self._rows = _rows(old, new)

    def may_drop(self, i: int, j: int) -> bool:
        """Whether dropping old line i loses no common line of old[i:] and new[j:].

        Old line i and new line j differ.
        """
        # equally many ones among the lowest bits are equally many zeros, and so equal lengths
        mask = (1 << (self.new_count - j)) - 1
        return (self._rows[i] & mask).bit_count() == (self._rows[i + 1] & mask).bit_count()


def _rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """The rows of `_Table`, and one more for the end of the old lines."""
    # for each new line, the bits at which it stands, counted from the end
    places: dict[str, int] = {}
    for bit, line in enumerate(reversed(new)):
        places[line] = places.get(line, 0) | 1 << bit
    # no zeros yet: the end of the old lines has no line in common with any new ones
    full = (1 << len(new)) - 1
    rows = [full]
    for line in reversed(old):
        row = rows[-1]
        hits = row & places.get(line, 0)
        # The sum moves each zero down to the lowest hit among the ones below; `full` drops the
        # carry out of the last bit. All hits are ones of the row, so `row - hits` clears them.
        rows.append((row + hits | row - hits) & full)
    return rows[::-1]


class _Frontier:
    """How many edits all ends are apart, for large files that differ little.

    After Myers (1986), an O(ND) algorithm. Diagonal k holds the ends with k old lines more than new
    ones. On the diagonal, the number at index n is how many old lines the longest end has that
    takes abs(k) + 2 * n edits. Not `complete` when more than MAX_EDITS are needed.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old_count = len(old)
        self.new_count = len(new)
        self._diagonals: defaultdict[int, list[int]] = defaultdict(list)
        # From the end: the walk of `_changes` asks about ends of both lists.
        old = old[::-1]
        new = new[::-1]
        goal = self._diagonals[len(old) - len(new)]
        for edits in range(MAX_EDITS + 1):
            # An edit moves to a diagonal beside, so each round fills every second diagonal from
            # the ones that the round before filled.
            for k in range(-edits, edits + 1, 2):
                dropped = self._diagonals[k - 1]
                added = self._diagonals[k + 1]
                # The longest end with one edit fewer, on either diagonal beside this one, and from
                # there down along equal lines. An x beyond either list comes back to its end, as
                # `_common_head` is negative there.
                x = max(0, k)
                if dropped:
                    x = max(x, dropped[-1] + 1)
                if added:
                    x = max(x, added[-1])
                self._diagonals[k].append(x + _common_head(old, new, x, x - k))
            # done when the diagonal on which both lists are used up has come to its end
            self.complete = bool(goal) and goal[-1] >= len(old)
            if self.complete:
                return

    def may_drop(self, i: int, j: int) -> bool:
        """As `_Table.may_drop`."""
        return self._edits(i + 1, j) < self._edits(i, j)

    def _edits(self, i: int, j: int) -> int:
        x = self.old_count - i
        k = x - (self.new_count - j)
        # A further entry of the diagonal stands for two further edits, and reaches as far at least:
        # the first entry that reaches x has the fewest edits.
        return abs(k) + 2 * bisect_left(self._diagonals[k], x)


def _changes(
    old: Sequence[str], new: Sequence[str], head: int, core: _Table | _Frontier
) -> Iterator[Change]:
    """Walk from the head until the rests of both are equal.

    Args:
        head: How many lines the common head has.
        core: What tells which lines of the cores may be dropped; counts without the head.
    """
    # lines [old_start, i) and [new_start, j) are the change that the walk is in, if any
    i = j = old_start = new_start = head

    # Behind both cores only the common tail is left. Equal lines may have led into the tail of one
    # list earlier than into that of the other, so the lengths of the rests count as well.
    while i - head < core.old_count or j - head < core.new_count or len(old) - i != len(new) - j:
        if kept := _common_head(old, new, i, j):
            if (i, j) != (old_start, new_start):
                yield Change(old_start, i, new_start, j)
            i += kept
            j += kept
            old_start = i
            new_start = j
        elif _drops(core, i - head, j - head):
            i += 1
        else:
            j += 1
    if (i, j) != (old_start, new_start):
        yield Change(old_start, i, new_start, j)


def _drops(core: _Table | _Frontier, i: int, j: int) -> bool:
    # whether old line i is dropped, rather than new line j added; the two differ
    if i < core.old_count and j < core.new_count:
        return core.may_drop(i, j)
    # one core is used up: the shorter rest is then an end of the longer one, which spares a line
    return core.old_count - i > core.new_count - j
