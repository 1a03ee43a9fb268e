"""A mesh of PEs as arrays: when each is ready, what it holds, and how many words went over each link.

Everything runs in lockstep, without an event queue: a step moves words on all rows or all columns at once, and ready
times follow by max-plus. Which values the words carry is the business of `collectives` and the kernels.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer.constants import CODE_RESERVE, COLORS, HOP, RESERVED_COLORS

Bytes: TypeAlias = NDArray[np.int64]


class Memory:
    """The bytes every PE holds, entry by entry. Args: rows, columns: of PEs. sram: bytes of each."""

    def __init__(self, rows: int, columns: int, sram: int) -> None:
        self.sram = sram
        self.used: Bytes = np.zeros((rows, columns), np.int64)
        self.entries: dict[str, Bytes] = {}

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Give `name` so many bytes on every PE, beside what it has, or take some of these back.

        Args: size: bytes, one number or (R, C); negative takes back.
        Raises: UsageError: a PE has too few left; nothing is allocated.
        """
        more = np.broadcast_to(np.asarray(size, np.int64), self.used.shape)
        entries = self.entries | {name: self.entries.get(name, 0) + more}
        self._check(self.used + more, entries)
        self.used, self.entries = self.used + more, entries

    def release(self, name: str) -> None:
        """Take back everything `name` has."""
        self.used = self.used - self.entries.pop(name)

    @contextmanager
    def held(self, name: str, size: int | Bytes) -> Iterator[None]:
        """Allocate a buffer for as long as the block runs."""
        self.allocate(name, size)
        try:
            yield
        finally:
            self.release(name)

    def _check(self, needed: Bytes, entries: dict[str, Bytes]) -> None:
        worst = int(needed.argmax())
        if needed.flat[worst] <= self.sram:
            return
        row, column = divmod(worst, needed.shape[1])
        parts = ", ".join(f"{name} {held[row, column]:,}" for name, held in entries.items() if held[row, column])
        raise UsageError(
            f"PE ({row}, {column}) needs {needed.flat[worst]:,} of {self.sram:,} bytes: {parts}; take a larger grid"
        )


Cycles: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.intp]
Values: TypeAlias = NDArray[np.float32]
Axis: TypeAlias = Literal["rows", "columns"]
"""On which lines of PEs something runs: within all rows at once, or within all columns."""

Kind = TypeVar("Kind", bound=np.generic)

DIRECTIONS = ("east", "west", "south", "north")


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one line of P PEs does for every word of a step or of a whole collective, by position.

    Args: sent, received: words; a multicast counts once for each PE that takes it.
        ahead, back: words that enter less words that leave the links to the next (previous) position, (P,).
    """

    sent: Counts
    received: Counts
    ahead: Counts
    back: Counts

    @classmethod
    def of(cls, size: int, targets: Positions, sources: Sequence[Positions]) -> "Traffic":
        """The traffic of one step: every target takes a word from each of its sources."""
        total = cls(*(np.zeros(size + 1, np.int64) for _ in range(4)))
        for starts in sources:
            total._add(starts, targets)
        return cls(total.sent[:-1], total.received[:-1], total.ahead[:-1], total.back[:-1])

    def _add(self, starts: Positions, ends: Positions) -> None:
        np.add.at(self.sent, starts, 1)
        np.add.at(self.received, ends, 1)
        onward = ends > starts
        np.add.at(self.ahead, starts[onward], 1)
        np.add.at(self.ahead, ends[onward], -1)
        np.add.at(self.back, ends[~onward] + 1, 1)
        np.add.at(self.back, starts[~onward] + 1, -1)

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def loads(self) -> tuple[Counts, Counts]:
        """Words on the link from each position to the next, and to the previous."""
        return np.cumsum(self.ahead), np.cumsum(self.back)


@dataclass(frozen=True, slots=True)
class Link:
    """A link and its load. Args: row, column: the PE whose router feeds it. words: carried so far."""

    row: int
    column: int
    direction: str
    words: int


@dataclass(frozen=True, slots=True)
class Phase:
    """A named stretch of a run. Args: start, end: cycles."""

    name: str
    start: float
    end: float

    @property
    def cycles(self) -> float:
        """How long it took."""
        return self.end - self.start


class Fabric:
    """R x C PEs. `phases`: of the run, in the order they ended. `colors`: the routes in use, and their paths in words.

    Args: rows, columns: of PEs. sram: bytes of a PE. lanes: fp16 multiply-adds a PE and cycle. code: bytes set aside
        on every PE for code and stack.
    Raises: UsageError: less memory than the code takes.
    """

    def __init__(
        self, rows: int, columns: int, *, sram: int = 48 * 1024, lanes: int = 4, code: int = CODE_RESERVE
    ) -> None:
        self.rows, self.columns, self.lanes = rows, columns, lanes
        self.ready: Cycles = np.zeros((rows, columns))
        self.sent: Counts = np.zeros((rows, columns), np.int64)
        self.received: Counts = np.zeros((rows, columns), np.int64)
        self.ledger = Memory(rows, columns, sram)
        self.colors: dict[str, str] = {}
        self.phases: list[Phase] = []
        self._loads = {direction: np.zeros((rows, columns), np.int64) for direction in DIRECTIONS}
        self._changes = {direction: np.zeros((rows, columns), np.int64) for direction in DIRECTIONS}
        self.allocate("code", code)

    @property
    def now(self) -> float:
        """Cycles until the last PE is ready."""
        return float(self.ready.max())

    @property
    def memory(self) -> Bytes:
        """Bytes in use, (R, C)."""
        return self.ledger.used

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Give `name` bytes on every PE. Raises: UsageError: names the PE that has too few left."""
        self.ledger.allocate(name, size)

    def color(self, name: str, path: str) -> None:
        """Have a color of every PE for a route. Raises: UsageError: names a PE that has none left."""
        usable = COLORS - len(RESERVED_COLORS)
        if name not in self.colors and len(self.colors) == usable:
            raise UsageError(
                f"PE (0, 0) has no color left for {name!r}: {', '.join(self.colors)} take all of its {usable} "
                f"({len(RESERVED_COLORS)} of {COLORS} are for I/O)"
            )
        self.colors[name] = path

    def lines(self, array: NDArray[Kind], axis: Axis) -> NDArray[Kind]:
        """A view of an (R, C, ...) array with lines first and positions along them second."""
        if array.shape[:2] != (self.rows, self.columns):
            raise ShapeError(f"an array over {array.shape[:2]} PEs on a mesh of {(self.rows, self.columns)}")
        return array if axis == "rows" else array.swapaxes(0, 1)

    def length(self, axis: Axis) -> int:
        """PEs in each line."""
        return self.columns if axis == "rows" else self.rows

    def compute(self, cycles: float | Cycles) -> None:
        """All PEs calculate. Args: cycles: one number, or (R, C)."""
        self.ready += cycles

    def step(self, axis: Axis, targets: Positions, sources: Sequence[Positions], cost: float) -> None:
        """One step of words along every line: each target waits for all its sources, then spends `cost` cycles.

        Args: targets: different positions. sources: arrays beside `targets`. Ready times only; see `count`.
        """
        ready = self.lines(self.ready, axis)
        start = ready[:, targets]
        for source in sources:
            np.maximum(start, ready[:, source] + HOP * abs(targets - source), out=start)
        ready[:, targets] = start + cost

    def count(self, axis: Axis, traffic: Traffic, words: int | Counts) -> None:
        """Book the words of steps on every line: sent, received, on each link. Args: words: or (lines, 1)."""
        ahead, back = DIRECTIONS[:2] if axis == "rows" else DIRECTIONS[2:]
        self.lines(self.sent, axis)[:] += traffic.sent * words
        self.lines(self.received, axis)[:] += traffic.received * words
        self.lines(self._changes[ahead], axis)[:] += traffic.ahead * words
        self.lines(self._changes[back], axis)[:] += traffic.back * words

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Enter what the block does into the time line, and its words into the loads of the links."""
        start = self.now
        yield
        self._settle()
        self.phases.append(Phase(name, start, self.now))

    def cycles_by_phase(self) -> dict[str, float]:
        """Cycles spent in all phases of each name, in order of first appearance."""
        totals: dict[str, float] = {}
        for phase in self.phases:
            totals[phase.name] = totals.get(phase.name, 0.0) + phase.cycles
        return totals

    @property
    def links(self) -> dict[str, Counts]:
        """Words each router has put on its link to the east, west, south and north, (R, C) each."""
        self._settle()
        return self._loads

    def busiest_links(self, count: int = 5) -> list[Link]:
        """The links with the most words, the busiest first."""
        loads = np.stack(list(self.links.values()))
        order = np.argsort(-loads, axis=None, kind="stable")[:count]
        places = zip(*np.unravel_index(order, loads.shape), strict=True)
        return [Link(int(r), int(c), DIRECTIONS[d], int(loads[d, r, c])) for d, r, c in places]

    def _settle(self) -> None:
        for direction, changes in self._changes.items():
            if changes.any():
                self._loads[direction] += np.cumsum(changes, axis=1 if direction in DIRECTIONS[:2] else 0)
                changes[:] = 0
