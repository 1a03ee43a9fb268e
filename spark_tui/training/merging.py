"""The mean of several adapters: of what they add to the weights, not of their matrices.

The changes of several adapters add up to one of the sum of their ranks; of that, the singular value
decomposition keeps the largest part that a rank can hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spark_tui.engine.adapters import Pairs
from spark_tui.engine.arrays import FloatArray
from spark_tui.errors import UsageError


@dataclass(frozen=True, slots=True)
class WeightedAdapter:
    """An adapter with its weight in a mean.

    Attributes:
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        scale: What scales the product of a pair.
    """

    pairs: Pairs
    scale: float
    weight: float = 1.0

    @property
    def rank(self) -> int:
        """The largest of its ranks."""
        return max((len(down) for down, _ in self.pairs.values()), default=0)


@dataclass(frozen=True, slots=True)
class MeanAdapter:
    """The mean of adapters.

    Attributes:
        rank: Of every pair.
        lost: Share of the squared change of all weights that the rank cannot hold.
    """

    pairs: Pairs
    scale: float
    rank: int
    lost: float


def mean_of_adapters(adapters: Sequence[WeightedAdapter], rank: int | None = None) -> MeanAdapter:
    """Return the mean of the changes that adapters make, weighted.

    Args:
        adapters: Of any ranks, scales and layers.
        rank: Of the mean; None for the largest rank of an adapter.

    Raises:
        UsageError: The weights add up to nothing, or the adapters change nothing.
    """
    total = sum(adapter.weight for adapter in adapters)
    if not total > 0:
        raise UsageError("the weights of the adapters must add up to more than 0")
    rank = rank or max(adapter.rank for adapter in adapters)
    names = sorted({name for adapter in adapters for name in adapter.pairs})
    if not names:
        raise UsageError("these adapters change nothing")
    scale = adapters[0].scale if adapters[0].scale > 0 else 1.0
    pairs, lost, whole = Pairs(), 0.0, 0.0
    for name in names:
        holders = [adapter for adapter in adapters if name in adapter.pairs]
        factors = [adapter.scale * adapter.weight / total for adapter in holders]
        downs = [adapter.pairs[name][0] for adapter in holders]
        ups = [adapter.pairs[name][1] for adapter in holders]
        scaled = [up * factor for up, factor in zip(ups, factors, strict=True)]
        left, values, right = _decomposed(np.hstack(scaled), np.vstack(downs))
        lost += float(np.square(values[rank:]).sum())
        whole += float(np.square(values).sum())
        pairs[name] = _balanced(left, values, right, rank, scale)
    return MeanAdapter(pairs, scale, rank, lost / whole if whole else 0.0)


def _decomposed(
    up: FloatArray, down: FloatArray
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the singular value decomposition of up @ down, by way of two small matrices."""
    left, left_triangle = np.linalg.qr(up.astype(np.float64))
    right, right_triangle = np.linalg.qr(down.T.astype(np.float64))
    inner_left, values, inner_right = np.linalg.svd(left_triangle @ right_triangle.T)
    return left @ inner_left[:, : len(values)], values, inner_right[: len(values)] @ right.T


def _balanced(
    left: NDArray[np.float64],
    values: NDArray[np.float64],
    right: NDArray[np.float64],
    rank: int,
    scale: float,
) -> tuple[FloatArray, FloatArray]:
    """Return a pair of the given rank whose matrices are of like size; zeros fill it up."""
    count = min(rank, len(values))
    roots = np.sqrt(values[:count] / scale)
    down = np.zeros((rank, right.shape[1]), np.float32)
    up = np.zeros((len(left), rank), np.float32)
    down[:count] = roots[:, None] * right[:count]
    up[:, :count] = left[:, :count] * roots
    return down, up
