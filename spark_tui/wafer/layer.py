"""A decoder layer on P x P PEs, for one token or for a prompt: `costs` in action.

A token's hidden state is spread along columns (a piece on each row, the same on all columns), products alternate
between the two axes, and no tile is ever transposed. A prompt's tokens are spread over rows; products alternate between
sums that stay and sums that move, so that of all activations only keys and values are ever realigned.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property, partial
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.elementwise import add, allreduce_tokens, rms_norm, rotate, silu_times, softmax
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.gemm import labels, moving_sums, stationary_sums
from spark_tui.wafer.gemv import gather, mesh_gemv, padded, spread
from spark_tui.wafer.heads import Heads
from spark_tui.wafer.kv_rows import KvRows, prompt_positions, spread_evenly
from spark_tui.wafer.layer_tiles import DecodeTiles, HeadVectors, LayerWeights, PrefillTiles
from spark_tui.wafer.shapes import Shape
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


class MeshLayer:
    """A decoder layer, its weights on a square mesh.

    Args: weights: left as they are. shape: of the model. fabric: shared by all layers on these PEs. frequencies:
        (head_dim / 2,), radians a position. factor: what RoPE multiplies by. eps: of the norms.
    Raises: ShapeError: the mesh is not square, or the weights do not fit the shape. UsageError: the PE that has too
        little memory.
    """

    def __init__(
        self, weights: LayerWeights, shape: Shape, fabric: Fabric, *, frequencies: NDArray[np.float64],
        factor: float = 1.0, eps: float = 1e-6,
    ) -> None:  # fmt: skip
        if fabric.rows != fabric.columns:
            raise ShapeError(f"a layer runs on a square mesh, not on {fabric.rows} x {fabric.columns} PEs")
        weights.check(shape)
        self.weights, self.shape, self.fabric, self.eps = weights, shape, fabric, eps
        self.tiles = tiles = costs.Tiles.of(shape, fabric.rows, 1)
        self.heads = Heads.of(shape, fabric.columns)
        self._frequencies, self._factor = frequencies, factor
        self._parts = tiles.q, tiles.kv, tiles.kv
        matrices = tiles.dim * (2 * tiles.q + 2 * tiles.kv + 3 * tiles.ffn)
        vectors = 2 * tiles.dim + 2 * tiles.kv * shape.qk_norm + sum(self._parts) * shape.bias
        fabric.allocate("weights", (matrices + vectors) * ELEMENT_BYTES)
        self._vectors = HeadVectors.of(weights, shape, self.heads)

    def new_cache(self) -> KvRows:
        """An empty cache for this layer."""
        return KvRows(self.fabric, self.tiles.kv, dtype=self.weights.q.dtype.type)

    def forward(self, hidden: Values, cache: KvRows) -> Values:
        """Run tokens behind those in the cache: several at once into an empty cache, otherwise one after another.

        Args: hidden: (T, dim), T >= 1. Returns: the same. Raises: UsageError: the PE that has no room left.
        """
        if len(hidden) > 1 and not cache.length:
            return self.join(self.prefill(self.cut(hidden), cache, len(hidden)), len(hidden))
        return np.stack([self.gather(self.decode(self.spread(token), cache)) for token in hidden])

    def spread(self, hidden: Values) -> Values:
        """Lay out a token's hidden state: (dim,) -> (R, C, d)."""
        return spread(self.fabric, hidden, "columns", self.tiles.dim)

    def gather(self, tiles: Values) -> Values:
        """The hidden state that is laid out: (R, C, d) -> (dim,)."""
        return gather(self.fabric, tiles, "columns", self.shape.dim)

    def cut(self, hidden: Values) -> Values:
        """Lay out a prompt's hidden states: (T, dim) -> (R, C, m, d), columns by their labels."""
        p, d = self.fabric.rows, self.tiles.dim
        whole = padded(hidden, (len(hidden), p * d)).reshape(len(hidden), p, d)
        counts = spread_evenly(len(hidden), p)
        tiles = np.zeros((p, p, int(counts.max()), d), hidden.dtype)
        at = np.cumsum(counts) - counts
        for row, count in enumerate(counts):
            tiles[row, :, :count] = whole[at[row] : at[row] + count, labels(self.fabric)[row]].swapaxes(0, 1)
        return tiles

    def join(self, tiles: Values, count: int) -> Values:
        """The hidden states that are laid out: (R, C, m, d) -> (T, dim)."""
        order = np.argsort(labels(self.fabric), axis=1)
        rows = [
            tiles[row, order[row], :tokens].swapaxes(0, 1).reshape(tokens, self.fabric.rows * self.tiles.dim)
            for row, tokens in enumerate(spread_evenly(count, self.fabric.rows))
        ]
        return np.concatenate(rows)[:, : self.shape.dim]

    def decode(self, x: Values, cache: KvRows) -> Values:
        """One token behind those in the cache, which takes it in.

        Args: x: of `spread`. Returns: the same. Raises: UsageError: the PE that has no room left.
        """
        with self._under_way(cache.length + 1, 1, shifted=False):
            return self._decode(x, cache)

    def prefill(self, x: Values, cache: KvRows, count: int) -> Values:
        """A prompt into an empty cache.

        Args: x: of `cut`, of `count` tokens. Returns: the same. Raises: UsageError: the PE that has no room left.
        """
        with self._under_way(count, x.shape[2], shifted=True):
            return self._prefill(x, cache, count)

    def has_room(self, count: int) -> bool:
        """Whether all PEs have room for a prompt of so many tokens, which is to go through at once."""
        rows = ceil(count / self.fabric.rows)
        keys = 2 * rows * self.tiles.kv * ELEMENT_BYTES
        needed = int(self.fabric.memory.max()) + self._buffers(count, rows, shifted=True) + keys
        return needed <= self.fabric.ledger.sram

    def _under_way(self, context: int, rows: int, *, shifted: bool) -> AbstractContextManager[None]:
        return self.fabric.ledger.held("buffers", self._buffers(context, rows, shifted=shifted))

    def _buffers(self, context: int, rows: int, *, shifted: bool) -> int:
        """Bytes for tokens that are worked on, and for the largest tile that a prompt's products shift to a PE."""
        tiles = costs.Tiles.of(self.shape, self.fabric.rows, context)
        largest = max(elements for _, elements in tiles.moved) if shifted else 0
        return (rows * tiles.under_way + largest) * ELEMENT_BYTES

    def _decode(self, x: Values, cache: KvRows) -> Values:
        fabric, t, tiled = self.fabric, self.tiles, self._decode_tiles
        with fabric.phase("norm"):
            normed = rms_norm(fabric, x, tiled.first_norm, "columns", width=self.shape.dim, eps=self.eps)
        with fabric.phase("queries, keys, values"):
            q, k, v = self._heads_of(mesh_gemv(fabric, normed, tiled.qkv, "columns", parts=self._parts))
        with fabric.phase("turns"):
            q, k = rotate(fabric, q, k, *self._turns(np.array(cache.length)))
        with fabric.phase("cache"):
            cache.append(k, v)
        weighted = attend(fabric, self.heads, q, cache)
        with fabric.phase("output"):
            x = add(fabric, x, mesh_gemv(fabric, weighted, tiled.o, "rows"))
        with fabric.phase("norm"):
            normed = rms_norm(fabric, x, tiled.second_norm, "columns", width=self.shape.dim, eps=self.eps)
        with fabric.phase("gate and up"):
            wide = mesh_gemv(fabric, normed, tiled.gate_up, "columns", parts=(t.ffn, t.ffn))
            inner = silu_times(fabric, wide[..., : t.ffn], wide[..., t.ffn :])
        with fabric.phase("down"):
            return add(fabric, x, mesh_gemv(fabric, inner, tiled.down, "rows"))

    def _prefill(self, x: Values, cache: KvRows, count: int) -> Values:
        fabric, tiled, dim = self.fabric, self._prefill_tiles, self.shape.dim
        with fabric.phase("norm"):
            normed = rms_norm(fabric, x, tiled.first_norm, "rows", width=dim, eps=self.eps)
        with fabric.phase("queries, keys, values"):
            made = [self._product(stationary_sums, normed, matrix) for matrix in (tiled.q, tiled.k, tiled.v)]
            q, k, v = self._heads_of(np.concatenate(made, axis=-1))
        with fabric.phase("turns"):
            q, k = rotate(fabric, q, k, *self._turns(prompt_positions(count, fabric.rows)))
        with fabric.phase("cache"):
            cache.fill(k, v, count)
        weighted = attend_prompt(fabric, self.heads, q, k, v, count)
        with fabric.phase("output"):
            x = add(fabric, x, self._product(moving_sums, weighted, tiled.o))
        with fabric.phase("norm"):
            normed = rms_norm(fabric, x, tiled.second_norm, "rows", width=dim, eps=self.eps)
        with fabric.phase("gate and up"):
            inner = silu_times(fabric, *(self._product(stationary_sums, normed, m) for m in (tiled.gate, tiled.up)))
        with fabric.phase("down"):
            return add(fabric, x, self._product(moving_sums, inner, tiled.down))

    def _product(self, way: Callable[..., Values], x: Values, matrix: Values) -> Values:
        """Of a prompt. Args: way: `stationary_sums` or `moving_sums`."""
        total = np.zeros((*x.shape[:3], matrix.shape[3]), x.dtype)
        cycles = costs.multiply_adds(x.shape[2], matrix.shape[2], matrix.shape[3], self.fabric.lanes)
        return way(self.fabric, x, matrix, total, cycles)

    def _heads_of(self, qkv: Values) -> tuple[Values, Values, Values]:
        """Queries, keys and values of products side by side, with their bias and norms."""
        if self._vectors.bias is not None:
            bias = self._vectors.bias.reshape(self.fabric.columns, *(1,) * (qkv.ndim - 3), -1)
            qkv = add(self.fabric, qkv, bias)
        q, k, v = self.heads.split(qkv)
        if self._vectors.norms is not None:
            q, k = self.heads.normed(self.fabric, q, k, self._vectors.norms, self.eps)
        return q, k, v

    def _turns(self, positions: NDArray[np.int64]) -> tuple[Values, Values]:
        """Cosines and sines at one position, (C, e), or at those of a prompt, (R, m) -> (R, C, m, e)."""
        turns = self.heads.turns(positions[..., None] * self._frequencies, self._factor)
        cosines, sines = (turn if turn.ndim == 2 else turn.swapaxes(1, 2) for turn in turns)
        return cosines, sines

    @cached_property
    def _decode_tiles(self) -> DecodeTiles:
        return DecodeTiles.of(self.weights, self.tiles, self.heads, self.fabric)

    @cached_property
    def _prefill_tiles(self) -> PrefillTiles:
        return PrefillTiles.of(self.weights, self.tiles, self.heads, self.fabric)
