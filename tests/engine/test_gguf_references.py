"""The quantised formats, number by number as llama.cpp's `dequantize_row_*` has them: plain Python, slow and plain."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.gguf_quants import ENCODINGS, Bytes, dequantise

Block = list[int]
F = np.float32
BY_NAME = {encoding.name: encoding for encoding in ENCODINGS.values()}


def half(block: Block, at: int) -> np.float32:
    return F(np.frombuffer(bytes(block[at : at + 2]), "<f2")[0])


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def nibble(block: Block, at: int, number: int) -> int:
    """Of 32: the first 16 in the low halves, the others in the high ones."""
    return block[at + number % 16] >> 4 * (number // 16) & 15


def fifth(block: Block, at: int, number: int) -> int:
    return (block[at + number // 8] >> number % 8 & 1) << 4


def pair(block: Block, group: int) -> tuple[int, int]:
    """`get_scale_min_k4`."""
    q = block[4:16]
    if group < 4:
        return q[group] & 63, q[group + 4] & 63
    return q[group + 4] & 15 | q[group - 4] >> 6 << 4, q[group + 4] >> 4 | q[group] >> 6 << 4


def q4_k(block: Block) -> Iterator[np.float32]:
    for number in range(256):
        scale, least = pair(block, number // 32)
        code = block[16 + number // 64 * 32 + number % 32] >> number // 32 % 2 * 4 & 15
        yield half(block, 0) * F(scale) * F(code) - half(block, 2) * F(least)


def q5_k(block: Block) -> Iterator[np.float32]:
    for number in range(256):
        scale, least = pair(block, number // 32)
        code = block[48 + number // 64 * 32 + number % 32] >> number // 32 % 2 * 4 & 15
        code |= (block[16 + number % 32] >> number // 32 & 1) << 4
        yield half(block, 0) * F(scale) * F(code) - half(block, 2) * F(least)


def q6_k(block: Block) -> Iterator[np.float32]:
    for number in range(256):
        part, group, place = number // 128, number // 32 % 4, number % 32
        low = block[part * 64 + group % 2 * 32 + place] >> group // 2 * 4 & 15
        high = block[128 + part * 32 + place] >> 2 * group & 3
        yield half(block, 208) * F(signed(block[192 + number // 16])) * F((low | high << 4) - 32)


IQ4 = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]


def iq4_nl(block: Block) -> Iterator[np.float32]:
    for number in range(32):
        yield half(block, 0) * F(IQ4[nibble(block, 2, number)])


REFERENCES: dict[str, Callable[[Block], Iterator[np.float32]]] = {
    "Q4_0": lambda block: (half(block, 0) * F(nibble(block, 2, n) - 8) for n in range(32)),
    "Q4_1": lambda block: (half(block, 0) * F(nibble(block, 4, n)) + half(block, 2) for n in range(32)),
    "Q5_0": lambda block: (half(block, 0) * F((nibble(block, 6, n) | fifth(block, 2, n)) - 16) for n in range(32)),
    "Q5_1": lambda block: (
        half(block, 0) * F(nibble(block, 8, n) | fifth(block, 4, n)) + half(block, 2) for n in range(32)
    ),
    "Q8_0": lambda block: (half(block, 0) * F(signed(block[2 + n])) for n in range(32)),
    "Q4_K": q4_k,
    "Q5_K": q5_k,
    "Q6_K": q6_k,
    "IQ4_NL": iq4_nl,
}


def random_blocks(name: str, count: int) -> Bytes:
    """Random bytes; their scales are ordinary numbers."""
    encoding, rng = BY_NAME[name], np.random.default_rng(len(name) + count)
    blocks = rng.integers(0, 256, (count, encoding.bytes), dtype=np.uint8)
    for at in (208,) if name == "Q6_K" else (0, 2) if encoding.items == 256 or name.endswith("_1") else (0,):
        blocks[:, at : at + 2] = rng.normal(size=count).astype("<f2").reshape(-1, 1).view(np.uint8)
    return blocks


def bits(values: FloatArray) -> list[int]:
    found: list[int] = values.view(np.uint32).tolist()
    return found


@pytest.mark.parametrize("name", REFERENCES)
def test_every_number_of_a_block_is_the_one_the_format_says_bit_for_bit(name: str) -> None:
    blocks = random_blocks(name, 3)
    expected = np.array([value for block in blocks for value in REFERENCES[name](block.tolist())], np.float32)
    assert bits(dequantise(BY_NAME[name], blocks.tobytes())) == bits(expected)


@pytest.mark.parametrize("name", REFERENCES)
def test_many_blocks_are_what_each_is_alone(name: str) -> None:
    blocks = random_blocks(name, 1100)
    alone = [dequantise(BY_NAME[name], block.tobytes()) for block in blocks[::97]]
    together = dequantise(BY_NAME[name], blocks.tobytes()).reshape(len(blocks), -1)
    assert np.array_equal(together[::97], alone)


@pytest.mark.parametrize("name", REFERENCES)
def test_compiled_code_makes_the_same_numbers(name: str) -> None:
    pytest.importorskip("numba")
    from spark_tui.engine.kernels.unpack import unpack

    data = random_blocks(name, 300).tobytes()
    assert bits(dequantise(BY_NAME[name], data, unpack)) == bits(dequantise(BY_NAME[name], data))


def test_every_quantised_format_has_a_reference() -> None:
    assert {name for name, encoding in BY_NAME.items() if encoding.items > 1} == set(REFERENCES)
