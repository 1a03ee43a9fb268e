"""Weights in the layouts of `tiles`: padded, rounded to so many bits, panels of 16 rows side by side."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kernels.arena import Arena
from spark_tui.engine.kernels.tiles import BLOCK, FOURS, GROUP, PANEL, PANELS, ROW

ByteArray = npt.NDArray[np.uint8]
_Item = TypeVar("_Item", np.uint8, np.float32)
UNIT = PANELS * PANEL
"""Rows of a unit; all matrices are padded to whole ones."""
BITS = (4, 8, 32)
_AT_ONCE = 1 << 24
"""Weights rounded at a time, which bounds the memory it takes."""


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
        """What compiled code needs: address, bytes of a unit, address of the scales, rows and inputs."""
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


def pack(matrix: FloatArray, bits: int, arena: Arena) -> Packed:
    """Args: matrix: (N, K). bits: 4, 8 or 32. arena: what the weights are put into."""
    rows, inputs = padded(matrix.shape[0], UNIT), padded(matrix.shape[1], GROUP)
    step = unit_bytes(bits, inputs)
    data = arena.take(rows // UNIT * step)
    scales = np.zeros(rows if bits == 8 else 0, np.float32)
    many = max(UNIT, _AT_ONCE // inputs // UNIT * UNIT)
    for first in range(0, rows, many):
        part = np.zeros((min(many, rows - first), inputs), np.float32)
        given = matrix[first : first + many]
        part[: len(given), : matrix.shape[1]] = given
        place = data[first // UNIT * step : (first + len(part)) // UNIT * step]
        if bits == 8:
            place[:], scales[first : first + len(part)] = _eight(part)
        else:
            place[:] = _four(part) if bits == 4 else _floats(part)
    return Packed(bits, rows, inputs, data, scales)


def _eight(part: FloatArray) -> tuple[ByteArray, FloatArray]:
    scales: FloatArray = np.abs(part).max(axis=1) / np.float32(127)
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales > 0)
    rounded = (np.rint(part * inverse[:, None]) + 128).astype(np.uint8)
    return _units(rounded, 4).reshape(-1), scales


def _four(part: FloatArray) -> ByteArray:
    """Each 32 weights are steps from -8 to 7 of a size that gives the largest of them exactly: ggml's Q4_0."""
    blocks = part.reshape(len(part), -1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
    scales = (largest / -8).astype(np.float32)
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales != 0)
    steps = np.clip(np.floor(blocks * inverse[:, :, None] + 8.5), 0, 15).astype(np.uint8)
    both = steps[:, :, : BLOCK // 2] | steps[:, :, BLOCK // 2 :] << 4
    groups = part.shape[1] // GROUP
    quads = both.reshape(-1, PANELS, PANEL, groups, GROUP // 8, 4).transpose(0, 3, 4, 1, 2, 5)
    halves = scales.astype(np.float16).reshape(-1, PANELS, PANEL, groups, GROUP // BLOCK).transpose(0, 3, 1, 4, 2)
    marks = np.ascontiguousarray(halves).view(np.uint8).reshape(-1, groups, ROW)
    return np.concatenate([marks, quads.reshape(-1, groups, FOURS - ROW)], axis=2).reshape(-1)


def _floats(part: FloatArray) -> ByteArray:
    return np.ascontiguousarray(_units(part, 1)).view(np.uint8).reshape(-1)


def _units(part: npt.NDArray[_Item], together: int) -> npt.NDArray[_Item]:
    """(N, K) -> [N/64][K/together][4 panels][16 rows][together]."""
    return part.reshape(-1, PANELS, PANEL, part.shape[1] // together, together).transpose(0, 3, 1, 2, 4)
