"""What things cost on a square mesh of P x P PEs, in cycles, in closed form.

`mesh` and the kernels count the same by running; tests hold the two equal. Lengths are elements of a PE's own tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isqrt

from spark_tui.wafer.constants import ELEMENT_BYTES, HOP, ISSUE, REISSUE, STEP, THROUGH_PE, WAVELET, WAVELET_BYTES
from spark_tui.wafer.shapes import Shape


def wavelets(elements: int) -> int:
    """Wavelets that carry so many fp16 elements."""
    return ceil(elements * ELEMENT_BYTES / WAVELET_BYTES)


def vector(elements: int, lanes: int) -> float:
    """A vector operation on new operands. Args: lanes: fp16 elements a cycle."""
    return ISSUE + ceil(elements / lanes)


def groups(p: int) -> int:
    """Into how many groups a two-tree allreduce divides P PEs in a line: the largest divisor up to sqrt(P).

    Where P has none near its root the last group is shorter. Source: WaferLLM's choice for P = 240..720.
    """
    best = max(divisor for divisor in range(1, isqrt(p) + 1) if p % divisor == 0)
    return best if 2 * best * best >= p else ceil(p**0.5)


def reduce_depth(p: int) -> int:
    """PEs that a sum goes through one after another: to the middle of its group, then to the middle group."""
    count = groups(p)
    return ceil(p / count) // 2 + count // 2


def allreduce(p: int, elements: int) -> float:
    """A two-tree allreduce along a line of P PEs: to the middle, adding up, and back by multicast."""
    return 2 * (p // 2) * HOP + reduce_depth(p) * (THROUGH_PE + ISSUE) + WAVELET * wavelets(elements)


@dataclass(frozen=True, slots=True)
class Tiles:
    """How much of each width of a model a PE holds, and how many positions of the context."""

    dim: int
    q: int
    kv: int
    ffn: int
    context: int

    @classmethod
    def of(cls, shape: Shape, p: int, context: int) -> "Tiles":
        """The tiles of a model on P x P PEs, each width padded to a multiple of P."""
        widths = (shape.dim, shape.q_dim, shape.kv_dim, shape.ffn, context)
        return cls(*(ceil(width / p) for width in widths))

    @property
    def products(self) -> list[tuple[int, int]]:
        """(elements in, elements out) of a layer's nine products: q, k, v, scores, values, out, gate, up, down."""
        return [
            (self.dim, self.q), (self.dim, self.kv), (self.dim, self.kv),
            (self.q, self.context), (self.context, self.q), (self.q, self.dim),
            (self.dim, self.ffn), (self.dim, self.ffn), (self.ffn, self.dim),
        ]  # fmt: skip

    @property
    def reduced(self) -> list[int]:
        """Elements of a layer's ten allreduces: norm, qkv, scores, peak, sum, values, out, norm, gate+up, down."""
        d, s = self.dim, self.context
        return [1, self.q + 2 * self.kv, s, 1, 1, self.q, d, 1, 2 * self.ffn, d]

    @property
    def vectors(self) -> list[int]:
        """Elements of a layer's vector operations beside products: norms, rotations, softmax, SiLU, residuals."""
        norms, residuals = [self.dim] * 4, [self.dim] * 2
        rotations = [ceil(self.q / 2)] * 6 + [ceil(self.kv / 2)] * 6
        return norms + rotations + [self.context] * 4 + [self.ffn] * 3 + residuals


def decode_layer(shape: Shape, p: int, context: int, lanes: int) -> float:
    """One token through one layer, with `context` tokens in the cache."""
    tiles = Tiles.of(shape, p, context)
    sums = sum(allreduce(p, elements) for elements in tiles.reduced)
    products = sum(given * vector(made, lanes) for given, made in tiles.products)
    return sums + products + _all(tiles.vectors, lanes)


def gemm(p: int, rows: int, given: int, made: int, lanes: int) -> float:
    """A MeshGEMM of tiles (rows x given) by (given x made): P steps of arithmetic, and of shifts by two hops."""
    arithmetic = given * made * (REISSUE + ceil(rows / lanes))
    shifts = WAVELET * (wavelets(rows * given) + wavelets(given * made))
    return p * (arithmetic + shifts + STEP)


def prefill_layer(shape: Shape, p: int, tokens: int, lanes: int) -> float:
    """A prompt of so many tokens through one layer."""
    tiles = Tiles.of(shape, p, tokens)
    rows = tiles.context
    products = sum(gemm(p, rows, given, made, lanes) for given, made in tiles.products)
    return products + rows * _all(tiles.vectors, lanes)


def _all(lengths: Sequence[int], lanes: int) -> float:
    return sum(vector(length, lanes) for length in lengths)
