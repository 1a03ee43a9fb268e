"""The shortest way from one list of lines to another, always the same one of several equally short ways.

The way is walked from the top: equal lines are kept at once, else a line is dropped if that loses nothing,
else one is added. Such a choice depends only on what is left below, so taking one change into the old
lines (or out of the new ones) leaves every other change as it was. Knows no files and no edits.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_CELLS = 100_000_000
"""Above this many pairs of changed lines the whole stretch counts as one change (12 MB, 30 ms)."""

_BLOCK = 4096


class Change(NamedTuple):
    """Old lines [old_start, old_stop) become new lines [new_start, new_stop); 0-based."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """What changed, in order; between two changes there is at least one kept line."""
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    core = _Core(old[head : len(old) - tail], new[head : len(new) - tail])
    if core.too_large:
        return [Change(head, len(old) - tail, head, len(new) - tail)]
    return list(_changes(old, new, head, core))


def _common_head(old: Sequence[str], new: Sequence[str]) -> int:
    limit = min(len(old), len(new))
    at = 0
    while at < limit and old[at : at + _BLOCK] == new[at : at + _BLOCK]:
        at += _BLOCK
    while at < limit and old[at] == new[at]:
        at += 1
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


class _Core:
    """The lines between common head and tail, and how long their common subsequences are.

    One row of bits for each old line, after Hyyrö (2004), bit-parallel LCS: in the row of line i, the zeros
    among the lowest w bits count what old[i:] has in common with the last w new lines.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old_count, self.new_count = len(old), len(new)
        self.too_large = len(old) * len(new) > MAX_CELLS
        if not self.too_large:
            self._rows = _rows(old, new)

    def may_drop(self, i: int, j: int) -> bool:
        """Whether dropping old line i loses nothing, with new lines from j on still to come."""
        if i >= self.old_count or j >= self.new_count:
            return self.old_count - i > self.new_count - j
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


def _changes(old: Sequence[str], new: Sequence[str], head: int, core: _Core) -> Iterator[Change]:
    """Walk from the head until the rest of both is the same."""
    i = j = old_start = new_start = head
    while i - head < core.old_count or j - head < core.new_count or len(old) - i != len(new) - j:
        if i < len(old) and j < len(new) and old[i] == new[j]:
            if (i, j) != (old_start, new_start):
                yield Change(old_start, i, new_start, j)
            i, j = i + 1, j + 1
            old_start, new_start = i, j
        elif core.may_drop(i - head, j - head):
            i += 1
        else:
            j += 1
    if (i, j) != (old_start, new_start):
        yield Change(old_start, i, new_start, j)
