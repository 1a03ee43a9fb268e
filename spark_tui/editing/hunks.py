"""Hunks: contiguous changes, split, selected and paired line by line.

Hunks: the contiguous changes between two versions of a file, exact to the byte and without context.

Which of a hunk's new lines replaces which of its old ones: how it is cut into smaller changes.
Knows no files.

What the user made of the open hunks: where they are cut into parts, and which of their lines are
out.

A cut lies between two base lines and between two proposed lines. Lines and cuts are 0-based and
follow both texts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, pairwise

from spark_tui.editing.line_diff import Change, line_changes, whole_file
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import Conflict


@dataclass(frozen=True)
class Hunk:
    """One contiguous change: from line `start` (0-based, in the base) on, `old` becomes `new`.

    `old` and `new` are raw lines, endings included. Two hunks are equal when they change the same;
    the id is only a handle.
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
        """How many lines longer the text becomes."""
        return len(self.new) - len(self.old)

    @cached_property
    def old_lines(self) -> tuple[str, ...]:
        """The lines that go, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.old)

    @cached_property
    def new_lines(self) -> tuple[str, ...]:
        """The lines that come, without their endings."""
        return tuple(line.removesuffix(ending_of(line)) for line in self.new)


def hunk_id(start: int, old: tuple[str, ...], new: tuple[str, ...], salt: int = 0) -> str:
    """Eight hexadecimal digits made from what a hunk changes and where."""
    return sha256(repr((start, old, new, salt)).encode()).hexdigest()[:8]


def diff(base: Text, proposed: Text) -> tuple[Hunk, ...]:
    """The hunks from `base` to `proposed`, in order, the fewest lines possible; see
    `line_changes`.
    """
    return tuple(
        Hunk(hunk_id(a, base.raw[a:b], proposed.raw[c:d]), a, base.raw[a:b], proposed.raw[c:d])
        for a, b, c, d in line_changes(base.raw, proposed.raw)
    )


def brought(hunks: Sequence[Hunk]) -> list[range]:
    """The lines that hunks, in order, brought, in the text with all of them."""
    grown = accumulate((hunk.growth for hunk in hunks), initial=0)
    return [
        range(hunk.start + by, hunk.stop + by + hunk.growth)
        for hunk, by in zip(hunks, grown, strict=False)
    ]


def apply_hunks(base: Text, hunks: Iterable[Hunk]) -> Text:
    """Put any hunks made for `base` into it, in any order.

    Raises:
        Conflict: A hunk's old lines are not where it says, or two hunks overlap.
    """
    pieces: list[str] = []
    at = 0
    previous = -1
    for hunk in sorted(hunks, key=lambda hunk: (hunk.start, hunk.stop)):
        beside = hunk.start == previous and not whole_file(hunk.old, hunk.new)
        if hunk.start < at or beside or base.raw[hunk.start : hunk.stop] != hunk.old:
            raise Conflict(
                f"hunk {hunk.id} no longer fits at line {hunk.start + 1}; make the edit again"
            )
        pieces += base.raw[at : hunk.start]
        pieces += hunk.new
        at = hunk.stop
        previous = hunk.start
    return Text((*pieces, *base.raw[at:]))


MOST_PAIRS = 40_000
"""With more pairs of an old and a new line than this, lines replace each other by their place."""
_LEAST_ALIKE = 0.4
_WORD = re.compile(r"\w+|[^\w\s]")

Cut = tuple[int, int]
"""Between two old and between two new lines: how many of each come before."""


def levels(old: Sequence[str], new: Sequence[str]) -> list[tuple[Cut, ...]]:
    """Ever finer ways to cut a change, each by its inner cuts: first between blocks, then
    between lines.
    """
    lines = _cuts(old, new)
    blocks = tuple(
        cut for cut, before, after in _around(lines, (len(old), len(new))) if before or after
    )
    return [cuts for cuts in dict.fromkeys([blocks, lines]) if cuts]


def finest(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[slice, slice]]:
    """The smallest changes of a change, in order, as slices of its old and its new lines."""
    at = (0, 0)
    for cut in (*_cuts(old, new), (len(old), len(new))):
        yield slice(at[0], cut[0]), slice(at[1], cut[1])
        at = cut


def _around(cuts: Sequence[Cut], end: Cut) -> Iterator[tuple[Cut, bool, bool]]:
    """Each cut, and whether a pair of lines comes before and after it."""
    points = [(0, 0), *cuts, end]
    paired = [below[0] > above[0] and below[1] > above[1] for above, below in pairwise(points)]
    yield from zip(cuts, paired, paired[1:], strict=False)


def _cuts(old: Sequence[str], new: Sequence[str]) -> tuple[Cut, ...]:
    """Between all lines, but for those that make a pair."""
    i = j = 0
    cuts: list[Cut] = []
    for a, b in (*_pairs(old, new), (len(old), len(new))):
        cuts += [(line, j) for line in range(i + 1, a + 1)]
        cuts += [(a, line) for line in range(j + 1, b + 1)]
        i = a + 1
        j = b + 1
        cuts.append((i, j))
    inside = {(0, 0), (len(old), len(new))}
    return tuple(
        cut
        for cut in dict.fromkeys(cuts)
        if cut not in inside and cut[0] <= len(old) and cut[1] <= len(new)
    )


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[Cut]:
    """The lines that replace each other, so that they are as alike as possible in sum."""
    if len(old) * len(new) > MOST_PAIRS:
        return [(line, line) for line in range(min(len(old), len(new)))]
    left = [frozenset(_WORD.findall(line)) for line in old]
    right = [frozenset(_WORD.findall(line)) for line in new]
    alike = [[_alike(a, b) for b in right] for a in left]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], alike[i][j] + best[i + 1][j + 1])
    pairs: list[Cut] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i = i + 1
            j = j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _alike(left: frozenset[str], right: frozenset[str]) -> float:
    """From 0 to 1; 0 where they are too little alike for one to replace the other."""
    share = 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0
    return share if share >= _LEAST_ALIKE else 0.0


@dataclass(frozen=True, slots=True)
class HunkPart:
    """A hunk, or one of the parts it is cut into.

    Args:
        hunk: As it is shown.
        at: Its first line in the proposal.
        out: The rows the user took out, counting its old lines, then its new ones.
    """

    hunk: Hunk
    at: int
    out: frozenset[int]

    @property
    def signed(self) -> list[str]:
        """Its rows, old ones with a minus and new ones with a plus."""
        return [*("-" + line for line in self.hunk.old), *("+" + line for line in self.hunk.new)]

    @property
    def out_lines(self) -> list[str]:
        """Those of its rows that are out, signed."""
        return [self.signed[row] for row in self.out]

    @property
    def taken(self) -> tuple[str, ...]:
        """What its old lines become when it is accepted: the lines that are out stay as they
        are.
        """
        hunk = self.hunk
        out = self.out
        if not out:
            return hunk.new
        mixed: list[str] = []
        for olds, news in finest(hunk.old, hunk.new):
            mixed += [hunk.old[n] for n in range(olds.start, olds.stop) if n in out]
            mixed += [
                hunk.new[n] for n in range(news.start, news.stop) if n + len(hunk.old) not in out
            ]
        return tuple(mixed)


@dataclass(frozen=True, slots=True)
class Move:
    """Base lines [i, i_end) and proposed lines [j, j_end) become others; `down`: lines more
    after them in each.
    """

    i: float
    i_end: float
    j: float
    j_end: float
    down: Cut


def proposal_moves(changes: Iterable[Change]) -> list[Move]:
    """How everything moves when only the proposal changes."""
    return [Move(float("inf"), 0, c.old_start, c.old_stop, (0, c.growth)) for c in changes]


def base_moves(changes: Iterable[Change]) -> list[Move]:
    """How everything moves when only the base changes."""
    return [Move(c.old_start, c.old_stop, float("inf"), 0, (c.growth, 0)) for c in changes]


class Selection:
    """The cuts and the lines that are out. Mutable."""

    def __init__(self) -> None:
        self._cuts: set[Cut] = set()
        self._out_old: set[int] = set()
        self._out_new: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._cuts or self._out_old or self._out_new)

    def parts(self, hunk: Hunk, at: int) -> list[HunkPart]:
        """The parts of a hunk whose new lines begin at line `at` of the proposal."""
        cuts = [(0, 0), *self._cuts_in(hunk, at), (len(hunk.old), len(hunk.new))]
        if len(cuts) == 2:
            return [self._part(hunk, at)]
        parts: list[HunkPart] = []
        for (i, j), (i_end, j_end) in pairwise(cuts):
            old = hunk.old[i:i_end]
            new = hunk.new[j:j_end]
            alike = sum((part.hunk.old, part.hunk.new) == (old, new) for part in parts)
            name = (
                f"{hunk.id}.{hunk_id(0, old, new, alike)}"  # never one that another part had before
            )
            parts.append(self._part(Hunk(name, hunk.start + i, old, new), at + j))
        return parts

    def split(self, hunk: Hunk, at: int) -> int:
        """Cut a hunk finer, or make it whole again when it is as fine as can be.

        Returns:
            How many parts it has now.
        """
        now = self._cuts_in(hunk, at)
        whole = whole_file(hunk.old, hunk.new)  # a file that comes or goes stays so
        ways = [] if whole else levels(hunk.old_lines, hunk.new_lines)
        finer = next((cuts for cuts in ways if len(cuts) > len(now)), ())
        self._cuts -= {(hunk.start + i, at + j) for i, j in now}
        self._cuts |= {(hunk.start + i, at + j) for i, j in finer}
        return len(finer) + 1

    def toggle(self, part: HunkPart, row: int) -> None:
        """Take a row of a part out, or in again."""
        olds = len(part.hunk.old)
        if row < olds:
            self._out_old ^= {part.hunk.start + row}
        else:
            self._out_new ^= {part.at + row - olds}

    def follow(self, moves: Sequence[Move]) -> None:
        """Go along when base or proposal change; what was said of the changed lines themselves
        is forgotten.
        """
        for move in reversed(moves):
            self._cuts = set(_moved_cuts(self._cuts, move))
            self._out_old = set(_moved(self._out_old, move.i, move.i_end, move.down[0]))
            self._out_new = set(_moved(self._out_new, move.j, move.j_end, move.down[1]))

    def leave_out(self, start: int, part: HunkPart) -> None:
        """What was accepted of a part stands in the base from line `start` on: all that differs
        there is out.
        """
        self._out_old |= set(range(start, start + len(part.taken)))
        self._out_new |= set(range(part.at, part.at + len(part.hunk.new)))

    def slide(self, before: Iterable[HunkPart], now: Collection[HunkPart]) -> None:
        """Of equal lines a difference may hold another one now: as many of them stay out as
        were.
        """
        lost = Counter(line for part in before for line in part.out_lines)
        lost -= Counter(line for part in now for line in part.out_lines)
        for part in now:
            for row, line in enumerate(part.signed):
                if row not in part.out and lost[line]:
                    lost[line] -= 1
                    self.toggle(part, row)

    def take_over(self, other: "Selection", hunk: Hunk, at: int) -> None:
        """Have a hunk cut, and lines of it out, as another one for the same texts has it.

        Args:
            at: See `parts`.
        """
        old = set(range(hunk.start, hunk.stop))
        new = set(range(at, at + len(hunk.new)))
        self._out_old = self._out_old - old | other._out_old & old
        self._out_new = self._out_new - new | other._out_new & new
        inside = {
            (i, j)
            for i, j in self._cuts | other._cuts
            if hunk.start <= i <= hunk.stop and at <= j <= at + len(new)
        }
        self._cuts = self._cuts - inside | other._cuts & inside

    def keep(self, parts: Iterable[HunkPart]) -> None:
        """Forget everything that is about no open hunk."""
        old = set[int]()
        new = set[int]()
        cuts = set[Cut]()
        for part in parts:
            hunk = part.hunk
            old |= self._out_old & set(range(hunk.start, hunk.stop))
            new |= self._out_new & set(range(part.at, part.at + len(hunk.new)))
            cuts |= self._cuts & {(hunk.start, part.at)}
        self._out_old = old
        self._out_new = new
        self._cuts = cuts

    def _part(self, hunk: Hunk, at: int) -> HunkPart:
        out = {line - hunk.start for line in self._out_old if hunk.start <= line < hunk.stop}
        out |= {
            line - at + len(hunk.old) for line in self._out_new if at <= line < at + len(hunk.new)
        }
        return HunkPart(hunk, at, frozenset(out))

    def _cuts_in(self, hunk: Hunk, at: int) -> list[Cut]:
        """The cuts inside a hunk, from its beginning; of two that cross, the upper one counts."""
        found: list[Cut] = []
        last = (0, 0)
        end = (len(hunk.old), len(hunk.new))
        for i, j in sorted((i - hunk.start, j - at) for i, j in self._cuts):
            if last[0] <= i <= end[0] and last[1] <= j <= end[1] and (i, j) not in {last, end}:
                found.append(last := (i, j))
        return found


def _moved_cuts(cuts: Iterable[Cut], move: Move) -> Iterator[Cut]:
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
