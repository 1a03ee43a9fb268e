"""Carry a change from one version of a file to another, or refuse to.

The versions may differ in their line endings: lines are compared without their endings, and the new
lines take the endings of the place they go to. No line is searched for: the place of a change
follows from what both versions share.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from spark_tui.editing.line_diff import Change, line_changes
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import Conflict


def same_words(text: Text, other: Text) -> bool:
    """Whether two texts differ in nothing but line endings."""
    return _bare(text) == _bare(other)


def transplant(before: Text, after: Text, target: Text, path: str = "this file") -> Text:
    """Bring what changed from `before` to `after` into `target`.

    A change that `target` already holds is left alone.

    Args:
        path: The name of the file, for the message.

    Raises:
        Conflict: `target` has other lines where a change belongs, or the change has two places.
    """
    # nothing to carry: `after` is right to the byte, changed endings included
    if target == before:
        return after
    shift = _Shift(before, after, target)
    raw = list(target.raw)
    # From the bottom up, so that the places of the changes above stay right.
    for change in reversed(line_changes(before.raw, after.raw)):
        if not shift.is_made(change):
            raw[shift.place(change, path)] = shift.lines(change)
    return Text(tuple(_closed(raw)))


def is_partly_made(before: Text, after: Text, now: Text) -> bool:
    """Whether a text is `before` with some of the changes to `after`, and with no others."""
    # Each change may stand in `now` by its old or by its new lines. `ends` holds every line of
    # `now` at which the text so far can end; when none is left, `now` has something else.
    ends = {0}
    at = 0
    for change in line_changes(before.raw, after.raw):
        kept = before.raw[at : change.old_start]
        old = before.raw[change.old_start : change.old_stop]
        new = after.raw[change.new_start : change.new_stop]
        ends = _behind(now, ends, kept + old) | _behind(now, ends, kept + new)
        at = change.old_stop
    rest = before.raw[at:]
    return len(now.raw) in _behind(now, ends, rest)


def _behind(text: Text, starts: Iterable[int], lines: Sequence[str]) -> set[int]:
    """The ends of `lines` in a text, for each of `starts` at which the lines stand."""
    ends = {start: start + len(lines) for start in starts}
    return {end for start, end in ends.items() if text.raw[start:end] == lines}


def without_reverted(before: Text, after: Text, now: Text) -> Text:
    """`after` without those changes from `before` that `now` has undone.

    A changed line stays where `now` has yet another text in its place.
    """
    # the way back: an undone change is a change from `after` to `before` that `now` holds
    shift = _Shift(after, before, now)
    raw = list(after.raw)
    for stretch in reversed(line_changes(after.raw, before.raw)):
        # Line by line where a change keeps the number of lines, so that a single line undone within
        # a renaming counts.
        for undo in reversed(stretch.by_line()):
            if shift.is_made(undo):
                raw[undo.old_start : undo.old_stop] = before.raw[undo.new_start : undo.new_stop]
    return Text(tuple(_closed(raw)))


class _Shift:
    """How the lines of `before` and `after` correspond to those of `target`.

    A drift is a change from one of the two to `target`.
    """

    def __init__(self, before: Text, after: Text, target: Text) -> None:
        self._before = before.raw
        self._after = after.raw
        self._target = target.raw
        self._drift = line_changes(_bare(before), _bare(target))
        self._drift_since = line_changes(_bare(after), _bare(target))

    def is_made(self, change: Change) -> bool:
        """Whether the target lacks the old lines, and has the new ones where they belong."""
        lacks_old = _meets_any(self._drift, change.old_start, change.old_stop)
        lacks_new = _meets_any(self._drift_since, change.new_start, change.new_stop)
        return lacks_old and not lacks_new

    def place(self, change: Change, path: str) -> slice:
        """The lines of the target that a change replaces.

        Raises:
            Conflict: The target has other lines there, or the change has two places.
        """
        start = change.old_start
        stop = change.old_stop
        for drift in self._drift:
            # lines that both sides add at one point could come in either order
            same_point = drift.old_start == drift.old_stop == start == stop
            if same_point or _overlap(drift, start, stop):
                raise Conflict(
                    f"git has other lines of {path} where this edit belongs; stage it by hand "
                    "(`git add -p`)"
                )
        # no drift overlaps, so each lies above and moves the place, or lies below
        shift = sum(drift.growth for drift in self._drift if drift.old_stop <= start)
        return slice(start + shift, stop + shift)

    def lines(self, change: Change) -> list[str]:
        """The new lines of a change, with the endings that the target has around the place."""
        lines: list[str] = []
        for line in self._after[change.new_start : change.new_stop]:
            ending = ending_of(line)
            lines.append(line.removesuffix(ending) + self._ending(ending, change))
        return lines

    def _ending(self, ending: str, change: Change) -> str:
        """The ending in the target that corresponds to an ending in the other version.

        The nearest line that both versions have decides: among the replaced lines first, then
        above, then below.
        """
        start = change.old_start
        stop = change.old_stop
        replaced = range(start, stop)
        above = range(start - 1, -1, -1)
        below = range(stop, len(self._before))
        for old in chain(replaced, above, below):
            if old in self._kept and ending_of(self._before[old]) == ending:
                return ending_of(self._target[self._kept[old]])
        return ending

    @cached_property
    def _kept(self) -> dict[int, int]:
        """The lines of `before` that the target still has, each with its line there."""
        kept: dict[int, int] = {}
        start = 0
        growth = 0
        # a last change behind all lines, for the lines below the last drift
        end = Change(len(self._before), 0, 0, 0)
        for drift in (*self._drift, end):
            for old in range(start, drift.old_start):
                kept[old] = old + growth
            start = drift.old_stop
            growth += drift.growth
        return kept


def _bare(text: Text) -> list[str]:
    return [line.removesuffix(ending_of(line)) for line in text.raw]


def _meets_any(drifts: Iterable[Change], start: int, stop: int) -> bool:
    """Whether any change is about the old lines [start, stop), or touches them if there are none.

    A stretch without lines is a point, which a change can only touch.
    """
    if start < stop:
        return any(_overlap(drift, start, stop) for drift in drifts)
    return any(_touch(drift, start, stop) for drift in drifts)


def _overlap(change: Change, start: int, stop: int) -> bool:
    return change.old_start < stop and start < change.old_stop


def _touch(change: Change, start: int, stop: int) -> bool:
    return change.old_start <= stop and start <= change.old_stop


def _closed(raw: Sequence[str]) -> Iterator[str]:
    """Give every line but the last an ending: a change may have put lines below the last one."""
    ending = next(filter(None, map(ending_of, raw)), "\n")
    for number, line in enumerate(raw, 1):
        if ending_of(line) or number == len(raw):
            yield line
        else:
            yield line + ending
