"""What is proposed for a file and not yet decided, while the proposal may still be growing.

Always: `hunks == diff(base, proposed)`. Accepting a hunk moves it into the base, rejecting one takes it out
of the proposal; neither touches any other hunk. A hunk can be cut into parts, and lines of it can be taken out:
what is decided then is a part. Of that an accept takes the lines that are in, and the rest stays open and out; a
rejection takes all, as what is left of a change is a change that nobody proposed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import NamedTuple

from spark_tui.editing.headings import whole_file
from spark_tui.editing.hunks import Hunk, diff, hunk_id
from spark_tui.editing.linediff import line_changes
from spark_tui.editing.pairing import Cut
from spark_tui.editing.rejected_hunks import RejectedHunks
from spark_tui.editing.selection import Move, Part, Selection, base_moves, proposal_moves
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError


class Marks(NamedTuple):
    """What the user made of the hunks between two texts."""

    base: Text
    proposed: Text
    selection: Selection


class Review:
    """The review of one file. `base`: with what was accepted. `proposed`: with what is still open, too.

    Wherever ids are asked for, a hunk's stands for all its parts.
    """

    def __init__(self, base: Text) -> None:
        self.base = base
        self.proposed = base
        self.hunks: tuple[Hunk, ...] = ()
        self.parts: tuple[Part, ...] = ()
        """What a decision may be about: the hunks, and the parts of those that are cut."""
        self._stream = base
        self._refusals = RejectedHunks()
        self._selection = Selection()
        self._ids: set[str] = set()

    def propose(self, text: Text) -> None:
        """Replace the proposal by a later state of it, always written against the text the review began with.

        What was accepted is not proposed again, what was rejected stays out, also what is added to it since.
        A hunk that only grows keeps its id.
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

        Args: then: those when the same was proposed for this base: hunks that are open again are cut, and lines of
            them are out, as they were there.
        """
        changes = line_changes(self.base.raw, base.raw)
        self._selection.follow(base_moves(changes))
        self.base = base
        self._settle(self.hunks)
        if then is not None and (then.base, then.proposed) == (base, self.proposed):
            for hunk, at in self._placed():
                if any(hunk.start <= each.new_stop and each.new_start <= hunk.stop for each in changes):
                    self._selection.take_over(then.selection, hunk, at)
            self._cut()

    def accept(self, ids: Iterable[str]) -> Text:
        """Take hunks into the base.

        Returns: the new base. Raises: UsageError: no such hunk is open, or all of its lines are out.
        """
        chosen = self.chosen(ids)
        left = self._left(chosen)
        known = [replace(hunk, start=hunk.start + _grown_before(hunk, at, chosen)) for hunk, at in left]
        self.base = self._with(chosen)
        self._selection.follow([_move(part, (len(part.taken) - len(part.hunk.old), 0)) for part in chosen])
        before, grown = self.parts, 0
        for part in chosen:
            if part.out:
                self._selection.leave_out(part.hunk.start + grown, part)
            grown += len(part.taken) - len(part.hunk.old)
        self._settle(known)
        self._selection.slide(before, self.parts)
        self._cut()
        return self.base

    def reject(self, ids: Iterable[str]) -> None:
        """Take hunks out of the proposal, with their lines that are out. Raises: UsageError: no such is open."""
        chosen = self._given_up(ids)
        known = [hunk for hunk, _ in self._left(chosen)]
        for part in reversed(chosen):
            self._refusals.add(self._stream.raw, part.at, part.at + len(part.hunk.new), part.hunk.old)
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
        return self.base is other.base and self.proposed is other.proposed and self.parts == other.parts

    def edit(self, part_id: str, lines: Sequence[str]) -> list[Part]:
        """Propose other new lines (without endings) in a part; they stay, however its text goes on.

        Returns: the parts there are in its place now. Raises: UsageError: no such hunk is open, or it is a whole file.
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

        Args: base: the lines of the base that these and nothing else are about.
        """
        self._stream = Text(self._refusals.renew(self._stream.raw, place.start, place.stop, lines))
        grown = len(lines) - len(place)
        self._selection.follow([Move(base.start, base.stop, place.start, place.stop, (0, grown))])
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._settle(self.hunks)

    def split(self, part_id: str) -> int:
        """Cut the hunk of a part finer; one that is as fine as can be is made whole.

        Returns: how many parts it has now. Raises: UsageError: no such hunk is open.
        """
        whole = _whole(self.part(part_id))
        hunk = next(hunk for hunk in self.hunks if hunk.id == whole)
        top = next(part for part in self.parts if _whole(part) == whole)
        count = self._selection.split(hunk, top.at)
        self._cut()
        return count

    def toggle(self, part_id: str, row: int) -> None:
        """Take a row of a part, counting its old lines and then its new ones, out of what is decided, or in again.

        Raises: UsageError: no such hunk is open, it has no such row, or is a whole file.
        """
        part = self.part(part_id)
        _refuse_whole_files(part)
        if not 0 <= row < len(part.hunk.old) + len(part.hunk.new):
            raise UsageError(f"hunk {part_id} has no line {row + 1}; choose one of its own")
        self._selection.toggle(part, row)
        self._cut()

    def would_accept(self, ids: Iterable[str]) -> Text:
        """The base as it would be with hunks taken into it. Raises: as `accept`."""
        return self._with(self.chosen(ids))

    def would_reject(self, ids: Iterable[str]) -> Text:
        """The base with what a rejection gives up taken into it. Raises: as `reject`."""
        return self._with(self._given_up(ids))

    @property
    def worked_over(self) -> list[range]:
        """Where lines of the proposal were rejected or edited by hand."""
        return list(self._refusals.places())

    def settled(self, text: Text) -> tuple[Part, ...]:
        """The parts of those hunks that would be the same if `text`, another state of the stream, were proposed."""
        proposal = self._refusals.followed(self._stream.raw, text.raw).applied(text.raw)
        same = set(diff(self.base, Text(proposal)))
        ids = {hunk.id for hunk in self.hunks if hunk in same}
        return tuple(part for part in self.parts if _whole(part) in ids)

    def _with(self, chosen: Sequence[Part]) -> Text:
        base = self.base
        for part in reversed(chosen):
            base = Text((*base.raw[: part.hunk.start], *part.taken, *base.raw[part.hunk.stop :]))
        return base

    def _found(self, ids: Collection[str]) -> list[Part]:
        known = {hunk.id for hunk in self.hunks} | {part.hunk.id for part in self.parts}
        if unknown := set(ids) - known:
            raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
        return [part for part in self.parts if part.hunk.id in ids or _whole(part) in ids]

    def chosen(self, ids: Iterable[str]) -> list[Part]:
        """The parts that an accept takes. Raises: as `accept`."""
        found = self._found(set(ids))
        chosen = [part for part in found if part.taken != part.hunk.old]
        if found and not chosen:
            raise UsageError("every line is out; put one back, or reject it")
        return chosen

    def _given_up(self, ids: Iterable[str]) -> list[Part]:
        """What a rejection is about: all lines, also those that are out."""
        return [replace(part, out=frozenset()) for part in self._found(set(ids))]

    def part(self, part_id: str) -> Part:
        """A part that is open, by its id. Raises: UsageError: there is none."""
        if found := next((part for part in self.parts if part.hunk.id == part_id), None):
            return found
        raise UsageError(f"hunk {part_id} is not open; choose one that is")

    def _left(self, chosen: Collection[Part]) -> list[tuple[Hunk, int]]:
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
        self.parts = tuple(part for hunk, at in self._placed() for part in self._selection.parts(hunk, at))

    def _placed(self) -> Iterator[tuple[Hunk, int]]:
        """The hunks, each with its first line in the proposal."""
        grown = 0
        for hunk in self.hunks:
            yield hunk, hunk.start + grown
            grown += hunk.growth

    def _named(self, found: Iterable[Hunk], known: Iterable[Hunk]) -> Iterator[Hunk]:
        """Hunks with the ids of those they come from: the first known one of the same file each of them touches."""
        unused = list(known)
        for hunk in found:
            heir_of = next((old for old in unused if _touches(old, hunk)), None)
            if heir_of is not None:
                unused.remove(heir_of)
            yield replace(hunk, id=heir_of.id if heir_of else self._new_id(hunk))

    def _new_id(self, hunk: Hunk) -> str:
        name, salt = hunk.id, 0
        while name in self._ids:
            salt += 1
            name = hunk_id(hunk.start, hunk.old, hunk.new, salt)
        self._ids.add(name)
        return name


def _refuse_whole_files(part: Part) -> None:
    if whole_file(part.hunk.old, part.hunk.new):
        raise UsageError("a file is created or deleted as a whole; accept it or reject it")


def _whole(part: Part) -> str:
    """The id of the hunk that a part belongs to."""
    return part.hunk.id.partition(".")[0]


def _in_place_of(part: Part, written: int, other: Part) -> bool:
    """Whether a part is about lines that another was about. Args: written: how many new lines that has now."""
    hunk, its = part.hunk, other.hunk
    new = other.at < part.at + written and part.at < other.at + len(its.new)
    return new or (its.start < hunk.stop and hunk.start < its.stop)


def _move(part: Part, down: Cut) -> Move:
    return Move(part.hunk.start, part.hunk.stop, part.at, part.at + len(part.hunk.new), down)


def _touches(hunk: Hunk, other: Hunk) -> bool:
    files = {whole_file(each.old, each.new) for each in (hunk, other)} - {""}
    return len(files) < 2 and hunk.start <= other.stop and other.start <= hunk.stop


def _grown_before(hunk: Hunk, at: int, chosen: Iterable[Part]) -> int:
    above = (part for part in chosen if (part.hunk.start, part.at) < (hunk.start, at))
    return sum(len(part.taken) - len(part.hunk.old) for part in above)
