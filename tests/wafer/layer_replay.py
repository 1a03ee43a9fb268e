"""A decoder layer once more, by plain loops over PEs and scalars.

The sums are the same in the same order, bit for bit. No kernel of the package is used: tiles are
cut by index arithmetic, and sums go up their trees event by event.
"""

from collections.abc import Callable, Sequence
from math import ceil, sqrt

import numpy as np

from spark_tui.wafer.collective_costs import middle
from spark_tui.wafer.machine import ModelShape
from tests.wafer.replay import TREES, run
from tests.wafer.samples import EPS, Floats, frequencies, weights_of

ZERO, ONE = np.float32(0), np.float32(1)
Numbers = list[np.float32]


def added(numbers: Sequence[np.float32]) -> np.float32:
    """From the first to the last."""
    total = numbers[0]
    for number in numbers[1:]:
        total = total + number
    return total


def exponential(number: np.float32) -> np.float32:
    return np.float32(np.exp(np.array([number]))[0])


class FlatLayer:
    """A layer on P x P PEs.

    Attributes:
        held: Position, key and value of every slot in use, row by row.
    """

    def __init__(self, shape: ModelShape, p: int) -> None:
        self.shape, self.p, self.w = shape, p, weights_of(shape)
        self.rep = shape.heads // shape.kv_heads
        self.d, self.e, self.f = (ceil(width / p) for width in (shape.dim, shape.kv_dim, shape.ffn))
        self.held: list[list[tuple[int, Floats, Floats]]] = [[] for _ in range(p)]
        self.length = 0

    def line(self, parts: Numbers) -> np.float32:
        return run(TREES["two_tree"](self.p), [0.0] * self.p, parts, 0)[1][middle(self.p)]

    def key_element(self, place: int) -> int:
        """Of the model, -1 for padding: the halves of each pair lie side by side."""
        group, within = divmod(place, self.shape.head_dim)
        return (
            -1
            if place >= self.shape.kv_dim
            else (
                group * self.shape.head_dim + within // 2 + within % 2 * (self.shape.head_dim // 2)
            )
        )

    def query_element(self, place: int) -> int:
        key, turn = self.key_element(place // self.rep), place % self.rep
        group, within = divmod(key, self.shape.head_dim)
        return -1 if key < 0 else (group * self.rep + turn) * self.shape.head_dim + within

    def head_of(self, place: int) -> int:
        element = self.query_element(place)
        return element // self.shape.head_dim if element >= 0 else -1

    def product(
        self, x: Floats, matrix: Floats, given: int, columns: Callable[[int], int], made: int
    ) -> Floats:
        """Multiply a vector, `given` elements on a PE, by the matrix columns at `made` places."""
        result = np.zeros(made, np.float32)
        for place in range(made):
            column = columns(place)
            parts = [
                added(
                    [
                        x[i] * (matrix[i, column] if column >= 0 else ZERO)
                        for i in range(pe * given, (pe + 1) * given)
                    ]
                )
                for pe in range(self.p)
            ]
            result[place] = self.line(parts)
        return result

    def rows_padded(self, matrix: Floats, places: int, rows: Callable[[int], int]) -> Floats:
        result = np.zeros((places, matrix.shape[1]), np.float32)
        for place in range(places):
            if 0 <= rows(place) < len(matrix):
                result[place] = matrix[rows(place)]
        return result

    def norm(self, x: Floats, weight: Floats) -> Floats:
        squares = [
            added([x[i] * x[i] for i in range(pe * self.d, (pe + 1) * self.d)])
            for pe in range(self.p)
        ]
        scale = ONE / np.sqrt(self.line(squares) / np.float32(self.shape.dim) + np.float32(EPS))
        padded = [*weight, *[ZERO] * (len(x) - len(weight))]
        return np.array(
            [number * scale * gain for number, gain in zip(x, padded, strict=True)], np.float32
        )

    def head_norm(
        self, x: Floats, weight: Floats, element: Callable[[int], int], rep: int
    ) -> Floats:
        """Args:
        rep: Places of x for each key place.
        """
        size, result = self.shape.head_dim, x.copy()
        for head in range(self.shape.kv_heads * rep):
            parts = []
            for pe in range(self.p):
                total = ZERO
                for place in range(pe * self.e * rep, (pe + 1) * self.e * rep):
                    if element(place) >= 0 and element(place) // size == head:
                        total = total + x[place] ** 2
                parts.append(total)
            scale = ONE / np.sqrt(self.line(parts) / np.float32(size) + np.float32(EPS))
            for place in range(len(x)):
                if element(place) >= 0 and element(place) // size == head:
                    result[place] = x[place] * scale * weight[element(place) % size]
        return result

    def rotated(self, x: Floats, rep: int) -> Floats:
        result = np.zeros_like(x)
        for place in range(self.shape.kv_dim):
            angle = self.length * frequencies(self.shape)[place % self.shape.head_dim // 2]
            cosine, sine = (
                np.float32(np.cos(angle)),
                np.float32(np.sin(angle)) * np.float32(1 if place % 2 else -1),
            )
            for turn in range(rep):
                result[place * rep + turn] = (
                    x[place * rep + turn] * cosine + x[(place ^ 1) * rep + turn] * sine
                )
        return result

    def append(self, key: Floats, value: Floats) -> None:
        """The oldest of each row goes up, down to the row whose turn it is to have one more."""
        target, new = self.length % self.p, (self.length, key, value)
        for row in range(self.p - 1, target, -1):
            if self.held[row]:
                oldest = min(range(len(self.held[row])), key=lambda slot: self.held[row][slot][0])
                new, self.held[row][oldest] = self.held[row][oldest], new
        self.held[target].append(new)
        self.length += 1

    def attention(self, q: Floats) -> Floats:
        depth, scale = max(map(len, self.held)), np.float32(1 / sqrt(self.shape.head_dim))
        width = self.e * self.rep
        shares: dict[tuple[int, int], Numbers] = {}
        for head in range(self.shape.heads):
            scores = [[self.score(q, head, key) for _, key, _ in row] for row in self.held]
            peak = max(score for row in scores for score in row)
            numbers = [[exponential((score - peak) * scale) for score in row] for row in scores]
            total = self.line([added([*row, *[ZERO] * (depth - len(row))]) for row in numbers])
            for row, line in enumerate(numbers):
                shares[head, row] = [number / total for number in line]
        result = np.zeros(self.p * width, np.float32)
        for place in range(self.p * width):
            head = self.head_of(place)
            parts = []
            for row in range(self.p):
                part = ZERO
                for share, (_, _, value) in zip(
                    shares.get((head, row), []), self.held[row], strict=head >= 0
                ):
                    part = part + share * value[place // self.rep]
                parts.append(part)
            result[place] = self.line(parts) if head >= 0 else ZERO
        return result

    def score(self, q: Floats, head: int, key: Floats) -> np.float32:
        parts = []
        for pe in range(self.p):
            total = ZERO
            for place in range(pe * self.e * self.rep, (pe + 1) * self.e * self.rep):
                if self.head_of(place) == head:
                    total = total + q[place] * key[place // self.rep]
            parts.append(total)
        return self.line(parts)

    def forward(self, hidden: Floats) -> Floats:
        p, w, queries, keys = self.p, self.w, self.p * self.e * self.rep, self.p * self.e
        x = np.zeros(p * self.d, np.float32)
        x[: len(hidden)] = hidden
        into = [self.rows_padded(m, len(x), lambda i: i) for m in (w.q, w.k, w.v, w.gate, w.up)]
        normed = self.norm(x, w.first_norm)
        q = self.product(normed, into[0], self.d, self.query_element, queries)
        k, v = (
            self.product(normed, matrix, self.d, self.key_element, keys) for matrix in into[1:3]
        )
        if w.bias is not None:
            bias = np.split(w.bias, [self.shape.q_dim, self.shape.q_dim + self.shape.kv_dim])
            q, k, v = (
                np.array(
                    [n + (b[at(i)] if at(i) >= 0 else ZERO) for i, n in enumerate(made)], np.float32
                )
                for made, b, at in zip(
                    (q, k, v), bias, (self.query_element, *[self.key_element] * 2), strict=True
                )
            )
        if w.q_norm is not None and w.k_norm is not None:
            q = self.head_norm(q, w.q_norm, self.query_element, self.rep)
            k = self.head_norm(k, w.k_norm, self.key_element, 1)
        q, k = self.rotated(q, self.rep), self.rotated(k, 1)
        self.append(k, v)
        out = self.rows_padded(w.o, queries, self.query_element)
        columns = self.inside(self.shape.dim)
        x = x + self.product(self.attention(q), out, self.e * self.rep, columns, len(x))
        normed = self.norm(x, w.second_norm)
        wide = self.inside(self.shape.ffn)
        gate, up = (self.product(normed, matrix, self.d, wide, p * self.f) for matrix in into[3:])
        inner = np.array(
            [g / (ONE + exponential(-g)) * u for g, u in zip(gate, up, strict=True)], np.float32
        )
        down = self.rows_padded(w.down, p * self.f, lambda i: i)
        return (x + self.product(inner, down, self.f, columns, len(x)))[: len(hidden)]

    @staticmethod
    def inside(width: int) -> Callable[[int], int]:
        return lambda place: place if place < width else -1
