"""A decoder layer on P x P PEs, for one token or for a prompt: the program that `costs` counts.

The hidden state of a token is spread along columns: a piece on each row, the same on all columns.
Products alternate between the two axes. So the result of each product lies where the next one needs
it, and no tile is ever transposed. The tokens of a prompt are spread over rows. Their products
alternate between sums that stay and sums that move, for the same reason: only keys and values are
ever realigned.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.attention import (
    Heads,
    Indices,
    KvRows,
    attend,
    attend_prompt,
    prompt_positions,
    spread_evenly,
)
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.costs import Tiles
from spark_tui.wafer.fabric import Axis, Fabric, Values
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
from spark_tui.wafer.machine import ModelShape


@dataclass(frozen=True, slots=True)
class _LayerArrays:
    """The matrices of a layer, and its norms before attention and before the feed-forward."""

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
class LayerWeights(_LayerArrays):
    """The weights of a layer, matrices as (in, out) and norms as (dim,).

    Attributes:
        q_norm: (head_dim,), where the shape has `qk_norm`.
        k_norm: (head_dim,), where the shape has `qk_norm`.
        bias: Of queries, keys and values side by side, where the shape has `bias`.
    """

    q_norm: Values | None = None
    k_norm: Values | None = None
    bias: Values | None = None

    def check(self, shape: ModelShape) -> None:
        """Compare all sizes with those of a model.

        Raises:
            ShapeError: An array has another size.
        """
        dim = shape.dim
        q = shape.q_dim
        kv = shape.kv_dim
        head_norm = (shape.head_dim,) if shape.qk_norm else None
        bias = (q + 2 * kv,) if shape.bias else None
        sizes = {
            "q": (dim, q),
            "k": (dim, kv),
            "v": (dim, kv),
            "o": (q, dim),
            "gate": (dim, shape.ffn),
            "up": (dim, shape.ffn),
            "down": (shape.ffn, dim),
            "first_norm": (dim,),
            "second_norm": (dim,),
            "q_norm": head_norm,
            "k_norm": head_norm,
            "bias": bias,
        }
        for name, size in sizes.items():
            array = getattr(self, name)
            actual = None if array is None else array.shape
            if actual != size:
                raise ShapeError(f"{name} is {actual}, not {size}, in {shape.name}")

    def on_mesh(self, heads: Heads) -> tuple[Values, Values, Values, Values]:
        """Return q, k, v and o with queries, keys and values in the order of the mesh."""
        return (
            _reordered(self.q, heads.query_order, axis=1),
            _reordered(self.k, heads.key_order, axis=1),
            _reordered(self.v, heads.key_order, axis=1),
            _reordered(self.o, heads.query_order, axis=0),
        )


def _reordered(values: Values, order: Indices, axis: int) -> Values:
    """Take elements along an axis in another order; -1 gives zeros."""
    shape = [1] * values.ndim
    shape[axis] = len(order)
    is_element = (order >= 0).reshape(shape)
    result: Values = np.where(is_element, values.take(order, axis), values.dtype.type(0))
    return result


@dataclass(frozen=True, slots=True)
class HeadVectors:
    """The vectors that belong to elements of queries and keys.

    Attributes:
        bias: (C, q + 2 kv), or None.
        norms: Of queries and of keys, (C, e) each, or None.
    """

    bias: Values | None
    norms: tuple[Values, Values] | None

    @classmethod
    def of(cls, weights: LayerWeights, shape: ModelShape, heads: Heads) -> "HeadVectors":
        """Cut the vectors of a layer for the columns of a mesh."""
        bias = None
        if weights.bias is not None:
            q, k, v = np.split(weights.bias, [shape.q_dim, shape.q_dim + shape.kv_dim])
            parts = [
                _reordered(q, heads.query_order, axis=0),
                _reordered(k, heads.key_order, axis=0),
                _reordered(v, heads.key_order, axis=0),
            ]
            tiles = [part.reshape(heads.columns, -1) for part in parts]
            bias = np.concatenate(tiles, axis=1)
        norms = None
        if weights.q_norm is not None and weights.k_norm is not None:
            norms = (weights.q_norm[heads.element], weights.k_norm[heads.element])
        return cls(bias, norms)


@dataclass(frozen=True, slots=True)
class DecodeTiles:
    """The weights cut for single tokens, matrices as (R, C, k, n).

    Inputs are spread along columns for `qkv` and `gate_up`, along rows for `o` and `down`.
    """

    qkv: Values
    o: Values
    gate_up: Values
    down: Values
    first_norm: Values
    second_norm: Values

    @classmethod
    def of(cls, weights: LayerWeights, tiles: Tiles, heads: Heads, fabric: Fabric) -> "DecodeTiles":
        """Cut the weights of a layer."""
        q, k, v, o = weights.on_mesh(heads)
        dim = tiles.dim
        ffn = tiles.ffn

        def side_by_side(*matrices: tuple[Values, int]) -> Values:
            cut = [matrix_tiles(fabric, matrix, "columns", (dim, n)) for matrix, n in matrices]
            # k comes first in memory, as `matrix_tiles` leaves it.
            k_first = np.concatenate([np.moveaxis(tile, 2, 0) for tile in cut], axis=-1)
            return np.moveaxis(k_first, 0, 2)

        return cls(
            qkv=side_by_side((q, tiles.q), (k, tiles.kv), (v, tiles.kv)),
            o=matrix_tiles(fabric, o, "rows", (tiles.q, dim)),
            gate_up=side_by_side((weights.gate, ffn), (weights.up, ffn)),
            down=matrix_tiles(fabric, weights.down, "rows", (ffn, dim)),
            first_norm=spread(fabric, weights.first_norm, "columns", dim),
            second_norm=spread(fabric, weights.second_norm, "columns", dim),
        )


@dataclass(frozen=True, slots=True)
class PrefillTiles(_LayerArrays):
    """The weights cut for prompts, matrices as (R, C, k, n), aligned for the first step.

    The matrices move along columns.
    """

    @classmethod
    def of(
        cls, weights: LayerWeights, tiles: Tiles, heads: Heads, fabric: Fabric
    ) -> "PrefillTiles":
        """Cut the weights of a layer: hidden states lie by `labels`, everything else in order."""
        p = fabric.rows
        label = labels(fabric)
        column = np.arange(fabric.columns)
        q, k, v, o = weights.on_mesh(heads)

        def blocks(matrix: Values, rows: int, columns: int) -> Values:
            return padded(matrix, (p * rows, p * columns)).reshape(p, rows, p, columns)

        # `labels` gives each PE a block of the hidden dimension. Into the layer that block is the
        # contracted one; out of it the block of the result.
        def from_hidden(matrix: Values, outputs: int) -> Values:
            return blocks(matrix, tiles.dim, outputs)[label, :, column]

        def to_hidden(matrix: Values, inputs: int) -> Values:
            return blocks(matrix, inputs, tiles.dim)[column, :, label]

        def norm(weight: Values) -> Values:
            return padded(weight, (p * tiles.dim,)).reshape(p, tiles.dim)[label]

        return cls(
            q=from_hidden(q, tiles.q),
            k=from_hidden(k, tiles.kv),
            v=from_hidden(v, tiles.kv),
            o=to_hidden(o, tiles.q),
            gate=from_hidden(weights.gate, tiles.ffn),
            up=from_hidden(weights.up, tiles.ffn),
            down=to_hidden(weights.down, tiles.ffn),
            first_norm=norm(weights.first_norm),
            second_norm=norm(weights.second_norm),
        )


class MeshLayer:
    """A decoder layer whose weights lie on a square mesh.

    Args:
        weights: The weights; left unchanged.
        shape: The model.
        fabric: The mesh, which other layers may share.
        frequencies: Radians per position of each pair, (head_dim / 2,).
        factor: Multiplies queries and keys in RoPE.
        eps: Of the norms.

    Raises:
        ShapeError: The mesh is not square, or the weights do not fit the shape.
        UsageError: A PE, which the message names, has too little memory.
    """

    def __init__(
        self,
        weights: LayerWeights,
        shape: ModelShape,
        fabric: Fabric,
        *,
        frequencies: NDArray[np.float64],
        factor: float = 1.0,
        eps: float = 1e-6,
    ) -> None:
        if fabric.rows != fabric.columns:
            mesh = f"{fabric.rows} x {fabric.columns} PEs"
            raise ShapeError(f"a layer runs on a square mesh, not on {mesh}")
        weights.check(shape)
        self.weights = weights
        self.shape = shape
        self.fabric = fabric
        self.eps = eps
        self.tiles = Tiles.of(shape, fabric.rows, 1)
        self.heads = Heads.of(shape, fabric.columns)
        self._frequencies = frequencies
        self._factor = factor
        fabric.allocate("weights", self._weight_bytes())
        self._vectors = HeadVectors.of(weights, shape, self.heads)

    def _weight_bytes(self) -> int:
        tiles = self.tiles
        elements = tiles.dim * (2 * tiles.q + 2 * tiles.kv + 3 * tiles.ffn)
        elements += 2 * tiles.dim  # the two norms
        if self.shape.qk_norm:
            elements += 2 * tiles.kv
        if self.shape.bias:
            elements += tiles.q + 2 * tiles.kv
        # A PE holds fp16; the simulation computes in the precision of the weights that it is given.
        return elements * ELEMENT_BYTES

    def new_cache(self) -> KvRows:
        """Create an empty cache for this layer."""
        return KvRows(self.fabric, self.tiles.kv, dtype=self.weights.q.dtype.type)

    def forward(self, hidden: Values, cache: KvRows) -> Values:
        """Run tokens behind those in the cache.

        Several tokens run at once into an empty cache, otherwise one after another.

        Args:
            hidden: (T, dim), T >= 1.
            cache: Takes in the tokens.

        Returns:
            (T, dim).

        Raises:
            UsageError: A PE, which the message names, has no room left.
        """
        count = len(hidden)
        if count > 1 and not cache.length:
            return self.join(self.prefill(self.cut(hidden), cache, count), count)
        outputs = [self.gather(self.decode(self.spread(token), cache)) for token in hidden]
        return np.stack(outputs)

    def spread(self, hidden: Values) -> Values:
        """Lay out the hidden state of a token: (dim,) -> (R, C, d)."""
        return spread(self.fabric, hidden, "columns", self.tiles.dim)

    def gather(self, tiles: Values) -> Values:
        """Put a token's hidden state together again: (R, C, d) -> (dim,)."""
        return gather(self.fabric, tiles, "columns", self.shape.dim)

    def cut(self, hidden: Values) -> Values:
        """Lay out the hidden states of a prompt: (T, dim) -> (R, C, m, d), columns by `labels`."""
        p = self.fabric.rows
        d = self.tiles.dim
        tokens = len(hidden)
        blocks = padded(hidden, (tokens, p * d)).reshape(tokens, p, d)
        counts = spread_evenly(tokens, p)
        starts = np.cumsum(counts) - counts
        label = labels(self.fabric)
        tiles = np.zeros((p, p, int(counts.max()), d), hidden.dtype)
        for row, (start, count) in enumerate(zip(starts, counts, strict=True)):
            of_row = blocks[start : start + count, label[row]]
            tiles[row, :, :count] = of_row.swapaxes(0, 1)
        return tiles

    def join(self, tiles: Values, count: int) -> Values:
        """Put a prompt's hidden states together again: (R, C, m, d) -> (T, dim)."""
        p = self.fabric.rows
        order = np.argsort(labels(self.fabric), axis=1)
        rows = []
        for row, tokens in enumerate(spread_evenly(count, p)):
            of_row = tiles[row, order[row], :tokens].swapaxes(0, 1)
            rows.append(of_row.reshape(tokens, p * self.tiles.dim))
        return np.concatenate(rows)[:, : self.shape.dim]

    def decode(self, x: Values, cache: KvRows) -> Values:
        """Run one token behind those in the cache.

        Args:
            x: (R, C, d), laid out by `spread`.
            cache: Takes in the token.

        Returns:
            As `x`.

        Raises:
            UsageError: A PE, which the message names, has no room left.
        """
        with self._buffers_held(cache.length + 1, rows=1, shifts=False):
            return self._decode(x, cache)

    def prefill(self, x: Values, cache: KvRows, count: int) -> Values:
        """Run a prompt into an empty cache.

        Args:
            x: (R, C, m, d), laid out by `cut`.
            cache: Takes in the tokens.
            count: Tokens of the prompt.

        Returns:
            As `x`.

        Raises:
            UsageError: A PE, which the message names, has no room left.
        """
        with self._buffers_held(count, rows=x.shape[2], shifts=True):
            return self._prefill(x, cache, count)

    def has_room(self, count: int) -> bool:
        """Return whether all PEs have room for a prompt of so many tokens at once."""
        rows = ceil(count / self.fabric.rows)
        buffers = self._buffer_bytes(count, rows=rows, shifts=True)
        keys_and_values = 2 * rows * self.tiles.kv * ELEMENT_BYTES
        used = int(self.fabric.memory.max())
        return used + buffers + keys_and_values <= self.fabric.ledger.sram

    def _buffers_held(
        self, context: int, *, rows: int, shifts: bool
    ) -> AbstractContextManager[None]:
        size = self._buffer_bytes(context, rows=rows, shifts=shifts)
        return self.fabric.ledger.held("buffers", size)

    def _buffer_bytes(self, context: int, *, rows: int, shifts: bool) -> int:
        """Return the bytes of tokens in flight and of the largest tile that shifts to a PE.

        Args:
            context: Tokens of the context.
            rows: Tokens in flight on each PE row.
            shifts: Whether products shift tiles, as those of a prompt do.
        """
        tiles = Tiles.of(self.shape, self.fabric.rows, context)
        elements = rows * tiles.under_way
        if shifts:
            elements += max(along_columns for _, along_columns in tiles.moved)
        return elements * ELEMENT_BYTES

    def _decode(self, x: Values, cache: KvRows) -> Values:
        fabric = self.fabric
        weights = self._decode_tiles
        ffn = self.tiles.ffn
        with fabric.phase("norm"):
            normed = self._norm(x, weights.first_norm, "columns")
        with fabric.phase("queries, keys, values"):
            parts = (self.tiles.q, self.tiles.kv, self.tiles.kv)
            qkv = mesh_gemv(fabric, normed, weights.qkv, "columns", parts=parts)
            q, k, v = self._split_heads(qkv)
        with fabric.phase("turns"):
            q, k = rotate(fabric, q, k, *self._rotations(np.array(cache.length)))
        # Before attention: a token attends to itself, too.
        with fabric.phase("cache"):
            cache.append(k, v)
        weighted = attend(fabric, self.heads, q, cache)
        with fabric.phase("output"):
            x = add(fabric, x, mesh_gemv(fabric, weighted, weights.o, "rows"))
        with fabric.phase("norm"):
            normed = self._norm(x, weights.second_norm, "columns")
        with fabric.phase("gate and up"):
            gate_up = mesh_gemv(fabric, normed, weights.gate_up, "columns", parts=(ffn, ffn))
            inner = silu_times(fabric, gate_up[..., :ffn], gate_up[..., ffn:])
        with fabric.phase("down"):
            return add(fabric, x, mesh_gemv(fabric, inner, weights.down, "rows"))

    def _prefill(self, x: Values, cache: KvRows, count: int) -> Values:
        fabric = self.fabric
        weights = self._prefill_tiles
        with fabric.phase("norm"):
            normed = self._norm(x, weights.first_norm, "rows")
        with fabric.phase("queries, keys, values"):
            qkv = [
                self._product(stationary_sums, normed, matrix)
                for matrix in (weights.q, weights.k, weights.v)
            ]
            q, k, v = self._split_heads(np.concatenate(qkv, axis=-1))
        with fabric.phase("turns"):
            positions = prompt_positions(count, fabric.rows)
            q, k = rotate(fabric, q, k, *self._rotations(positions))
        with fabric.phase("cache"):
            cache.fill(k, v, count)
        weighted = attend_prompt(fabric, self.heads, q, k, v, count)
        with fabric.phase("output"):
            x = add(fabric, x, self._product(moving_sums, weighted, weights.o))
        with fabric.phase("norm"):
            normed = self._norm(x, weights.second_norm, "rows")
        with fabric.phase("gate and up"):
            gate = self._product(stationary_sums, normed, weights.gate)
            up = self._product(stationary_sums, normed, weights.up)
            inner = silu_times(fabric, gate, up)
        with fabric.phase("down"):
            return add(fabric, x, self._product(moving_sums, inner, weights.down))

    def _norm(self, x: Values, weight: Values, axis: Axis) -> Values:
        return rms_norm(self.fabric, x, weight, axis, width=self.shape.dim, eps=self.eps)

    def _product(self, gemm: Callable[..., Values], x: Values, matrix: Values) -> Values:
        """Run a product of a prompt.

        Args:
            gemm: `stationary_sums` or `moving_sums`.
            x: (R, C, m, k).
            matrix: (R, C, k, n).
        """
        m = x.shape[2]
        k, n = matrix.shape[2:]
        total = np.zeros((*x.shape[:3], n), x.dtype)
        cycles = costs.multiply_adds(m, k, n, self.fabric.lanes)
        return gemm(self.fabric, x, matrix, total, cycles)

    def _split_heads(self, qkv: Values) -> tuple[Values, Values, Values]:
        """Add the bias to queries, keys and values side by side, split them, and norm the heads."""
        if self._vectors.bias is not None:
            token_axes = (1,) * (qkv.ndim - 3)
            bias = self._vectors.bias.reshape(self.fabric.columns, *token_axes, -1)
            qkv = add(self.fabric, qkv, bias)
        q, k, v = self.heads.split(qkv)
        if self._vectors.norms is not None:
            q, k = self.heads.normed(self.fabric, q, k, self._vectors.norms, self.eps)
        return q, k, v

    def _rotations(self, positions: NDArray[np.int64]) -> tuple[Values, Values]:
        """Return cosines and sines at one position, or at those of a prompt.

        Args:
            positions: (), or (R, m).

        Returns:
            (C, e) each, or (R, C, m, e) each.
        """
        angles = positions[..., None] * self._frequencies
        cosines, sines = self.heads.rotations(angles, self._factor)
        if positions.ndim == 0:
            return cosines, sines
        return cosines.swapaxes(1, 2), sines.swapaxes(1, 2)

    # A run may need only one of the two.
    @cached_property
    def _decode_tiles(self) -> DecodeTiles:
        return DecodeTiles.of(self.weights, self.tiles, self.heads, self.fabric)

    @cached_property
    def _prefill_tiles(self) -> PrefillTiles:
        return PrefillTiles.of(self.weights, self.tiles, self.heads, self.fabric)
