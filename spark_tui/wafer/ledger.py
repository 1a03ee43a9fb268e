"""What each PE has room for: bytes of its memory and routing colors. Both refuse what does not fit; neither clamps."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import UsageError
from spark_tui.wafer.constants import COLORS, RESERVED_COLORS

Bytes: TypeAlias = NDArray[np.int64]
Rectangle: TypeAlias = tuple[slice, slice]

EVERYWHERE: Rectangle = (slice(None), slice(None))
"""All PEs of a fabric."""

_MOST = 1 << 40
"""Bytes that may be asked for: more than any PE has, and few enough to be added up."""
USABLE_COLORS = tuple(color for color in range(COLORS) if color not in RESERVED_COLORS)
"""Colors that programs may route on."""


class Memory:
    """The bytes every PE holds, entry by entry. Args: rows, columns: of PEs. sram: bytes of each."""

    def __init__(self, rows: int, columns: int, sram: int) -> None:
        self.sram = sram
        self.used: Bytes = np.zeros((rows, columns), np.int64)
        self.entries: dict[str, Bytes] = {}

    def allocate(self, name: str, size: int | Bytes) -> None:
        """Give `name` so many bytes on every PE, beside what it has, or take some of these back.

        Args: size: bytes, one number or (R, C); negative takes back.
        Raises: UsageError: a PE has too few left; nothing is allocated. ValueError: `name` would have fewer than none,
            or they are no number of bytes.
        """
        sizes = np.asarray(size)
        if sizes.dtype.kind not in "iu" or (sizes > _MOST).any() or (sizes < -self.entries.get(name, 0)).any():
            raise ValueError(f"{name}: a PE is given up to {_MOST:,} whole bytes, or gives some of its own back")
        more = np.broadcast_to(sizes.astype(np.int64), self.used.shape)
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


@dataclass(frozen=True, slots=True)
class Route:
    """A color in use. Args: color: its number. path: where its wavelets go, in words. region: the PEs that route it."""

    color: int
    path: str
    region: Rectangle


class Colors:
    """The colors every PE routes, as bit masks, and the routes they stand for."""

    def __init__(self, rows: int, columns: int) -> None:
        self.mask = np.zeros((rows, columns), np.uint32)
        self.routes: dict[str, Route] = {}

    def take(self, name: str, path: str = "", region: Rectangle = EVERYWHERE) -> int:
        """A color for a route of this name: the one it has, or the lowest that is free on the whole region.

        Raises: UsageError: a PE of the region routes all its colors already.
        """
        if name in self.routes:
            return self.routes[name].color
        taken = int(np.bitwise_or.reduce(self.mask[region], axis=None))
        color = next((color for color in USABLE_COLORS if not taken >> color & 1), None)
        if color is None:
            raise UsageError(self._too_many(name, region))
        self.mask[region] |= np.uint32(1 << color)
        self.routes[name] = Route(color, path, region)
        return color

    def release(self, name: str) -> None:
        """Free the color of a route."""
        route = self.routes.pop(name)
        self.mask[route.region] &= ~np.uint32(1 << route.color)

    @property
    def most(self) -> int:
        """Colors of the PE that routes the most."""
        return int(np.bitwise_count(self.mask).max())

    def _too_many(self, name: str, region: Rectangle) -> str:
        counts = np.zeros(self.mask.shape, np.int64)
        counts[region] = np.bitwise_count(self.mask[region]) + 1
        row, column = divmod(int(counts.argmax()), counts.shape[1])
        names = ", ".join([*(had for had, route in self.routes.items() if self._holds(route, row, column)), name])
        return (
            f"PE ({row}, {column}) has no color left for {name!r} that its region shares: it needs "
            f"{counts[row, column]} of {len(USABLE_COLORS)} colors ({len(RESERVED_COLORS)} of {COLORS} are for "
            f"I/O): {names}"
        )

    def _holds(self, route: Route, row: int, column: int) -> bool:
        rows, columns = self.mask.shape
        return row in range(rows)[route.region[0]] and column in range(columns)[route.region[1]]
