"""The weights of a decoder layer, cut for a mesh: one way for single tokens, another one for prompts."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.attention import Heads, Indices, KvRows, attend, attend_prompt, prompt_positions, spread_evenly
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.costs import Tiles
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.kernels import (
    add,
    gather,
    labels,
    matrix_tiles,
    mesh_gemv,
    moving_sums,
    padded,
    rms_norm,
    rotate,
    silu_times,
    spread,
    stationary_sums,
)
from spark_tui.wafer.machine import Shape


@dataclass(frozen=True, slots=True)
class _Parts:
    """The products q, k, v, o, gate, up and down, and the norms before attention and the feed-forward."""

    q: Values
    k: Values
    v: Values
    o: Values
    gate: Values
    up: Values
    down: Values
    first_norm: Values
    second_norm: Values


@dataclass(frozen=True, slots=True)
class LayerWeights(_Parts):
    """The weights of a layer, matrices as (in, out).

    Args: q, k, v, o, gate, up, down: the products. first_norm, second_norm: (dim,). q_norm, k_norm: (head_dim,), where
        the shape has `qk_norm`. bias: of q, k and v side by side, where it has `bias`.
    """

    q_norm: Values | None = None
    k_norm: Values | None = None
    bias: Values | None = None

    def check(self, shape: Shape) -> None:
        """Compare with a shape. Raises: ShapeError: they do not fit."""
        dim, q, kv, ffn = shape.dim, shape.q_dim, shape.kv_dim, shape.ffn
        wanted = {
            "q": (dim, q), "k": (dim, kv), "v": (dim, kv), "o": (q, dim), "gate": (dim, ffn), "up": (dim, ffn),
            "down": (ffn, dim), "first_norm": (dim,), "second_norm": (dim,),
            "q_norm": (shape.head_dim,) if shape.qk_norm else None,
            "k_norm": (shape.head_dim,) if shape.qk_norm else None, "bias": (q + 2 * kv,) if shape.bias else None,
        }  # fmt: skip
        for name, size in wanted.items():
            given = getattr(self, name)
            if (None if given is None else given.shape) != size:
                raise ShapeError(f"{name} is {None if given is None else given.shape}, not {size}, in {shape.name}")

    def ordered(self, heads: Heads) -> tuple[Values, Values, Values, Values]:
        """The four matrices of attention, with queries, keys and values in the order of the mesh."""
        queries, keys = heads.query_order, heads.key_order
        return (
            placed(self.q, queries, 1), placed(self.k, keys, 1), placed(self.v, keys, 1), placed(self.o, queries, 0),
        )  # fmt: skip


def placed(values: Values, order: Indices, axis: int) -> Values:
    """Elements along an axis in another order, zero where it says -1."""
    shape = [1] * values.ndim
    shape[axis] = len(order)
    result: Values = np.where((order >= 0).reshape(shape), values.take(order, axis), values.dtype.type(0))
    return result


@dataclass(frozen=True, slots=True)
class HeadVectors:
    """What belongs to elements of queries and keys: bias (C, q + 2 kv), norms (C, e) of queries and keys; or None."""

    bias: Values | None
    norms: tuple[Values, Values] | None

    @classmethod
    def of(cls, weights: LayerWeights, shape: Shape, heads: Heads) -> "HeadVectors":
        """Cut them for the columns of a mesh."""
        bias, norms, columns = None, None, len(heads.head)
        if weights.bias is not None:
            parts = np.split(weights.bias, [shape.q_dim, shape.q_dim + shape.kv_dim])
            orders = heads.query_order, heads.key_order, heads.key_order
            cut = [placed(part, order, 0).reshape(columns, -1) for part, order in zip(parts, orders, strict=True)]
            bias = np.concatenate(cut, axis=1)
        if weights.q_norm is not None and weights.k_norm is not None:
            norms = weights.q_norm[heads.element], weights.k_norm[heads.element]
        return cls(bias, norms)


@dataclass(frozen=True, slots=True)
class DecodeTiles:
    """For single tokens: matrices (R, C, k, n), their inputs spread along columns, rows, columns, rows in turn."""

    qkv: Values
    o: Values
    gate_up: Values
    down: Values
    first_norm: Values
    second_norm: Values

    @classmethod
    def of(cls, weights: LayerWeights, tiles: Tiles, heads: Heads, fabric: Fabric) -> "DecodeTiles":
        """Cut the weights."""
        d, f = tiles.dim, tiles.ffn
        q, k, v, o = weights.ordered(heads)

        def beside(*parts: tuple[Values, int]) -> Values:
            cut = [matrix_tiles(fabric, matrix, "columns", (d, n)) for matrix, n in parts]
            return np.moveaxis(np.concatenate([np.moveaxis(tile, 2, 0) for tile in cut], axis=-1), 0, 2)

        return cls(
            beside((q, tiles.q), (k, tiles.kv), (v, tiles.kv)), matrix_tiles(fabric, o, "rows", (tiles.q, d)),
            beside((weights.gate, f), (weights.up, f)), matrix_tiles(fabric, weights.down, "rows", (f, d)),
            spread(fabric, weights.first_norm, "columns", d), spread(fabric, weights.second_norm, "columns", d),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PrefillTiles(_Parts):
    """For prompts: matrices (R, C, k, n) that move along columns, aligned for the first step."""

    @classmethod
    def of(cls, weights: LayerWeights, tiles: Tiles, heads: Heads, fabric: Fabric) -> "PrefillTiles":
        """Cut the weights: the hidden state lies by `gemm.labels`, all else in order."""
        p, label, column = fabric.rows, labels(fabric), np.arange(fabric.columns)
        q, k, v, o = weights.ordered(heads)

        def cut(matrix: Values, rows: int, columns: int) -> Values:
            return padded(matrix, (p * rows, p * columns)).reshape(p, rows, p, columns)

        def into(matrix: Values, made: int) -> Values:
            return cut(matrix, tiles.dim, made)[label, :, column]

        def out_of(matrix: Values, given: int) -> Values:
            return cut(matrix, given, tiles.dim)[column, :, label]

        def norm(weight: Values) -> Values:
            return padded(weight, (p * tiles.dim,)).reshape(p, tiles.dim)[label]

        return cls(
            into(q, tiles.q), into(k, tiles.kv), into(v, tiles.kv), out_of(o, tiles.q),
            into(weights.gate, tiles.ffn), into(weights.up, tiles.ffn), out_of(weights.down, tiles.ffn),
            norm(weights.first_norm), norm(weights.second_norm),
        )  # fmt: skip


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
