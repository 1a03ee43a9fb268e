"""The number formats of GGUF tensors: how their bytes become float32 values, and back.

Every format in `ENCODINGS` is read. F32, F16, Q8_0 and Q4_0 are written, too.

A quantised format stores a tensor as blocks of a fixed size. A block holds scales in half precision
and small whole numbers packed into bytes; every 16 consecutive numbers are packed alike. A
`BlockLayout` describes the packing as data, so that two programs can follow the same description:
numpy in this module, compiled code in `kernels/blocks.py`.

Source: the block layouts of ggml-common.h and the reference quantisers of ggml-quants.c,
ggml-org/llama.cpp.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray

Bytes = npt.NDArray[np.uint8]
RUN = 16
"""Consecutive numbers of a block that are packed alike; also the width of a compiled vector."""
_CHUNK = 1 << 9
"""Blocks unpacked at a time: intermediate arrays stay small and reuse memory the process has."""


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Where the numbers of a block lie, and what values they stand for.

    Attributes:
        runs: (R, 7) int32, a row for every 16 numbers. The first three columns are the byte with
            the low bits of the first number, how far up in the byte these bits lie, and their
            mask. The next three are the same for the bits from the fifth on. The last column is 1
            where each number has a single fifth bit, all 16 of them packed into two bytes.
        flip: The bits of a number to invert after unpacking.
        zero: The number that stands for 0.
        scales: Returns the scales of equal parts of blocks, (blocks, parts), and the offsets to add
            to their values, of the same shape, or None.
        steps: (16,) int8, the values that the sixteen numbers stand for; None where a value is the
            number less `zero`.
    """

    runs: npt.NDArray[np.int32]
    flip: int
    zero: int
    scales: Callable[[Bytes], tuple[FloatArray, FloatArray | None]]
    steps: npt.NDArray[np.int8] | None = None


Unpack = Callable[[BlockLayout, Bytes, FloatArray], None]
"""Puts the values of blocks, (blocks, bytes), into an array, (blocks, items)."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A number format.

    Attributes:
        name: The format's name in ggml.
        items: The number of values in a block.
        bytes: The number of bytes in a block.
        layout: The layout of a block, or a function that widens plain numbers to float32.
    """

    name: str
    items: int
    bytes: int
    layout: BlockLayout | Callable[[Bytes], FloatArray]

    def bytes_of(self, count: int) -> int:
        """Return the bytes that values take.

        Args:
            count: The number of values, a multiple of `items`.
        """
        return count // self.items * self.bytes


def dequantise(
    encoding: Encoding, data: Bytes | memoryview | bytes, unpack: Unpack | None = None
) -> FloatArray:
    """Return all values of a tensor, finite or not.

    Args:
        encoding: The number format.
        data: Whole blocks.
        unpack: Unpacks blocks; None for numpy.

    Returns:
        (blocks * items,) float32, memory of its own.
    """
    blocks = np.frombuffer(data, np.uint8).reshape(-1, encoding.bytes)
    layout = encoding.layout
    # A damaged file may hold any bits as a scale. Callers refuse values that are not finite, with
    # the name of the tensor; a warning of numpy would only be noise on the screen.
    with np.errstate(invalid="ignore", over="ignore"):
        if not isinstance(layout, BlockLayout):
            return layout(blocks).reshape(-1)
        values = np.empty((len(blocks), encoding.items), np.float32)
        (unpack or unpack_blocks)(layout, blocks, values)
    return values.reshape(-1)


def unpack_blocks(layout: BlockLayout, blocks: Bytes, values: FloatArray) -> None:
    """Unpack blocks with numpy; see `Unpack`."""
    for start in range(0, len(blocks), _CHUNK):
        part = blocks[start : start + _CHUNK]
        scales, offsets = layout.scales(part)
        runs = values[start : start + _CHUNK].reshape(len(part), -1, RUN)
        parts = scales.shape[1]
        for number, run in enumerate(layout.runs):
            # Several runs may share a scale: both runs of a block of 32, two runs in Q4_K and Q5_K.
            scale = scales[:, number * parts // len(layout.runs), None]
            np.multiply(_numbers(layout, part, run.tolist()), scale, out=runs[:, number])
        if offsets is not None:
            runs.reshape(len(part), parts, -1)[...] += offsets[..., None]


def _numbers(layout: BlockLayout, blocks: Bytes, run: list[int]) -> FloatArray:
    """Return the numbers of a run, (blocks, 16), as multiples of their scale."""
    codes = _codes(blocks, *run)
    if layout.steps is not None:
        return layout.steps[codes].astype(np.float32)
    numbers: FloatArray = (codes ^ np.uint8(layout.flip)).astype(np.float32)
    if layout.zero:
        numbers -= layout.zero
    return numbers


def _codes(
    blocks: Bytes,
    low: int,
    low_up: int,
    low_mask: int,
    high: int,
    high_up: int,
    high_mask: int,
    is_bits: int,
) -> Bytes:
    """Return the bits of the 16 numbers of a run; the arguments are a row of `BlockLayout.runs`."""
    codes: Bytes = blocks[:, low : low + RUN] >> np.uint8(low_up) & np.uint8(low_mask)
    # The low bits are four wherever there are high ones, so the high ones move up by four.
    if is_bits:
        fifths = np.unpackbits(blocks[:, high : high + RUN // 8], axis=1, bitorder="little")
        return codes | fifths << np.uint8(4)
    if high_mask:
        upper = blocks[:, high : high + RUN] >> np.uint8(high_up) & np.uint8(high_mask)
        codes |= upper << np.uint8(4)
    return codes


def quantise_q8_0(values: FloatArray) -> Bytes:
    """Encode 32 values as int8 and a scale, rounded half away from zero, as llama.cpp does.

    Args:
        values: A multiple of 32 values.
    """
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    exact = blocks * _inverse(scale)
    # Numpy itself rounds halves to even numbers.
    whole = np.trunc(exact)
    rounded = whole + np.trunc(2 * (exact - whole))
    scale_bytes = scale.astype(np.float16).view(np.uint8)
    return np.hstack([scale_bytes, rounded.astype(np.int8).view(np.uint8)])


def quantise_q4_0(values: FloatArray) -> Bytes:
    """Encode 32 values as four-bit numbers and a scale that makes the largest value -8.

    Args:
        values: A multiple of 32 values.
    """
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1, keepdims=True), axis=1)
    scale = largest / np.float32(-8)
    # Adding 8.5 and cutting off rounds to the nearest of -8 to 7, kept as 0 to 15. A value as large
    # as the largest, but of the other sign, would become 16: one more than four bits hold.
    codes = np.minimum((blocks * _inverse(scale) + np.float32(8.5)).astype(np.uint8), 15)
    scale_bytes = scale.astype(np.float16).view(np.uint8)
    return np.hstack([scale_bytes, codes[:, :16] | codes[:, 16:] << 4])


def _inverse(scale: FloatArray) -> FloatArray:
    # A block of zeros has the scale 0; with the inverse 0 its numbers become 0 as well.
    with np.errstate(divide="ignore", over="ignore"):
        inverse: FloatArray = np.where(scale == 0, np.float32(0), np.float32(1) / scale)
    # The inverse of a tiny scale overflows: such a block counts as zeros.
    return np.where(np.isfinite(inverse), inverse, np.float32(0))


def _half(blocks: Bytes, start: int) -> FloatArray:
    """Return the half-precision number at a byte of every block, (blocks, 1)."""
    return np.ascontiguousarray(blocks[:, start : start + 2]).view("<f2").astype(np.float32)


def _small(
    low: int,
    *,
    high: int = 0,
    is_bytes: bool = False,
    zero: int = 0,
    offset: bool = False,
    steps: npt.NDArray[np.int8] | None = None,
) -> BlockLayout:
    """Return the layout of a block of 32.

    The block holds a scale and maybe an offset, then maybe 32 fifth bits, then the numbers. Where
    numbers have four low bits, the low halves of 16 bytes hold the first 16 numbers and their high
    halves the other 16.

    Args:
        low: The byte at which the numbers begin.
        high: The byte at which the fifth bits begin; 0 without any.
        is_bytes: Whether a number is a signed byte.
        zero: The number that stands for 0.
        offset: Whether an offset follows the scale.
        steps: The values that numbers stand for.
    """

    def scales(blocks: Bytes) -> tuple[FloatArray, FloatArray | None]:
        offsets = _half(blocks, 2) if offset else None
        return _half(blocks, 0), offsets

    runs = []
    for number in range(2):
        if is_bytes:
            runs.append((low + RUN * number, 0, 255, 0, 0, 0, 0))
        elif high:
            runs.append((low, 4 * number, 15, high + 2 * number, 0, 0, 1))
        else:
            runs.append((low, 4 * number, 15, 0, 0, 0, 0))
    flip = 128 if is_bytes else 0  # the sign bit turns signed bytes into 0 to 255
    return BlockLayout(np.array(runs, np.int32), flip, zero, scales, steps)


def _scales_and_offsets(blocks: Bytes) -> tuple[FloatArray, FloatArray]:
    """Return the scales and offsets of the eight groups of 32 in a Q4_K or Q5_K block.

    Twelve bytes hold eight pairs of six-bit numbers, a scale and an offset. Bytes 0-3 hold the
    first four scales in their low six bits, bytes 4-7 the first four offsets. Of the other four
    pairs, the halves of bytes 8-11 hold the low four bits, and the top two bits of bytes 0-7 the
    rest.

    Source:
        get_scale_min_k4 of ggml-quants.c, ggml-org/llama.cpp.
    """
    # The block begins with two half-precision numbers, so the twelve bytes start at byte 4.
    low = blocks[:, 4:8]
    mid = blocks[:, 8:12]
    high = blocks[:, 12:16]
    scales = np.hstack([low & 63, high & 15 | low >> 6 << 4])
    offsets = np.hstack([mid & 63, high >> 4 | mid >> 6 << 4])
    # The format subtracts its offsets, a `BlockLayout` adds them.
    return _half(blocks, 0) * scales, -_half(blocks, 2) * offsets


def _large(low: int, fifth: int = 0) -> BlockLayout:
    """Return the layout of Q4_K and Q5_K.

    The low halves of 32 bytes hold 32 numbers, the high halves of the same bytes the next 32. A
    fifth bit is bit `group` of a byte; all eight groups share the same 32 bytes for it.

    Args:
        low: The byte at which the numbers begin.
        fifth: The byte at which the fifth bits begin; 0 without any.
    """
    runs = []
    for group, part in product(range(8), (0, RUN)):
        byte = low + group // 2 * 32 + part
        half = group % 2 * 4
        if fifth:
            runs.append((byte, half, 15, fifth + part, group, 1, 0))
        else:
            runs.append((byte, half, 15, 0, group, 0, 0))
    return BlockLayout(np.array(runs, np.int32), 0, 0, _scales_and_offsets)


def _q6_k_runs() -> list[tuple[int, ...]]:
    """Return the runs of Q6_K.

    A number is the four low bits from one byte and two high bits from another. The two halves of a
    block, 128 numbers each, are packed alike: the low bits in 64 bytes, the high ones in 32 bytes
    after the low bits of both halves.
    """
    runs: list[tuple[int, ...]] = []
    for half, group, part in product(range(2), range(4), (0, RUN)):
        low = 64 * half + group % 2 * 32 + part
        high = 128 + 32 * half + part
        runs.append((low, group // 2 * 4, 15, high, 2 * group, 3, 0))
    return runs


# A block of 210 bytes: 128 with low bits, 64 with high bits, 16 signed scales, one for 16 numbers,
# and the half-precision number that multiplies these.
_Q6_K = BlockLayout(
    np.array(_q6_k_runs(), np.int32),
    0,
    32,
    lambda blocks: (blocks[:, 192:208].view(np.int8) * _half(blocks, 208), None),
)
IQ4_STEPS = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8
)
"""The values that the sixteen numbers of an IQ4_NL block stand for.

The steps are finest near 0, where most weights are. Source: kvalues_iq4nl of ggml-common.h.
"""

# The tensor types that other modules name. Source: ggml.h, enum ggml_type.
F32 = 0
F16 = 1
Q8_0 = 8
Q4_0 = 2
IQ4_NL = 20
ENCODINGS = {
    F32: Encoding("F32", 1, 4, lambda blocks: blocks.view("<f4").astype(np.float32)),
    F16: Encoding("F16", 1, 2, lambda blocks: blocks.view("<f2").astype(np.float32)),
    Q4_0: Encoding("Q4_0", 32, 18, _small(2, zero=8)),
    3: Encoding("Q4_1", 32, 20, _small(4, offset=True)),
    6: Encoding("Q5_0", 32, 22, _small(6, high=2, zero=16)),
    7: Encoding("Q5_1", 32, 24, _small(8, high=4, offset=True)),
    Q8_0: Encoding("Q8_0", 32, 34, _small(2, is_bytes=True, zero=128)),
    12: Encoding("Q4_K", 256, 144, _large(16)),
    13: Encoding("Q5_K", 256, 176, _large(48, fifth=16)),
    14: Encoding("Q6_K", 256, 210, _Q6_K),
    IQ4_NL: Encoding("IQ4_NL", 32, 18, _small(2, steps=IQ4_STEPS)),
    30: Encoding(
        "BF16", 1, 2, lambda blocks: (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)
    ),
}
"""ggml type number -> its format."""
