"""Edits of one kind done together: the same change in several places, two that swap, two that the words join."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from spark_tui.editing.script import Delete, LineOp, Replace

Ops = tuple[LineOp, ...]
_JOINED = re.compile(r"(?i)\band\b|\bboth\b|\btwo\b|[,;] ")
_MOST_READ, _MOST_JOINED, _MOST_SWAPS, _NEAR = 40, 3, 2, 3


@dataclass(frozen=True, slots=True)
class _Change:
    """An edit of one line: which, and what of it becomes what."""

    row: int
    old: str
    new: str
    ops: Ops


def together(lines: Sequence[str], found: Sequence[Ops], instruction: str) -> Iterator[Ops]:
    """What several of the edits make when they are done at once. Args: lines: the region before."""
    changes = [one for ops in islice(found, _MOST_READ) if (one := _read(lines, ops))]
    if len(changes) < 2:
        return
    alike: dict[tuple[str, str], dict[int, _Change]] = defaultdict(dict)
    for one in changes:
        alike[one.old, one.new].setdefault(one.row, one)
    yield from (_joined(list(group.values())) for group in alike.values() if len(group) > 1)
    yield from islice(_swaps(changes), _MOST_SWAPS)
    if len(found) <= _MOST_JOINED and _JOINED.search(instruction):
        yield from (_joined(pair) for pair in combinations(changes, 2) if pair[0].row != pair[1].row)


def _swaps(changes: Sequence[_Change]) -> Iterator[Ops]:
    """Two lines close to each other that get what the other one has."""
    for one, other in combinations(changes, 2):
        if (
            one.old
            and one.new
            and (one.old, one.new) == (other.new, other.old)
            and 0 < abs(one.row - other.row) <= _NEAR
        ):
            yield _joined((one, other))


def _joined(changes: Sequence[_Change]) -> Ops:
    return tuple(op for one in sorted(changes, key=lambda one: one.row) for op in one.ops)


def _read(lines: Sequence[str], ops: Ops) -> _Change | None:
    match ops:
        case (Replace(first=row, last=last, lines=(new,)),) if row == last:
            return _Change(row, *_difference(lines[row].strip(), new.strip()), ops)
        case (Delete(first=row, last=last),) if row == last:
            return _Change(row, lines[row], "", ops)
    return None


def _difference(old: str, new: str) -> tuple[str, str]:
    """The stretch that differs, up to the ends of the words it begins and ends in."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while start and old[start - 1].isalnum() and (old[start : start + 1].isalnum() or new[start : start + 1].isalnum()):
        start -= 1
    while end and old[len(old) - end].isalnum() and _cut(old, new, end):
        end -= 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _cut(old: str, new: str, end: int) -> bool:
    """Whether the rest begins within a word of either line."""
    return any(one[: len(one) - end][-1:].isalnum() for one in (old, new))
