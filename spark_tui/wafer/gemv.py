"""MeshGEMV: a vector times a matrix, each PE with its tile of both.

The vector is spread along the lines of one axis and the same on all of them; a PE multiplies its piece, and the sums
of a line come together by a two-tree. The result is spread along the other axis, as the next product wants it.
Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 5.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce
from spark_tui.wafer.fabric import Axis, Fabric, Values


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
