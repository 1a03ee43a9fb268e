"""Pack weights into the layouts of `tiles`: padded, rounded, panels of 16 rows side by side.

The memory of packed weights is in large pages where the system has them, because every page of a
stream costs a look-up.
"""

import mmap
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.kernels.tiles import BLOCK, FOURS, GROUP, PANEL, PANELS, ROW, UNIT
from spark_tui.engine.kernels.unpack import round_units

_LINE = 64
"""Bytes of a cache line, at which each matrix begins."""
_LARGE_PAGE = 1 << 21
"""Bytes of a large page; the processor's memory of recent pages reaches much further with these."""
_BLOCK = 64 << 20
"""Bytes that an arena asks the system for at once."""


class Arena:
    """Hands out memory that begins at a cache line, to any thread.

    The system gets a block of memory back once no array in it is left.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: npt.NDArray[np.uint8] = np.empty(0, np.uint8)

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        """Return an array of bytes, whose values are undefined."""
        whole = -(-size // _LINE) * _LINE
        with self._lock:
            if whole > len(self._left):
                # What was left of the block before is given up, at most one matrix's worth.
                self._left = _block(max(whole, _BLOCK))
            taken = self._left[:size]
            self._left = self._left[whole:]
        return taken


def _block(size: int) -> npt.NDArray[np.uint8]:
    """Return memory that begins at a large page."""
    # One page more than asked for, so that a large page begins within the first one. Private,
    # because Linux rarely gives large pages to shared memory, which is Python's default.
    if sys.platform == "linux" and hasattr(mmap, "MADV_HUGEPAGE"):
        mapped = mmap.mmap(-1, size + _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        mapped.madvise(mmap.MADV_HUGEPAGE)
    else:
        mapped = mmap.mmap(-1, size + _LARGE_PAGE)
    whole = np.frombuffer(mapped, np.uint8)
    return whole[-whole.ctypes.data % _LARGE_PAGE :]


ByteArray = npt.NDArray[np.uint8]
_AT_ONCE = 1 << 18
"""Weights rounded at a time, few enough to stay in a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A padded and rounded matrix.

    Attributes:
        bits: The bits of a weight.
        rows: Its rows.
        inputs: Its columns.
        data: The weights.
        scales: The scales of the rows in 8 bits; empty in other bits.
    """

    bits: int
    rows: int
    inputs: int
    data: ByteArray
    scales: FloatArray

    @property
    def bytes(self) -> int:
        """The bytes of memory it takes."""
        return self.data.nbytes + self.scales.nbytes

    def description(self) -> tuple[int, int, int, int, int]:
        """Return the numbers that compiled code needs.

        Returns:
            The address, the bytes of a unit, the address of the scales, rows and inputs.
        """
        return (
            self.data.ctypes.data,
            unit_bytes(self.bits, self.inputs),
            self.scales.ctypes.data,
            self.rows,
            self.inputs,
        )


def padded(size: int, unit: int) -> int:
    """Return the next multiple of `unit`."""
    return -(-size // unit) * unit


def unit_bytes(bits: int, inputs: int) -> int:
    """Return the bytes of a unit, without scales that lie elsewhere."""
    if bits == 4:
        return inputs // GROUP * FOURS
    return inputs * UNIT * bits // 8


def room_for(shape: tuple[int, ...], bits: int, arena: Arena, stack: int = 1) -> Packed:
    """Return a matrix for `fill` to fill.

    Args:
        shape: (N, K) of one matrix.
        bits: The bits of a weight.
        arena: Gives the memory.
        stack: The number of matrices, one below the other.
    """
    rows = stack * padded(shape[0], UNIT)
    inputs = padded(shape[1], GROUP)
    data = arena.take(rows // UNIT * unit_bytes(bits, inputs))
    # Only weights of 8 bits have a scale a row: those of 4 bits have theirs among the data, those
    # of 32 bits have none.
    scaled_rows = rows if bits == 8 else 0
    scales = np.zeros(scaled_rows, np.float32)
    return Packed(bits, rows, inputs, data, scales)


def pack(matrix: Rows, bits: int, arena: Arena) -> Packed:
    """Pack a matrix.

    Args:
        matrix: (N, K).
        bits: The bits of a weight: 4, 8 or 32.
        arena: Gives the memory.
    """
    packed = room_for(matrix.shape, bits, arena)
    fill(packed, matrix)
    return packed


def fill(packed: Packed, matrix: Rows, number: int = 0) -> None:
    """Pack a matrix into its room.

    Args:
        packed: The room.
        matrix: (N, K).
        number: Its place in a stack of such matrices.
    """
    rows = padded(matrix.shape[0], UNIT)
    inputs = packed.inputs
    bits = packed.bits
    step = unit_bytes(bits, inputs)
    data = packed.data[number * rows // UNIT * step : (number + 1) * rows // UNIT * step]
    scales = packed.scales[number * rows : (number + 1) * rows]
    # Whole units, as many as stay in the cache between reading, rounding and writing.
    many = max(UNIT, _AT_ONCE // inputs // UNIT * UNIT)
    for first in range(0, rows, many):
        part = _padded(matrix[first : first + many], min(many, rows - first), inputs)
        place = data[first // UNIT * step : (first + len(part)) // UNIT * step]
        if bits == 8:
            _round(part, place, scales[first : first + len(part)], 8)
        elif bits == 4:
            _four(part, place)
        else:
            place[:] = _floats(part)


def _padded(part: FloatArray, rows: int, inputs: int) -> FloatArray:
    if part.shape == (rows, inputs) and part.flags.c_contiguous:
        return part
    filled = np.zeros((rows, inputs), np.float32)
    filled[: len(part), : part.shape[1]] = part
    return filled


def _round(part: FloatArray, place: ByteArray, scales: FloatArray, bits: int) -> None:
    work = np.empty(UNIT * part.shape[1], np.uint8)
    round_units(
        part.ctypes.data,
        len(part) // UNIT,
        part.shape[1],
        work.ctypes.data,
        place.ctypes.data,
        scales.ctypes.data,
        bits,
    )


def _four(part: FloatArray, place: ByteArray) -> None:
    """Round rows to 4 bits, as ggml's Q4_0 does.

    Every 32 weights share a scale and are steps from -8 to 7 of it. The scale is such that the
    largest of the 32 is exactly -8 steps.
    """
    groups = part.shape[1] // GROUP
    scales = np.empty((len(part), part.shape[1] // BLOCK), np.float32)
    _round(part, place, scales, 4)
    # `round_units` has left room in front of the weights of each group, for its scales: from
    # (units, panels, rows, groups, blocks) to (units, groups, panels, blocks, rows).
    halves = scales.astype(np.float16).reshape(-1, PANELS, PANEL, groups, GROUP // BLOCK)
    marks = np.ascontiguousarray(halves.transpose(0, 3, 1, 4, 2))
    place.reshape(-1, groups, FOURS)[:, :, :ROW] = marks.view(np.uint8).reshape(-1, groups, ROW)


def _floats(part: FloatArray) -> ByteArray:
    # (units, panels, rows, inputs) to (units, inputs, panels, rows): a tile reads on and on.
    units = part.reshape(-1, PANELS, PANEL, part.shape[1]).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(units).view(np.uint8).reshape(-1)


@dataclass(frozen=True, slots=True)
class Stacked:
    """Matrices one below the other, rows of zeros behind each.

    Attributes:
        parts: The matrices.
        starts: The row at which each begins.
        shape: Rows and columns of all.
    """

    parts: Sequence[Rows]
    starts: Sequence[int]
    shape: tuple[int, int]

    def __getitem__(self, rows: slice) -> FloatArray:
        # Rows within a single part need no copy.
        first, last, _ = rows.indices(self.shape[0])
        for part, start in zip(self.parts, self.starts, strict=True):
            if start <= first and last <= start + part.shape[0]:
                return part[first - start : last - start]
        stacked = np.zeros((last - first, self.shape[1]), np.float32)
        for part, start in zip(self.parts, self.starts, strict=True):
            top = max(first, start)
            bottom = min(last, start + part.shape[0])
            if top < bottom:
                stacked[top - first : bottom - first] = part[top - start : bottom - start]
        return stacked
