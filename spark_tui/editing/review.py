"""A file under review: its base, its proposal and the hunks that are open.

Three concepts, each resting on the one before:

- `RejectedHunks`: what was rejected in a proposal that may still be growing. A refusal is a stretch
  of the proposal's lines and the lines that stand there instead. The refusal follows the proposal:
  whatever is later written into such a stretch, or added at its end, is refused too.
- `Review`: what is proposed for a file and not yet decided. Always `hunks == diff(base, proposed)`.
  Accepting a hunk moves it into the base, rejecting a hunk takes it out of the proposal; neither
  touches any other hunk. The user can cut a hunk into parts and take lines out; a decision is then
  about a part. Accepting takes the lines that are in; the rest stays open and out. Rejecting takes
  all lines, because the remainder would be a change that nobody proposed.
- `renewed`: one hunk of a review written anew from another answer to the same instruction. All else
  that was decided or written stays.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from itertools import chain
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
        """How many more lines the stream has here than the proposal under review."""
        return self.stop - self.start - len(self.lines)

    def absorbs(self, change: Change) -> bool:
        """Whether a change of the stream belongs to what was refused."""
        if change.old_start < self.stop and self.start < change.old_stop:
            return True
        return change.old_start == change.old_stop == self.stop > self.start


class RejectedHunks:
    """All refusals of one stream, in order.

    Lines are raw, positions are 0-based. The stream is the proposal as it was written; the proposal
    under review is the stream with the refusals applied.
    """

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
        for refusal, place in zip(self._refusals, self.places(), strict=True):
            passed += refusal.excess
            overlaps = place.start < stop and start < place.stop
            if overlaps or (not place and start <= place.start <= stop):
                first = min(first, place.start)
                last = max(last, place.stop)
            elif place.stop <= start:
                before.append(refusal)
            else:
                after.append(refusal)
        lines = (*proposed[first:start], *lines, *proposed[stop:last])
        start = first + sum(refusal.excess for refusal in before)
        stop = last + passed - sum(refusal.excess for refusal in after)
        self._refusals = [*before, _RejectedHunk(start, stop, lines), *after]

    def places(self) -> Iterator[range]:
        """Where the proposal under review differs from the stream, from top to bottom."""
        passed = 0
        for refusal in self._refusals:
            start = refusal.start - passed
            yield range(start, start + len(refusal.lines))
            passed += refusal.excess

    def renew(self, stream: Lines, start: int, stop: int, lines: Lines) -> Lines:
        """Write `lines` in the place of [start, stop) of the proposal under review, unrefused.

        Returns:
            The stream with `lines`.
        """
        placed = list(zip(self._refusals, self.places(), strict=True))
        for _, place in placed:
            if place.start < start < place.stop or place.start < stop < place.stop:
                # no line of the stream stands for the edge of this stretch: it becomes a refusal
                self.add(stream, start, stop, lines)
                return stream
        before = [refusal for refusal, place in placed if place.stop <= start]
        inside = [refusal for refusal, place in placed[len(before) :] if place.start < stop]
        after = self._refusals[len(before) + len(inside) :]
        first = start + sum(refusal.excess for refusal in before)
        last = stop + sum(refusal.excess for refusal in (*before, *inside))
        down = len(lines) - (last - first)
        moved = [
            replace(refusal, start=refusal.start + down, stop=refusal.stop + down)
            for refusal in after
        ]
        self._refusals = [*before, *moved]
        return (*stream[:first], *lines, *stream[last:])

    def follow(self, stream: Lines, grown: Lines) -> None:
        """Move every refusal along as the stream becomes `grown`; widen those that absorb lines."""
        if not self._refusals:
            return
        new_files: list[Change] = []
        changes: list[Change] = []
        for change in chain.from_iterable(map(Change.by_line, line_changes(stream, grown))):
            adds_only = change.old_start == change.old_stop
            if adds_only and whole_file((), grown[change.new_start : change.new_stop]):
                new_files.append(change)  # no part of a file that was refused
            else:
                changes.append(change)
        self._refusals = [
            self._moved(group, stream, changes, new_files) for group in self._groups(changes)
        ]

    def followed(self, stream: Lines, other: Lines) -> "RejectedHunks":
        """A copy of the refusals, followed to a stream that has become `other`."""
        copy = RejectedHunks()
        copy._refusals = self._refusals
        copy.follow(stream, other)
        return copy

    def _groups(self, changes: Sequence[Change]) -> Iterator[list[_RejectedHunk]]:
        """The refusals in groups: those that one change runs through go together."""
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
        new_files: Iterable[Change],
    ) -> _RejectedHunk:
        """One refusal in the place of a group, where the changed stream has its lines.

        Args:
            new_files: The files the changes create, which stand below a file whose deletion was
                refused.
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
        shift += sum(change.growth for change in new_files if change.old_stop < stop)
        length = stop - start + sum(change.growth for change in absorbed)
        return _RejectedHunk(start + shift, start + shift + length, lines)

    def _restored(
        self, stream: Lines, start: int, stop: int, refusals: Sequence[_RejectedHunk]
    ) -> list[str]:
        """Lines [start, stop) of the stream with refusals applied, which all lie within."""
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

    `base`: the file with what was accepted. `proposed`: the base with what is still open, too.

    Wherever a method takes ids, the id of a hunk stands for all parts of the hunk.
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
        """Replace the proposal by a later state.

        What was accepted is not proposed again. What was rejected stays out, with everything added
        to it since. A hunk that only grows keeps its id.

        Args:
            text: The later state, written against the text that the review began with.
        """
        self._refusals.follow(self._stream.raw, text.raw)
        self._stream = text
        proposed = Text(self._refusals.applied(text.raw))
        self._move_selection(proposed)
        self.proposed = proposed
        self._settle(self.hunks)

    @property
    def marks(self) -> Marks:
        """The cuts and the lines that are out, to come back to."""
        return Marks(self.base, self.proposed, deepcopy(self._selection))

    def rebase(self, base: Text, then: Marks | None = None) -> None:
        """Replace the base, after hunks were accepted or undone elsewhere.

        Args:
            then: The marks of the time when the same was proposed for this base. Hunks that are
                open again are cut, and have lines out, as they had then.
        """
        changes = line_changes(self.base.raw, base.raw)
        self._selection.follow(base_moves(changes))
        self.base = base
        self._settle(self.hunks)
        if then is not None and (then.base, then.proposed) == (base, self.proposed):
            for hunk, at in self._placed():
                if any(_borders(change, hunk) for change in changes):
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
        """Take hunks out of the proposal, including the lines that are out.

        Raises:
            UsageError: No such hunk is open.
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
        """A review in the same state that shares nothing mutable with this one."""
        other = copy(self)
        other._refusals, other._selection = deepcopy((self._refusals, self._selection))
        return other

    def stands_as(self, other: "Review") -> bool:
        """Whether base, proposal and parts are the same as another review's."""
        return (
            self.base is other.base
            and self.proposed is other.proposed
            and self.parts == other.parts
        )

    def edit(self, part_id: str, lines: Sequence[str]) -> list[HunkPart]:
        """Propose other new lines (without endings) in a part, whatever the proposal becomes later.

        Returns:
            The parts that now stand in its place.

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
        return [now for now in self.parts if _in_place_of(part, len(lines), now)]

    def rewrite(self, base: range, place: range, lines: tuple[str, ...]) -> None:
        """Write raw lines in the place of lines of the proposal, as if the stream had held them.

        Args:
            base: The lines of the base that only this place of the proposal is about.
            place: The lines of the proposal to replace.
            lines: The raw lines.
        """
        self._stream = Text(self._refusals.renew(self._stream.raw, place.start, place.stop, lines))
        grown = len(lines) - len(place)
        self._selection.follow([Move(base.start, base.stop, place.start, place.stop, (0, grown))])
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._settle(self.hunks)

    def split(self, part_id: str) -> int:
        """Cut the hunk of a part finer; make a hunk whole that cannot be cut any finer.

        Returns:
            How many parts the hunk has now.

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
        """Take a row of a part out of what is decided, or back in.

        Args:
            row: Counts the old lines of the part first, then the new ones, from 0.

        Raises:
            UsageError: No such hunk is open, the hunk has no such row, or the hunk is a whole file.
        """
        part = self.part(part_id)
        _refuse_whole_files(part)
        if not 0 <= row < len(part.hunk.old) + len(part.hunk.new):
            raise UsageError(f"hunk {part_id} has no line {row + 1}; choose one of its own")
        self._selection.toggle(part, row)
        self._cut()

    def would_accept(self, ids: Iterable[str]) -> Text:
        """The base as `accept` would leave it.

        Raises:
            UsageError: As `accept`.
        """
        return self._with(self.chosen(ids))

    def would_reject(self, ids: Iterable[str]) -> Text:
        """The base with exactly the lines that `reject` would give up.

        Raises:
            UsageError: As `reject`.
        """
        return self._with(self._given_up(ids))

    @property
    def worked_over(self) -> list[range]:
        """The lines of the proposal that stand in place of rejected or hand-edited ones."""
        return list(self._refusals.places())

    def settled(self, text: Text) -> tuple[HunkPart, ...]:
        """The parts of the hunks that would stay the same if `text` were proposed.

        Args:
            text: Another state of the stream.
        """
        proposal = self._refusals.followed(self._stream.raw, text.raw).applied(text.raw)
        same = set(diff(self.base, Text(proposal)))
        ids = {hunk.id for hunk in self.hunks if hunk in same}
        return tuple(part for part in self.parts if _whole(part) in ids)

    def _with(self, chosen: Sequence[HunkPart]) -> Text:
        """The base with parts, given in order, taken in."""
        base = self.base
        for part in reversed(chosen):
            base = Text((*base.raw[: part.hunk.start], *part.taken, *base.raw[part.hunk.stop :]))
        return base

    def _parts_of(self, ids: Collection[str]) -> list[HunkPart]:
        """The open parts that ids of hunks and parts name.

        Raises:
            UsageError: An id names nothing that is open.
        """
        known = {hunk.id for hunk in self.hunks} | {part.hunk.id for part in self.parts}
        if unknown := set(ids) - known:
            raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
        return [part for part in self.parts if part.hunk.id in ids or _whole(part) in ids]

    def chosen(self, ids: Iterable[str]) -> list[HunkPart]:
        """The parts that `accept` takes, without those whose lines are all out.

        Raises:
            UsageError: As `accept`.
        """
        parts = self._parts_of(set(ids))
        chosen = [part for part in parts if part.taken != part.hunk.old]
        if parts and not chosen:
            raise UsageError("every line is out; put one back, or reject it")
        return chosen

    def _given_up(self, ids: Iterable[str]) -> list[HunkPart]:
        """The parts that a rejection is about, with all lines in: those that are out go, too."""
        return [replace(part, out=frozenset()) for part in self._parts_of(set(ids))]

    def part(self, part_id: str) -> HunkPart:
        """The open part with an id.

        Raises:
            UsageError: No such part is open.
        """
        for part in self.parts:
            if part.hunk.id == part_id:
                return part
        raise UsageError(f"hunk {part_id} is not open; choose one that is")

    def _left(self, chosen: Collection[HunkPart]) -> list[tuple[Hunk, int]]:
        """The hunks that stay open, in part, when `chosen` is decided; pairs as in `_placed`."""
        whole = {part.hunk.id for part in chosen if not part.out}
        open_ids = {_whole(part) for part in self.parts if part.hunk.id not in whole}
        return [(hunk, at) for hunk, at in self._placed() if hunk.id in open_ids]

    def _put(self, proposed: Text) -> None:
        """Replace the proposal and move the selection along."""
        self._move_selection(proposed)
        self.proposed = proposed
        self._settle(self.hunks)

    def _move_selection(self, proposed: Text) -> None:
        """Move the selection from the proposal to another one."""
        if self._selection:
            self._selection.follow(proposal_moves(line_changes(self.proposed.raw, proposed.raw)))

    def _settle(self, known: Sequence[Hunk]) -> None:
        """Work out the hunks and parts again, with ids from the known hunks."""
        self.hunks = tuple(self._named(diff(self.base, self.proposed), known))
        self._cut()
        if self._selection:
            self._selection.keep(self.parts)

    def _cut(self) -> None:
        self.parts = tuple(
            part for hunk, at in self._placed() for part in self._selection.parts(hunk, at)
        )

    def _placed(self) -> Iterator[tuple[Hunk, int]]:
        """The hunks, each with the line of the proposal where its new lines begin."""
        grown = 0
        for hunk in self.hunks:
            yield hunk, hunk.start + grown
            grown += hunk.growth

    def _named(self, hunks: Iterable[Hunk], known: Iterable[Hunk]) -> Iterator[Hunk]:
        """Give each hunk the id of the first unused known hunk that it touches, or a new id."""
        unused = list(known)
        for hunk in hunks:
            ancestor = next((old for old in unused if _touches(old, hunk)), None)
            if ancestor is None:
                yield replace(hunk, id=self._new_id(hunk))
            else:
                unused.remove(ancestor)
                yield replace(hunk, id=ancestor.id)

    def _new_id(self, hunk: Hunk) -> str:
        """An id that no hunk of this review ever had."""
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


def _in_place_of(part: HunkPart, written: int, now: HunkPart) -> bool:
    """Whether a part that is open now is about lines that an edited part was about.

    Args:
        part: The part before the edit.
        written: How many new lines the edit gave that part.
    """
    shares_new = now.at < part.at + written and part.at < _end(now)
    shares_old = now.hunk.start < part.hunk.stop and part.hunk.start < now.hunk.stop
    return shares_new or shares_old


def _move(part: HunkPart, down: Cut) -> Move:
    return Move(part.hunk.start, part.hunk.stop, part.at, _end(part), down)


def _touches(hunk: Hunk, other: Hunk) -> bool:
    """Whether hunks overlap or lie side by side, and do not create or delete different files."""
    files = {whole_file(hunk.old, hunk.new), whole_file(other.old, other.new)} - {""}
    return len(files) < 2 and hunk.start <= other.stop and other.start <= hunk.stop


def _borders(change: Change, hunk: Hunk) -> bool:
    """Whether the new lines of a change of the base overlap a hunk or lie beside it."""
    return hunk.start <= change.new_stop and change.new_start <= hunk.stop


def _grown_before(hunk: Hunk, at: int, chosen: Iterable[HunkPart]) -> int:
    """How many lines the base gains above a hunk when parts are accepted."""
    above = (part for part in chosen if (part.hunk.start, part.at) < (hunk.start, at))
    return sum(len(part.taken) - len(part.hunk.old) for part in above)


def renewed(review: Review, part_id: str, began: Text, answer: Text) -> Review:
    """A copy of a review in which a part is replaced by what another answer says there.

    The answer also counts around the part, as far as no other hunk was open or decided there. Of a
    change that reaches further, only its effect on those lines is taken.

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
    """Lines [start, stop) that no hunk but one part is about, open or decided.

    Between the room and the hunks around it is a line that stays, unless `below` or `above` is set.

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
            change: The change that the piece is of.
        """
        if not self.start <= place.start <= place.stop <= self.stop:
            return False
        if place or place.start == self.point:
            return True
        of_hunk_above = place.start == self.start and (self.below or change.start < self.start)
        of_hunk_below = place.start == self.stop and self.above
        return not of_hunk_above and not of_hunk_below


def _room(review: Review, part: HunkPart, accepted: Sequence[Hunk]) -> _Room:
    """The room of a part, in lines of the base."""
    hunk = part.hunk
    open_places = [
        range(other.hunk.start, other.hunk.stop) for other in review.parts if other is not part
    ]
    decided = [*brought(accepted), *_worked_over(review, part)]
    taken = [*open_places, *decided]
    start = max((place.stop for place in taken if place.stop <= hunk.start), default=-1)
    stop = min(
        (place.start for place in taken if place.start >= hunk.stop),
        default=len(review.base.raw) + 1,
    )
    adding = [*decided, *(place for place in open_places if not place)]
    below = start == hunk.start and any(place.stop == start for place in adding)
    above = stop == hunk.stop and any(place.start == stop for place in adding)
    # the line that stays between the room and its neighbor belongs to neither
    if start < hunk.start:
        start += 1
    if stop > hunk.stop:
        stop -= 1
    point = None if hunk.old else hunk.start
    return _Room(start, stop, point, below, above)


def _began_at(accepted: Sequence[Hunk], line: int, *, end: bool = False) -> int:
    """Where a line of the base stood before hunks were accepted.

    Args:
        end: Lines removed right there count as coming after.
    """
    grown = 0
    for hunk, now in zip(accepted, brought(accepted), strict=True):
        if now.stop <= line and not (end and now.start == line):
            grown += hunk.growth
        elif now.start < line:
            return hunk.start + min(line - now.start, len(hunk.old))
    return line - grown


def _worked_over(review: Review, part: HunkPart) -> Iterator[range]:
    """The base lines at which rejected or edited lines end above a part or begin below it.

    Each is an empty range.
    """
    end = _end(part)
    index = review.parts.index(part)
    parts_above = review.parts[:index]
    parts_below = review.parts[index + 1 :]
    for place in review.worked_over:
        if place.start < part.at or place.stop <= part.at:
            line = min(place.stop, part.at)
            line -= _growth(other for other in parts_above if _end(other) <= line)
            line = min(line, part.hunk.start)
            yield range(line, line)
        if place.stop > end or place.start >= end > part.at:
            line = max(place.start, end)
            line -= _growth(other for other in parts_below if _end(other) <= line)
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
        if hunk.start <= room.start or room.stop <= hunk.stop:  # only pieces of it may lie inside
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
        # the ending of a line beside them changed, too
        start = 0
        stop = len(before.raw)
        new_stop = len(after.raw)
    while start < min(stop, new_stop) and before.raw[start] == after.raw[start]:
        start += 1
    while start < min(stop, new_stop) and before.raw[stop - 1] == after.raw[new_stop - 1]:
        stop -= 1
        new_stop -= 1
    return range(start, stop), after.raw[start:new_stop]


def _end(part: HunkPart) -> int:
    """The line of the proposal after the last line of a part."""
    return part.at + len(part.hunk.new)


def _growth(parts: Iterable[HunkPart]) -> int:
    return sum(part.hunk.growth for part in parts)
