"""What things cost on a square mesh of P x P PEs, in cycles, in closed form.

`mesh` and the kernels count the same by running; tests hold the two equal. Lengths are elements of a PE's own tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from spark_tui.wafer.collective_costs import CALIBRATED, two_tree, two_tree_reduce
from spark_tui.wafer.constants import ELEMENT_BYTES, HOP, ISSUE, REISSUE, STEP, THROUGH_PE, WAVELET_BYTES
from spark_tui.wafer.machine import Shape


def wavelets(elements: int) -> int:
    """Wavelets that carry so many fp16 elements."""
    return ceil(elements * ELEMENT_BYTES / WAVELET_BYTES)


def vector(elements: int, lanes: int) -> float:
    """A vector operation on new operands. Args: lanes: fp16 elements a cycle."""
    return ISSUE + ceil(elements / lanes)


def allreduce(p: int, elements: int) -> float:
    """A two-tree allreduce along a line of P PEs: to the middle, adding up, and back by multicast."""
    return two_tree(p, wavelets(elements), CALIBRATED)


def reduce(p: int, elements: int) -> float:
    """The same without the way back: the sum stays in the middle."""
    return two_tree_reduce(p, wavelets(elements), CALIBRATED)


def move(p: int, elements: int, hops: int = 1) -> float:
    """Every PE of a line of P hands so many elements to another one, at most `hops` away, and takes as many."""
    if p == 1 or elements == 0:
        return 0.0
    return min(hops, p - 1) * HOP + THROUGH_PE + CALIBRATED.passing * wavelets(elements)


@dataclass(frozen=True, slots=True)
class Tiles:
    """How much of each width of a model a PE holds, and how many positions of the context.

    Args: heads, kv_heads: of the whole model. normed: queries and keys are normalised; biased: they get a bias.
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
    def of(cls, shape: Shape, p: int, context: int) -> "Tiles":
        """The tiles of a model on P x P PEs, each width padded to a multiple of P; queries lie with their keys."""
        dim, kv, ffn, rows = (ceil(width / p) for width in (shape.dim, shape.kv_dim, shape.ffn, context))
        heads = shape.heads, shape.kv_heads
        return cls(dim, kv * (heads[0] // heads[1]), kv, ffn, rows, *heads, shape.qk_norm, shape.bias)

    @property
    def products(self) -> list[tuple[int, int]]:
        """(elements in, elements out) of a layer's nine products: q, k, v, scores, values, out, gate, up, down."""
        return [
            (self.dim, self.q), (self.dim, self.kv), (self.dim, self.kv),
            (self.q, self.context), (self.context, self.q), (self.q, self.dim),
            (self.dim, self.ffn), (self.dim, self.ffn), (self.ffn, self.dim),
        ]  # fmt: skip

    @property
    def moved(self) -> list[tuple[int, int]]:
        """Elements that each product of a prompt shifts along rows and along columns.

        Along columns go weights, keys and values. Along rows goes what comes in, or the sums: of scores, out, down.
        """
        rows, scores = self.context, self.context * self.scores
        weights = [given * made for given, made in self.products]
        over = [rows * self.dim] * 3 + [scores] * 2 + [rows * self.dim] * 4
        return list(zip(over, [*weights[:3], *[rows * self.kv] * 2, *weights[5:]], strict=True))

    @property
    def under_way(self) -> int:
        """Elements of a token that is being worked on: hidden states, queries, keys, values, scores, gate and up."""
        return 3 * self.dim + self.q + 2 * self.kv + self.scores + 2 * self.ffn

    @property
    def scores(self) -> int:
        """Scores of a token, of all heads."""
        return self.heads * self.context

    @property
    def statistics(self) -> list[int]:
        """Elements of the allreduces beside products: norm, norms of the heads, peak, sum, norm."""
        return [1, *[self.heads + self.kv_heads] * self.normed, self.heads, self.heads, 1]

    @property
    def reduced(self) -> list[int]:
        """Elements of a layer's allreduces: those of its products (qkv, scores, values, out, gate+up, down) too."""
        products = [self.q + 2 * self.kv, self.scores, self.q, self.dim, 2 * self.ffn, self.dim]
        return [*self.statistics, *products]

    @property
    def swapped(self) -> int:
        """Elements that neighbours exchange where a pair that RoPE turns lies on two PEs."""
        return self.q // self.kv + 1 if self.kv % 2 else 0

    @property
    def moves(self) -> list[int]:
        """Elements that go to a neighbour: halves of turned pairs, and the oldest key and value, to the row above."""
        return [self.swapped, 2 * self.kv]

    @property
    def vectors(self) -> list[int]:
        """Elements of a layer's vector operations beside products: norms, rotations, softmax, SiLU, residuals."""
        norms, residuals = [self.dim] * 4, [self.dim] * 2
        pairs = ceil(self.kv / 2)
        rotations = [pairs * (self.q // self.kv)] * 6 + [pairs] * 6
        heads = [self.q] * 2 * self.normed + [self.kv] * 2 * self.normed + [self.q + 2 * self.kv] * self.biased
        return norms + heads + rotations + [self.scores] * 4 + [self.ffn] * 3 + residuals


def decode_layer(shape: Shape, p: int, context: int, lanes: int) -> float:
    """One token through one layer, with `context` tokens in the cache, itself included."""
    tiles = Tiles.of(shape, p, context)
    sums = sum(allreduce(p, elements) for elements in tiles.reduced)
    products = sum(given * vector(made, lanes) for given, made in tiles.products)
    moves = sum(move(p, elements) for elements in tiles.moves)
    return sums + products + moves + _all(tiles.vectors, lanes)


def multiply_adds(rows: int, given: int, made: int, lanes: int) -> float:
    """A PE's product of tiles (rows x given) by (given x made): vector operations over the rows in an inner loop."""
    return given * made * (REISSUE + ceil(rows / lanes))


def gemm(p: int, rows: int, given: int, made: int, lanes: int, moved: tuple[int, int]) -> float:
    """A MeshGEMM of tiles (rows x given) by (given x made) on P x P PEs, whose shifts go by two hops.

    Args: moved: elements of the tiles that are shifted along rows, and along columns.
    """
    words = sum(map(wavelets, moved))
    shifts = min(2, p - 1) * HOP + THROUGH_PE + CALIBRATED.passing * words if p > 1 else 0.0
    return p * (multiply_adds(rows, given, made, lanes) + shifts + STEP)


def prefill_layer(shape: Shape, p: int, tokens: int, lanes: int) -> float:
    """A prompt of so many tokens through one layer."""
    tiles = Tiles.of(shape, p, tokens)
    rows = tiles.context
    products = sum(gemm(p, rows, *tile, lanes, moved) for tile, moved in zip(tiles.products, tiles.moved, strict=True))
    sums = sum(allreduce(p, rows * elements) for elements in tiles.statistics)
    aligning = p // 2 * move(p, 2 * rows * tiles.kv, 2)
    return products + sums + aligning + move(p, rows * tiles.swapped) + rows * _all(tiles.vectors, lanes)


def _all(lengths: Sequence[int], lanes: int) -> float:
    return sum(vector(length, lanes) for length in lengths)
