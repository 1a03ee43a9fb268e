"""The number formats, held against the reference implementation: recorded, and live where
`gguf` is installed.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from spark_tui.engine.gguf_quants import ENCODINGS, Bytes, dequantise, quantise_q4_0, quantise_q8_0

RECORDED = json.loads((Path(__file__).parent / "fixtures" / "gguf_quants.json").read_text())
NAMES = {encoding.name: encoding for encoding in ENCODINGS.values()}
BLOCKS = [name for name, encoding in NAMES.items() if encoding.items > 1]
QUANTISERS = {"Q8_0": quantise_q8_0, "Q4_0": quantise_q4_0}
WRITTEN = np.array(RECORDED["values"], np.float32)
blocks_of_floats = arrays.arrays(np.float32, (3, 32), elements=st.floats(-1e4, 1e4, width=32))


@pytest.mark.parametrize("name", NAMES)
def test_recorded_blocks_decode_to_the_values_of_the_reference(name: str) -> None:
    recorded = RECORDED["blocks"][name]
    values = dequantise(NAMES[name], bytes.fromhex(recorded["bytes"]))
    assert np.array_equal(values, np.array(recorded["values"], np.float32))


@pytest.mark.parametrize("name", QUANTISERS)
def test_recorded_values_encode_to_the_bytes_of_the_reference(name: str) -> None:
    assert QUANTISERS[name](WRITTEN).tobytes().hex() == RECORDED["encoded"][name]


@given(values=blocks_of_floats)
@pytest.mark.parametrize(("name", "steps"), [("Q8_0", 0.502), ("Q4_0", 1.002)])
def test_a_value_comes_back_within_a_step_of_its_block(
    name: str, steps: float, values: np.ndarray
) -> None:
    """Half a step for eight bits; for four, one at the end that has no code of its own.

    The step itself is kept in 16 bits: off by a thousandth, or by half the smallest number there is
    (2 ** -25).
    """
    back = dequantise(NAMES[name], QUANTISERS[name](values).tobytes()).reshape(values.shape)
    codes = {"Q8_0": 127, "Q4_0": 8}[name]
    step = np.abs(values).max(axis=1, keepdims=True) / codes
    assert (
        np.abs(back - values) <= steps * step + 1e-3 * np.abs(values) + 1.01 * codes * 2**-25
    ).all()


def random_blocks(name: str, count: int) -> Bytes:
    """Random bytes; their scales are ordinary numbers."""
    encoding, rng = NAMES[name], np.random.default_rng(len(name) + count)
    blocks = rng.integers(0, 256, (count, encoding.bytes), dtype=np.uint8)
    for at in (
        (208,)
        if name == "Q6_K"
        else (0, 2)
        if encoding.items == 256 or name.endswith("_1")
        else (0,)
    ):
        blocks[:, at : at + 2] = rng.normal(size=count).astype("<f2").reshape(-1, 1).view(np.uint8)
    return blocks


@pytest.mark.parametrize("name", BLOCKS)
def test_many_blocks_are_what_each_is_alone(name: str) -> None:
    blocks = random_blocks(name, 1100)
    alone = [dequantise(NAMES[name], block.tobytes()) for block in blocks[::97]]
    together = dequantise(NAMES[name], blocks.tobytes()).reshape(len(blocks), -1)
    assert np.array_equal(together[::97], alone)


@pytest.mark.parametrize("name", BLOCKS)
def test_compiled_code_makes_the_same_numbers_bit_for_bit(name: str) -> None:
    pytest.importorskip("numba")
    from spark_tui.engine.kernels.unpack import unpack

    data = random_blocks(name, 300).tobytes()
    found, expected = dequantise(NAMES[name], data, unpack), dequantise(NAMES[name], data)
    assert np.array_equal(found.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("number", ENCODINGS)
def test_the_installed_reference_agrees_on_random_bytes(number: int) -> None:
    gguf = pytest.importorskip("gguf")
    encoding, kind = ENCODINGS[number], gguf.GGMLQuantizationType(number)
    assert (kind.name, gguf.GGML_QUANT_SIZES[kind]) == (
        encoding.name,
        (encoding.items, encoding.bytes),
    )
    blocks = np.random.default_rng(number).integers(0, 256, (500, encoding.bytes), dtype=np.uint8)
    with np.errstate(all="ignore"):
        expected = gguf.quants.dequantize(blocks, kind).reshape(-1)
    assert np.array_equal(dequantise(encoding, blocks.tobytes()), expected, equal_nan=True)


@pytest.mark.parametrize("name", QUANTISERS)
@pytest.mark.parametrize("scale", [0.0, 1e-30, 1.0, 1e4])
def test_the_installed_reference_encodes_to_the_same_bytes(name: str, scale: float) -> None:
    gguf = pytest.importorskip("gguf")
    rng = np.random.default_rng(1)
    values = (
        np.vstack([rng.normal(size=(500, 32)), rng.integers(-4, 5, (500, 32))]) * scale
    ).astype(np.float32)
    expected = gguf.quants.quantize(values, gguf.GGMLQuantizationType[name])
    assert np.array_equal(QUANTISERS[name](values).reshape(-1), expected.reshape(-1))
