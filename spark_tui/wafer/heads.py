"""How queries, keys and values lie on the columns of a mesh, and what is done for each head there.

Keys lie in the order of the pairs that RoPE turns, and every query element lies with the key element it meets.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer.elementwise import allreduce_tokens, operate, tokens_of
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.shapes import Shape

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
