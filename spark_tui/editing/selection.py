"""What the user made of the open hunks: where they are cut into parts, and which of their lines are out.

A cut lies between two base lines and between two proposed lines. Lines and cuts are 0-based and follow both texts.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spark_tui.editing.headings import whole_file
from spark_tui.editing.hunks import Hunk, hunk_id
from spark_tui.editing.linediff import Change
from spark_tui.editing.pairing import Cut, finest, levels


@dataclass(frozen=True, slots=True)
class Part:
    """A hunk, or one of the parts it is cut into.

    Args: hunk: as it is shown. at: its first line in the proposal. out: the rows the user took out, counting its old
        lines, then its new ones.
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
        """What its old lines become when it is accepted: the lines that are out stay as they are."""
        hunk, out = self.hunk, self.out
        if not out:
            return hunk.new
        mixed: list[str] = []
        for olds, news in finest(hunk.old, hunk.new):
            mixed += [hunk.old[n] for n in range(olds.start, olds.stop) if n in out]
            mixed += [hunk.new[n] for n in range(news.start, news.stop) if n + len(hunk.old) not in out]
        return tuple(mixed)


@dataclass(frozen=True, slots=True)
class Move:
    """Base lines [i, i_end) and proposed lines [j, j_end) become others; `down`: lines more after them in each."""

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

    def parts(self, hunk: Hunk, at: int) -> list[Part]:
        """The parts of a hunk whose new lines begin at line `at` of the proposal."""
        cuts = [(0, 0), *self._cuts_in(hunk, at), (len(hunk.old), len(hunk.new))]
        if len(cuts) == 2:
            return [self._part(hunk, at)]
        parts: list[Part] = []
        for (i, j), (i_end, j_end) in pairwise(cuts):
            old, new = hunk.old[i:i_end], hunk.new[j:j_end]
            alike = sum((part.hunk.old, part.hunk.new) == (old, new) for part in parts)
            name = f"{hunk.id}.{hunk_id(0, old, new, alike)}"  # never one that another part had before
            parts.append(self._part(Hunk(name, hunk.start + i, old, new), at + j))
        return parts

    def split(self, hunk: Hunk, at: int) -> int:
        """Cut a hunk finer, or make it whole again when it is as fine as can be. Returns: how many parts it has now."""
        now = self._cuts_in(hunk, at)
        whole = whole_file(hunk.old, hunk.new)  # a file that comes or goes stays so
        ways = [] if whole else levels(hunk.old_lines, hunk.new_lines)
        finer = next((cuts for cuts in ways if len(cuts) > len(now)), ())
        self._cuts -= {(hunk.start + i, at + j) for i, j in now}
        self._cuts |= {(hunk.start + i, at + j) for i, j in finer}
        return len(finer) + 1

    def toggle(self, part: Part, row: int) -> None:
        """Take a row of a part out, or in again."""
        olds = len(part.hunk.old)
        if row < olds:
            self._out_old ^= {part.hunk.start + row}
        else:
            self._out_new ^= {part.at + row - olds}

    def follow(self, moves: Sequence[Move]) -> None:
        """Go along when base or proposal change; what was said of the changed lines themselves is forgotten."""
        for move in reversed(moves):
            self._cuts = set(_moved_cuts(self._cuts, move))
            self._out_old = set(_moved(self._out_old, move.i, move.i_end, move.down[0]))
            self._out_new = set(_moved(self._out_new, move.j, move.j_end, move.down[1]))

    def leave_out(self, start: int, part: Part) -> None:
        """What was accepted of a part stands in the base from line `start` on: all that differs there is out."""
        self._out_old |= set(range(start, start + len(part.taken)))
        self._out_new |= set(range(part.at, part.at + len(part.hunk.new)))

    def slide(self, before: Iterable[Part], now: Collection[Part]) -> None:
        """Of equal lines a difference may hold another one now: as many of them stay out as were."""
        lost = Counter(line for part in before for line in part.out_lines)
        lost -= Counter(line for part in now for line in part.out_lines)
        for part in now:
            for row, line in enumerate(part.signed):
                if row not in part.out and lost[line]:
                    lost[line] -= 1
                    self.toggle(part, row)

    def take_over(self, other: "Selection", hunk: Hunk, at: int) -> None:
        """Have a hunk cut, and lines of it out, as another one for the same texts has it. Args: at: see `parts`."""
        old, new = set(range(hunk.start, hunk.stop)), set(range(at, at + len(hunk.new)))
        self._out_old = self._out_old - old | other._out_old & old
        self._out_new = self._out_new - new | other._out_new & new
        inside = {
            (i, j) for i, j in self._cuts | other._cuts if hunk.start <= i <= hunk.stop and at <= j <= at + len(new)
        }
        self._cuts = self._cuts - inside | other._cuts & inside

    def keep(self, parts: Iterable[Part]) -> None:
        """Forget everything that is about no open hunk."""
        old, new, cuts = set[int](), set[int](), set[Cut]()
        for part in parts:
            hunk = part.hunk
            old |= self._out_old & set(range(hunk.start, hunk.stop))
            new |= self._out_new & set(range(part.at, part.at + len(hunk.new)))
            cuts |= self._cuts & {(hunk.start, part.at)}
        self._out_old, self._out_new, self._cuts = old, new, cuts

    def _part(self, hunk: Hunk, at: int) -> Part:
        out = {line - hunk.start for line in self._out_old if hunk.start <= line < hunk.stop}
        out |= {line - at + len(hunk.old) for line in self._out_new if at <= line < at + len(hunk.new)}
        return Part(hunk, at, frozenset(out))

    def _cuts_in(self, hunk: Hunk, at: int) -> list[Cut]:
        """The cuts inside a hunk, from its beginning; of two that cross, the upper one counts."""
        found: list[Cut] = []
        last, end = (0, 0), (len(hunk.old), len(hunk.new))
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
