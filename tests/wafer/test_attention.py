"""Attention over a cache spread over rows: values, balance, limits."""

import numpy as np
import pytest

from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.attention import Heads, KvRows, attend
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.machine import ModelShape
from tests.wafer.samples import Floats, conserved, normal, plain_attention, random_shape


def _on_mesh(
    fabric: Fabric, vector: Floats, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]
) -> Floats:
    placed = np.where(order < 0, 0, vector[order]).astype(np.float32).reshape(1, fabric.columns, -1)
    return np.broadcast_to(placed, (fabric.rows, *placed.shape[1:]))


def _number(fabric: Fabric, number: int, width: int = 2) -> Floats:
    return np.full((fabric.rows, fabric.columns, width), number, np.float32)


def _filled(fabric: Fabric, count: int) -> KvRows:
    cache = KvRows(fabric, 2)
    for position in range(count):
        cache.append(_number(fabric, position), _number(fabric, -position))
    return cache


@pytest.mark.parametrize("grid", [(1, 1), (1, 4), (4, 1), (3, 3), (5, 2), (7, 8)])
def test_attention_is_numpys_whatever_the_order_in_the_cache(grid: tuple[int, int]) -> None:
    for seed in range(6):
        shape, fabric = random_shape(seed), Fabric(*grid)
        heads = Heads.of(shape, fabric.columns)
        cache, keys, values = (
            KvRows(fabric, heads.tile),
            normal(12, shape.kv_dim),
            normal(13, shape.kv_dim)[:12],
        )
        for key, value in zip(keys, values, strict=True):
            cache.append(
                _on_mesh(fabric, key, heads.key_order), _on_mesh(fabric, value, heads.key_order)
            )
        q = normal(shape.q_dim)
        tiles = _on_mesh(fabric, q, heads.query_order).reshape(*grid, heads.tile, heads.rep)
        start = fabric.now
        result = attend(fabric, heads, tiles, cache)[-1].ravel()
        by_head = [
            part.astype(float).reshape(len(part), -1, shape.head_dim)
            for part in (q[None], keys, values)
        ]
        real = heads.query_order >= 0
        expected = plain_attention(by_head[0], by_head[1], by_head[2])[0]
        np.testing.assert_allclose(
            result[real], expected[heads.query_order[real]], rtol=1e-4, atol=1e-5
        )
        conserved(fabric)
        assert fabric.now - start == _cycles(shape, heads, cache.depth, grid)


def _cycles(shape: ModelShape, heads: Heads, depth: int, grid: tuple[int, int]) -> float:
    elements, scores = heads.tile * heads.rep, shape.heads * depth
    products = elements * costs.vector(depth, 4) + depth * costs.vector(elements, 4)
    sums = costs.allreduce(grid[1], scores) + 2 * costs.allreduce(grid[0], shape.heads)
    return products + 4 * costs.vector(scores, 4) + sums + costs.allreduce(grid[0], elements)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8])
def test_a_shifted_cache_stays_balanced_and_in_order_from_top_to_bottom(rows: int) -> None:
    fabric = Fabric(rows, 2)
    cache = KvRows(fabric, 2)
    for position in range(4 * rows + 3):
        cache.append(_number(fabric, position), _number(fabric, -position))
        counts = cache.counts
        assert counts.sum() == cache.length == position + 1
        assert counts.max() - counts.min() <= 1
        assert cache.depth == -(-(position + 1) // rows)
        order = [
            n for row in range(rows) for n in sorted(cache.positions[row, : counts[row]].tolist())
        ]
        assert order == list(range(position + 1))
        held = [cache.positions[row, : counts[row]] for row in range(rows)]
        for row, positions in enumerate(held):
            assert (cache.keys[row, :, : len(positions), 0] == positions).all()
            assert (cache.values[row, :, : len(positions), 1] == -positions).all()
    conserved(fabric)


def test_passing_up_takes_a_hop_whether_a_row_has_something_to_pass_or_not() -> None:
    fabric = Fabric(4, 3)
    cache = _filled(fabric, 9)
    sent, start = int(fabric.sent.sum()), fabric.now
    cache.append(
        _number(fabric, 9), _number(fabric, -9)
    )  # row 1 takes it: rows 2 and 3 pass one up
    assert fabric.now - start == costs.move(4, 4)
    assert int(fabric.sent.sum()) - sent == 2 * 3 * costs.wavelets(4)


def test_a_full_cache_names_the_pe_that_has_no_room() -> None:
    fabric, capacity = Fabric(4, 4, sram=1_000, code=900), 4 * (100 // 8)
    cache = _filled(fabric, capacity)
    before = cache.positions.copy(), fabric.now, fabric.memory.copy()
    with pytest.raises(
        UsageError, match=r"PE \(0, 0\) needs 1,004 of 1,000 bytes: code 900, KV 104"
    ):
        cache.append(_number(fabric, 0), _number(fabric, 0))
    assert (cache.positions == before[0]).all()
    assert (cache.length, fabric.now) == (capacity, before[1])
    assert (fabric.memory == before[2]).all()


@pytest.mark.parametrize("length", [0, 1, 6, 10, 11])
def test_a_trimmed_cache_is_that_of_the_tokens_it_keeps(length: int) -> None:
    trimmed, fresh = Fabric(4, 2), Fabric(4, 2)
    cache, other = _filled(trimmed, 11), _filled(fresh, length)
    cache.trim(length)
    for position in range(length, length + 6):
        for each in (cache, other):
            each.append(_number(trimmed, position), _number(trimmed, -position))
    assert cache.counts.tolist() == other.counts.tolist()
    assert (trimmed.memory == fresh.memory).all()
    for row, count in enumerate(cache.counts):
        assert set(cache.positions[row, :count].tolist()) == set(
            other.positions[row, :count].tolist()
        )
        assert (cache.keys[row, 0, :count, 0] == cache.positions[row, :count]).all()
    cache.trim(0)
    assert "KV" not in {name for name, held in trimmed.ledger.entries.items() if held.any()}


def test_a_prompt_goes_into_an_empty_cache_only() -> None:
    fabric = Fabric(2, 2)
    cache = _filled(fabric, 1)
    with pytest.raises(ShapeError, match="holds 1"):
        cache.fill(np.zeros((2, 2, 2, 2), np.float32), np.zeros((2, 2, 2, 2), np.float32), 3)
    with pytest.raises(ShapeError, match="2 positions"):
        cache.trim(2)
