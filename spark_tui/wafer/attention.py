"""Attention on a mesh: heads laid out over columns, the KV cache over rows, and the two kernels.

Columns: keys lie in the order of the pairs that RoPE rotates, so that a rotation needs at most a
neighbor. Each query element lies with the key element that it meets. Rows: each row holds some of
the positions, balanced so that all rows fill evenly. A new position enters at the last row. Every
row behind the one whose turn it is to take one more passes its oldest position to the row above.

Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 4.4 (shift-based KV cache).
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
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.kernels import (
    allreduce_tokens,
    labels,
    moving_sums,
    operate,
    softmax,
    stationary_sums,
    tokens_of,
)
from spark_tui.wafer.machine import ModelShape

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Heads:
    """The layout of all heads over C columns, with e key elements on each.

    `rep` query heads share a key head. Padding fills the last columns.

    Attributes:
        count: Query heads.
        groups: Key heads.
        width: Elements of a head.
        query_order: Query element of the model at each place of the mesh, (C * e * rep,); -1 for
            padding.
        key_order: Key element of the model at each place of the mesh, (C * e,); -1 for padding.
        head: Query head of each query element, (C, e, rep).
        group: Key head of each key element, (C, e).
        pair: Pair of its head that each key element belongs to, (C, e); -1 for padding.
        second: Whether a key element is the second half of its pair, (C, e).
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
    def of(cls, shape: ModelShape, columns: int) -> "Heads":
        """Lay out the heads of a model over columns."""
        tile = ceil(shape.kv_dim / columns)
        rep = shape.heads // shape.kv_heads
        place = np.arange(columns * tile)
        real = place < shape.kv_dim
        # Padding repeats the last element, so that indices stay valid; `real` masks it.
        group, place_in_head = np.divmod(np.minimum(place, shape.kv_dim - 1), shape.head_dim)
        pair, half = np.divmod(place_in_head, 2)
        # In the model the halves of a pair lie half a head apart.
        element = pair + half * (shape.head_dim // 2)
        head = group[:, None] * rep + np.arange(rep)
        queries = head * shape.head_dim + element[:, None]
        keys = group * shape.head_dim + element
        return cls(
            count=shape.heads,
            groups=shape.kv_heads,
            width=shape.head_dim,
            query_order=np.where(real[:, None], queries, -1).ravel(),
            key_order=np.where(real, keys, -1),
            head=head.reshape(columns, tile, rep),
            group=group.reshape(columns, tile),
            pair=np.where(real, pair, -1).reshape(columns, tile),
            second=(half == 1).reshape(columns, tile),
        )

    @property
    def columns(self) -> int:
        """Columns of the mesh, C."""
        return len(self.head)

    @property
    def tile(self) -> int:
        """Key elements on a column, e."""
        return int(self.group.shape[1])

    @property
    def rep(self) -> int:
        """Query heads that share a key head."""
        return int(self.head.shape[2])

    @property
    def element(self) -> Indices:
        """Index of each key element in its head, (C, e); 0 for padding."""
        elements: Indices = np.where(self.pair < 0, 0, self.pair + self.second * (self.width // 2))
        return elements

    def rotations(self, angles: NDArray[np.float64], factor: float = 1.0) -> tuple[Values, Values]:
        """Return cosines and sines for `kernels.rotate`.

        Args:
            angles: Radians of each pair at a position, (..., D / 2).
            factor: Multiplies queries and keys.

        Returns:
            Cosines and sines, (..., C, e) each.
        """
        cosines = (np.cos(angles) * factor).astype(np.float32)
        sines = (np.sin(angles) * factor).astype(np.float32)
        real = self.pair >= 0
        sign = np.where(self.second, 1, -1).astype(np.float32)
        # Zeros for padding: its queries and keys stay zero.
        return cosines[..., self.pair] * real, sines[..., self.pair] * (sign * real)

    def split(self, qkv: Values) -> tuple[Values, Values, Values]:
        """Split queries, keys and values that lie side by side.

        Args:
            qkv: (R, C, ..., e * rep + 2 e).

        Returns:
            (R, C, ..., e, rep), (R, C, ..., e) and (R, C, ..., e).
        """
        queries = self.tile * self.rep
        q, k, v = np.split(qkv, [queries, queries + self.tile], axis=-1)
        return q.reshape(*q.shape[:-1], self.tile, self.rep), k, v

    def for_each_query(self, by_head: Values) -> Values:
        """Repeat values of heads for their query elements.

        Args:
            by_head: (R, C, H, ...).

        Returns:
            (R, C, e * rep, ...).
        """
        columns = np.arange(self.columns)[:, None]
        return by_head[:, columns, self.head.reshape(self.columns, -1)]

    def add_at(self, by_head: Values, element: int, values: Values) -> None:
        """Add the values of one key element's queries to those of their heads, in place.

        Args:
            by_head: (R, C, H, ...).
            element: Index of the key element on its column.
            values: (R, C, rep, ...).
        """
        if self.count == 1:
            by_head += values
        else:
            columns = np.arange(self.columns)[:, None]
            # The heads of one element differ, so that += reaches each of them.
            by_head[:, columns, self.head[:, element]] += values

    def normed(
        self, fabric: Fabric, q: Values, k: Values, weights: tuple[Values, Values], eps: float
    ) -> tuple[Values, Values]:
        """Apply RMSNorm to each head of queries and keys; a head lies on several columns.

        Args:
            fabric: The mesh.
            q: (R, C, ..., e, rep).
            k: (R, C, ..., e).
            weights: Of queries and of keys, (C, e) each.
            eps: Added to the mean squares.

        Returns:
            As `q` and `k`.

        Source:
            Qwen3.
        """
        operate(fabric, self.tile * self.rep, 2, tokens_of(k))
        operate(fabric, self.tile, 2, tokens_of(k))
        sums = allreduce_tokens(fabric, self._squares(q, k), "rows")
        scale = 1 / np.sqrt(sums / q.dtype.type(self.width) + q.dtype.type(eps))

        # One scale a head; each element takes that of the head it belongs to.
        mesh = q.shape[:2]
        tokens = q.shape[2:-2]
        columns = np.arange(self.columns)[:, None]
        query_scale = self.for_each_query(scale[:, :, : self.count])
        query_scale = query_scale.reshape(*mesh, self.tile, self.rep, *tokens)
        key_scale = scale[:, :, self.count :][:, columns, self.group]

        token_axes = (1,) * len(tokens)
        of_columns = (self.columns, *token_axes, self.tile)
        query_weight = weights[0].reshape(of_columns)
        key_weight = weights[1].reshape(of_columns)
        normed_q: Values = q * np.moveaxis(query_scale, (2, 3), (-2, -1)) * query_weight[..., None]
        normed_k: Values = k * np.moveaxis(key_scale, 2, -1) * key_weight
        return normed_q, normed_k

    def _squares(self, q: Values, k: Values) -> Values:
        """Add up the squares of each head on each PE, query heads first: (R, C, H + G, ...)."""
        heads = self.count + self.groups
        squares = np.zeros((*q.shape[:2], heads, *q.shape[2:-2]), q.dtype)
        # One element of each column at a time: += adds only once where an index repeats, and two
        # elements of a column may belong to the same head.
        columns = np.arange(self.columns)
        for element in range(self.tile):
            of_queries = np.moveaxis(q[..., element, :] ** 2, -1, 2)
            self.add_at(squares[:, :, : self.count], element, of_queries)
            key_head = self.count + self.group[:, element]
            squares[:, columns, key_head] += k[..., element] ** 2
        return squares


class KvRows:
    """The keys and values of one layer, in the memory of a fabric.

    Args:
        fabric: The mesh, whose memory the cache shares with everything else there.
        width: Elements of a key on each PE.
        dtype: Type of the values.

    Attributes:
        length: Positions in the cache.
        positions: Position in each slot of each row, (R, slots).
        counts: Slots in use of each row, (R,).
    """

    def __init__(self, fabric: Fabric, width: int, *, dtype: type = np.float32) -> None:
        self.fabric = fabric
        self.width = width
        self.length = 0
        self._values: Values = np.zeros((2, fabric.rows, fabric.columns, 0, width), dtype)
        self.positions = np.zeros((fabric.rows, 0), np.int64)
        self.counts = np.zeros(fabric.rows, np.int64)

    @property
    def bytes_each(self) -> int:
        """Bytes of a position on each PE of its row."""
        return 2 * self.width * ELEMENT_BYTES

    @property
    def depth(self) -> int:
        """Positions on the fullest row."""
        return int(self.counts.max())

    @property
    def keys(self) -> Values:
        """The keys, (R, C, depth, width); slots behind a row's count hold nothing."""
        keys: Values = self._values[0, :, :, : self.depth]
        return keys

    @property
    def values(self) -> Values:
        """The values; see `keys`."""
        values: Values = self._values[1, :, :, : self.depth]
        return values

    @property
    def held(self) -> NDArray[np.bool_]:
        """Whether each slot holds a position, (R, depth)."""
        return np.arange(self.depth) < self.counts[:, None]

    def append(self, key: Values, value: Values) -> None:
        """Append a position.

        All rows have computed the position. As long as the last row is empty, the row whose turn it
        is takes the position itself, and nothing moves.

        Args:
            key: (R, C, width), the same on all rows.
            value: The same.

        Raises:
            UsageError: A PE, which the message names, has no room; nothing changes.
        """
        target = self.length % self.fabric.rows
        self._grow(target)
        slots = self._oldest_slots()
        # The target has a free slot. Every row behind it reuses the slot of the position that it
        # passes up.
        slots[target] = self.counts[target]
        entry = self.fabric.rows - 1 if self.counts[-1] else target
        pass_up(self.fabric, costs.wavelets(2 * self.width), target, entry)

        # All rows pass at once: indexing by arrays copies before the first slot is overwritten.
        to_rows = np.arange(target, entry)
        from_rows = to_rows + 1
        moved_values = self._values[:, from_rows, :, slots[from_rows]]
        moved_positions = self.positions[from_rows, slots[from_rows]]
        self._values[:, to_rows, :, slots[to_rows]] = moved_values
        self.positions[to_rows, slots[to_rows]] = moved_positions

        # The target counts one more: it either takes in the new position or one from below.
        self._values[0, entry, :, slots[entry]] = key[entry]
        self._values[1, entry, :, slots[entry]] = value[entry]
        self.positions[entry, slots[entry]] = self.length
        self.counts[target] += 1
        self.length += 1

    def fill(self, keys: Values, values: Values, count: int) -> None:
        """Take in a whole prompt.

        Args:
            keys: (R, C, m, width); a row holds as many slots as `spread_evenly` gives it.
            values: The same.
            count: Tokens of the prompt.

        Raises:
            ShapeError: The cache is not empty.
            UsageError: A PE, which the message names, has too little room.
        """
        if self.length:
            raise ShapeError(f"a prompt of {count} tokens into a cache that holds {self.length}")
        self._set_counts(spread_evenly(count, self.fabric.rows))
        self._values = np.stack([keys, values])
        self.positions = prompt_positions(count, self.fabric.rows)
        self.length = count

    def trim(self, length: int) -> None:
        """Forget all positions from `length` on, and spread the others evenly again.

        No cycles are booked for it.

        Raises:
            ShapeError: The cache holds fewer positions.
        """
        if not 0 <= length <= self.length:
            raise ShapeError(f"{length} positions of a cache that holds {self.length}")
        # Positions lie in no order, because rows reuse their slots.
        rows, slots = np.nonzero(self.held)
        order = np.argsort(self.positions[rows, slots])[:length]
        kept = self._values[:, rows[order], :, slots[order]]
        counts = spread_evenly(length, self.fabric.rows)
        to_rows = np.repeat(np.arange(self.fabric.rows), counts)
        starts = np.cumsum(counts) - counts
        to_slots = np.arange(length) - starts[to_rows]
        self._set_counts(counts)
        self._values[:, to_rows, :, to_slots] = kept
        self.positions[to_rows, to_slots] = np.arange(length)
        self.length = length

    def _oldest_slots(self) -> Indices:
        """Return the slot of the oldest position of each row, (R,)."""
        if not self.depth:
            return np.zeros(self.fabric.rows, np.intp)
        latest = np.iinfo(np.int64).max
        positions = np.where(self.held, self.positions[:, : self.depth], latest)
        oldest: Indices = positions.argmin(axis=1)
        return oldest

    def _grow(self, row: int) -> None:
        """Make room for one more position on a row."""
        size = np.zeros(self.fabric.memory.shape, np.int64)
        size[row] = self.bytes_each
        self.fabric.allocate("KV", size)
        slots = self.positions.shape[1]
        if self.counts[row] == slots:
            more = max(8, slots)  # doubling, so that appending costs little on average
            self.positions = np.pad(self.positions, ((0, 0), (0, more)))
            self._values = np.pad(self._values, ((0, 0), (0, 0), (0, 0), (0, more), (0, 0)))

    def _set_counts(self, counts: NDArray[np.int64]) -> None:
        change = (counts - self.counts) * self.bytes_each
        self.fabric.allocate("KV", np.broadcast_to(change[:, None], self.fabric.memory.shape))
        self.counts = counts


def spread_evenly(count: int, rows: int) -> NDArray[np.int64]:
    """Return the positions of each row, (R,); the first rows hold the remainder."""
    return count // rows + (np.arange(rows) < count % rows)


def prompt_positions(count: int, rows: int) -> NDArray[np.int64]:
    """Return the positions of a prompt on each row, (R, m).

    `count`, which is no position of the prompt, pads the rows that hold one position less.
    """
    counts = spread_evenly(count, rows)[:, None]
    slots = np.arange(int(counts.max()))
    starts = np.cumsum(counts)[:, None] - counts
    return np.where(slots < counts, starts + slots, count)


def attend(fabric: Fabric, heads: Heads, q: Values, cache: KvRows) -> Values:
    """Let one token attend to all positions of a cache, in whatever order they lie.

    Args:
        fabric: The mesh.
        heads: Layout of the heads.
        q: (R, C, e, rep), the same on all rows.
        cache: Keys and values.

    Returns:
        (R, C, e * rep), laid out as `q`.
    """
    elements = heads.tile * heads.rep
    depth = cache.depth
    # A key lies on the columns of one row, so scores add up along rows; the positions lie on
    # different rows, so everything about positions adds up along columns.
    with fabric.phase("scores"):
        fabric.compute(elements * costs.vector(depth, fabric.lanes))
        scores = allreduce_tokens(fabric, _local_scores(heads, q, cache.keys), "rows")
    with fabric.phase("softmax"):
        scale = 1 / sqrt(heads.width)
        mask = cache.held[:, None, None]
        shares = softmax(fabric, scores, "columns", scale=scale, mask=mask)
    with fabric.phase("values"):
        fabric.compute(depth * costs.vector(elements, fabric.lanes))
        return allreduce(fabric, _local_values(heads, shares, cache.values), "columns")


def _local_scores(heads: Heads, q: Values, keys: Values) -> Values:
    """Multiply on each PE alone: (R, C, e, rep) by (R, C, s, e) -> (R, C, H, s)."""
    total = np.zeros((*q.shape[:2], heads.count, keys.shape[2]), q.dtype)
    for element in range(heads.tile):
        products = q[:, :, element, :, None] * keys[:, :, None, :, element]
        heads.add_at(total, element, products)
    return total


def _local_values(heads: Heads, shares: Values, values: Values) -> Values:
    """Weight values on each PE alone: (R, C, H, s) by (R, C, s, e) -> (R, C, e * rep)."""
    weights = heads.for_each_query(shares)
    repeated = np.repeat(values, heads.rep, axis=-1)
    total = np.zeros(weights.shape[:3], weights.dtype)
    for position in range(values.shape[2]):
        total += weights[..., position] * repeated[:, :, position]
    return total


def attend_prompt(
    fabric: Fabric, heads: Heads, q: Values, k: Values, v: Values, count: int
) -> Values:
    """Let each token of a prompt attend to itself and to those before it.

    The sums of the scores move along rows past queries that stay, and so end where the next product
    needs them.

    Args:
        fabric: The mesh.
        heads: Layout of the heads.
        q: (R, C, m, e, rep).
        k: (R, C, m, e).
        v: (R, C, m, e).
        count: Tokens, spread evenly over rows.

    Returns:
        (R, C, m, e * rep).
    """
    mesh = k.shape[:2]
    elements = heads.tile * heads.rep
    tokens = k.shape[2]
    # Both products move their second factor along columns: keys, then values.
    with fabric.phase("align"):
        words = costs.wavelets(2 * k[0, 0].size)
        aligned = align_columns(fabric, np.stack([k, v], axis=2), words)
    with fabric.phase("scores"):
        total = np.zeros((*mesh, heads.count, tokens, tokens), q.dtype)
        cycles = costs.multiply_adds(tokens, elements, tokens, fabric.lanes)
        local_scores = partial(_add_scores, heads)
        scores = moving_sums(fabric, q, aligned[:, :, 0], total, cycles, local_scores)
    with fabric.phase("softmax"):
        scale = 1 / sqrt(heads.width)
        mask = _causal_mask(fabric, count)
        shares = softmax(fabric, scores, "rows", scale=scale, mask=mask)
    with fabric.phase("values"):
        total = np.zeros((*mesh, tokens, elements), q.dtype)
        cycles = costs.multiply_adds(tokens, tokens, elements, fabric.lanes)
        local_values = partial(_add_values, heads)
        return stationary_sums(fabric, shares, aligned[:, :, 1], total, cycles, local_values)


def _add_scores(heads: Heads, total: Values, q: Values, k: Values) -> None:
    for element in range(heads.tile):
        queries = np.moveaxis(q[:, :, :, element], -1, 2)
        heads.add_at(total, element, queries[..., None] * k[:, :, None, None, :, element])


def _add_values(heads: Heads, total: Values, shares: Values, v: Values) -> None:
    weights = heads.for_each_query(shares)
    repeated = np.repeat(v, heads.rep, axis=-1)
    for position in range(v.shape[2]):
        total += weights[..., position].swapaxes(2, 3) * repeated[:, :, None, position]


def _causal_mask(fabric: Fabric, count: int) -> NDArray[np.bool_]:
    """Return which scores count, (R, C, 1, m, s).

    Padding queries see all keys, so that their softmax is a number.
    """
    positions = prompt_positions(count, fabric.rows)
    # `labels` gives the block of keys that a PE has the scores of, as a place in a column's ring;
    # `interleaved` turns the place into the row that those keys come from.
    keys = positions[interleaved(fabric.rows)[labels(fabric)]]
    is_past = keys[:, :, None] <= positions[:, None, :, None]
    is_key = (keys < count)[:, :, None]
    return (is_past & is_key)[:, :, None]
