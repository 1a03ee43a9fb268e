"""A mesh of PEs as arrays: ready times, memory in use, colors, and words on every link.

The mesh runs in lockstep, without an event queue. A step moves words on all rows or on all columns
at once. Ready times follow by max-plus: the latest arrival that a PE waits for, plus the cycles
that the PE works. The fabric knows no values; `collectives` and `kernels` move these.
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
Cycles: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
Positions: TypeAlias = NDArray[np.intp]
Values: TypeAlias = NDArray[np.float32]
Axis: TypeAlias = Literal["rows", "columns"]
"""The lines of PEs that an operation runs along: all rows at once, or all columns."""

Kind = TypeVar("Kind", bound=np.generic)

DIRECTIONS = ("east", "west", "south", "north")
_DIRECTIONS_ALONG: dict[Axis, tuple[str, str]] = {
    "rows": ("east", "west"),
    "columns": ("south", "north"),
}
"""Axis -> the links to the next and to the previous position of a line."""


class MemoryLedger:
    """The bytes in use on every PE, by the name of what takes them.

    Args:
        rows: PE rows.
        columns: PE columns.
        sram: Bytes of each PE.
    """

    def __init__(self, rows: int, columns: int, sram: int) -> None:
        self.sram = sram
        self.used: Bytes = np.zeros((rows, columns), np.int64)
        self.entries: dict[str, Bytes] = {}

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Add bytes to the entry `name` on every PE, or give some of them back.

        Args:
            name: The entry, which may exist.
            size: Bytes, one number or (R, C); negative numbers give bytes back.

        Raises:
            UsageError: A PE has too little memory left; nothing is allocated.
        """
        added = np.broadcast_to(np.asarray(size, np.int64), self.used.shape)
        # Both are replaced, not changed in place: an error leaves them as they were.
        used = self.used + added
        entries = {**self.entries, name: self.entries.get(name, 0) + added}
        self._check(used, entries)
        self.used = used
        self.entries = entries

    def release(self, name: str) -> None:
        """Give back all bytes of an entry."""
        self.used = self.used - self.entries.pop(name)

    @contextmanager
    def held(self, name: str, size: int | Bytes) -> Iterator[None]:
        """Allocate a buffer for the duration of a block."""
        self.allocate(name, size)
        try:
            yield
        finally:
            self.release(name)

    def _check(self, used: Bytes, entries: dict[str, Bytes]) -> None:
        fullest = int(used.argmax())
        if used.flat[fullest] <= self.sram:
            return
        row, column = divmod(fullest, used.shape[1])
        sizes = {name: size[row, column] for name, size in entries.items()}
        parts = ", ".join(f"{name} {size:,}" for name, size in sizes.items() if size)
        raise UsageError(
            f"PE ({row}, {column}) needs {used.flat[fullest]:,} of {self.sram:,} bytes: {parts}; "
            "take a larger grid"
        )


@dataclass(frozen=True, slots=True)
class Traffic:
    """Words along one line of P PEs, by position, for each word of a step or of a collective.

    Attributes:
        sent: Words that a PE sends, (P,); a multicast counts once for each PE that receives it.
        received: Words that a PE receives, (P,).
        ahead: Change of the words on the link to the next position, against the link before, (P,).
        back: The same for the links to the previous position, (P,).
    """

    sent: Counts
    received: Counts
    ahead: Counts
    back: Counts

    @classmethod
    def of(cls, size: int, targets: Positions, sources: Sequence[Positions]) -> "Traffic":
        """Count one step, in which every target receives a word from each of its sources.

        Args:
            size: P.
            targets: The receiving positions.
            sources: Arrays beside `targets`.
        """
        # Loads are kept as changes from one link to the next, so that a route of any length takes
        # two additions. A route to the last position ends behind it: a further entry takes that
        # change.
        padded = cls(
            sent=np.zeros(size + 1, np.int64),
            received=np.zeros(size + 1, np.int64),
            ahead=np.zeros(size + 1, np.int64),
            back=np.zeros(size + 1, np.int64),
        )
        for starts in sources:
            padded._add(starts, targets)
        return cls(padded.sent[:-1], padded.received[:-1], padded.ahead[:-1], padded.back[:-1])

    def _add(self, starts: Positions, ends: Positions) -> None:
        np.add.at(self.sent, starts, 1)
        np.add.at(self.received, ends, 1)
        # Onward, the links from the start to the position before the end carry the word; back, the
        # links from the start down to the position after the end.
        onward = ends > starts
        np.add.at(self.ahead, starts[onward], 1)
        np.add.at(self.ahead, ends[onward], -1)
        np.add.at(self.back, ends[~onward] + 1, 1)
        np.add.at(self.back, starts[~onward] + 1, -1)

    def __add__(self, other: "Traffic") -> "Traffic":
        return Traffic(
            sent=self.sent + other.sent,
            received=self.received + other.received,
            ahead=self.ahead + other.ahead,
            back=self.back + other.back,
        )

    @property
    def loads(self) -> tuple[Counts, Counts]:
        """Words on the link from each position to the next, and to the previous."""
        return np.cumsum(self.ahead), np.cumsum(self.back)


@dataclass(frozen=True, slots=True)
class Link:
    """A link and its load.

    Attributes:
        row: Row of the PE whose router feeds the link.
        column: Column of this PE.
        direction: One of `DIRECTIONS`.
        words: Words carried so far.
    """

    row: int
    column: int
    direction: str
    words: int


@dataclass(frozen=True, slots=True)
class PhaseSpan:
    """A named phase of a run, from one cycle to another."""

    name: str
    start: float
    end: float

    @property
    def cycles(self) -> float:
        """Duration in cycles."""
        return self.end - self.start


class Fabric:
    """R x C PEs that run a program.

    Args:
        rows: PE rows.
        columns: PE columns.
        sram: Bytes of each PE.
        lanes: fp16 multiply-adds per PE and cycle.
        code: Bytes on every PE for code and stack.

    Attributes:
        ready: The cycle at which each PE is ready, (R, C).
        sent: Words that each PE has sent, (R, C).
        received: Words that each PE has received, (R, C).
        ledger: Memory in use.
        colors: Route -> its path, in words for people.
        phases: Finished phases, in the order in which they ended.

    Raises:
        UsageError: The memory is smaller than the code.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        *,
        sram: int = 48 * 1024,
        lanes: int = 4,
        code: int = CODE_RESERVE,
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.lanes = lanes
        self.ready: Cycles = np.zeros((rows, columns))
        self.sent: Counts = np.zeros((rows, columns), np.int64)
        self.received: Counts = np.zeros((rows, columns), np.int64)
        self.ledger = MemoryLedger(rows, columns, sram)
        self.colors: dict[str, str] = {}
        self.phases: list[PhaseSpan] = []
        self._loads = self._zeros_by_direction()
        # Changes of load along a line; their running sum is taken once a phase, not once a step.
        self._changes = self._zeros_by_direction()
        self.allocate("code", code)

    def _zeros_by_direction(self) -> dict[str, Counts]:
        return {name: np.zeros((self.rows, self.columns), np.int64) for name in DIRECTIONS}

    @property
    def now(self) -> float:
        """The cycle at which the last PE is ready."""
        return float(self.ready.max())

    @property
    def memory(self) -> Bytes:
        """Bytes in use, (R, C)."""
        return self.ledger.used

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Allocate bytes on every PE; see `MemoryLedger.allocate`.

        Raises:
            UsageError: A PE, which the message names, has too little memory left.
        """
        self.ledger.allocate(name, size)

    def color(self, name: str, path: str) -> None:
        """Reserve a color on every PE for a route; a known route keeps its color.

        Raises:
            UsageError: A PE, which the message names, has no color left.
        """
        usable = COLORS - len(RESERVED_COLORS)
        if name not in self.colors and len(self.colors) == usable:
            raise UsageError(
                f"PE (0, 0) has no color left for {name!r}: {', '.join(self.colors)} take all of "
                f"its {usable} ({len(RESERVED_COLORS)} of {COLORS} are for I/O)"
            )
        self.colors[name] = path

    def lines(self, array: NDArray[Kind], axis: Axis) -> NDArray[Kind]:
        """View an (R, C, ...) array with the lines of `axis` first and positions second.

        Raises:
            ShapeError: The array is not laid out over this mesh.
        """
        mesh = (self.rows, self.columns)
        if array.shape[:2] != mesh:
            raise ShapeError(f"an array over {array.shape[:2]} PEs on a mesh of {mesh}")
        if axis == "rows":
            return array
        return array.swapaxes(0, 1)

    def length(self, axis: Axis) -> int:
        """Return the number of PEs in each line."""
        if axis == "rows":
            return self.columns
        return self.rows

    def compute(self, cycles: float | Cycles) -> None:
        """Let all PEs compute.

        Args:
            cycles: One number, or (R, C).
        """
        self.ready += cycles

    def step(
        self, axis: Axis, targets: Positions, sources: Sequence[Positions], cost: float
    ) -> None:
        """Run one step on every line: each target waits for all its sources, then works.

        Only ready times change; `count` books the words.

        Args:
            axis: The lines.
            targets: Receiving positions, all different.
            sources: Sending positions, arrays beside `targets`.
            cost: Cycles that each target works.
        """
        ready = self.lines(self.ready, axis)
        # A copy: all targets are computed from the times before the step.
        start = ready[:, targets]
        for source in sources:
            arrival = ready[:, source] + HOP * abs(targets - source)
            np.maximum(start, arrival, out=start)
        ready[:, targets] = start + cost

    def count(self, axis: Axis, traffic: Traffic, words: int | Counts) -> None:
        """Book words that were sent, received and carried by each link.

        Args:
            axis: The lines.
            traffic: Of one word on a line.
            words: How many words, one number or (lines, 1).
        """
        ahead, back = _DIRECTIONS_ALONG[axis]
        self.lines(self.sent, axis)[:] += traffic.sent * words
        self.lines(self.received, axis)[:] += traffic.received * words
        self.lines(self._changes[ahead], axis)[:] += traffic.ahead * words
        self.lines(self._changes[back], axis)[:] += traffic.back * words

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Record the block as a phase."""
        start = self.now
        yield
        self._settle_loads()
        self.phases.append(PhaseSpan(name, start, self.now))

    def cycles_by_phase(self) -> dict[str, float]:
        """Add up the cycles of all phases of the same name, in order of first appearance."""
        totals: dict[str, float] = {}
        for span in self.phases:
            totals[span.name] = totals.get(span.name, 0.0) + span.cycles
        return totals

    @property
    def links(self) -> dict[str, Counts]:
        """Direction -> words that each router has put on its link in this direction, (R, C)."""
        self._settle_loads()
        return self._loads

    def busiest_links(self, count: int = 5) -> list[Link]:
        """Return the links with the most words, the busiest first."""
        loads = np.stack(list(self.links.values()))
        order = np.argsort(-loads, axis=None, kind="stable")[:count]
        links = []
        for index in order:
            direction, row, column = np.unravel_index(index, loads.shape)
            words = int(loads[direction, row, column])
            links.append(Link(int(row), int(column), DIRECTIONS[direction], words))
        return links

    def _settle_loads(self) -> None:
        for axis, directions in _DIRECTIONS_ALONG.items():
            array_axis = 1 if axis == "rows" else 0
            for direction in directions:
                changes = self._changes[direction]
                if changes.any():
                    self._loads[direction] += np.cumsum(changes, axis=array_axis)
                    changes[:] = 0
