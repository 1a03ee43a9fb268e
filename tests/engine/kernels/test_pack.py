"""Rounded panels, held against the layouts as `tiles` describes them, written out in numpy."""

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import why_not_compiled

if reason := why_not_compiled():
    pytest.skip(reason, allow_module_level=True)

from spark_tui.engine.kernels.packed_weights import Arena, ByteArray, Packed, Stacked, pack

SHAPES = [(64, 64), (130, 100), (700, 896)]


def matrix(shape: tuple[int, int]) -> FloatArray:
    """Random numbers, a row of zeros, and blocks in which the largest number is there with both
    signs.
    """
    values = np.random.default_rng(shape[0]).normal(size=shape).astype(np.float32)
    values[3] = 0
    values[5:9, :40] = np.where(values[5:9, :40] < 0, -4, 4)
    return values


def padded(values: FloatArray, packed: Packed) -> FloatArray:
    whole = np.zeros((packed.rows, packed.inputs), np.float32)
    whole[: values.shape[0], : values.shape[1]] = values
    return whole


def inverse(steps: FloatArray) -> FloatArray:
    return np.divide(1, steps, out=np.zeros_like(steps), where=steps != 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_eight_bits_are_steps_of_a_127th_of_the_largest_number_of_a_row(
    shape: tuple[int, int],
) -> None:
    values = matrix(shape)
    packed = pack(values, 8, Arena())
    whole = padded(values, packed)
    steps: FloatArray = np.abs(whole).max(axis=1) / np.float32(127)
    codes = (np.rint(whole * inverse(steps)[:, None]) + 128).astype(np.uint8)
    assert np.array_equal(packed.scales, steps)
    expected = codes.reshape(-1, 4, 16, packed.inputs // 4, 4).transpose(0, 3, 1, 2, 4)
    assert np.array_equal(packed.data, expected.reshape(-1))


def four_bits(whole: FloatArray) -> ByteArray:
    blocks = whole.reshape(len(whole), -1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
    steps = (largest / -8).astype(np.float32)
    codes = np.clip(np.floor(blocks * inverse(steps)[:, :, None] + np.float32(8.5)), 0, 15).astype(
        np.uint8
    )
    both, groups = codes[:, :, :16] | codes[:, :, 16:] << 4, whole.shape[1] // 64
    quads = (
        both.reshape(-1, 4, 16, groups, 8, 4).transpose(0, 3, 4, 1, 2, 5).reshape(-1, groups, 2048)
    )
    halves = steps.astype(np.float16).reshape(-1, 4, 16, groups, 2).transpose(0, 3, 1, 4, 2)
    marks = np.ascontiguousarray(halves).view(np.uint8).reshape(-1, groups, 256)
    return np.concatenate([marks, quads], axis=2).reshape(-1)


@pytest.mark.parametrize("shape", SHAPES)
def test_four_bits_are_steps_of_an_eighth_of_the_first_largest_number_of_32(
    shape: tuple[int, int],
) -> None:
    values = matrix(shape)
    packed = pack(values, 4, Arena())
    assert np.array_equal(packed.data, four_bits(padded(values, packed)))


@pytest.mark.parametrize("bits", [4, 8, 32])
def test_matrices_below_each_other_are_packed_as_one(bits: int) -> None:
    values = matrix((700, 896))
    apart = Stacked((values[:100], values[100:500]), (0, 128), (640, 896))
    together = np.zeros((640, 896), np.float32)
    together[:100], together[128:528] = values[:100], values[100:500]
    found, expected = pack(apart, bits, Arena()), pack(together, bits, Arena())
    assert np.array_equal(found.data, expected.data)
    assert np.array_equal(found.scales, expected.scales)
