"""MeshGEMM: matrix times matrix by steps of multiplying and cyclic shifts, and its twin that shifts the sums.

Rings are interleaved, so that no shift is farther than two hops. The mesh is square, P x P; what is contracted is cut
into P blocks, and a PE at places (y, x) of its rings has block y + x + t at step t of both factors, or of one and the
sums.
After the last step everything lies where it lay before the first one.
Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 4 (MeshGEMM, dist-GEMM-T, INTERLEAVE); Cannon 1969.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce, exchange, next_in_ring, places, shift
from spark_tui.wafer.constants import STEP
from spark_tui.wafer.fabric import Axis, Fabric, Values

Local = Callable[[Values, Values, Values], None]
"""What a PE does in a step: adds to the first array the product of the other two; all are (R, C, ...)."""


def labels(fabric: Fabric) -> NDArray[np.intp]:
    """The block that each PE works with at the first step, (R, C)."""
    found: NDArray[np.intp] = (places(fabric.rows)[:, None] + places(fabric.rows)) % fabric.rows
    return found


def multiply(total: Values, a: Values, b: Values) -> None:
    """Add (R, C, m, k) by (R, C, k, n) to (R, C, m, n), a contracted element after the other."""
    term = np.empty_like(total)
    for index in range(b.shape[2]):
        np.multiply(a[:, :, :, index, None], b[:, :, index, None], out=term)
        total += term


def stationary_sums(
    fabric: Fabric, a: Values, b: Values, total: Values, cycles: float, local: Local = multiply
) -> Values:
    """Both factors move, the sums stay.

    Args: a: (R, C, m, k), moves along rows. b: (R, C, k, n), moves along columns. total: (R, C, m, n), is added to.
        cycles: of a PE's arithmetic in a step.
    Returns: the sums, `total`.
    """
    onward = next_in_ring(fabric.rows)
    for _ in _steps(fabric, cycles, a, b):
        local(total, a, b)
        a, b = a[:, onward], b[onward]
    return total


def moving_sums(fabric: Fabric, a: Values, b: Values, total: Values, cycles: float, local: Local = multiply) -> Values:
    """One factor moves along columns, and the sums along rows, each PE adding its part: dist-GEMM-T.

    Args: a: (R, C, m, k), stays. b: (R, C, k, n), moves. total: (R, C, m, n), what is added to.
    Returns: the sums; a PE has the block of the result of its `labels`.
    """
    onward = next_in_ring(fabric.rows)
    for _ in _steps(fabric, cycles, total, b):
        local(total, a, b)
        total, b = total[:, onward], b[onward]
    return total


def _steps(fabric: Fabric, cycles: float, along_rows: Values, along_columns: Values) -> Iterator[None]:
    """Go through all steps, arithmetic before shifts."""
    words = [costs.wavelets(values[0, 0].size) for values in (along_rows, along_columns)]
    for _ in range(fabric.rows):
        yield
        fabric.compute(cycles + STEP)
        shift(fabric, *words)


def spread(fabric: Fabric, vector: Values, axis: Axis, tile: int | None = None) -> Values:
    """Lay a vector out, a piece on each position of the lines of an axis, padded by zeros: (n,) -> (R, C, tile).

    Returns: a read-only view, the same on all lines. Raises: ShapeError: the tiles are too small for the vector.
    """
    count = fabric.length(axis)
    tile = ceil(len(vector) / count) if tile is None else tile
    pieces = padded(vector, (count * tile,)).reshape(count, tile)
    pieces = pieces[None] if axis == "rows" else pieces[:, None]
    return np.broadcast_to(pieces, (fabric.rows, fabric.columns, tile))


def gather(fabric: Fabric, tiles: Values, axis: Axis, width: int) -> Values:
    """The vector of which every line has the pieces: (R, C, tile) -> (width,)."""
    whole: Values = fabric.lines(tiles, axis)[0].reshape(-1)[:width]
    return whole


def padded(values: Values, shape: Sequence[int]) -> Values:
    """Values with zeros behind them on each axis. Raises: ShapeError: the shape is smaller than theirs."""
    if any(have > want for have, want in zip(values.shape, shape, strict=True)):
        raise ShapeError(f"values {values.shape} do not fit into tiles of {tuple(shape)} in all")
    result = np.zeros(tuple(shape), values.dtype)
    result[tuple(slice(size) for size in values.shape)] = values
    return result


def matrix_tiles(fabric: Fabric, matrix: Values, axis: Axis, tile: tuple[int, int] | None = None) -> Values:
    """Cut a matrix for vectors spread along lines of `axis`: (in, out) -> (R, C, k, n).

    Args: tile: k and n; what the matrix needs where not said.
    """
    other: Axis = "columns" if axis == "rows" else "rows"
    counts = fabric.length(axis), fabric.length(other)
    k, n = tile or (ceil(matrix.shape[0] / counts[0]), ceil(matrix.shape[1] / counts[1]))
    whole = padded(matrix, (counts[0] * k, counts[1] * n)).reshape(counts[0], k, counts[1], n)
    by_input = np.ascontiguousarray(whole.transpose((1, 2, 0, 3) if axis == "rows" else (1, 0, 2, 3)))
    return np.moveaxis(by_input, 0, 2)


def local_product(x: Values, matrix: Values) -> Values:
    """What each PE adds up on its own, an input element after the other: (R, C, k) by (R, C, k, n) -> (R, C, n)."""
    total = x[..., 0, None] * matrix[:, :, 0]
    term = np.empty_like(total)
    for index in range(1, matrix.shape[2]):
        np.multiply(x[..., index, None], matrix[:, :, index], out=term)
        total += term
    return total


def mesh_gemv(fabric: Fabric, x: Values, matrix: Values, axis: Axis, *, parts: Sequence[int] = ()) -> Values:
    """A vector times a matrix.

    Args: x: (R, C, k), spread along lines of `axis`. matrix: of `matrix_tiles`, (R, C, k, n). parts: the widths of the
        matrices that lie side by side in `matrix`, each a product of its own; their sums go together.
    Returns: (R, C, n), a read-only view.
    Raises: ShapeError: the tiles do not fit together.
    """
    if x.shape != matrix.shape[:3] or (parts and sum(parts) != matrix.shape[3]):
        raise ShapeError(f"vector tiles {x.shape} by matrix tiles {matrix.shape}, parts {tuple(parts)}")
    fabric.compute(matrix.shape[2] * sum(costs.vector(n, fabric.lanes) for n in parts or matrix.shape[3:]))
    return allreduce(fabric, local_product(x, matrix), axis)


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
