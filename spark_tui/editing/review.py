"""A file under review: its base, its proposal and the hunks that are open.

Always `hunks == diff(base, proposed)`. Accepting a hunk moves it into the base, rejecting a hunk
takes it out of the proposal; neither touches any other hunk. The user can cut a hunk into parts and
take lines out; a decision is then about a part. Accepting takes the selected lines; the rest of the
part stays open, and out. Rejecting takes all lines, because the remainder would be a change that
nobody proposed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import NamedTuple

from spark_tui.editing.hunks import (
    Cut,
    Hunk,
    HunkPart,
    Move,
    Selection,
    base_moves,
    diff,
    hunk_id,
    proposal_moves,
)
from spark_tui.editing.line_diff import (
    Change,
    line_changes,
    refuse_headings,
    renames,
    whole_file,
)
from spark_tui.editing.rejected_hunks import RejectedHunks
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError


class Marks(NamedTuple):
    """The cuts and the lines that are out, with the two texts that they were made for."""

    base: Text
    proposed: Text
    selection: Selection


class Review:
    """The review of one file. Mutable.

    `base`: the file with all that was accepted. `proposed`: the base with all open hunks applied.

    Wherever a method takes ids, the id of a hunk stands for all parts of the hunk.
    """

    def __init__(self, base: Text) -> None:
        self.base = base
        self.proposed = base
        self.hunks: tuple[Hunk, ...] = ()
        self.parts: tuple[HunkPart, ...] = ()
        """What a decision may be about: the uncut hunks, and the parts of the others."""
        # the proposal as it was written; with the refusals applied, the stream is `proposed`
        self._stream = base
        self._refusals = RejectedHunks()
        self._selection = Selection()
        # all ids that were ever given, so that none comes to mean another hunk
        self._ids: set[str] = set()

    def propose(self, text: Text) -> None:
        """Replace the proposal by a later state.

        What was accepted is not proposed again. What was rejected stays out, with everything added
        to it since. A hunk that only grows keeps its id.

        Args:
            text: The later state, written against the text that the review began with.
        """
        # The refusals move along first, while the stream that their lines count in is still known.
        self._refusals.follow(self._stream.raw, text.raw)
        self._stream = text
        proposed = Text(self._refusals.applied(text.raw))
        self._move_selection(proposed)
        self.proposed = proposed
        self._settle(diff(self.base, proposed), self.hunks)

    def reread(self, text: Text) -> None:
        """Replace the stream and the proposal by a text, and forget all rejections and edits.

        Hunks that stay keep their ids, their cuts and their lines that are out.
        """
        self._refusals = RejectedHunks()
        self._stream = text
        self._put(text)

    @property
    def marks(self) -> Marks:
        """The cuts and the lines that are out now, for a later `rebase` back to this base."""
        return Marks(self.base, self.proposed, deepcopy(self._selection))

    def rebase(self, base: Text, then: Marks | None = None) -> None:
        """Replace the base, after hunks were accepted or undone elsewhere.

        Args:
            then: The marks that stood when the same proposal was made for this base. Hunks that are
                open again get the cuts and the lines out that they had then.
        """
        changes = line_changes(self.base.raw, base.raw)
        self._selection.follow(base_moves(changes))
        self.base = base
        self._settle(diff(base, self.proposed), self.hunks)
        if then is not None and (then.base, then.proposed) == (base, self.proposed):
            # Only hunks beside the changed lines are open again. Elsewhere the user may have cut or
            # selected since, and that stays.
            for hunk, first_line in self._placed():
                if any(_borders(change, hunk) for change in changes):
                    self._selection.take_over(then.selection, hunk, first_line)
            self._cut()

    def accept(self, ids: Iterable[str]) -> Text:
        """Take hunks into the base.

        Returns:
            The new base.

        Raises:
            UsageError: No such hunk is open, or all of its lines are out.
        """
        chosen = self.chosen(ids)
        # The hunks that stay open keep their ids: they are found again by their place, which moves
        # with what is accepted above.
        known: list[Hunk] = []
        for hunk, first_line in self._left(chosen):
            grown = _grown_before(hunk, first_line, chosen)
            known.append(replace(hunk, start=hunk.start + grown))
        self.base = self._with(chosen)
        self._selection.follow([_move(part, (_base_growth(part), 0)) for part in chosen])
        before = self.parts
        # The move has forgotten the rows of the accepted parts. Those that were out are still open,
        # and have to be out again.
        grown = 0
        for part in chosen:
            if part.out:
                self._selection.leave_out(part.hunk.start + grown, part)
            grown += _base_growth(part)
        self._settle(diff(self.base, self.proposed), known)
        # The new diff may show another one of several equal lines than the one that was out.
        self._selection.slide(before, self.parts)
        self._cut()
        return self.base

    def reject(self, ids: Iterable[str]) -> None:
        """Take hunks out of the proposal, along with their lines that are out.

        Raises:
            UsageError: No such hunk is open.
        """
        chosen = self._given_up(ids)
        known = [hunk for hunk, _ in self._left(chosen)]
        # from the bottom up: each refusal moves the lines of the proposal below it
        for part in reversed(chosen):
            self._refusals.add(self._stream.raw, part.at, part.end, part.hunk.old)
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._selection.follow([_move(part, (0, -part.hunk.growth)) for part in chosen])
        self._settle(diff(self.base, self.proposed), known)

    def copy(self) -> "Review":
        """A review in the same state, which can be changed without changing this one.

        Both share the ids ever given: neither gives an id to a hunk that the other gave to another.
        """
        other = copy(self)
        other._refusals, other._selection = deepcopy((self._refusals, self._selection))
        return other

    def stands_as(self, other: "Review") -> bool:
        """Whether base, proposal and parts are the same as those of another review."""
        # by identity: copies share each text for as long as it stays the same
        return (
            self.base is other.base
            and self.proposed is other.proposed
            and self.parts == other.parts
        )

    def edit(self, part_id: str, lines: Sequence[str]) -> list[HunkPart]:
        """Propose other new lines (without endings) in a part, however the stream goes on.

        Returns:
            The parts that now stand in the place of the part.

        Raises:
            UsageError: No such hunk is open, it is a whole file, or a line begins with a NUL.
        """
        part = self.part(part_id)
        _refuse_whole_files(part)
        refuse_headings(lines)
        # An edit is a refusal that puts the written lines in the place of those of the stream, so
        # later states of the stream leave it alone. From the bottom up, as in `reject`.
        wanted = self.proposed.replace_lines(part.at, part.end, lines)
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
        self._settle(diff(self.base, self.proposed), self.hunks)

    def split(self, part_id: str) -> int:
        """Cut the hunk of a part finer; make a hunk whole that cannot be cut any finer.

        Returns:
            How many parts the hunk has now.

        Raises:
            UsageError: No such hunk is open.
        """
        whole = _whole(self.part(part_id))
        hunk = next(hunk for hunk in self.hunks if hunk.id == whole)
        # the topmost part begins where the hunk begins
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

    def without(self, ids: Iterable[str]) -> Text:
        """The proposal as `reject` would leave it.

        Raises:
            UsageError: As `reject`.
        """
        places = [(part.at, part.end, part.hunk.old) for part in self._given_up(ids)]
        return _replaced(self.proposed, places)

    @property
    def worked_over(self) -> list[range]:
        """The lines of the proposal that stand in the place of rejected or edited lines."""
        return list(self._refusals.places())

    def settled(self, text: Text) -> tuple[HunkPart, ...]:
        """The parts of the hunks that would stay the same if `text` were proposed.

        Args:
            text: Another state of the stream.
        """
        # hunks are equal by place and lines, whatever their ids
        proposal = self._refusals.followed(self._stream.raw, text.raw).applied(text.raw)
        same = set(diff(self.base, Text(proposal)))
        ids = {hunk.id for hunk in self.hunks if hunk in same}
        return tuple(part for part in self.parts if _whole(part) in ids)

    def _with(self, chosen: Sequence[HunkPart]) -> Text:
        """The base with parts, given in order, taken in."""
        places = [(part.hunk.start, part.hunk.stop, part.taken) for part in chosen]
        return _replaced(self.base, places)

    def parts_of(self, ids: Collection[str]) -> list[HunkPart]:
        """The open parts that ids of hunks and parts name.

        Raises:
            UsageError: An id names nothing that is open.
        """
        known = {hunk.id for hunk in self.hunks}
        known |= {part.hunk.id for part in self.parts}
        if unknown := set(ids) - known:
            raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
        return [part for part in self.parts if part.hunk.id in ids or _whole(part) in ids]

    def chosen(self, ids: Iterable[str]) -> list[HunkPart]:
        """The parts that `accept` takes, without those whose lines are all out.

        Raises:
            UsageError: As `accept`.
        """
        parts = self.parts_of(set(ids))
        # a part that would leave its old lines as they are has nothing to accept
        chosen = [part for part in parts if part.taken != part.hunk.old]
        if parts and not chosen:
            raise UsageError("every line is out; put one back, or reject it")
        return chosen

    def _given_up(self, ids: Iterable[str]) -> list[HunkPart]:
        """The parts that a rejection takes, with all lines in: lines that are out go, too."""
        return [replace(part, out=frozenset()) for part in self.parts_of(set(ids))]

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
        """The hunks that stay open, at least in part, once `chosen` is decided, as in `_placed`."""
        whole = {part.hunk.id for part in chosen if not part.out}
        open_ids = {_whole(part) for part in self.parts if part.hunk.id not in whole}
        return [(hunk, first_line) for hunk, first_line in self._placed() if hunk.id in open_ids]

    def _put(self, proposed: Text) -> None:
        """Replace the proposal and move the selection along."""
        # first the selection, which counts in lines of the proposal that is being replaced
        self._move_selection(proposed)
        self.proposed = proposed
        self._settle(diff(self.base, proposed), self.hunks)

    def _move_selection(self, proposed: Text) -> None:
        """Move the selection from the proposal to another one."""
        if self._selection:
            self._selection.follow(proposal_moves(line_changes(self.proposed.raw, proposed.raw)))

    def _settle(self, hunks: Iterable[Hunk], known: Sequence[Hunk]) -> None:
        """Replace the hunks, give them the ids of the known ones, and cut them.

        Args:
            hunks: The hunks of the new diff.
            known: The open hunks from before, where they stand now.
        """
        self.hunks = tuple(self._named(hunks, known))
        self._cut()
        # a mark that belongs to no open hunk could turn up in a later hunk at the same place
        if self._selection:
            self._selection.keep(self.parts)

    def _cut(self) -> None:
        """Work out the parts of the hunks from the selection."""
        parts: list[HunkPart] = []
        for hunk, first_line in self._placed():
            parts += self._selection.parts(hunk, first_line)
        self.parts = tuple(parts)

    def _placed(self) -> Iterator[tuple[Hunk, int]]:
        """The hunks, each with the line of the proposal where its new lines begin."""
        grown = 0
        for hunk in self.hunks:
            yield hunk, hunk.start + grown
            grown += hunk.growth

    def _named(self, hunks: Iterable[Hunk], known: Iterable[Hunk]) -> Iterator[Hunk]:
        """Give each hunk the id of the first unused known hunk that it touches, or a new id.

        So a hunk that grows or shrinks keeps its id. Where known hunks grow together, the upper id
        stays; where one falls apart, the upper piece keeps the id.
        """
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


def _replaced(text: Text, places: Iterable[tuple[int, int, tuple[str, ...]]]) -> Text:
    """A text with other raw lines at some places.

    Args:
        places: In order: the first line, the line after the last, and the lines to put there.
    """
    if not (places := list(places)):
        return text
    raw: list[str] = []
    done = 0
    for start, stop, lines in places:
        raw += text.raw[done:start]
        raw += lines
        done = stop
    return Text((*raw, *text.raw[done:]))


def _refuse_whole_files(part: HunkPart) -> None:
    if renames(part.hunk.old, part.hunk.new):
        raise UsageError("the new name of a file has no lines; accept it or reject it")
    if whole_file(part.hunk.old, part.hunk.new):
        raise UsageError("a file is created or deleted as a whole; accept it or reject it")


def _whole(part: HunkPart) -> str:
    """The id of the hunk that a part belongs to; `Selection.parts` puts it before the dot."""
    return part.hunk.id.partition(".")[0]


def _in_place_of(part: HunkPart, written: int, now: HunkPart) -> bool:
    """Whether a part that is open now is about lines that an edited part was about.

    Args:
        part: The part before the edit.
        written: How many new lines the edit gave that part.
    """
    shares_new = now.at < part.at + written and part.at < now.end
    shares_old = now.hunk.start < part.hunk.stop and part.hunk.start < now.hunk.stop
    return shares_new or shares_old


def _move(part: HunkPart, down: Cut) -> Move:
    return Move(part.hunk.start, part.hunk.stop, part.at, part.end, down)


def _touches(hunk: Hunk, other: Hunk) -> bool:
    """Whether hunks overlap or lie side by side, and are about the same file.

    The new name of a file is a hunk of its own, apart from the lines below.
    """
    if renames(hunk.old, hunk.new) != renames(other.old, other.new):
        return False
    files = {whole_file(hunk.old, hunk.new), whole_file(other.old, other.new)} - {""}
    return len(files) < 2 and hunk.start <= other.stop and other.start <= hunk.stop


def _borders(change: Change, hunk: Hunk) -> bool:
    """Whether the new lines of a change of the base overlap a hunk or lie beside it."""
    return hunk.start <= change.new_stop and change.new_start <= hunk.stop


def _grown_before(hunk: Hunk, first_line: int, chosen: Iterable[HunkPart]) -> int:
    """How many lines the base gains above a hunk when parts are accepted."""
    place = (hunk.start, first_line)
    return sum(_base_growth(part) for part in chosen if (part.hunk.start, part.at) < place)


def _base_growth(part: HunkPart) -> int:
    """How many lines the base gains when a part is accepted."""
    return len(part.taken) - len(part.hunk.old)
