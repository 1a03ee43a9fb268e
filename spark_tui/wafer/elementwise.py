"""What a decoder does beside products, tile by tile: norms, rotations, the parts of a softmax, SiLU, residuals.

Values are (R, C, ..., n): a tile of n elements on each PE, or several tokens' tiles. Each function computes the values
in the order a PE would, and books the vector operations that `costs.Tiles.vectors` lists for it.
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce
from spark_tui.wafer.fabric import Axis, Fabric, Values
from spark_tui.wafer.shifts import exchange


def operate(fabric: Fabric, elements: int, operations: int, tokens: int = 1) -> None:
    """Book vector operations on every PE. Args: elements: of each. tokens: the operations are done for each."""
    fabric.compute(tokens * operations * costs.vector(elements, fabric.lanes))


def tokens_of(values: Values) -> int:
    """Tokens whose tiles a PE holds."""
    return prod(values.shape[2:-1])


def summed(values: Values) -> Values:
    """The sums over the last axis, an element after the other: (..., n) -> (...)."""
    total = values[..., 0].copy()
    for index in range(1, values.shape[-1]):
        total += values[..., index]
    return total


def allreduce_tokens(fabric: Fabric, values: Values, axis: Axis, combine: np.ufunc = np.add) -> Values:
    """An allreduce of all that a PE holds: (R, C, ...) -> the same."""
    flat = values.reshape(fabric.rows, fabric.columns, -1)
    return allreduce(fabric, flat, axis, combine=combine).reshape(values.shape)


def rms_norm(fabric: Fabric, x: Values, weight: Values, axis: Axis, *, width: int, eps: float) -> Values:
    """Divide by the root of the mean square of whole rows, times a weight.

    Args: x: (R, C, ..., n), spread along lines of `axis`. weight: (R, C, n), or what broadcasts. width: unpadded.
    Returns: as x. Source: Zhang and Sennrich 2019, arXiv:1910.07467.
    """
    operate(fabric, x.shape[-1], 2, tokens_of(x))
    squares = allreduce_tokens(fabric, summed(x * x), axis)
    scale = 1 / np.sqrt(squares / x.dtype.type(width) + x.dtype.type(eps))
    batch = x.shape[:2] + (1,) * (x.ndim - 3) + x.shape[-1:]
    normed: Values = x * scale[..., None] * np.broadcast_to(weight, x.shape[:2] + x.shape[-1:]).reshape(batch)
    return normed


def silu_times(fabric: Fabric, gate: Values, up: Values) -> Values:
    """SiLU of the gate, times what goes up: three operations."""
    operate(fabric, gate.shape[-1], 3, tokens_of(gate))
    with np.errstate(over="ignore"):  # where it is too large for a number, the result is 0 as it should be
        result: Values = gate / (1 + np.exp(-gate)) * up
    return result


def add(fabric: Fabric, x: Values, y: Values) -> Values:
    """A residual, or a bias."""
    operate(fabric, x.shape[-1], 1, tokens_of(x))
    return x + y


def softmax(fabric: Fabric, scores: Values, axis: Axis, *, scale: float, mask: NDArray[np.bool_]) -> Values:
    """Softmax of scores that are spread along lines of `axis`, by two allreduces: of the peaks, and of the sums.

    Args: scores: (R, C, H, ..., s). mask: True where there is something to attend to; broadcasts to the scores.
    Returns: as the scores; 0 where masked.
    """
    heads, positions = scores.shape[2], scores.shape[-1]
    operate(fabric, heads * positions, 4, prod(scores.shape[3:-1]))
    masked = np.where(mask, scores, scores.dtype.type(-np.inf))
    peak = allreduce_tokens(fabric, masked.max(axis=-1), axis, np.maximum)
    shares = np.exp((masked - peak[..., None]) * scores.dtype.type(scale))
    total = allreduce_tokens(fabric, summed(shares), axis)
    result: Values = shares / total[..., None]
    return result


def rotate(fabric: Fabric, q: Values, k: Values, cosines: Values, sines: Values) -> tuple[Values, Values]:
    """Turn pairs of queries and keys by their positions; halves of a pair that lies on two PEs are exchanged.

    Args: q: (R, C, ..., e, rep). k: (R, C, ..., e); elements 2i and 2i + 1 along a whole row are a pair.
        cosines, sines: what broadcasts to (R, C, ..., e); the sine of a pair's first half is negative.
    Returns: as q and k. Source: RoPE, arXiv:2104.09864.
    """
    tokens, width = tokens_of(k), k.shape[-1]
    _exchange_halves(fabric, tokens, width, q.shape[-1])
    pairs = -(-width // 2)
    operate(fabric, pairs * q.shape[-1], 6, tokens)
    operate(fabric, pairs, 6, tokens)
    cosines, sines = cosines.astype(k.dtype), sines.astype(k.dtype)
    others = _other_half(np.concatenate([q, k[..., None]], axis=-1))
    turned_q: Values = q * cosines[..., None] + others[..., :-1] * sines[..., None]
    turned_k: Values = k * cosines + others[..., -1] * sines
    return turned_q, turned_k


def _exchange_halves(fabric: Fabric, tokens: int, width: int, rep: int) -> None:
    if width % 2 == 0 or fabric.columns == 1:
        return
    partner = np.arange(fabric.columns) ^ 1
    partner[partner == fabric.columns] -= 1
    exchange(fabric, "rows", partner, costs.wavelets(tokens * (rep + 1)))


def _other_half(values: Values) -> Values:
    """The other element of each one's pair: (R, C, ..., e, n) -> the same."""
    moved = np.moveaxis(values, 1, -3)
    flat = moved.reshape(*moved.shape[:-3], -1, values.shape[-1])
    partner = np.arange(flat.shape[-2]) ^ 1
    partner[partner == len(partner)] -= 1
    return np.moveaxis(flat[..., partner, :].reshape(moved.shape), -3, 1)
