"""Write one hunk of a review anew, from another answer to the same instruction.

All other hunks, and everything that was decided or edited, stay as they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.hunks import Hunk, HunkPart, diff, finest, places_of_new_lines
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text


def renewed(review: Review, part_id: str, began: Text, answer: Text) -> Review:
    """A copy of a review in which a part is replaced by what another answer says there.

    The answer also counts around the part, as far as no other hunk is open or was decided there.
    Where a change of the answer reaches further, only its effect on those lines is taken.

    Args:
        review: The review to copy.
        part_id: The part to replace.
        began: The text that the review began with, and that `answer` was written against.
        answer: The file as another answer leaves it.

    Raises:
        UsageError: No such part is open.
    """
    part = review.part(part_id)
    other = review.copy()
    hunk = part.hunk
    # The answer was written for the text of the beginning; the base also holds what was accepted
    # since. So the room is found in the base, carried back to the beginning for the answer, and the
    # new lines go into the proposal.
    accepted = diff(began, review.base)
    room = _room(review, part, accepted)
    first = _began_at(accepted, room.start)
    # where lines were removed right at an empty room, its end would come before its start
    last = max(first, _began_at(accepted, room.stop, end=True))
    lines = _answered(began, answer, room.moved(first, last))
    # no other hunk lies in the room, so its edges are as far from the part in the proposal
    start = part.at - hunk.start + room.start
    stop = part.end - hunk.stop + room.stop
    wanted = review.proposed.replace_lines(start, stop, lines)
    other.rewrite(range(room.start, room.stop), *_smallest(review.proposed, wanted, start, stop))
    return other


@dataclass(frozen=True, slots=True)
class _Room:
    """Lines [start, stop) that belong to one part alone: no other hunk there is open or decided.

    Between the room and the hunks around it lies a line that stays, unless `below` or `above` is
    set.

    Args:
        point: The line where the part only adds lines, else None.
        below: There is no such line above the room: what is added at `start` belongs to the hunk
            above.
        above: There is no such line below the room: what is added at `stop` belongs to the hunk
            below.
    """

    start: int
    stop: int
    point: int | None
    below: bool
    above: bool

    def moved(self, start: int, stop: int) -> "_Room":
        """The room in another version of the text, where its lines are [start, stop)."""
        point = self.point
        if point is not None:
            point = min(point - self.start + start, stop)
        return _Room(start, stop, point, self.below, self.above)

    def holds(self, place: range, change: Hunk) -> bool:
        """Whether a piece of a change lies in the room.

        Lines added between two changed lines belong to the upper one.

        Args:
            place: The old lines of the piece.
            change: The whole change of the answer.
        """
        if not self.start <= place.start <= place.stop <= self.stop:
            return False
        if place or place.start == self.point:
            return True
        # Only additions at the edges are left in doubt: a neighbor may have added its lines there.
        of_hunk_above = place.start == self.start and (self.below or change.start < self.start)
        of_hunk_below = place.start == self.stop and self.above
        return not of_hunk_above and not of_hunk_below


def _room(review: Review, part: HunkPart, accepted: Sequence[Hunk]) -> _Room:
    """The room of a part, in lines of the base."""
    hunk = part.hunk
    open_places: list[range] = []
    for other in review.parts:
        if other is not part:
            open_places.append(range(other.hunk.start, other.hunk.stop))
    # all in lines of the base: accepted hunks by their new lines, rejected and edited ones by the
    # point where they end
    decided = [*places_of_new_lines(accepted), *_worked_over(review, part)]
    # Without a hunk above or below, the room would end a line outside the text: that line is the
    # one that the last step takes away again.
    start = -1
    stop = len(review.base.raw) + 1
    for place in (*open_places, *decided):
        if place.stop <= hunk.start:
            start = max(start, place.stop)
        if place.start >= hunk.stop:
            stop = min(stop, place.start)
    # A neighbor right beside the part that only adds lines, or was decided, claims what is added
    # between the two. An open neighbor with old lines, another part of the same hunk, does not.
    adding = [*decided, *(place for place in open_places if not place)]
    below = start == hunk.start and any(place.stop == start for place in adding)
    above = stop == hunk.stop and any(place.start == stop for place in adding)
    # the line that stays between the room and its neighbor belongs to neither
    if start < hunk.start:
        start += 1
    if stop > hunk.stop:
        stop -= 1
    point = None
    if not hunk.old:
        point = hunk.start
    return _Room(start, stop, point, below, above)


def _began_at(accepted: Sequence[Hunk], line: int, *, end: bool = False) -> int:
    """Where a line of the base stood before hunks were accepted.

    Args:
        end: Whether the line is the end of a stretch. Accepted hunks that begin right there then
            lie below the line.
    """
    grown = 0
    for hunk, now in zip(accepted, places_of_new_lines(accepted), strict=True):
        if now.stop <= line and not (end and now.start == line):
            grown += hunk.growth
        elif now.start < line:
            # within new lines: as far from the top of the old ones, or at their end
            return hunk.start + min(line - now.start, len(hunk.old))
    return line - grown


def _worked_over(review: Review, part: HunkPart) -> Iterator[range]:
    """The base lines at which rejected or edited lines end above a part or begin below it.

    Yields:
        An empty range at each such line.
    """
    end = part.end
    index = review.parts.index(part)
    parts_above = review.parts[:index]
    parts_below = review.parts[index + 1 :]
    # `worked_over` counts in lines of the proposal: the growth of the parts between is taken off. A
    # place that reaches into the part from above, or out of it below, limits the room as well.
    for place in review.worked_over:
        if place.start < part.at or place.stop <= part.at:
            line = min(place.stop, part.at)
            line -= _growth(other for other in parts_above if other.end <= line)
            line = min(line, part.hunk.start)
            yield range(line, line)
        if place.stop > end or place.start >= end > part.at:
            line = max(place.start, end)
            line -= _growth(other for other in parts_below if other.end <= line)
            line += part.hunk.stop - end
            yield range(line, line)


def _answered(began: Text, answer: Text, room: _Room) -> list[str]:
    """What an answer makes of the lines of a room, without endings."""
    lines: list[str] = []
    done = room.start
    for old, new in _changes(began, answer, room):
        lines += began.lines[done : old.start]
        lines += answer.lines[new.start : new.stop]
        done = old.stop
    return [*lines, *began.lines[done : room.stop]]


def _changes(began: Text, answer: Text, room: _Room) -> Iterator[tuple[range, range]]:
    """The lines of a room that an answer changes, each stretch with the answer's lines for it."""
    grown = 0
    for hunk in diff(began, answer):
        pieces = [(slice(0, len(hunk.old)), slice(0, len(hunk.new)))]
        # A hunk well inside the room is taken whole. Of one that touches an edge, each smallest
        # change is judged by itself.
        reaches_out = hunk.start <= room.start or room.stop <= hunk.stop
        if reaches_out:
            pieces = list(finest(hunk.old, hunk.new))
        new_start = hunk.start + grown
        for old_slice, new_slice in pieces:
            place = range(hunk.start + old_slice.start, hunk.start + old_slice.stop)
            if room.holds(place, hunk):
                yield place, range(new_start + new_slice.start, new_start + new_slice.stop)
        grown += hunk.growth


def _smallest(before: Text, after: Text, start: int, stop: int) -> tuple[range, tuple[str, ...]]:
    """The lines in [start, stop) of a text that change, and the raw lines they become.

    Lines at either end that stay are left out.
    """
    new_stop = len(after.raw) - (len(before.raw) - stop)
    if before.raw[:start] != after.raw[:start] or before.raw[stop:] != after.raw[new_stop:]:
        # `replace_lines` gave a line beside them another ending, too: look at the whole text
        start = 0
        stop = len(before.raw)
        new_stop = len(after.raw)
    while start < min(stop, new_stop) and before.raw[start] == after.raw[start]:
        start += 1
    while start < min(stop, new_stop) and before.raw[stop - 1] == after.raw[new_stop - 1]:
        stop -= 1
        new_stop -= 1
    return range(start, stop), after.raw[start:new_stop]


def _growth(parts: Iterable[HunkPart]) -> int:
    return sum(part.hunk.growth for part in parts)
