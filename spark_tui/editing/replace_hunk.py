"""One hunk of a review written anew, from another answer to the same: all else that was decided or written stays."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.hunks import Hunk, brought, diff
from spark_tui.editing.pairing import finest
from spark_tui.editing.review import Review
from spark_tui.editing.selection import Part
from spark_tui.editing.text import Text


def renewed(review: Review, part_id: str, began: Text, answer: Text) -> Review:
    """A copy of a review with what another answer has in the place of a part, and around it where nothing was said.

    Of a change that reaches further, only what it does to those lines is taken.

    Args: began: the text that the review began with, and that `answer` was written against.
    Raises: UsageError: no such part is open.
    """
    part, other = review.part(part_id), review.copy()
    hunk, accepted = part.hunk, diff(began, review.base)
    room = _room(review, part, accepted)
    first = _began_at(accepted, room.start)
    last = max(first, _began_at(accepted, room.stop, end=True))
    lines = _answered(began, answer, room.moved(first, last))
    start, stop = part.at - hunk.start + room.start, _end(part) - hunk.stop + room.stop
    wanted = review.proposed.replace_lines(start, stop, lines)
    other.rewrite(range(room.start, room.stop), *_smallest(review.proposed, wanted, start, stop))
    return other


@dataclass(frozen=True, slots=True)
class _Room:
    """Lines [start, stop) of which nothing was said but by one part; a line that stays is between them and the others.

    Args: point: where that part only adds lines, else None. below, above: whether there is none, and what is added at
        `start`, or at `stop`, belongs to the others.
    """

    start: int
    stop: int
    point: int | None
    below: bool
    above: bool

    def moved(self, start: int, stop: int) -> "_Room":
        point = None if self.point is None else min(self.point - self.start + start, stop)
        return _Room(start, stop, point, self.below, self.above)

    def holds(self, place: range, change: Hunk) -> bool:
        """Whether a piece of a change is in here; what it adds between two changed lines goes with the upper one."""
        if not self.start <= place.start <= place.stop <= self.stop:
            return False
        if place or place.start == self.point:
            return True
        others = place.start == self.start and (self.below or change.start < self.start)
        return not others and not (place.start == self.stop and self.above)


def _room(review: Review, part: Part, accepted: Sequence[Hunk]) -> _Room:
    hunk = part.hunk
    open_ones = [range(each.hunk.start, each.hunk.stop) for each in review.parts if each is not part]
    decided = [*brought(accepted), *_worked_over(review, part)]
    said = [*open_ones, *decided]
    start = max((place.stop for place in said if place.stop <= hunk.start), default=-1)
    stop = min((place.start for place in said if place.start >= hunk.stop), default=len(review.base.raw) + 1)
    adding = [*decided, *(place for place in open_ones if not place)]
    below = start == hunk.start and any(place.stop == start for place in adding)
    above = stop == hunk.stop and any(place.start == stop for place in adding)
    start, stop = start + (start < hunk.start), stop - (hunk.stop < stop)
    return _Room(start, stop, None if hunk.old else hunk.start, below, above)


def _began_at(accepted: Sequence[Hunk], line: int, *, end: bool = False) -> int:
    """Where a line of the base stood before hunks were accepted. Args: end: what was taken out there comes after."""
    grown = 0
    for hunk, now in zip(accepted, brought(accepted), strict=True):
        if now.stop <= line and not (end and now.start == line):
            grown += hunk.growth
        elif now.start < line:
            return hunk.start + min(line - now.start, len(hunk.old))
    return line - grown


def _worked_over(review: Review, part: Part) -> Iterator[range]:
    """Where, in the base, lines end above a part and begin below it that were rejected or edited."""
    end, at = _end(part), review.parts.index(part)
    for place in review.worked_over:
        if place.start < part.at or place.stop <= part.at:
            line = min(place.stop, part.at)
            line = min(line - _growth(each for each in review.parts[:at] if _end(each) <= line), part.hunk.start)
            yield range(line, line)
        if place.stop > end or place.start >= end > part.at:
            line = max(place.start, end)
            line += part.hunk.stop - end - _growth(each for each in review.parts[at + 1 :] if _end(each) <= line)
            yield range(line, line)


def _answered(began: Text, answer: Text, room: _Room) -> list[str]:
    """What an answer makes of the lines of a room; no line has an ending."""
    lines: list[str] = []
    at = room.start
    for old, new in _changes(began, answer, room):
        lines += [*began.lines[at : old.start], *answer.lines[new.start : new.stop]]
        at = old.stop
    return [*lines, *began.lines[at : room.stop]]


def _changes(began: Text, answer: Text, room: _Room) -> Iterator[tuple[range, range]]:
    """Which lines of a room the answer changes, and into which of its own."""
    grown = 0
    for hunk in diff(began, answer):
        whole = [(slice(0, len(hunk.old)), slice(0, len(hunk.new)))]
        within = room.start < hunk.start and hunk.stop < room.stop
        for olds, news in whole if within else finest(hunk.old, hunk.new):
            place = range(hunk.start + olds.start, hunk.start + olds.stop)
            if room.holds(place, hunk):
                yield place, range(hunk.start + grown + news.start, hunk.start + grown + news.stop)
        grown += hunk.growth


def _smallest(before: Text, after: Text, start: int, stop: int) -> tuple[range, tuple[str, ...]]:
    """Which of the lines [start, stop) of a text become others, and which: without those at either end that stay."""
    new_stop = len(after.raw) - (len(before.raw) - stop)
    if before.raw[:start] != after.raw[:start] or before.raw[stop:] != after.raw[new_stop:]:
        start, stop, new_stop = 0, len(before.raw), len(after.raw)  # an ending changed beside them, too
    while start < min(stop, new_stop) and before.raw[start] == after.raw[start]:
        start += 1
    while start < min(stop, new_stop) and before.raw[stop - 1] == after.raw[new_stop - 1]:
        stop, new_stop = stop - 1, new_stop - 1
    return range(start, stop), after.raw[start:new_stop]


def _end(part: Part) -> int:
    """The line of the proposal after a part."""
    return part.at + len(part.hunk.new)


def _growth(parts: Iterable[Part]) -> int:
    return sum(part.hunk.growth for part in parts)
