"""What was rejected in a proposal that is still being written.

A refusal is a stretch of the proposal's lines and the lines that stand there instead. It follows the
proposal as it grows: whatever is later written into such a stretch, or added at its end, is refused too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from spark_tui.editing.headings import whole_file
from spark_tui.editing.linediff import Change, line_changes

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RejectedHunk:
    """Lines [start, stop) of the stream, the proposal as it was written, give way to `lines`."""

    start: int
    stop: int
    lines: Lines

    @property
    def excess(self) -> int:
        """How many lines more the stream has here than the proposal under review."""
        return self.stop - self.start - len(self.lines)

    def absorbs(self, change: Change) -> bool:
        """Whether a change of the stream belongs to what was refused."""
        if change.old_start < self.stop and self.start < change.old_stop:
            return True
        return change.old_start == change.old_stop == self.stop > self.start


class RejectedHunks:
    """All refusals of one stream, in order. Lines are raw, positions are 0-based."""

    def __init__(self) -> None:
        self._refusals: list[_RejectedHunk] = []

    def applied(self, stream: Lines) -> Lines:
        """The stream without what was refused: the proposal under review."""
        return tuple(self._restored(stream, 0, len(stream), self._refusals)) if self._refusals else stream

    def add(self, stream: Lines, start: int, stop: int, lines: Lines) -> None:
        """Refuse lines [start, stop) of the proposal under review; `lines` take their place."""
        proposed = self.applied(stream)
        before: list[_RejectedHunk] = []
        after: list[_RejectedHunk] = []
        first, last, passed = start, stop, 0
        for refusal in self._refusals:
            at = refusal.start - passed
            end = at + len(refusal.lines)
            passed += refusal.excess
            if (at < stop and start < end) or (at == end and start <= at <= stop):
                first, last = min(first, at), max(last, end)
            else:
                (before if end <= start else after).append(refusal)
        lines = (*proposed[first:start], *lines, *proposed[stop:last])
        start = first + sum(refusal.excess for refusal in before)
        stop = last + passed - sum(refusal.excess for refusal in after)
        self._refusals = [*before, _RejectedHunk(start, stop, lines), *after]

    def places(self) -> Iterator[range]:
        """Where in the proposal under review something else stands than in the stream, from top to bottom."""
        passed = 0
        for refusal in self._refusals:
            start = refusal.start - passed
            yield range(start, start + len(refusal.lines))
            passed += refusal.excess

    def renew(self, stream: Lines, start: int, stop: int, lines: Lines) -> Lines:
        """Have `lines` written in the place of [start, stop) of the proposal under review; nothing of them is refused.

        Returns: the stream with them.
        """
        placed = list(zip(self._refusals, self.places(), strict=True))
        if any(at.start < start < at.stop or at.start < stop < at.stop for _, at in placed):
            self.add(stream, start, stop, lines)
            return stream
        before = [each for each, at in placed if at.stop <= start]
        inside = [each for each, at in placed[len(before) :] if at.start < stop]
        after = self._refusals[len(before) + len(inside) :]
        first = start + sum(each.excess for each in before)
        last = stop + sum(each.excess for each in (*before, *inside))
        down = len(lines) - (last - first)
        moved = [replace(each, start=each.start + down, stop=each.stop + down) for each in after]
        self._refusals = [*before, *moved]
        return (*stream[:first], *lines, *stream[last:])

    def follow(self, stream: Lines, grown: Lines) -> None:
        """The stream has become `grown`: move every refusal along and widen it by what belongs to it."""
        if not self._refusals:
            return
        changes = [part for change in line_changes(stream, grown) for part in change.by_line()]
        come = [each for each in changes if each[0] == each[1] and whole_file((), grown[each[2] : each[3]])]
        lines = [each for each in changes if each not in come]  # a file that comes is no part of one that was refused
        self._refusals = [self._moved(group, stream, lines, come) for group in self._groups(lines)]

    def followed(self, stream: Lines, other: Lines) -> "RejectedHunks":
        """What these would be if the stream became `other`."""
        copy = RejectedHunks()
        copy._refusals = self._refusals
        copy.follow(stream, other)
        return copy

    def _groups(self, changes: Sequence[Change]) -> Iterator[list[_RejectedHunk]]:
        """RejectedHunks that one change runs through go together."""
        group: list[_RejectedHunk] = []
        reach = -1
        for refusal in self._refusals:
            absorbed = [change for change in changes if refusal.absorbs(change)]
            if group and refusal.start >= reach and not any(change.old_start < reach for change in absorbed):
                yield group
                group = []
            group.append(refusal)
            reach = max([reach, refusal.stop, *(change.old_stop for change in absorbed)])
        yield group

    def _moved(
        self, group: Sequence[_RejectedHunk], stream: Lines, changes: Sequence[Change], come: Iterable[Change]
    ) -> _RejectedHunk:
        """Args: come: the files that come: below one that was to go and stays."""
        absorbed = [change for change in changes if any(refusal.absorbs(change) for refusal in group)]
        start = min([group[0].start, *(change.old_start for change in absorbed)])
        stop = max([group[-1].stop, *(change.old_stop for change in absorbed)])
        lines = tuple(self._restored(stream, start, stop, group))
        shift = sum(change.growth for change in changes if change.old_stop <= start and change not in absorbed)
        shift += sum(change.growth for change in come if change.old_stop < stop)
        length = stop - start + sum(change.growth for change in absorbed)
        return _RejectedHunk(start + shift, start + shift + length, lines)

    def _restored(self, stream: Lines, start: int, stop: int, refusals: Sequence[_RejectedHunk]) -> list[str]:
        lines: list[str] = []
        for refusal in refusals:
            lines += stream[start : refusal.start]
            lines += refusal.lines
            start = refusal.stop
        return [*lines, *stream[start:stop]]
