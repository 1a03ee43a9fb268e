"""The shortest edit script between two texts, and the headings of files.

Headings among lines: several files' lines, one below the other, each file's below a line that names
it.

Below them stands an end mark, so that what changes at the end of a file lies apart from what
changes at the next one's begin. Both begin with a NUL, which no text file holds, so that they are
never mistaken for a line of one.

The shortest way from one list of lines to another, always the same one of several equally short
ways.

The way is walked from the top: equal lines are kept at once, else a line is dropped if that loses
nothing, else one is added. Such a choice depends only on what is left below, so taking one change
into the old lines (or out of the new ones) leaves every other change as it was. Knows no files and
no edits.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SIGN = "\0"
END = "\0\0"
"""The end mark."""


class Section(NamedTuple):
    """A file's part of such lines: its heading stands in line `start`, its own are [start + 1,
    stop), then the mark.
    """

    path: str
    start: int
    stop: int


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or the end mark."""
    return line.startswith(SIGN)


def named(line: str) -> str:
    """The file that a heading names; "" for the end mark."""
    return line.split(SIGN)[1]


def is_document(lines: Sequence[str]) -> bool:
    """Whether these are several files' lines, from the first heading on."""
    return bool(lines) and is_heading(lines[0])


def heading_of(path: str) -> str:
    """The heading of a file that comes into being, without an ending."""
    return f"{SIGN}{path}{SIGN}"


def sections(lines: Sequence[str]) -> list[Section]:
    """Where each file's lines stand."""
    marks = [number for number, line in enumerate(lines) if is_heading(line)]
    return [
        Section(named(lines[start]), start, stop)
        for start, stop in zip(marks[::2], marks[1::2], strict=True)
    ]


def whole_file(old: Sequence[str], new: Sequence[str]) -> str:
    """The file whose heading changes, comes or goes with lines that become others, or ""."""
    return next((named(lines[0]) for lines in (old, new) if lines and is_heading(lines[0])), "")


MAX_CELLS = 100_000_000
"""Up to this many pairs of lines between the first and the last changed one, all are looked at
(12 MB, 30 ms).
"""
MAX_EDITS = 1000
"""With more pairs, and more lines than this dropped and added, the whole stretch counts as one
change.
"""

_BLOCK = 4096


class Change(NamedTuple):
    """Old lines [old_start, old_stop) become new lines [new_start, new_stop); 0-based."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def growth(self) -> int:
        """How many lines more there are with it."""
        return self.new_stop - self.new_start - (self.old_stop - self.old_start)

    def by_line(self) -> "Sequence[Change]":
        """A change that keeps the number of lines, as a renaming does, one line at a time."""
        if self.growth:
            return [self]
        pairs = zip(range(*self[:2]), range(*self[2:]), strict=True)
        return [Change(old, old + 1, new, new + 1) for old, new in pairs]


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """What changed, in order; between two changes there is at least one kept line.

    Of several files' lines (see `headings`) each file's are held against its own only, and no
    change is about two: between those of two files there need not be a line that is kept.
    """
    old = tuple(old)  # a slice of a list equals none of a tuple
    new = tuple(new)
    if is_document(old or new) and is_document(new or old):
        return list(_changes_by_file(old, new))
    return _changes_of(old, new)


def _changes_by_file(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Files keep their order; of two that do not, one goes, and comes again where it is."""
    come = sections(new)
    found = {each.path: each for each in come}
    at = 0
    for path, start, stop in sections(old):
        if (now := found.get(path)) is None or now.start < at:
            yield Change(start, stop + 1, at, at)
            continue
        yield from (
            Change(start, start, each.start, each.stop + 1)
            for each in come
            if at <= each.start < now.start
        )
        for each in _changes_of(old[start:stop], new[now.start : now.stop]):
            yield Change(each[0] + start, each[1] + start, each[2] + now.start, each[3] + now.start)
        at = now.stop + 1
    yield from (
        Change(len(old), len(old), each.start, each.stop + 1) for each in come if at <= each.start
    )


def _changes_of(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    old_core = old[head : len(old) - tail]
    new_core = new[head : len(new) - tail]
    if len(old_core) * len(new_core) <= MAX_CELLS:
        return list(_changes(old, new, head, _Table(old_core, new_core)))
    frontier = _Frontier(old_core, new_core)
    if not frontier.complete:
        return [Change(head, len(old) - tail, head, len(new) - tail)]
    return list(_changes(old, new, head, frontier))


def _common_head(old: Sequence[str], new: Sequence[str], i: int = 0, j: int = 0) -> int:
    """How many lines old[i:] and new[j:] begin with alike; looked at in blocks that grow and
    shrink.
    """
    limit = min(len(old) - i, len(new) - j)
    at = 0
    size = 1
    while size and at < limit:
        if old[i + at : i + at + size] == new[j + at : j + at + size]:
            at = at + size
            size = min(2 * size, _BLOCK)
        else:
            size //= 2
    return min(at, limit)


def _common_tail(old: Sequence[str], new: Sequence[str], head: int) -> int:
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
    """How long the common subsequences of all ends are.

    One row of bits for each old line, after Hyyrö (2004), bit-parallel LCS: in the row of line i,
    the zeros among the lowest w bits count what old[i:] has in common with the last w new lines.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old_count = len(old)
        self.new_count = len(new)
        self._rows = _rows(old, new)

    def may_drop(self, i: int, j: int) -> bool:
        """Whether dropping old line i loses nothing, with new lines from j on still to come;
        the two differ.
        """
        mask = (1 << (self.new_count - j)) - 1
        return (self._rows[i] & mask).bit_count() == (self._rows[i + 1] & mask).bit_count()


def _rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    places: dict[str, int] = {}
    for bit, line in enumerate(reversed(new)):
        places[line] = places.get(line, 0) | 1 << bit
    full = (1 << len(new)) - 1
    rows = [full]
    for line in reversed(old):
        row = rows[-1]
        hits = row & places.get(line, 0)
        rows.append((row + hits | row - hits) & full)
    return rows[::-1]


class _Frontier:
    """How many edits all ends are apart, for large files that differ little, after Myers (1986), an
    O(ND) algorithm.

    Diagonal k holds the ends with k old lines more than new ones. On it, the number at index n is
    how many old lines the longest end has that takes abs(k) + 2 * n edits. Not `complete` when more
    than MAX_EDITS are needed.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old_count = len(old)
        self.new_count = len(new)
        self._diagonals: defaultdict[int, list[int]] = defaultdict(list)
        old = old[::-1]
        new = new[::-1]
        goal = self._diagonals[len(old) - len(new)]
        for edits in range(MAX_EDITS + 1):
            for k in range(-edits, edits + 1, 2):
                dropped = self._diagonals[k - 1]
                added = self._diagonals[k + 1]
                x = max(dropped[-1] + 1 if dropped else 0, added[-1] if added else 0, k)
                self._diagonals[k].append(x + _common_head(old, new, x, x - k))
            self.complete = bool(goal) and goal[-1] >= len(old)
            if self.complete:
                return

    def may_drop(self, i: int, j: int) -> bool:
        """See `_Table`."""
        return self._edits(i + 1, j) < self._edits(i, j)

    def _edits(self, i: int, j: int) -> int:
        x = self.old_count - i
        k = x - (self.new_count - j)
        return abs(k) + 2 * bisect_left(self._diagonals[k], x)


def _changes(
    old: Sequence[str], new: Sequence[str], head: int, core: _Table | _Frontier
) -> Iterator[Change]:
    """Walk from the head until the rest of both is the same."""
    i = j = old_start = new_start = head
    while i - head < core.old_count or j - head < core.new_count or len(old) - i != len(new) - j:
        if kept := _common_head(old, new, i, j):
            if (i, j) != (old_start, new_start):
                yield Change(old_start, i, new_start, j)
            i = i + kept
            j = j + kept
            old_start = i
            new_start = j
        elif _drops(core, i - head, j - head):
            i += 1
        else:
            j += 1
    if (i, j) != (old_start, new_start):
        yield Change(old_start, i, new_start, j)


def _drops(core: _Table | _Frontier, i: int, j: int) -> bool:
    if i < core.old_count and j < core.new_count:
        return core.may_drop(i, j)
    return core.old_count - i > core.new_count - j
