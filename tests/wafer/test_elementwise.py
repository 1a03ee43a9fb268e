"""Norms, rotations, softmax, SiLU, residuals: numpy's values, and each vector operation booked."""

import numpy as np
import pytest

from spark_tui.wafer import costs
from spark_tui.wafer.attention import Heads
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.kernels import (
    add,
    gather,
    rms_norm,
    rotate,
    silu_times,
    softmax,
    spread,
    summed,
)
from tests.wafer.samples import EPS, conserved, frequencies, norm, normal, random_shape, turned

GRIDS = [1, 2, 3, 5, 8, 17]


@pytest.mark.parametrize("p", GRIDS)
def test_a_norm_is_two_operations_and_an_allreduce_of_one_element(p: int) -> None:
    fabric, x, weight = Fabric(p, p), normal(40), normal(40)
    tiles = spread(fabric, x, "columns"), spread(fabric, weight, "columns")
    result = rms_norm(fabric, tiles[0], tiles[1], "columns", width=40, eps=EPS)
    np.testing.assert_allclose(
        gather(fabric, result, "columns", 40), norm(x.astype(float), weight), rtol=1e-5
    )
    assert fabric.now == 2 * costs.vector(-(-40 // p), 4) + costs.allreduce(p, 1)
    conserved(fabric)


def test_a_norm_of_several_tokens_is_that_of_each() -> None:
    together, alone = Fabric(3, 3), Fabric(3, 3)
    x, weight = normal(3, 3, 4, 5), normal(3, 3, 5)
    result = rms_norm(together, x, weight, "rows", width=15, eps=EPS)
    for token in range(4):
        one = rms_norm(alone, x[:, :, token], weight, "rows", width=15, eps=EPS)
        assert result[:, :, token].tobytes() == one.tobytes()
    assert together.now == 4 * 2 * costs.vector(5, 4) + costs.allreduce(3, 4)


def test_sums_go_from_the_first_element_to_the_last() -> None:
    values = np.array([1e8, 1, -1e8, 1], np.float32)
    assert summed(values) == ((values[0] + values[1]) + values[2]) + values[3] == 1


def test_silu_survives_numbers_of_any_size() -> None:
    fabric = Fabric(1, 1)
    gate = np.array([[[-1000, -1, 0, 1, 1000]]], np.float32)
    expected = [0, -1 / (1 + np.e), 0, 1 / (1 + 1 / np.e), 1000]
    np.testing.assert_allclose(
        silu_times(fabric, gate, 2 * np.ones_like(gate))[0, 0], 2 * np.array(expected), rtol=1e-6
    )
    assert fabric.now == 3 * costs.vector(5, 4)


def test_a_residual_is_one_operation() -> None:
    fabric = Fabric(2, 2)
    assert (add(fabric, np.ones((2, 2, 9), np.float32), np.ones((2, 2, 9), np.float32)) == 2).all()
    assert fabric.now == costs.vector(9, 4)


@pytest.mark.parametrize("p", GRIDS)
def test_a_softmax_over_columns_skips_what_is_masked(p: int) -> None:
    fabric, scores = Fabric(p, 1), normal(p, 1, 2, 6) * 50
    mask = np.arange(6) < np.arange(p)[:, None] % 3 + 1
    result = softmax(fabric, scores, "columns", scale=0.5, mask=mask[:, None, None])
    kept = np.where(mask[:, None, None], scores.astype(float) / 2, -np.inf)
    shares = np.exp(kept - kept.max(axis=(0, 3), keepdims=True))
    np.testing.assert_allclose(
        result, shares / shares.sum(axis=(0, 3), keepdims=True), rtol=2e-5, atol=1e-7
    )
    assert fabric.now == 4 * costs.vector(12, 4) + 2 * costs.allreduce(p, 2)


@pytest.mark.parametrize("p", GRIDS)
@pytest.mark.parametrize("seed", range(4))
def test_rotations_exchange_halves_only_where_a_pair_lies_on_two_pes(p: int, seed: int) -> None:
    shape = random_shape(seed)
    heads, fabric, position = Heads.of(shape, p), Fabric(p, p), 11
    q, k = normal(shape.q_dim), normal(shape.kv_dim)
    tiles = [
        np.where(order < 0, 0, vector[order])
        for vector, order in ((q, heads.query_order), (k, heads.key_order))
    ]
    on_mesh = [
        np.broadcast_to(tile.astype(np.float32).reshape(1, p, -1), (p, p, len(tile) // p))
        for tile in tiles
    ]
    turns = heads.rotations(position * frequencies(shape))
    turned_q, turned_k = rotate(
        fabric, on_mesh[0].reshape(p, p, heads.tile, heads.rep), on_mesh[1], *turns
    )
    for result, vector, order in ((turned_q, q, heads.query_order), (turned_k, k, heads.key_order)):
        plain = turned(
            vector.reshape(1, -1, shape.head_dim).astype(float), position * frequencies(shape)[None]
        ).ravel()
        real = order >= 0
        np.testing.assert_allclose(
            result[-1].ravel()[real], plain[order[real]], rtol=1e-5, atol=1e-6
        )
    pairs = -(-heads.tile // 2)
    operations = 6 * costs.vector(pairs * heads.rep, 4) + 6 * costs.vector(pairs, 4)
    halves = heads.rep + 1 if heads.tile % 2 else 0
    assert fabric.now == operations + costs.move(p, halves)
    assert int(fabric.sent.sum()) == costs.wavelets(halves) * p * (p // 2 * 2)
    conserved(fabric)


def test_queries_lie_with_the_keys_they_meet() -> None:
    for seed in range(20):
        shape = random_shape(seed)
        heads = Heads.of(shape, 7)
        queries, keys = heads.query_order.reshape(-1, heads.rep), heads.key_order
        assert sorted(keys[keys >= 0]) == list(range(shape.kv_dim))
        assert sorted(queries[queries >= 0]) == list(range(shape.q_dim))
        for row, key in zip(queries[keys >= 0], keys[keys >= 0], strict=True):
            assert set(row % shape.head_dim) == {key % shape.head_dim}
            assert set(row // shape.head_dim // heads.rep) == {key // shape.head_dim}
