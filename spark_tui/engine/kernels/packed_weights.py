"""Weights packed for the kernels, in memory that their loads are aligned to.

Memory for weights: in large pages where the system has them, as every page of a stream costs a
look-up.

Weights in the layouts of `tiles`: padded, rounded to so many bits, panels of 16 rows side by side.
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
_LARGE_PAGE = 1 << 21
_BLOCK = 64 << 20


class Arena:
    """Hands out memory that begins at a cache line, to any thread; it lives as long as any array of
    it.

    Mutable.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: npt.NDArray[np.uint8] = np.empty(0, np.uint8)

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        """So many bytes, of any value."""
        whole = -(-size // _LINE) * _LINE
        with self._lock:
            if whole > len(self._left):
                self._left = _block(max(whole, _BLOCK))
            taken = self._left[:size]
            self._left = self._left[whole:]
        return taken


def _block(size: int) -> npt.NDArray[np.uint8]:
    """Memory that begins at a large page."""
    if sys.platform == "linux" and hasattr(mmap, "MADV_HUGEPAGE"):
        mapped = mmap.mmap(-1, size + _LARGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        mapped.madvise(mmap.MADV_HUGEPAGE)
    else:
        mapped = mmap.mmap(-1, size + _LARGE_PAGE)
    whole = np.frombuffer(mapped, np.uint8)
    return whole[-whole.ctypes.data % _LARGE_PAGE :]


ByteArray = npt.NDArray[np.uint8]
_AT_ONCE = 1 << 18
"""Weights rounded at a time: few enough to stay in a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A matrix of `rows` x `inputs`, padded. `scales`: a row's, in 8 bits."""

    bits: int
    rows: int
    inputs: int
    data: ByteArray
    scales: FloatArray

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return self.data.nbytes + self.scales.nbytes

    def description(self) -> tuple[int, int, int, int, int]:
        """What compiled code needs: address, bytes of a unit, address of the scales, rows and
        inputs.
        """
        return (
            self.data.ctypes.data,
            unit_bytes(self.bits, self.inputs),
            self.scales.ctypes.data,
            self.rows,
            self.inputs,
        )


def padded(size: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-size // unit) * unit


def unit_bytes(bits: int, inputs: int) -> int:
    """The bytes a unit's rows take."""
    return {8: inputs * UNIT, 4: inputs // GROUP * FOURS, 32: inputs * UNIT * 4}[bits]


def room_for(shape: tuple[int, ...], bits: int, arena: Arena, stack: int = 1) -> Packed:
    """A matrix to be filled.

    Args:
        shape: (N, K) of one.
        stack: How many, one below the other.
    """
    rows = stack * padded(shape[0], UNIT)
    inputs = padded(shape[1], GROUP)
    data = arena.take(rows // UNIT * unit_bytes(bits, inputs))
    return Packed(bits, rows, inputs, data, np.zeros(rows if bits == 8 else 0, np.float32))


def pack(matrix: Rows, bits: int, arena: Arena) -> Packed:
    """Args:
    matrix: (N, K).
    bits: 4, 8 or 32.
    arena: What the weights are put into.
    """
    packed = room_for(matrix.shape, bits, arena)
    fill(packed, matrix)
    return packed


def fill(packed: Packed, matrix: Rows, number: int = 0) -> None:
    """Put a matrix into its room.

    Args:
        number: Its place in a stack of such matrices.
    """
    rows = padded(matrix.shape[0], UNIT)
    inputs = packed.inputs
    bits = packed.bits
    step = unit_bytes(bits, inputs)
    data = packed.data[number * rows // UNIT * step : (number + 1) * rows // UNIT * step]
    scales = packed.scales[number * rows : (number + 1) * rows]
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


def _padded(given: FloatArray, rows: int, inputs: int) -> FloatArray:
    if given.shape == (rows, inputs) and given.flags.c_contiguous:
        return given
    part = np.zeros((rows, inputs), np.float32)
    part[: len(given), : given.shape[1]] = given
    return part


def _round(part: FloatArray, place: ByteArray, scales: FloatArray, bits: int) -> None:
    work = np.empty(UNIT * part.shape[1], np.uint8)
    given, work_at, out, scales_at = (each.ctypes.data for each in (part, work, place, scales))
    round_units(given, len(part) // UNIT, part.shape[1], work_at, out, scales_at, bits)


def _four(part: FloatArray, place: ByteArray) -> None:
    """Each 32 weights are steps from -8 to 7 of a size that gives the largest of them exactly:
    ggml's Q4_0.
    """
    groups = part.shape[1] // GROUP
    scales = np.empty((len(part), part.shape[1] // BLOCK), np.float32)
    _round(part, place, scales, 4)
    halves = (
        scales.astype(np.float16)
        .reshape(-1, PANELS, PANEL, groups, GROUP // BLOCK)
        .transpose(0, 3, 1, 4, 2)
    )
    marks = np.ascontiguousarray(halves).view(np.uint8).reshape(-1, groups, ROW)
    place.reshape(-1, groups, FOURS)[:, :, :ROW] = marks


def _floats(part: FloatArray) -> ByteArray:
    units = part.reshape(-1, PANELS, PANEL, part.shape[1]).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(units).view(np.uint8).reshape(-1)


@dataclass(frozen=True, slots=True)
class Stacked:
    """Matrices one below the other, rows of zeros behind each. `starts`: where each begins."""

    parts: Sequence[Rows]
    starts: Sequence[int]
    shape: tuple[int, int]

    def __getitem__(self, wanted: slice) -> FloatArray:
        first, last, _ = wanted.indices(self.shape[0])
        for part, start in zip(self.parts, self.starts, strict=True):
            if start <= first and last <= start + part.shape[0]:
                return part[first - start : last - start]
        found = np.zeros((last - first, self.shape[1]), np.float32)
        for part, start in zip(self.parts, self.starts, strict=True):
            top = max(first, start)
            bottom = min(last, start + part.shape[0])
            if top < bottom:
                found[top - first : bottom - first] = part[top - start : bottom - start]
        return found
