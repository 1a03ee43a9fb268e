"""A decoder layer on the mesh: numpy's values, the closed form's cycles, every word counted."""

import time

import numpy as np
import pytest

from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.layer import MeshLayer
from spark_tui.wafer.machine import ModelShape
from tests.wafer.layer_replay import FlatLayer
from tests.wafer.samples import (
    conserved,
    frequencies,
    layer_on,
    normal,
    plain_layer,
    random_shape,
    weights_of,
)

CASES, MORE_CASES = 25, 200
LARGEST_GRID = 64
TOLERANCE = 2e-5
SMALL = ModelShape("small", 256, 704, 6, 4, 1, 64, 8192, tied=True, qk_norm=True)
EMBEDDED = ModelShape("spark-m", 896, 4864, 24, 14, 2, 64, 48000, tied=True, bias=True)


def _grid(seed: int) -> int:
    """Every kind of grid: one PE, primes, squares, the largest."""
    rng = np.random.default_rng(seed)
    usual = [1, 2, 3, 4, 5, 7, 8, 12, 16, 25, 31, 32, 48, LARGEST_GRID]
    return int(rng.choice([*usual, int(rng.integers(1, LARGEST_GRID + 1))]))


def _shape(seed: int) -> ModelShape:
    """Wider on larger grids, so that tiles have one element or several everywhere."""
    return random_shape(seed, widest=20 + 6 * _grid(seed))


def _tokens(seed: int) -> int:
    return int(np.random.default_rng(seed).integers(1, 80))


def _run_token_by_token(seed: int) -> None:
    shape, p, count = _shape(seed), _grid(seed), min(_tokens(seed), 24)
    layer, hidden = layer_on(shape, p), normal(count, shape.dim)
    cache, expected = layer.new_cache(), plain_layer(shape, hidden)
    for position in range(count):
        start = layer.fabric.now
        result = layer.forward(hidden[position : position + 1], cache)
        np.testing.assert_allclose(
            result[0], expected[position], rtol=TOLERANCE, atol=TOLERANCE * 4
        )
        assert layer.fabric.now - start == costs.decode_layer(
            shape, p, position + 1, layer.fabric.lanes
        )
    conserved(layer.fabric)


def _run_prompt(seed: int) -> None:
    shape, p, count = _shape(seed), _grid(seed), _tokens(seed)
    layer, hidden = layer_on(shape, p), normal(count + 2, shape.dim)
    cache, expected = layer.new_cache(), plain_layer(shape, hidden)
    result = layer.join(layer.prefill(layer.cut(hidden[:count]), cache, count), count)
    np.testing.assert_allclose(result, expected[:count], rtol=TOLERANCE, atol=TOLERANCE * 4)
    assert layer.fabric.now == costs.prefill_layer(shape, p, count, layer.fabric.lanes)
    for position in (count, count + 1):
        start = layer.fabric.now
        after = layer.forward(hidden[position : position + 1], cache)
        np.testing.assert_allclose(after[0], expected[position], rtol=TOLERANCE, atol=TOLERANCE * 4)
        assert layer.fabric.now - start == costs.decode_layer(
            shape, p, position + 1, layer.fabric.lanes
        )
    conserved(layer.fabric)


@pytest.mark.parametrize("seed", range(CASES))
def test_tokens_take_the_values_of_numpy_and_the_cycles_of_the_closed_form(seed: int) -> None:
    _run_token_by_token(seed)


@pytest.mark.parametrize("seed", range(CASES))
def test_prompts_take_the_values_of_numpy_and_the_cycles_of_the_closed_form(seed: int) -> None:
    _run_prompt(seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(CASES, CASES + MORE_CASES))
def test_tokens_and_prompts_of_many_shapes_and_grids(seed: int) -> None:
    _run_token_by_token(seed)
    _run_prompt(seed)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_layer_is_bit_for_bit_the_flat_replay(p: int, seed: int) -> None:
    shape = random_shape(seed, widest=14)
    layer, flat, hidden = layer_on(shape, p), FlatLayer(shape, p), normal(9, shape.dim)
    cache = layer.new_cache()
    for token in hidden:
        assert layer.forward(token[None], cache)[0].tobytes() == flat.forward(token).tobytes()


def test_phases_add_up_to_all_cycles() -> None:
    layer = layer_on(SMALL, 16)
    cache = layer.new_cache()
    layer.forward(normal(20, SMALL.dim), cache)
    layer.forward(normal(1, SMALL.dim), cache)
    assert sum(phase.cycles for phase in layer.fabric.phases) == layer.fabric.now
    assert {
        "norm",
        "scores",
        "softmax",
        "values",
        "cache",
        "align",
        "down",
    } <= layer.fabric.cycles_by_phase().keys()


def test_layers_share_the_memory_of_a_pe_and_the_one_that_does_not_fit_says_so() -> None:
    fabric = Fabric(16, 16, sram=24 * 1024)

    def place() -> MeshLayer:
        return MeshLayer(weights_of(SMALL), SMALL, fabric, frequencies=frequencies(SMALL))

    place()
    assert fabric.ledger.entries["weights"][3, 7] == 2 * (
        16 * (2 * 16 + 2 * 4 + 3 * 44) + 2 * 16 + 2 * 4
    )
    for _ in range(2):
        place()
    with pytest.raises(
        UsageError, match=r"PE \(0, 0\) needs 25,736 of 24,576 bytes: code 3,400, weights 22,336"
    ):
        place()


def test_a_prompt_that_does_not_fit_names_the_pe_and_leaves_the_cache_empty() -> None:
    layer = layer_on(SMALL, 4, sram=400_000)
    cache = layer.new_cache()
    with pytest.raises(UsageError, match=r"PE \(0, 0\) needs .*buffers"):
        layer.forward(normal(2000, SMALL.dim), cache)
    assert cache.length == 0
    layer.forward(normal(3, SMALL.dim), cache)


def test_no_pe_routes_more_colors_than_it_has_for_a_layer() -> None:
    layer = layer_on(SMALL, 8)
    layer.forward(normal(9, SMALL.dim), cache := layer.new_cache())
    layer.forward(normal(1, SMALL.dim), cache)
    assert len(layer.fabric.colors) <= 12


def test_half_precision_stays_half_precision() -> None:
    shape = random_shape(5)
    layer = layer_on(shape, 4, dtype=np.float16)
    hidden = normal(6, shape.dim)
    cache = layer.new_cache()
    result = layer.forward(hidden.astype(np.float16), cache)
    assert result.dtype == layer.forward(hidden[:1].astype(np.float16), cache).dtype == np.float16
    np.testing.assert_allclose(result, plain_layer(shape, hidden), atol=0.1, rtol=0.1)


def test_meshes_and_weights_that_do_not_fit_are_refused() -> None:
    shape = random_shape(0)
    with pytest.raises(ShapeError, match="2 x 3 PEs"):
        MeshLayer(weights_of(shape), shape, Fabric(2, 3), frequencies=frequencies(shape))
    with pytest.raises(ShapeError, match=r"q is \(53, 8\), not \(36, 36\)"):
        MeshLayer(
            weights_of(random_shape(1)),
            random_shape(0),
            Fabric(2, 2),
            frequencies=frequencies(shape),
        )


@pytest.mark.exhaustive
def test_a_layer_of_the_embedded_model_simulates_five_million_tile_cycles_a_second() -> None:
    layer = layer_on(EMBEDDED, 32)
    cache, hidden = layer.new_cache(), normal(1, EMBEDDED.dim)
    layer.forward(normal(32, EMBEDDED.dim), cache)
    layer.forward(hidden, cache)
    took = []
    for _ in range(7):
        start, cycles = time.perf_counter(), layer.fabric.now
        layer.forward(hidden, cache)
        took.append((time.perf_counter() - start) / (layer.fabric.now - cycles))
    assert 32 * 32 / min(took) > 5e6  # tile-cycles a second
