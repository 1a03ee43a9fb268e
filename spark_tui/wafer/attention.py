"""Attention on a mesh: of one token over a cache spread over rows, and of a whole prompt over itself."""

from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce
from spark_tui.wafer.elementwise import allreduce_tokens, softmax
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.gemm import labels, moving_sums, stationary_sums
from spark_tui.wafer.heads import Heads
from spark_tui.wafer.kv_rows import KvRows, prompt_positions
from spark_tui.wafer.shifts import align_columns, interleaved


def attend(fabric: Fabric, heads: Heads, q: Values, cache: KvRows) -> Values:
    """One token over all positions of a cache, whatever their order.

    Args: q: (R, C, e, rep), spread along rows, the same on all of them.
    Returns: (R, C, e * rep), as q lies.
    """
    elements, depth = heads.tile * heads.rep, cache.depth
    with fabric.phase("scores"):
        fabric.compute(elements * costs.vector(depth, fabric.lanes))
        scores = allreduce_tokens(fabric, _scores(heads, q, cache.keys), "rows")
    with fabric.phase("softmax"):
        shares = softmax(fabric, scores, "columns", scale=1 / sqrt(heads.width), mask=cache.held[:, None, None])
    with fabric.phase("values"):
        fabric.compute(depth * costs.vector(elements, fabric.lanes))
        return allreduce(fabric, _weighted(heads, shares, cache.values), "columns")


def _scores(heads: Heads, q: Values, keys: Values) -> Values:
    """What each PE's elements give: (R, C, e, rep) by (R, C, s, e) -> (R, C, H, s)."""
    total = np.zeros((*q.shape[:2], heads.count, keys.shape[2]), q.dtype)
    for element in range(heads.tile):
        heads.add_at(total, element, q[:, :, element, :, None] * keys[:, :, None, :, element])
    return total


def _weighted(heads: Heads, shares: Values, values: Values) -> Values:
    """What each row's positions give: (R, C, H, s) by (R, C, s, e) -> (R, C, e * rep)."""
    of_each = heads.for_each_query(shares)
    repeated = np.repeat(values, heads.rep, axis=-1)
    total = np.zeros(of_each.shape[:3], of_each.dtype)
    for position in range(values.shape[2]):
        total += of_each[..., position] * repeated[:, :, position]
    return total


def attend_prompt(fabric: Fabric, heads: Heads, q: Values, k: Values, v: Values, count: int) -> Values:
    """Each token of a prompt over itself and those before it.

    The sums of the scores move along rows past queries that stay, and so lie as the next product wants them.

    Args: q: (R, C, m, e, rep). k, v: (R, C, m, e). count: tokens, spread evenly over rows.
    Returns: (R, C, m, e * rep).
    """
    elements, tokens = heads.tile * heads.rep, k.shape[2]
    with fabric.phase("align"):
        moved = align_columns(fabric, np.stack([k, v], axis=2), costs.wavelets(2 * k[0, 0].size))
    with fabric.phase("scores"):
        total = np.zeros((fabric.rows, fabric.columns, heads.count, tokens, tokens), q.dtype)
        cycles = costs.multiply_adds(tokens, elements, tokens, fabric.lanes)
        scores = moving_sums(fabric, q, moved[:, :, 0], total, cycles, partial(_add_scores, heads))
    with fabric.phase("softmax"):
        mask = _causal(fabric, count)
        shares = softmax(fabric, scores, "rows", scale=1 / sqrt(heads.width), mask=mask)
    with fabric.phase("values"):
        result = np.zeros((fabric.rows, fabric.columns, tokens, elements), q.dtype)
        cycles = costs.multiply_adds(tokens, tokens, elements, fabric.lanes)
        return stationary_sums(fabric, shares, moved[:, :, 1], result, cycles, partial(_add_values, heads))


def _add_scores(heads: Heads, total: Values, q: Values, k: Values) -> None:
    for element in range(heads.tile):
        queries = np.moveaxis(q[:, :, :, element], -1, 2)
        heads.add_at(total, element, queries[..., None] * k[:, :, None, None, :, element])


def _add_values(heads: Heads, total: Values, shares: Values, v: Values) -> None:
    of_each, repeated = heads.for_each_query(shares), np.repeat(v, heads.rep, axis=-1)
    for position in range(v.shape[2]):
        total += of_each[..., position].swapaxes(2, 3) * repeated[:, :, None, position]


def _causal(fabric: Fabric, count: int) -> NDArray[np.bool_]:
    """Which scores count, (R, C, 1, m, s). What pads a row's queries sees all keys, so that its softmax is a number."""
    positions = prompt_positions(count, fabric.rows)
    keys = positions[interleaved(fabric.rows)[labels(fabric)]]
    seen = (keys[:, :, None] <= positions[:, None, :, None]) & (keys < count)[:, :, None]
    return seen[:, :, None]
