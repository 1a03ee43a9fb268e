"""A file under review: its base, its proposal and the hunks that are open.

What was rejected in a proposal that is still being written.

A refusal is a stretch of the proposal's lines and the lines that stand there instead. It follows
the proposal as it grows: whatever is later written into such a stretch, or added at its end, is
refused too.

What is proposed for a file and not yet decided, while the proposal may still be growing.

Always: `hunks == diff(base, proposed)`. Accepting a hunk moves it into the base, rejecting one
takes it out of the proposal; neither touches any other hunk. A hunk can be cut into parts, and
lines of it can be taken out: what is decided then is a part. Of that an accept takes the lines that
are in, and the rest stays open and out; a rejection takes all, as what is left of a change is a
change that nobody proposed.

One hunk of a review written anew, from another answer to the same: all else that was decided or
written stays.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from typing import NamedTuple

from spark_tui.editing.hunks import (
    Cut,
    Hunk,
    HunkPart,
    Move,
    Selection,
    base_moves,
    brought,
    diff,
    finest,
    hunk_id,
    proposal_moves,
)
from spark_tui.editing.line_diff import Change, line_changes, whole_file
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError

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
        if self._refusals:
            return tuple(self._restored(stream, 0, len(stream), self._refusals))
        return stream

    def add(self, stream: Lines, start: int, stop: int, lines: Lines) -> None:
        """Refuse lines [start, stop) of the proposal under review; `lines` take their place."""
        proposed = self.applied(stream)
        before: list[_RejectedHunk] = []
        after: list[_RejectedHunk] = []
        first = start
        last = stop
        passed = 0
        for refusal in self._refusals:
            at = refusal.start - passed
            end = at + len(refusal.lines)
            passed += refusal.excess
            if (at < stop and start < end) or (at == end and start <= at <= stop):
                first = min(first, at)
                last = max(last, end)
            else:
                (before if end <= start else after).append(refusal)
        lines = (*proposed[first:start], *lines, *proposed[stop:last])
        start = first + sum(refusal.excess for refusal in before)
        stop = last + passed - sum(refusal.excess for refusal in after)
        self._refusals = [*before, _RejectedHunk(start, stop, lines), *after]

    def places(self) -> Iterator[range]:
        """Where in the proposal under review something else stands than in the stream, from top
        to bottom.
        """
        passed = 0
        for refusal in self._refusals:
            start = refusal.start - passed
            yield range(start, start + len(refusal.lines))
            passed += refusal.excess

    def renew(self, stream: Lines, start: int, stop: int, lines: Lines) -> Lines:
        """Have `lines` written in the place of [start, stop) of the proposal under review; nothing
        of them is refused.

        Returns:
            The stream with them.
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
        """The stream has become `grown`: move every refusal along and widen it by what belongs
        to it.
        """
        if not self._refusals:
            return
        changes = [part for change in line_changes(stream, grown) for part in change.by_line()]
        come = [
            each
            for each in changes
            if each[0] == each[1] and whole_file((), grown[each[2] : each[3]])
        ]
        lines = [
            each for each in changes if each not in come
        ]  # a file that comes is no part of one that was refused
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
            if (
                group
                and refusal.start >= reach
                and not any(change.old_start < reach for change in absorbed)
            ):
                yield group
                group = []
            group.append(refusal)
            reach = max([reach, refusal.stop, *(change.old_stop for change in absorbed)])
        yield group

    def _moved(
        self,
        group: Sequence[_RejectedHunk],
        stream: Lines,
        changes: Sequence[Change],
        come: Iterable[Change],
    ) -> _RejectedHunk:
        """Args:
        come: The files that come: below one that was to go and stays.
        """
        absorbed = [
            change for change in changes if any(refusal.absorbs(change) for refusal in group)
        ]
        start = min([group[0].start, *(change.old_start for change in absorbed)])
        stop = max([group[-1].stop, *(change.old_stop for change in absorbed)])
        lines = tuple(self._restored(stream, start, stop, group))
        shift = sum(
            change.growth
            for change in changes
            if change.old_stop <= start and change not in absorbed
        )
        shift += sum(change.growth for change in come if change.old_stop < stop)
        length = stop - start + sum(change.growth for change in absorbed)
        return _RejectedHunk(start + shift, start + shift + length, lines)

    def _restored(
        self, stream: Lines, start: int, stop: int, refusals: Sequence[_RejectedHunk]
    ) -> list[str]:
        lines: list[str] = []
        for refusal in refusals:
            lines += stream[start : refusal.start]
            lines += refusal.lines
            start = refusal.stop
        return [*lines, *stream[start:stop]]


class Marks(NamedTuple):
    """What the user made of the hunks between two texts."""

    base: Text
    proposed: Text
    selection: Selection


class Review:
    """The review of one file.

    `base`: with what was accepted. `proposed`: with what is still open, too.

    Wherever ids are asked for, a hunk's stands for all its parts.
    """

    def __init__(self, base: Text) -> None:
        self.base = base
        self.proposed = base
        self.hunks: tuple[Hunk, ...] = ()
        self.parts: tuple[HunkPart, ...] = ()
        """What a decision may be about: the hunks, and the parts of those that are cut."""
        self._stream = base
        self._refusals = RejectedHunks()
        self._selection = Selection()
        self._ids: set[str] = set()

    def propose(self, text: Text) -> None:
        """Replace the proposal by a later state of it, always written against the text the review
        began with.

        What was accepted is not proposed again, what was rejected stays out, also what is added to
        it since. A hunk that only grows keeps its id.
        """
        self._refusals.follow(self._stream.raw, text.raw)
        self._stream = text
        self._put(Text(self._refusals.applied(text.raw)))

    @property
    def marks(self) -> Marks:
        """Where it is cut and what is out, to come back to."""
        return Marks(self.base, self.proposed, deepcopy(self._selection))

    def rebase(self, base: Text, then: Marks | None = None) -> None:
        """Replace the base: what was accepted, or taken back, elsewhere.

        Args:
            then: Those when the same was proposed for this base: hunks that are open again are cut,
                and lines of them are out, as they were there.
        """
        changes = line_changes(self.base.raw, base.raw)
        self._selection.follow(base_moves(changes))
        self.base = base
        self._settle(self.hunks)
        if then is not None and (then.base, then.proposed) == (base, self.proposed):
            for hunk, at in self._placed():
                if any(
                    hunk.start <= each.new_stop and each.new_start <= hunk.stop for each in changes
                ):
                    self._selection.take_over(then.selection, hunk, at)
            self._cut()

    def accept(self, ids: Iterable[str]) -> Text:
        """Take hunks into the base.

        Returns:
            The new base.

        Raises:
            UsageError: No such hunk is open, or all of its lines are out.
        """
        chosen = self.chosen(ids)
        left = self._left(chosen)
        known = [
            replace(hunk, start=hunk.start + _grown_before(hunk, at, chosen)) for hunk, at in left
        ]
        self.base = self._with(chosen)
        self._selection.follow(
            [_move(part, (len(part.taken) - len(part.hunk.old), 0)) for part in chosen]
        )
        before = self.parts
        grown = 0
        for part in chosen:
            if part.out:
                self._selection.leave_out(part.hunk.start + grown, part)
            grown += len(part.taken) - len(part.hunk.old)
        self._settle(known)
        self._selection.slide(before, self.parts)
        self._cut()
        return self.base

    def reject(self, ids: Iterable[str]) -> None:
        """Take hunks out of the proposal, with their lines that are out.

        Raises:
            UsageError: No such is open.
        """
        chosen = self._given_up(ids)
        known = [hunk for hunk, _ in self._left(chosen)]
        for part in reversed(chosen):
            self._refusals.add(
                self._stream.raw, part.at, part.at + len(part.hunk.new), part.hunk.old
            )
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._selection.follow([_move(part, (0, -part.hunk.growth)) for part in chosen])
        self._settle(known)

    def copy(self) -> "Review":
        """The same, to come back to: what happens to the one does not happen to the other."""
        other = copy(self)
        other._refusals, other._selection = deepcopy((self._refusals, self._selection))
        return other

    def stands_as(self, other: "Review") -> bool:
        """Whether the same is proposed for the same, cut in the same parts."""
        return (
            self.base is other.base
            and self.proposed is other.proposed
            and self.parts == other.parts
        )

    def edit(self, part_id: str, lines: Sequence[str]) -> list[HunkPart]:
        """Propose other new lines (without endings) in a part; they stay, however its text goes on.

        Returns:
            The parts there are in its place now.

        Raises:
            UsageError: No such hunk is open, or it is a whole file.
        """
        part = self.part(part_id)
        _refuse_whole_files(part)
        wanted = self.proposed.replace_lines(part.at, part.at + len(part.hunk.new), lines)
        for change in reversed(line_changes(self.proposed.raw, wanted.raw)):
            instead = wanted.raw[change.new_start : change.new_stop]
            self._refusals.add(self._stream.raw, change.old_start, change.old_stop, instead)
        self._put(Text(self._refusals.applied(self._stream.raw)))
        return [each for each in self.parts if _in_place_of(part, len(lines), each)]

    def rewrite(self, base: range, place: range, lines: tuple[str, ...]) -> None:
        """Have raw lines written in the place of some of the proposal, as if by its stream.

        Args:
            base: The lines of the base that these and nothing else are about.
        """
        self._stream = Text(self._refusals.renew(self._stream.raw, place.start, place.stop, lines))
        grown = len(lines) - len(place)
        self._selection.follow([Move(base.start, base.stop, place.start, place.stop, (0, grown))])
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._settle(self.hunks)

    def split(self, part_id: str) -> int:
        """Cut the hunk of a part finer; one that is as fine as can be is made whole.

        Returns:
            How many parts it has now.

        Raises:
            UsageError: No such hunk is open.
        """
        whole = _whole(self.part(part_id))
        hunk = next(hunk for hunk in self.hunks if hunk.id == whole)
        top = next(part for part in self.parts if _whole(part) == whole)
        count = self._selection.split(hunk, top.at)
        self._cut()
        return count

    def toggle(self, part_id: str, row: int) -> None:
        """Take a row of a part, counting its old lines and then its new ones, out of what is
        decided, or in again.

        Raises:
            UsageError: No such hunk is open, it has no such row, or is a whole file.
        """
        part = self.part(part_id)
        _refuse_whole_files(part)
        if not 0 <= row < len(part.hunk.old) + len(part.hunk.new):
            raise UsageError(f"hunk {part_id} has no line {row + 1}; choose one of its own")
        self._selection.toggle(part, row)
        self._cut()

    def would_accept(self, ids: Iterable[str]) -> Text:
        """The base as it would be with hunks taken into it.

        Raises:
            As `accept`.
        """
        return self._with(self.chosen(ids))

    def would_reject(self, ids: Iterable[str]) -> Text:
        """The base with what a rejection gives up taken into it.

        Raises:
            As `reject`.
        """
        return self._with(self._given_up(ids))

    @property
    def worked_over(self) -> list[range]:
        """Where lines of the proposal were rejected or edited by hand."""
        return list(self._refusals.places())

    def settled(self, text: Text) -> tuple[HunkPart, ...]:
        """The parts of those hunks that would be the same if `text`, another state of the
        stream, were proposed.
        """
        proposal = self._refusals.followed(self._stream.raw, text.raw).applied(text.raw)
        same = set(diff(self.base, Text(proposal)))
        ids = {hunk.id for hunk in self.hunks if hunk in same}
        return tuple(part for part in self.parts if _whole(part) in ids)

    def _with(self, chosen: Sequence[HunkPart]) -> Text:
        base = self.base
        for part in reversed(chosen):
            base = Text((*base.raw[: part.hunk.start], *part.taken, *base.raw[part.hunk.stop :]))
        return base

    def _found(self, ids: Collection[str]) -> list[HunkPart]:
        known = {hunk.id for hunk in self.hunks} | {part.hunk.id for part in self.parts}
        if unknown := set(ids) - known:
            raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
        return [part for part in self.parts if part.hunk.id in ids or _whole(part) in ids]

    def chosen(self, ids: Iterable[str]) -> list[HunkPart]:
        """The parts that an accept takes.

        Raises:
            As `accept`.
        """
        found = self._found(set(ids))
        chosen = [part for part in found if part.taken != part.hunk.old]
        if found and not chosen:
            raise UsageError("every line is out; put one back, or reject it")
        return chosen

    def _given_up(self, ids: Iterable[str]) -> list[HunkPart]:
        """What a rejection is about: all lines, also those that are out."""
        return [replace(part, out=frozenset()) for part in self._found(set(ids))]

    def part(self, part_id: str) -> HunkPart:
        """A part that is open, by its id.

        Raises:
            UsageError: There is none.
        """
        if found := next((part for part in self.parts if part.hunk.id == part_id), None):
            return found
        raise UsageError(f"hunk {part_id} is not open; choose one that is")

    def _left(self, chosen: Collection[HunkPart]) -> list[tuple[Hunk, int]]:
        """The hunks of which something stays open when these parts are decided, as `_placed`."""
        whole = {part.hunk.id for part in chosen if not part.out}
        open_ids = {_whole(part) for part in self.parts if part.hunk.id not in whole}
        return [(hunk, at) for hunk, at in self._placed() if hunk.id in open_ids]

    def _put(self, proposed: Text) -> None:
        if self._selection:
            self._selection.follow(proposal_moves(line_changes(self.proposed.raw, proposed.raw)))
        self.proposed = proposed
        self._settle(self.hunks)

    def _settle(self, known: Sequence[Hunk]) -> None:
        self.hunks = tuple(self._named(diff(self.base, self.proposed), known))
        self._cut()
        if self._selection:
            self._selection.keep(self.parts)

    def _cut(self) -> None:
        self.parts = tuple(
            part for hunk, at in self._placed() for part in self._selection.parts(hunk, at)
        )

    def _placed(self) -> Iterator[tuple[Hunk, int]]:
        """The hunks, each with its first line in the proposal."""
        grown = 0
        for hunk in self.hunks:
            yield hunk, hunk.start + grown
            grown += hunk.growth

    def _named(self, found: Iterable[Hunk], known: Iterable[Hunk]) -> Iterator[Hunk]:
        """Hunks with the ids of those they come from: the first known one of the same file each
        of them touches.
        """
        unused = list(known)
        for hunk in found:
            heir_of = next((old for old in unused if _touches(old, hunk)), None)
            if heir_of is not None:
                unused.remove(heir_of)
            yield replace(hunk, id=heir_of.id if heir_of else self._new_id(hunk))

    def _new_id(self, hunk: Hunk) -> str:
        name = hunk.id
        salt = 0
        while name in self._ids:
            salt += 1
            name = hunk_id(hunk.start, hunk.old, hunk.new, salt)
        self._ids.add(name)
        return name


def _refuse_whole_files(part: HunkPart) -> None:
    if whole_file(part.hunk.old, part.hunk.new):
        raise UsageError("a file is created or deleted as a whole; accept it or reject it")


def _whole(part: HunkPart) -> str:
    """The id of the hunk that a part belongs to."""
    return part.hunk.id.partition(".")[0]


def _in_place_of(part: HunkPart, written: int, other: HunkPart) -> bool:
    """Whether a part is about lines that another was about.

    Args:
        written: How many new lines that has now.
    """
    hunk = part.hunk
    its = other.hunk
    new = other.at < part.at + written and part.at < other.at + len(its.new)
    return new or (its.start < hunk.stop and hunk.start < its.stop)


def _move(part: HunkPart, down: Cut) -> Move:
    return Move(part.hunk.start, part.hunk.stop, part.at, part.at + len(part.hunk.new), down)


def _touches(hunk: Hunk, other: Hunk) -> bool:
    files = {whole_file(each.old, each.new) for each in (hunk, other)} - {""}
    return len(files) < 2 and hunk.start <= other.stop and other.start <= hunk.stop


def _grown_before(hunk: Hunk, at: int, chosen: Iterable[HunkPart]) -> int:
    above = (part for part in chosen if (part.hunk.start, part.at) < (hunk.start, at))
    return sum(len(part.taken) - len(part.hunk.old) for part in above)


def renewed(review: Review, part_id: str, began: Text, answer: Text) -> Review:
    """A copy of a review with what another answer has in the place of a part, and around it where
    nothing was said.

    Of a change that reaches further, only what it does to those lines is taken.

    Args:
        began: The text that the review began with, and that `answer` was written against.

    Raises:
        UsageError: No such part is open.
    """
    part = review.part(part_id)
    other = review.copy()
    hunk = part.hunk
    accepted = diff(began, review.base)
    room = _room(review, part, accepted)
    first = _began_at(accepted, room.start)
    last = max(first, _began_at(accepted, room.stop, end=True))
    lines = _answered(began, answer, room.moved(first, last))
    start = part.at - hunk.start + room.start
    stop = _end(part) - hunk.stop + room.stop
    wanted = review.proposed.replace_lines(start, stop, lines)
    other.rewrite(range(room.start, room.stop), *_smallest(review.proposed, wanted, start, stop))
    return other


@dataclass(frozen=True, slots=True)
class _Room:
    """Lines [start, stop) of which nothing was said but by one part; a line that stays is between
    them and the others.

    Args:
        point: Where that part only adds lines, else None.
        below, above: Whether there is none, and what is added at `start`, or at `stop`, belongs to
            the others.
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
        """Whether a piece of a change is in here; what it adds between two changed lines goes
        with the upper one.
        """
        if not self.start <= place.start <= place.stop <= self.stop:
            return False
        if place or place.start == self.point:
            return True
        others = place.start == self.start and (self.below or change.start < self.start)
        return not others and not (place.start == self.stop and self.above)


def _room(review: Review, part: HunkPart, accepted: Sequence[Hunk]) -> _Room:
    hunk = part.hunk
    open_ones = [
        range(each.hunk.start, each.hunk.stop) for each in review.parts if each is not part
    ]
    decided = [*brought(accepted), *_worked_over(review, part)]
    said = [*open_ones, *decided]
    start = max((place.stop for place in said if place.stop <= hunk.start), default=-1)
    stop = min(
        (place.start for place in said if place.start >= hunk.stop),
        default=len(review.base.raw) + 1,
    )
    adding = [*decided, *(place for place in open_ones if not place)]
    below = start == hunk.start and any(place.stop == start for place in adding)
    above = stop == hunk.stop and any(place.start == stop for place in adding)
    start = start + (start < hunk.start)
    stop = stop - (hunk.stop < stop)
    return _Room(start, stop, None if hunk.old else hunk.start, below, above)


def _began_at(accepted: Sequence[Hunk], line: int, *, end: bool = False) -> int:
    """Where a line of the base stood before hunks were accepted.

    Args:
        end: What was taken out there comes after.
    """
    grown = 0
    for hunk, now in zip(accepted, brought(accepted), strict=True):
        if now.stop <= line and not (end and now.start == line):
            grown += hunk.growth
        elif now.start < line:
            return hunk.start + min(line - now.start, len(hunk.old))
    return line - grown


def _worked_over(review: Review, part: HunkPart) -> Iterator[range]:
    """Where, in the base, lines end above a part and begin below it that were rejected or
    edited.
    """
    end = _end(part)
    at = review.parts.index(part)
    for place in review.worked_over:
        if place.start < part.at or place.stop <= part.at:
            line = min(place.stop, part.at)
            line = min(
                line - _growth(each for each in review.parts[:at] if _end(each) <= line),
                part.hunk.start,
            )
            yield range(line, line)
        if place.stop > end or place.start >= end > part.at:
            line = max(place.start, end)
            line += (
                part.hunk.stop
                - end
                - _growth(each for each in review.parts[at + 1 :] if _end(each) <= line)
            )
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
    """Which of the lines [start, stop) of a text become others, and which: without those at
    either end that stay.
    """
    new_stop = len(after.raw) - (len(before.raw) - stop)
    if before.raw[:start] != after.raw[:start] or before.raw[stop:] != after.raw[new_stop:]:
        start, stop, new_stop = (
            0,
            len(before.raw),
            len(after.raw),
        )  # an ending changed beside them, too
    while start < min(stop, new_stop) and before.raw[start] == after.raw[start]:
        start += 1
    while start < min(stop, new_stop) and before.raw[stop - 1] == after.raw[new_stop - 1]:
        stop = stop - 1
        new_stop = new_stop - 1
    return range(start, stop), after.raw[start:new_stop]


def _end(part: HunkPart) -> int:
    """The line of the proposal after a part."""
    return part.at + len(part.hunk.new)


def _growth(parts: Iterable[HunkPart]) -> int:
    return sum(part.hunk.growth for part in parts)
