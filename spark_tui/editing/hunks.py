"""Hunks: the contiguous changes between two versions of a file, whole or cut into parts.

The page has three parts:

- `Hunk`, `diff` and `apply_hunks`: changes exact to the byte and without context lines.
- `levels` and `finest`: which new line of a hunk replaces which old line, and so where the hunk
  can be cut into smaller changes.
- `Selection`: what the user made of the open hunks, namely where they are cut into `HunkPart`s and
  which of their lines are out. A line that is out is not part of what a decision accepts.

A cut lies between two base lines and between two proposed lines. Lines and cuts are 0-based, and
the selection follows both texts as they change. Nothing here reads or writes a file.
"""

import re  # noqa: TID251 - reads source code
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

from spark_tui.editing.line_diff import Change, line_changes, whole_file
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import Conflict


@dataclass(frozen=True)
class Hunk:
    """One contiguous change: from line `start` (0-based, in the base) on, `old` becomes `new`.

    `old` and `new` are raw lines, endings included. Two hunks are equal when they change the same
    lines in the same way; the id is only a handle.
    """

    id: str = field(compare=False)
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def stop(self) -> int:
        """The base line after the last old one."""
        return self.start + len(self.old)

    @property
    def growth(self) -> int:
        """How many lines the text gains; negative when the text gets shorter."""
        return len(self.new) - len(self.old)

    @cached_property
    def old_lines(self) -> tuple[str, ...]:
        """The removed lines, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.old)

    @cached_property
    def new_lines(self) -> tuple[str, ...]:
        """The added lines, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.new)


def hunk_id(start: int, old: tuple[str, ...], new: tuple[str, ...], salt: int = 0) -> str:
    """Eight hexadecimal digits that follow from the place and the lines of a hunk.

    Args:
        salt: A number that tells equal changes apart.
    """
    return sha256(repr((start, old, new, salt)).encode()).hexdigest()[:8]


def diff(base: Text, proposed: Text) -> tuple[Hunk, ...]:
    """The hunks from `base` to `proposed`, in order, with the fewest lines (`line_changes`)."""
    hunks: list[Hunk] = []
    for change in line_changes(base.raw, proposed.raw):
        start = change.old_start
        old = base.raw[start : change.old_stop]
        new = proposed.raw[change.new_start : change.new_stop]
        hunks.append(Hunk(hunk_id(start, old, new), start, old, new))
    return tuple(hunks)


def places_of_new_lines(hunks: Sequence[Hunk]) -> list[range]:
    """Where the new lines of hunks stand in the text with all of the hunks applied.

    Args:
        hunks: In order.
    """
    places: list[range] = []
    growth_above = 0
    for hunk in hunks:
        start = hunk.start + growth_above
        places.append(range(start, start + len(hunk.new)))
        growth_above += hunk.growth
    return places


def apply_hunks(base: Text, hunks: Iterable[Hunk]) -> Text:
    """Apply hunks made for `base`, given in any order.

    Raises:
        Conflict: The old lines of a hunk are not where the hunk says, or two hunks overlap.
    """
    pieces: list[str] = []
    done = 0
    previous = -1
    for hunk in sorted(hunks, key=lambda hunk: (hunk.start, hunk.stop)):
        # two insertions at one line have no order, except for whole files
        ambiguous = hunk.start == previous and not whole_file(hunk.old, hunk.new)
        if hunk.start < done or ambiguous or base.raw[hunk.start : hunk.stop] != hunk.old:
            raise Conflict(
                f"hunk {hunk.id} no longer fits at line {hunk.start + 1}; make the edit again"
            )
        pieces += base.raw[done : hunk.start]
        pieces += hunk.new
        done = hunk.stop
        previous = hunk.start
    return Text((*pieces, *base.raw[done:]))


MOST_PAIRS = 40_000
"""With more pairs of an old and a new line than this, lines replace each other by their place.

The table of likeness has a cell for each pair, filled in plain Python.
"""
_LEAST_ALIKE = 0.4
"""The likeness, from 0 to 1, below which no line replaces another."""
_WORD = re.compile(r"\w+|[^\w\s]")

Cut = tuple[int, int]
"""A point between two old and between two new lines: how many of each come before."""


def levels(old: Sequence[str], new: Sequence[str]) -> list[tuple[Cut, ...]]:
    """Ever finer ways to cut a change: first between blocks, then between lines.

    Returns:
        The inner cuts of each way; a way without any cut is left out.
    """
    # The cuts between blocks are some of those between lines, so a finer way keeps every cut of the
    # coarser one. Both may be the same, or empty.
    between_lines = _cuts(old, new)
    between_blocks = tuple(_cuts_beside_pairs(between_lines, (len(old), len(new))))
    return [cuts for cuts in dict.fromkeys([between_blocks, between_lines]) if cuts]


def finest(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[slice, slice]]:
    """Cut a change as fine as possible: slices of its old and its new lines, in order."""
    top = (0, 0)
    for cut in (*_cuts(old, new), (len(old), len(new))):
        yield slice(top[0], cut[0]), slice(top[1], cut[1])
        top = cut


def _cuts_beside_pairs(cuts: Sequence[Cut], end: Cut) -> Iterator[Cut]:
    """The cuts with a pair of lines right above or right below.

    Between two such cuts stands a pair, or a block of lines without partners.

    Args:
        end: The numbers of all old and of all new lines.
    """
    points = [(0, 0), *cuts, end]
    for above, cut, below in zip(points, points[1:], points[2:], strict=False):
        if _is_paired(above, cut) or _is_paired(cut, below):
            yield cut


def _is_paired(top: Cut, bottom: Cut) -> bool:
    """Whether the piece between two cuts has old lines and new ones, and so is a pair."""
    return bottom[0] > top[0] and bottom[1] > top[1]


def _cuts(old: Sequence[str], new: Sequence[str]) -> tuple[Cut, ...]:
    """The cuts between all lines except within a pair of an old and a new line."""
    end = (len(old), len(new))
    i = j = 0
    # a dictionary as a set that keeps its order
    cuts: dict[Cut, None] = {}
    for pair_old, pair_new in (*_pairs(old, new), end):
        # Above a pair, the old lines without a partner go first, then the new ones: as a diff shows
        # them. A cut behind each of them makes each a change of its own.
        for line in range(i + 1, pair_old + 1):
            cuts[line, j] = None
        for line in range(j + 1, pair_new + 1):
            cuts[pair_old, line] = None
        i = pair_old + 1
        j = pair_new + 1
        cuts[i, j] = None
    # neither end is an inner cut, and the last round also names a cut beyond the end
    for outside in ((0, 0), end, (end[0] + 1, end[1] + 1)):
        cuts.pop(outside, None)
    return tuple(cuts)


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[Cut]:
    """The lines that replace each other, chosen so that the sum of their likeness is greatest.

    As in the longest common subsequence, with a likeness in place of equality.
    """
    if len(old) * len(new) > MOST_PAIRS:
        # too many to weigh: the first line replaces the first, and so on
        return [(line, line) for line in range(min(len(old), len(new)))]
    likeness = _likeness_table(old, new)
    # dynamic programming, from the end, so that the walk below goes from the top
    # best[i][j]: the greatest sum that old[i:] and new[j:] allow
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            paired = likeness[i][j] + best[i + 1][j + 1]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    # The walk repeats the expressions above, so that floats compare exactly. Of equal sums, a pair
    # goes before lines without partners.
    pairs: list[Cut] = []
    i = j = 0
    while i < len(old) and j < len(new):
        paired = likeness[i][j] + best[i + 1][j + 1]
        if likeness[i][j] and best[i][j] == paired:
            pairs.append((i, j))
            i += 1
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness_table(old: Sequence[str], new: Sequence[str]) -> list[list[float]]:
    """The likeness of each old line (rows) and each new line (columns)."""
    old_words = [frozenset(_WORD.findall(line)) for line in old]
    new_words = [frozenset(_WORD.findall(line)) for line in new]
    table: list[list[float]] = []
    for left in old_words:
        table.append([_likeness(left, right) for right in new_words])
    return table


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """The Dice coefficient of the words of two lines, from 0 to 1.

    0 where the lines are too little alike for one to replace the other.
    """
    count = len(left) + len(right)
    # blank lines have no words to compare
    if not count:
        return 0.0
    share = 2 * len(left & right) / count
    if share < _LEAST_ALIKE:
        return 0.0
    return share


@dataclass(frozen=True, slots=True)
class HunkPart:
    """A hunk, or one of the parts that a hunk is cut into.

    Args:
        hunk: The change as it is shown.
        at: The first line of the part in the proposal.
        out: The rows that the user took out; rows count the old lines first, then the new ones.
    """

    hunk: Hunk
    at: int
    out: frozenset[int]

    @property
    def end(self) -> int:
        """The line of the proposal after the last line of the part."""
        return self.at + len(self.hunk.new)

    @property
    def signed(self) -> list[str]:
        """All rows, the old ones with a minus and the new ones with a plus."""
        removed = ["-" + line for line in self.hunk.old]
        added = ["+" + line for line in self.hunk.new]
        return removed + added

    @property
    def out_lines(self) -> list[str]:
        """The rows that are out, signed."""
        signed = self.signed
        return [signed[row] for row in self.out]

    @property
    def taken(self) -> tuple[str, ...]:
        """What the old lines become on acceptance: rows that are out stay as they were."""
        hunk = self.hunk
        if not self.out:
            return hunk.new
        # Small change by small change, so that a row that is out keeps its place among the others.
        # An old row that is out stays in the file, a new one stays out of it.
        mixed: list[str] = []
        for old_slice, new_slice in finest(hunk.old, hunk.new):
            for row in range(old_slice.start, old_slice.stop):
                if row in self.out:
                    mixed.append(hunk.old[row])
            for row in range(new_slice.start, new_slice.stop):
                if len(hunk.old) + row not in self.out:
                    mixed.append(hunk.new[row])
        return tuple(mixed)


@dataclass(frozen=True, slots=True)
class Move:
    """How a change of a text moves the cuts and lines of a selection.

    Base lines [i, i_end) and proposed lines [j, j_end) have changed: what the user made of them is
    forgotten. `down`: by how many lines all below moves down, in the base and in the proposal.
    """

    i: float
    i_end: float
    j: float
    j_end: float
    down: Cut


def proposal_moves(changes: Iterable[Change]) -> list[Move]:
    """How cuts and lines move when only the proposal changes."""
    # From infinity to 0 in the base: no base line lies within, and none limits what moves. So a cut
    # stays or moves by its proposed line alone.
    return [
        Move(float("inf"), 0, change.old_start, change.old_stop, (0, change.growth))
        for change in changes
    ]


def base_moves(changes: Iterable[Change]) -> list[Move]:
    """How cuts and lines move when only the base changes."""
    return [
        Move(change.old_start, change.old_stop, float("inf"), 0, (change.growth, 0))
        for change in changes
    ]


class Selection:
    """The cuts in the open hunks and the lines that are out. Mutable.

    Cuts and lines count from the start of base and proposal, not of a hunk, since hunks come and go
    while the texts change.
    """

    def __init__(self) -> None:
        self._cuts: set[Cut] = set()
        self._out_old: set[int] = set()
        self._out_new: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._cuts or self._out_old or self._out_new)

    def parts(self, hunk: Hunk, first_line: int) -> list[HunkPart]:
        """The parts of a hunk whose new lines begin at line `first_line` of the proposal."""
        cuts = [(0, 0), *self._cuts_in(hunk, first_line), (len(hunk.old), len(hunk.new))]
        if len(cuts) == 2:
            return [self._part(hunk, first_line)]
        parts: list[HunkPart] = []
        for (i, j), (i_end, j_end) in pairwise(cuts):
            old = hunk.old[i:i_end]
            new = hunk.new[j:j_end]
            # The id of a part follows from its lines, not from its number, so no part with other
            # lines ever had the same id. Equal parts are told apart by how many stand above.
            equal = sum((part.hunk.old, part.hunk.new) == (old, new) for part in parts)
            part_id = f"{hunk.id}.{hunk_id(0, old, new, equal)}"
            parts.append(self._part(Hunk(part_id, hunk.start + i, old, new), first_line + j))
        return parts

    def split(self, hunk: Hunk, first_line: int) -> int:
        """Cut a hunk finer, or make a hunk whole again that cannot be cut any finer.

        Returns:
            How many parts the hunk has now.
        """
        current = self._cuts_in(hunk, first_line)
        finer: tuple[Cut, ...] = ()
        if not whole_file(hunk.old, hunk.new):  # a file comes or goes as a whole
            ways = levels(hunk.old_lines, hunk.new_lines)
            finer = next((cuts for cuts in ways if len(cuts) > len(current)), ())
        # without a finer way none is left, and the hunk is whole again
        self._cuts -= {(hunk.start + i, first_line + j) for i, j in current}
        self._cuts |= {(hunk.start + i, first_line + j) for i, j in finer}
        return len(finer) + 1

    def toggle(self, part: HunkPart, row: int) -> None:
        """Take a row of a part out, or back in."""
        old_count = len(part.hunk.old)
        if row < old_count:
            self._out_old ^= {part.hunk.start + row}
        else:
            self._out_new ^= {part.at + row - old_count}

    def follow(self, moves: Sequence[Move]) -> None:
        """Move along when base or proposal change; the changed lines themselves are forgotten.

        Args:
            moves: From top to bottom, each in lines of the texts before any of them.
        """
        # from the bottom up, so that the lines above a move are still where the moves say
        for move in reversed(moves):
            self._cuts = set(_moved_cuts(self._cuts, move))
            self._out_old = set(_moved(self._out_old, move.i, move.i_end, move.down[0]))
            self._out_new = set(_moved(self._out_new, move.j, move.j_end, move.down[1]))

    def leave_out(self, start: int, part: HunkPart) -> None:
        """Take out all that still differs where a part was accepted.

        These are the rows that were out. Lines that no longer differ belong to no hunk, so `keep`
        forgets them.

        Args:
            start: The base line from which on the accepted lines now stand.
        """
        self._out_old |= set(range(start, start + len(part.taken)))
        self._out_new |= set(range(part.at, part.at + len(part.hunk.new)))

    def slide(self, before: Iterable[HunkPart], now: Collection[HunkPart]) -> None:
        """Keep as many of equal lines out as were out before.

        After a change, the diff may show another one of several equal lines as added or removed.
        """
        lost = _count_out(before)
        lost -= _count_out(now)
        for part in now:
            for row, line in enumerate(part.signed):
                if row not in part.out and lost[line]:
                    lost[line] -= 1
                    self.toggle(part, row)

    def take_over(self, other: "Selection", hunk: Hunk, first_line: int) -> None:
        """Copy the cuts and the lines that are out in a hunk from another selection.

        Args:
            other: A selection for the same texts.
            first_line: The first line of the hunk in the proposal.
        """
        old = set(range(hunk.start, hunk.stop))
        new = set(range(first_line, first_line + len(hunk.new)))
        self._out_old = self._out_old - old | other._out_old & old
        self._out_new = self._out_new - new | other._out_new & new
        inside = set[Cut]()
        for i, j in self._cuts | other._cuts:
            if hunk.start <= i <= hunk.stop and first_line <= j <= first_line + len(new):
                inside.add((i, j))
        self._cuts = self._cuts - inside | other._cuts & inside

    def keep(self, parts: Iterable[HunkPart]) -> None:
        """Forget the cuts and lines that belong to no open hunk."""
        old = set[int]()
        new = set[int]()
        cuts = set[Cut]()
        for part in parts:
            hunk = part.hunk
            old |= self._out_old & set(range(hunk.start, hunk.stop))
            new |= self._out_new & set(range(part.at, part.at + len(hunk.new)))
            # the cut that a part begins at; a cut that divides no hunk is found by no part
            cuts |= self._cuts & {(hunk.start, part.at)}
        self._out_old = old
        self._out_new = new
        self._cuts = cuts

    def _part(self, hunk: Hunk, first_line: int) -> HunkPart:
        """A hunk whose new lines begin at `first_line`, with those of its rows that are out."""
        out = set[int]()
        for line in self._out_old:
            if hunk.start <= line < hunk.stop:
                out.add(line - hunk.start)
        for line in self._out_new:
            if first_line <= line < first_line + len(hunk.new):
                # the rows of new lines follow those of the old lines
                out.add(line - first_line + len(hunk.old))
        return HunkPart(hunk, first_line, frozenset(out))

    def _cuts_in(self, hunk: Hunk, first_line: int) -> list[Cut]:
        """The cuts inside a hunk, from its start on; of two that cross, the upper one counts."""
        inner: list[Cut] = []
        last = (0, 0)
        end = (len(hunk.old), len(hunk.new))
        for cut in sorted((i - hunk.start, j - first_line) for i, j in self._cuts):
            follows_last = last[0] <= cut[0] and last[1] <= cut[1]
            precedes_end = cut[0] <= end[0] and cut[1] <= end[1]
            if follows_last and precedes_end and cut not in {last, end}:
                last = cut
                inner.append(cut)
        return inner


def _moved_cuts(cuts: Iterable[Cut], move: Move) -> Iterator[Cut]:
    # a cut at the very top or bottom of the change stays; those within the changed lines are lost
    for i, j in cuts:
        if i <= move.i and j <= move.j:
            yield i, j
        elif i >= move.i_end and j >= move.j_end:
            yield i + move.down[0], j + move.down[1]


def _moved(lines: Iterable[int], start: float, stop: float, down: int) -> Iterator[int]:
    for line in lines:
        if line < start:
            yield line
        elif line >= stop:
            yield line + down


def _count_out(parts: Iterable[HunkPart]) -> Counter[str]:
    """How often each line is out."""
    counts = Counter[str]()
    for part in parts:
        counts.update(part.out_lines)
    return counts
