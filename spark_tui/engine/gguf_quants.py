"""The number formats of GGUF tensors: float32 out of all of them, and the four that spark writes.

Every format is blocks of a fixed size: scales in half precision, then small whole numbers packed into bytes.
Source: the block layouts of ggml-common.h and the reference quantisers of ggml-quants.c, ggml-org/llama.cpp.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray

Bytes = npt.NDArray[np.uint8]
_CHUNK = 1 << 12
"""Blocks worked on at once, so that a large tensor takes little memory beside its own."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A number format. `items` values take `bytes` bytes."""

    name: str
    items: int
    bytes: int
    decode: Callable[[Bytes], FloatArray]
    """(blocks, bytes) -> (blocks, items)"""


def dequantise(encoding: Encoding, data: Bytes | memoryview | bytes) -> FloatArray:
    """All values of a tensor. Args: data: whole blocks. Returns: (blocks * items,) float32, memory of its own."""
    blocks = np.frombuffer(data, np.uint8).reshape(-1, encoding.bytes)
    values = np.empty((len(blocks), encoding.items), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):  # a damaged scale; whoever takes the values checks them
        for start in range(0, len(blocks), _CHUNK):
            values[start : start + _CHUNK] = encoding.decode(blocks[start : start + _CHUNK])
    return values.reshape(-1)


def quantise_q8_0(values: FloatArray) -> Bytes:
    """32 int8 and a scale, rounded half away from zero, as llama.cpp does. Args: values: a multiple of 32."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    exact = blocks * _inverse(scale)
    whole = np.trunc(exact)
    rounded = whole + np.trunc(2 * (exact - whole))
    return np.hstack([scale.astype(np.float16).view(np.uint8), rounded.astype(np.int8).view(np.uint8)])


def quantise_q4_0(values: FloatArray) -> Bytes:
    """32 four-bit numbers and a scale that makes the largest value -8. Args: values: a multiple of 32."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1, keepdims=True), axis=1)
    scale = largest / np.float32(-8)
    codes = np.minimum((blocks * _inverse(scale) + np.float32(8.5)).astype(np.uint8), 15)
    return np.hstack([scale.astype(np.float16).view(np.uint8), codes[:, :16] | codes[:, 16:] << 4])


def _inverse(scale: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", over="ignore"):
        inverse: FloatArray = np.where(scale == 0, np.float32(0), np.float32(1) / scale)
    return np.where(np.isfinite(inverse), inverse, np.float32(0))


def _half(blocks: Bytes, start: int) -> FloatArray:
    """The half-precision number at a byte of every block, (blocks, 1)."""
    return np.ascontiguousarray(blocks[:, start : start + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """(blocks, n) bytes -> (blocks, 2, n): the low halves, then the high ones."""
    return np.stack([packed & 15, packed >> 4], axis=1)


def _bits(packed: Bytes) -> Bytes:
    """(blocks, n) bytes -> (blocks, 8 n), lowest bit first."""
    return np.unpackbits(packed, axis=1, bitorder="little")


def _f32(blocks: Bytes) -> FloatArray:
    return blocks.view("<f4")


def _f16(blocks: Bytes) -> FloatArray:
    return blocks.view("<f2").astype(np.float32)


def _bf16(blocks: Bytes) -> FloatArray:
    return (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)


def _q8_0(blocks: Bytes) -> FloatArray:
    return _half(blocks, 0) * blocks[:, 2:].view(np.int8)


def _q4_0(blocks: Bytes) -> FloatArray:
    return _half(blocks, 0) * (_nibbles(blocks[:, 2:]).reshape(-1, 32).astype(np.float32) - 8)


def _q4_1(blocks: Bytes) -> FloatArray:
    return _half(blocks, 0) * _nibbles(blocks[:, 4:]).reshape(-1, 32) + _half(blocks, 2)


def _q5_0(blocks: Bytes) -> FloatArray:
    codes = _nibbles(blocks[:, 6:]).reshape(-1, 32) | _bits(blocks[:, 2:6]) << 4
    return _half(blocks, 0) * (codes.astype(np.float32) - 16)


def _q5_1(blocks: Bytes) -> FloatArray:
    codes = _nibbles(blocks[:, 8:]).reshape(-1, 32) | _bits(blocks[:, 4:8]) << 4
    return _half(blocks, 0) * codes + _half(blocks, 2)


def _scales_and_offsets(blocks: Bytes) -> tuple[FloatArray, FloatArray]:
    """Scale and offset of the eight groups of 32 in a Q4_K or Q5_K block, each (blocks, 8, 1).

    Twelve bytes hold eight six-bit pairs: the first four in the low bits of bytes 0-3 and 4-7, the others in the
    halves of bytes 8-11 below the top two bits of bytes 0-7.
    """
    low, mid, high = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = np.hstack([low & 63, high & 15 | low >> 6 << 4])
    offsets = np.hstack([mid & 63, high >> 4 | mid >> 6 << 4])
    return (_half(blocks, 0) * scales)[..., None], (_half(blocks, 2) * offsets)[..., None]


def _q4_k(blocks: Bytes) -> FloatArray:
    scales, offsets = _scales_and_offsets(blocks)
    codes = _nibbles(blocks[:, 16:].reshape(-1, 32)).reshape(-1, 8, 32)
    return (scales * codes - offsets).reshape(-1, 256)


def _q5_k(blocks: Bytes) -> FloatArray:
    scales, offsets = _scales_and_offsets(blocks)
    low = _nibbles(blocks[:, 48:].reshape(-1, 32)).reshape(-1, 8, 32)
    high = _bits(blocks[:, 16:48]).reshape(-1, 32, 8).swapaxes(1, 2)
    return (scales * (low | high << 4) - offsets).reshape(-1, 256)


def _q6_k(blocks: Bytes) -> FloatArray:
    low = _nibbles(blocks[:, :128].reshape(-1, 64)).reshape(-1, 8, 32)
    packed = blocks[:, 128:192].reshape(-1, 1, 32)
    high = (packed >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3).reshape(-1, 8, 32)
    codes = (low | high << 4).reshape(-1, 16, 16).astype(np.float32) - 32
    scales = blocks[:, 192:208].view(np.int8) * _half(blocks, 208)
    return (scales[..., None] * codes).reshape(-1, 256)


F32, F16, Q8_0, Q4_0 = 0, 1, 8, 2
ENCODINGS = {
    F32: Encoding("F32", 1, 4, _f32),
    F16: Encoding("F16", 1, 2, _f16),
    Q4_0: Encoding("Q4_0", 32, 18, _q4_0),
    3: Encoding("Q4_1", 32, 20, _q4_1),
    6: Encoding("Q5_0", 32, 22, _q5_0),
    7: Encoding("Q5_1", 32, 24, _q5_1),
    Q8_0: Encoding("Q8_0", 32, 34, _q8_0),
    12: Encoding("Q4_K", 256, 144, _q4_k),
    13: Encoding("Q5_K", 256, 176, _q5_k),
    14: Encoding("Q6_K", 256, 210, _q6_k),
    30: Encoding("BF16", 1, 2, _bf16),
}
"""ggml type number -> its format."""
