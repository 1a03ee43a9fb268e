"""The rejected hunks of a proposal that may still be growing.

A rejection is a stretch of lines of the proposal and the lines that stand there instead. The
rejection follows the proposal: whatever is later written into the stretch, or added at its end, is
rejected too. An edit by hand is a rejection as well: the edited lines stand in the place of the
proposed ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from spark_tui.editing.line_diff import Change, line_changes, whole_file

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RejectedHunk:
    """Lines [start, stop) of the stream, the proposal as it was written, give way to `lines`."""

    start: int
    stop: int
    lines: Lines

    @property
    def excess(self) -> int:
        """How many more lines the stream has here than the proposal under review."""
        return self.stop - self.start - len(self.lines)

    def absorbs(self, change: Change) -> bool:
        """Whether a change of the stream belongs to what was rejected."""
        if change.old_start < self.stop and self.start < change.old_stop:
            return True
        # Lines added right below go on from what was rejected. Below an empty stretch, which
        # rejects a deletion, they have nothing to do with it.
        return change.old_start == change.old_stop == self.stop > self.start


class RejectedHunks:
    """All rejections of one stream, in order.

    Lines are raw, positions are 0-based. The stream is the proposal as it was written; the proposal
    under review is the stream with the rejections applied.
    """

    def __init__(self) -> None:
        self._rejections: list[_RejectedHunk] = []

    def applied(self, stream: Lines) -> Lines:
        """The stream without what was rejected: the proposal under review."""
        if self._rejections:
            return tuple(self._restored(stream, 0, len(stream), self._rejections))
        return stream

    def add(self, stream: Lines, start: int, stop: int, lines: Lines) -> None:
        """Reject lines [start, stop) of the proposal under review; `lines` take their place."""
        proposed = self.applied(stream)
        # Rejections that overlap the stretch become one with it: [first, last) covers all of them,
        # in lines of the proposal under review.
        before: list[_RejectedHunk] = []
        after: list[_RejectedHunk] = []
        first = start
        last = stop
        passed = 0
        for rejection, place in zip(self._rejections, self.places(), strict=True):
            passed += rejection.excess
            overlaps = place.start < stop and start < place.stop
            # a rejection without lines is a point, and a touch is enough
            if overlaps or (not place and start <= place.start <= stop):
                first = min(first, place.start)
                last = max(last, place.stop)
            elif place.stop <= start:
                before.append(rejection)
            else:
                after.append(rejection)
        # What sticks out of the stretch keeps its own lines. Then back to lines of the stream,
        # which has the excess of all rejections above, and at the end also of those within.
        lines = (*proposed[first:start], *lines, *proposed[stop:last])
        start = first + sum(rejection.excess for rejection in before)
        stop = last + passed - sum(rejection.excess for rejection in after)
        self._rejections = [*before, _RejectedHunk(start, stop, lines), *after]

    def places(self) -> Iterator[range]:
        """The lines of the proposal under review that rejections put there, from top to bottom."""
        passed = 0
        for rejection in self._rejections:
            start = rejection.start - passed
            yield range(start, start + len(rejection.lines))
            passed += rejection.excess

    def renew(self, stream: Lines, start: int, stop: int, lines: Lines) -> Lines:
        """Write `lines` in the place of [start, stop) of the proposal under review.

        No part of them is rejected: the user asked for this stretch again (`renewed_hunk`).

        Returns:
            The stream with `lines`.
        """
        placed = list(zip(self._rejections, self.places(), strict=True))
        for _, place in placed:
            if place.start < start < place.stop or place.start < stop < place.stop:
                # no line of the stream stands for the edge of this stretch: it becomes a rejection
                self.add(stream, start, stop, lines)
                return stream
        # Rejections lie wholly above, within or below. Those within are dropped along with the
        # lines of the stream that they hid, and those below move.
        before = [rejection for rejection, place in placed if place.stop <= start]
        inside = [rejection for rejection, place in placed[len(before) :] if place.start < stop]
        after = self._rejections[len(before) + len(inside) :]
        first = start + sum(rejection.excess for rejection in before)
        last = stop + sum(rejection.excess for rejection in (*before, *inside))
        down = len(lines) - (last - first)
        moved: list[_RejectedHunk] = []
        for rejection in after:
            moved.append(
                replace(rejection, start=rejection.start + down, stop=rejection.stop + down)
            )
        self._rejections = [*before, *moved]
        return (*stream[:first], *lines, *stream[last:])

    def follow(self, stream: Lines, grown: Lines) -> None:
        """Move rejections along as the stream becomes `grown`; widen those that absorb lines."""
        if not self._rejections:
            return
        new_files: list[Change] = []
        changes: list[Change] = []
        # Line by line where the number of lines stays, so that a rejection takes in only the
        # changed lines that it overlaps, and not a whole stretch.
        for change in chain.from_iterable(map(Change.by_line, line_changes(stream, grown))):
            adds_only = change.old_start == change.old_stop
            if adds_only and whole_file((), grown[change.new_start : change.new_stop]):
                # a new file is no part of a file that was rejected
                new_files.append(change)
            else:
                changes.append(change)
        self._rejections = [
            self._moved(group, stream, changes, new_files) for group in self._groups(changes)
        ]

    def followed(self, stream: Lines, other: Lines) -> "RejectedHunks":
        """A copy of the rejections, followed to a stream that has become `other`."""
        copy = RejectedHunks()
        copy._rejections = self._rejections
        copy.follow(stream, other)
        return copy

    def _groups(self, changes: Sequence[Change]) -> Iterator[list[_RejectedHunk]]:
        """The rejections in groups: rejections that one change runs through go together."""
        group: list[_RejectedHunk] = []
        # the line of the stream that the group reaches to, with the changes it absorbs
        reach = -1
        for rejection in self._rejections:
            absorbed = [change for change in changes if rejection.absorbs(change)]
            meets_group = rejection.start < reach or any(
                change.old_start < reach for change in absorbed
            )
            if group and not meets_group:
                yield group
                group = []
            group.append(rejection)
            reach = max([reach, rejection.stop, *(change.old_stop for change in absorbed)])
        yield group

    def _moved(
        self,
        group: Sequence[_RejectedHunk],
        stream: Lines,
        changes: Sequence[Change],
        new_files: Iterable[Change],
    ) -> _RejectedHunk:
        """One rejection in the place of a group, where the changed stream has its lines.

        Args:
            new_files: The files the changes create, which stand below a file whose deletion was
                rejected.
        """
        # the stretch of the old stream that the one rejection covers
        start = group[0].start
        stop = group[-1].stop
        absorbed: list[Change] = []
        for change in changes:
            if any(rejection.absorbs(change) for rejection in group):
                absorbed.append(change)
                start = min(start, change.old_start)
                stop = max(stop, change.old_stop)
        # how far that stretch moves down in the new stream, and then how much it grows
        shift = 0
        for change in changes:
            if change.old_stop <= start and change not in absorbed:
                shift += change.growth
        for change in new_files:
            if change.old_stop < stop:
                shift += change.growth
        lines = tuple(self._restored(stream, start, stop, group))
        length = stop - start + sum(change.growth for change in absorbed)
        return _RejectedHunk(start + shift, start + shift + length, lines)

    def _restored(
        self, stream: Lines, start: int, stop: int, rejections: Sequence[_RejectedHunk]
    ) -> list[str]:
        """Lines [start, stop) of the stream with rejections applied; all of them lie within."""
        lines: list[str] = []
        for rejection in rejections:
            lines += stream[start : rejection.start]
            lines += rejection.lines
            start = rejection.stop
        return [*lines, *stream[start:stop]]
