"""Bring a change made to one version of a file into another version, line by line, or refuse.

Versions may differ in their line endings: lines are told apart by their words, and what is brought
in takes the endings of the place it goes to. Nothing is searched for: the place follows from what
both versions share.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

from spark_tui.editing.line_diff import Change, line_changes
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import Conflict


def same_words(one: Text, other: Text) -> bool:
    """Whether two texts differ in nothing but line endings."""
    return _bare(one) == _bare(other)


def transplant(before: Text, after: Text, target: Text, path: str = "this file") -> Text:
    """Bring what changed from `before` to `after` into `target`; a change that it holds already is
    left alone.

    Args:
        path: For the message.

    Raises:
        Conflict: `target` has other lines where the change belongs, or there are two places for it.
    """
    if target == before:
        return after
    shift = _Shift(before, after, target)
    raw = list(target.raw)
    for change in reversed(line_changes(before.raw, after.raw)):
        if not shift.is_made(change):
            raw[shift.place(change, path)] = shift.lines(change)
    return Text(tuple(_closed(raw)))


def without_reverted(before: Text, after: Text, now: Text) -> Text:
    """`after` without what of it `now` has again as it was `before`; what `now` has in other
    words yet, stays.
    """
    shift = _Shift(after, before, now)
    raw = list(after.raw)
    for change in reversed(line_changes(after.raw, before.raw)):
        for each in reversed(change.by_line()):
            if shift.is_made(each):
                raw[each.old_start : each.old_stop] = before.raw[each.new_start : each.new_stop]
    return Text(tuple(_closed(raw)))


class _Shift:
    """How the lines of `before` and `after` correspond to those of `target`."""

    def __init__(self, before: Text, after: Text, target: Text) -> None:
        self._before = before.raw
        self._after = after.raw
        self._target = target.raw
        self._drift = line_changes(_bare(before), _bare(target))
        self._drift_since = line_changes(_bare(after), _bare(target))

    def is_made(self, change: Change) -> bool:
        """Whether the target lacks the old lines, and has the new ones where they belong."""
        start = change.new_start
        stop = change.new_stop
        gone = _overlap if change.old_start < change.old_stop else _touch
        strange = _overlap if start < stop else _touch
        return any(
            gone(each, change.old_start, change.old_stop) for each in self._drift
        ) and not any(strange(each, start, stop) for each in self._drift_since)

    def place(self, change: Change, path: str) -> slice:
        """The lines of the target that a change is about.

        Raises:
            Conflict: It has others there, or two places.
        """
        start = change.old_start
        stop = change.old_stop
        # what both sides add between the same two lines may come in either order
        if any(
            _overlap(each, start, stop) or each.old_start == each.old_stop == start == stop
            for each in self._drift
        ):
            raise Conflict(
                f"git has other lines of {path} where this edit belongs; stage it by hand (`git "
                f"add -p`)"
            )
        start += sum(each.growth for each in self._drift if each.old_stop <= start)
        return slice(start, start + stop - change.old_start)

    def lines(self, change: Change) -> list[str]:
        """The new lines, with endings as the target has them around there."""
        added = self._after[change.new_start : change.new_stop]
        return [
            line.removesuffix(ending_of(line)) + self._ending(ending_of(line), change)
            for line in added
        ]

    def _ending(self, ending: str, change: Change) -> str:
        """What it is in the target, by the lines that both have: those replaced, then those
        above, then below.
        """
        start = change.old_start
        stop = change.old_stop
        for old in chain(
            range(start, stop), range(start - 1, -1, -1), range(stop, len(self._before))
        ):
            if old in self._kept and ending_of(self._before[old]) == ending:
                return ending_of(self._target[self._kept[old]])
        return ending

    @cached_property
    def _kept(self) -> dict[int, int]:
        """From the lines of `before` that the target has, to where it has them."""
        kept: dict[int, int] = {}
        at = 0
        growth = 0
        for each in (*self._drift, Change(len(self._before), 0, 0, 0)):
            kept.update((old, old + growth) for old in range(at, each.old_start))
            at = each.old_stop
            growth = growth + each.growth
        return kept


def _bare(text: Text) -> list[str]:
    return [line.removesuffix(ending_of(line)) for line in text.raw]


def _overlap(change: Change, start: int, stop: int) -> bool:
    return change.old_start < stop and start < change.old_stop


def _touch(change: Change, start: int, stop: int) -> bool:
    return change.old_start <= stop and start <= change.old_stop


def _closed(raw: Sequence[str]) -> Iterator[str]:
    """Lines of which only the last may have no ending."""
    ending = next(filter(None, map(ending_of, raw)), "\n")
    for number, line in enumerate(raw, 1):
        yield line if ending_of(line) or number == len(raw) else line + ending
