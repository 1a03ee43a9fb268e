"""The weights of a decoder layer, cut for a mesh: one way for single tokens, another one for prompts."""

from dataclasses import dataclass

import numpy as np

from spark_tui.errors import ShapeError
from spark_tui.wafer.costs import Tiles
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.gemm import labels
from spark_tui.wafer.gemv import matrix_tiles, padded, spread
from spark_tui.wafer.heads import Heads, Indices
from spark_tui.wafer.shapes import Shape


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
