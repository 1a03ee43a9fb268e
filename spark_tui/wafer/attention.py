"""How queries, keys and values lie on the columns of a mesh, and what is done for each head there.

Keys lie in the order of the pairs that RoPE turns, and every query element lies with the key element it meets.
"""

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collectives import align_columns, allreduce, interleaved, pass_up
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.costs import wavelets
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.kernels import allreduce_tokens, labels, moving_sums, operate, softmax, stationary_sums, tokens_of
from spark_tui.wafer.machine import Shape

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads on C columns, with e elements of the keys on each.

    Args: count, groups: heads of queries, and of keys. width: elements of one. query_order, key_order: of each place
        on the mesh, the element of the model that lies there, or -1. head: (C, e, rep), of each query element.
        group: (C, e). pair: (C, e), which of a head's pairs an element belongs to; -1 where there is none.
        second: (C, e), whether it is the pair's second half.
    """

    count: int
    groups: int
    width: int
    query_order: Indices
    key_order: Indices
    head: Indices
    group: Indices
    pair: Indices
    second: NDArray[np.bool_]

    @classmethod
    def of(cls, shape: Shape, columns: int) -> "Heads":
        """The heads of a model on so many columns."""
        tile, rep = ceil(shape.kv_dim / columns), shape.heads // shape.kv_heads
        place = np.arange(columns * tile)
        real = place < shape.kv_dim
        group, within = np.divmod(np.minimum(place, shape.kv_dim - 1), shape.head_dim)
        pair, second = np.divmod(within, 2)
        element = pair + second * (shape.head_dim // 2)
        head = group[:, None] * rep + np.arange(rep)
        queries = np.where(real[:, None], head * shape.head_dim + element[:, None], -1).ravel()
        keys = np.where(real, group * shape.head_dim + element, -1)
        pair = np.where(real, pair, -1)
        return cls(
            shape.heads, shape.kv_heads, shape.head_dim, queries, keys, head.reshape(columns, tile, rep),
            *(array.reshape(columns, tile) for array in (group, pair, second == 1)),
        )  # fmt: skip

    @property
    def tile(self) -> int:
        """Key elements on a column."""
        return int(self.group.shape[1])

    @property
    def element(self) -> Indices:
        """Of each key element, which one of its head it is, (C, e); 0 where there is none."""
        found: Indices = np.where(self.pair < 0, 0, self.pair + self.second * (self.width // 2))
        return found

    @property
    def rep(self) -> int:
        """Heads of queries that share one of keys."""
        return int(self.head.shape[2])

    def turns(self, angles: NDArray[np.float64], factor: float = 1.0) -> tuple[Values, Values]:
        """Cosines and sines for `elementwise.rotate`.

        Args: angles: (..., D / 2), of each pair at a position. factor: what queries and keys are multiplied by.
        Returns: (..., C, e) each.
        """
        cosines = (np.cos(angles) * factor).astype(np.float32)
        sines = (np.sin(angles) * factor).astype(np.float32)
        real, sign = self.pair >= 0, np.where(self.second, 1, -1).astype(np.float32)
        return cosines[..., self.pair] * real, sines[..., self.pair] * (sign * real)

    def split(self, qkv: Values) -> tuple[Values, Values, Values]:
        """Take apart what lies side by side: (R, C, ..., q + 2 kv) -> (..., e, rep), (..., e), (..., e)."""
        q, k, v = np.split(qkv, [self.tile * self.rep, self.tile * (self.rep + 1)], axis=-1)
        return q.reshape(*q.shape[:-1], self.tile, self.rep), k, v

    def for_each_query(self, by_head: Values) -> Values:
        """Of each query element, what belongs to its head: (R, C, H, ...) -> (R, C, e * rep, ...)."""
        columns = np.arange(len(self.head))[:, None]
        return by_head[:, columns, self.head.reshape(len(self.head), -1)]

    def add_at(self, by_head: Values, element: int, values: Values) -> None:
        """Add to the heads what one key element's queries give: (R, C, rep, ...) to (R, C, H, ...), in place."""
        if self.count == 1:
            by_head += values
        else:
            by_head[:, np.arange(len(self.head))[:, None], self.head[:, element]] += values

    def normed(
        self, fabric: Fabric, q: Values, k: Values, weights: tuple[Values, Values], eps: float
    ) -> tuple[Values, Values]:
        """RMSNorm of each head of queries and keys, which lie on several columns.

        Args: q: (R, C, ..., e, rep). k: (R, C, ..., e). weights: (C, e) each. Source: Qwen3.
        """
        operate(fabric, self.tile * self.rep, 2, tokens_of(k))
        operate(fabric, self.tile, 2, tokens_of(k))
        squares = np.zeros((*q.shape[:2], self.count + self.groups, *q.shape[2:-2]), q.dtype)
        columns = np.arange(len(self.head))
        for element in range(self.tile):
            self.add_at(squares[:, :, : self.count], element, np.moveaxis(q[..., element, :] ** 2, -1, 2))
            squares[:, columns, self.count + self.group[:, element]] += k[..., element] ** 2
        sums = allreduce_tokens(fabric, squares, "rows")
        scale = 1 / np.sqrt(sums / q.dtype.type(self.width) + q.dtype.type(eps))
        of_q = self.for_each_query(scale[:, :, : self.count]).reshape(*q.shape[:2], self.tile, self.rep, *q.shape[2:-2])
        of_k = scale[:, :, self.count :][:, columns[:, None], self.group]
        batch = (1,) * (k.ndim - 3)
        for_q, for_k = (weight.reshape(len(weight), *batch, self.tile) for weight in weights)
        normed_q: Values = q * np.moveaxis(of_q, (2, 3), (-2, -1)) * for_q[..., None]
        normed_k: Values = k * np.moveaxis(of_k, 2, -1) * for_k
        return normed_q, normed_k


class KvRows:
    """The keys and values of one layer. It shares its fabric's memory with all else that lies there.

    Args: width: elements of a key on each PE. dtype: of the values.
    """

    def __init__(self, fabric: Fabric, width: int, *, dtype: type = np.float32) -> None:
        self.fabric, self.width = fabric, width
        self.length = 0
        self._values: Values = np.zeros((2, fabric.rows, fabric.columns, 0, width), dtype)
        self.positions = np.zeros((fabric.rows, 0), np.int64)
        self.counts = np.zeros(fabric.rows, np.int64)

    @property
    def bytes_each(self) -> int:
        """Bytes that a position takes on each PE of its row."""
        return 2 * self.width * ELEMENT_BYTES

    @property
    def depth(self) -> int:
        """Positions on the fullest row."""
        return int(self.counts.max())

    @property
    def keys(self) -> Values:
        """(R, C, depth, width); what lies behind a row's count is not of it."""
        held: Values = self._values[0, :, :, : self.depth]
        return held

    @property
    def values(self) -> Values:
        """As `keys`."""
        held: Values = self._values[1, :, :, : self.depth]
        return held

    @property
    def held(self) -> NDArray[np.bool_]:
        """Where a row holds a position, (R, depth)."""
        return np.arange(self.depth) < self.counts[:, None]

    def append(self, key: Values, value: Values) -> None:
        """Take in a position. Args: key, value: (R, C, width), the same on all rows.

        As long as the last row holds none, the row whose turn it is takes it; all rows know it.

        Raises: UsageError: the PE that has no room for it; nothing was changed.
        """
        target = self.length % self.fabric.rows
        self._grow(target)
        slots = self._oldest()
        slots[target] = self.counts[target]
        entry = self.fabric.rows - 1 if self.counts[-1] else target
        pass_up(self.fabric, wavelets(2 * self.width), target, entry)
        rows = np.arange(target, entry)
        moved, positions = self._values[:, rows + 1, :, slots[rows + 1]], self.positions[rows + 1, slots[rows + 1]]
        self._values[:, rows, :, slots[rows]] = moved
        self.positions[rows, slots[rows]] = positions
        self._values[:, entry, :, slots[entry]] = key[entry], value[entry]
        self.positions[entry, slots[entry]] = self.length
        self.counts[target] += 1
        self.length += 1

    def fill(self, keys: Values, values: Values, count: int) -> None:
        """Take in a whole prompt. Args: keys, values: (R, C, m, width), of each row the first `spread_evenly` many.

        Raises: ShapeError: there is something in the cache. UsageError: the PE that has too little room.
        """
        if self.length:
            raise ShapeError(f"a prompt of {count} tokens into a cache that holds {self.length}")
        self._set_counts(spread_evenly(count, self.fabric.rows))
        self._values = np.stack([keys, values])
        self.positions = prompt_positions(count, self.fabric.rows)
        self.length = count

    def trim(self, length: int) -> None:
        """Forget all positions from `length` on, and spread the others evenly again. It is booked at no cycles.

        Raises: ShapeError: it holds fewer.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"{length} positions of a cache that holds {self.length}")
        rows, slots = np.nonzero(self.held)
        order = np.argsort(self.positions[rows, slots])[:length]
        rows, slots = rows[order], slots[order]
        counts = spread_evenly(length, self.fabric.rows)
        kept = self._values[:, rows, :, slots]
        to_rows = np.repeat(np.arange(self.fabric.rows), counts)
        to_slots = np.arange(length) - (np.cumsum(counts) - counts)[to_rows]
        self._set_counts(counts)
        self._values[:, to_rows, :, to_slots] = kept
        self.positions[to_rows, to_slots] = np.arange(length)
        self.length = length

    def _oldest(self) -> NDArray[np.intp]:
        """The slot of the oldest position of each row."""
        if not self.depth:
            return np.zeros(self.fabric.rows, np.intp)
        known = np.where(self.held, self.positions[:, : self.depth], np.iinfo(np.int64).max)
        oldest: NDArray[np.intp] = known.argmin(axis=1)
        return oldest

    def _grow(self, row: int) -> None:
        size = np.zeros(self.fabric.memory.shape, np.int64)
        size[row] = self.bytes_each
        self.fabric.allocate("KV", size)
        if self.counts[row] == self.positions.shape[1]:
            more = max(8, self.positions.shape[1])
            self.positions = np.pad(self.positions, ((0, 0), (0, more)))
            self._values = np.pad(self._values, ((0, 0), (0, 0), (0, 0), (0, more), (0, 0)))

    def _set_counts(self, counts: NDArray[np.int64]) -> None:
        change = (counts - self.counts) * self.bytes_each
        self.fabric.allocate("KV", np.broadcast_to(change[:, None], self.fabric.memory.shape))
        self.counts = counts


def spread_evenly(count: int, rows: int) -> NDArray[np.int64]:
    """Positions of each row: the first ones have one more where they do not come out even."""
    return count // rows + (np.arange(rows) < count % rows)


def prompt_positions(count: int, rows: int) -> NDArray[np.int64]:
    """The positions that rows hold of a prompt, (R, m); `count` where a row has one less."""
    counts = spread_evenly(count, rows)
    within = np.arange(int(counts.max()))
    starts = np.cumsum(counts)[:, None] - counts[:, None]
    return np.where(within < counts[:, None], starts + within, count)


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
