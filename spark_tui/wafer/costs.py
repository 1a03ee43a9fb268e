"""Costs of a decoder layer on a square mesh of P x P PEs, in cycles, in closed form.

`fabric` and the kernels count the same cycles by running; tests hold the two equal. Sizes are
elements of one PE's tile. m, k and n are the sizes of a product (m x k) by (k x n).

Source: the layer follows WaferLLM, OSDI 2025, arXiv:2502.04563.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from spark_tui.wafer.collective_costs import CALIBRATED, two_tree, two_tree_reduce
from spark_tui.wafer.constants import (
    ELEMENT_BYTES,
    HOP,
    ISSUE,
    REISSUE,
    STEP,
    THROUGH_PE,
    WAVELET_BYTES,
)
from spark_tui.wafer.machine import ModelShape


def wavelets(elements: int) -> int:
    """Wavelets that carry a number of fp16 elements."""
    return ceil(elements * ELEMENT_BYTES / WAVELET_BYTES)


def vector(elements: int, lanes: int) -> float:
    """Cycles of a vector operation on new operands.

    Args:
        elements: Length of the operands.
        lanes: fp16 elements per cycle.
    """
    return ISSUE + ceil(elements / lanes)


def allreduce(p: int, elements: int) -> float:
    """Cycles of a two-tree allreduce along a line: sums to the middle, back by multicast."""
    return two_tree(p, wavelets(elements), CALIBRATED)


def reduce(p: int, elements: int) -> float:
    """Cycles of a two-tree reduction along a line; the sum stays in the middle."""
    return two_tree_reduce(p, wavelets(elements), CALIBRATED)


def move(p: int, elements: int, hops: int = 1) -> float:
    """Cycles of a shift: every PE of a line sends a tile to another PE and receives one.

    Args:
        p: PEs in the line.
        elements: Size of the tile.
        hops: Distance of the farther shifts.
    """
    if p == 1 or elements == 0:
        return 0.0
    return min(hops, p - 1) * HOP + THROUGH_PE + CALIBRATED.passing * wavelets(elements)


@dataclass(frozen=True, slots=True)
class Tiles:
    """The sizes of a layer's tiles on one PE.

    Attributes:
        dim: Elements of the hidden state.
        q: Elements of the queries.
        kv: Elements of the keys, and of the values.
        ffn: Elements of the feed-forward network's inner state.
        context: Positions of the context.
        heads: Query heads of the whole model.
        kv_heads: Key heads of the whole model.
        normed: Whether query and key heads are normalized.
        biased: Whether queries, keys and values have a bias.
    """

    dim: int
    q: int
    kv: int
    ffn: int
    context: int
    heads: int = 1
    kv_heads: int = 1
    normed: bool = False
    biased: bool = False

    @classmethod
    def of(cls, shape: ModelShape, p: int, context: int) -> "Tiles":
        """Cut a model for P x P PEs, each width padded to a multiple of P.

        Queries lie with the keys they meet, so that their tile is a multiple of the keys'.
        """
        kv = ceil(shape.kv_dim / p)
        return cls(
            dim=ceil(shape.dim / p),
            q=kv * (shape.heads // shape.kv_heads),
            kv=kv,
            ffn=ceil(shape.ffn / p),
            context=ceil(context / p),
            heads=shape.heads,
            kv_heads=shape.kv_heads,
            normed=shape.qk_norm,
            biased=shape.bias,
        )

    @property
    def products(self) -> list[tuple[int, int]]:
        """(k, n) of a layer's nine products."""
        return [
            (self.dim, self.q),  # queries
            (self.dim, self.kv),  # keys
            (self.dim, self.kv),  # values
            (self.q, self.context),  # scores
            (self.context, self.q),  # weighted values
            (self.q, self.dim),  # output
            (self.dim, self.ffn),  # gate
            (self.dim, self.ffn),  # up
            (self.ffn, self.dim),  # down
        ]

    @property
    def attention_products(self) -> list[tuple[int, int]]:
        """The two of `products` that grow with the context: scores and weighted values."""
        return self.products[3:5]

    @property
    def moved(self) -> list[tuple[int, int]]:
        """Elements that each product of a prompt shifts along rows, and along columns.

        Weights, keys and values move along columns. Inputs move along rows, or sums do: those of
        the scores, of the output and of the feed-forward network.
        """
        hidden = self.context * self.dim
        scores = self.context * self.scores
        # In the order of `products`. Queries, keys and values move hidden states; the scores move
        # their sums, and the weighted values the shares of the softmax; output, gate, up and down
        # move hidden states or sums as wide.
        along_rows = [hidden] * 3 + [scores] * 2 + [hidden] * 4
        along_columns = [k * n for k, n in self.products]
        # For scores and weighted values no weights move, but keys and values.
        along_columns[3:5] = [self.context * self.kv] * 2
        return list(zip(along_rows, along_columns, strict=True))

    @property
    def under_way(self) -> int:
        """Elements of a token in flight: hidden states, queries, keys, values, scores, gate, up."""
        return 3 * self.dim + self.q + 2 * self.kv + self.scores + 2 * self.ffn

    @property
    def scores(self) -> int:
        """Scores of a token, of all heads."""
        return self.heads * self.context

    @property
    def statistics(self) -> list[int]:
        """Elements of the allreduces beside products: norm, head norms, peak, sum, norm."""
        # A norm needs the sum of squares: one number. The softmax needs a peak and a sum per head.
        sizes = [1]
        if self.normed:
            sizes.append(self.heads + self.kv_heads)
        sizes += [self.heads, self.heads, 1]
        return sizes

    @property
    def reduced(self) -> list[int]:
        """Elements of all allreduces of a decoded token: `statistics` and those of products."""
        return [
            *self.statistics,
            self.q + 2 * self.kv,  # queries, keys and values go together
            self.scores,
            self.q,  # weighted values
            self.dim,  # output
            2 * self.ffn,  # gate and up go together
            self.dim,  # down
        ]

    @property
    def swapped(self) -> int:
        """Elements that neighbors exchange where a pair that RoPE rotates lies on two PEs."""
        # With an even number of key elements on each PE no pair is cut in two.
        if self.kv % 2 == 0:
            return 0
        return self.q // self.kv + 1

    @property
    def moves(self) -> list[int]:
        """Elements of a decoded token's shifts: halves of pairs, the oldest key and value."""
        return [self.swapped, 2 * self.kv]

    @property
    def vectors(self) -> list[int]:
        """Elements of the vector operations beside products."""
        # As many of each as the functions in `kernels` book. A rotation of a pair takes four
        # products and two sums, for queries and for keys.
        norm = [self.dim] * 2
        pairs = ceil(self.kv / 2)
        rotations = [pairs * (self.q // self.kv)] * 6 + [pairs] * 6
        softmax = [self.scores] * 4
        silu = [self.ffn] * 3
        residual = [self.dim]
        sizes = norm * 2 + rotations + softmax + silu + residual * 2
        if self.normed:
            sizes += [self.q, self.q, self.kv, self.kv]
        if self.biased:
            sizes.append(self.q + 2 * self.kv)
        return sizes


def decode_layer(shape: ModelShape, p: int, context: int, lanes: int) -> float:
    """Cycles of one token through one layer.

    Args:
        shape: The model.
        p: Side of the mesh.
        context: Tokens in the cache, this one included.
        lanes: fp16 elements per PE and cycle.
    """
    tiles = Tiles.of(shape, p, context)
    sums = sum(allreduce(p, elements) for elements in tiles.reduced)
    # For a single token a product is a vector operation of length n for each of k inputs.
    products = sum(k * vector(n, lanes) for k, n in tiles.products)
    moves = sum(move(p, elements) for elements in tiles.moves)
    return sums + products + moves + _vectors(tiles.vectors, lanes)


def multiply_adds(m: int, k: int, n: int, lanes: int) -> float:
    """Cycles of a PE's product (m x k) by (k x n): vector operations of length m in a loop.

    The operands stay set up within the loop, so an operation costs REISSUE instead of ISSUE.
    """
    return k * n * (REISSUE + ceil(m / lanes))


def gemm(p: int, m: int, k: int, n: int, lanes: int, moved: tuple[int, int]) -> float:
    """Cycles of a MeshGEMM of tiles (m x k) by (k x n) on P x P PEs.

    Args:
        p: Side of the mesh.
        m: Rows of the left tile.
        k: Contracted elements.
        n: Columns of the right tile.
        lanes: fp16 elements per PE and cycle.
        moved: Elements of the tiles that shift along rows, and along columns.
    """
    # Neighbors in an interleaved ring are at most two hops apart. The two tiles move at the same
    # time, but a PE handles the words of both.
    shifts = 0.0
    if p > 1:
        words = sum(map(wavelets, moved))
        shifts = min(2, p - 1) * HOP + THROUGH_PE + CALIBRATED.passing * words
    return p * (multiply_adds(m, k, n, lanes) + shifts + STEP)


def prefill_layer(shape: ModelShape, p: int, tokens: int, lanes: int) -> float:
    """Cycles of a prompt through one layer.

    Args:
        shape: The model.
        p: Side of the mesh.
        tokens: Tokens of the prompt.
        lanes: fp16 elements per PE and cycle.
    """
    tiles = Tiles.of(shape, p, tokens)
    rows = tiles.context
    products = sum(
        gemm(p, rows, k, n, lanes, moved)
        for (k, n), moved in zip(tiles.products, tiles.moved, strict=True)
    )
    sums = sum(allreduce(p, rows * elements) for elements in tiles.statistics)
    # Keys and values turn together, at most half way round the rings: `align_columns`.
    alignment = p // 2 * move(p, 2 * rows * tiles.kv, 2)
    swaps = move(p, rows * tiles.swapped)
    return products + sums + alignment + swaps + rows * _vectors(tiles.vectors, lanes)


def _vectors(sizes: Sequence[int], lanes: int) -> float:
    return sum(vector(elements, lanes) for elements in sizes)
