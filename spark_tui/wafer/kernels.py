"""The kernels that run on a mesh: MeshGEMM, MeshGEMV, and the element-wise parts of a decoder.

Values are float32 arrays (R, C, ...): a tile on each PE. Each kernel computes the values in the
order in which a PE would, and books the cycles that `costs` has in closed form.

MeshGEMM multiplies matrices by steps of local products and cyclic shifts; its twin shifts the sums
instead of one factor. Rings are interleaved, so that no shift is longer than two hops. The mesh is
square, P x P, and the contracted dimension is cut into P blocks. The PE at the places (y, x) of its
rings has block y + x + t (modulo P) of both factors at step t, or of one factor and of the sums.
After the last step every tile lies where it lay before the first step.

MeshGEMV multiplies a vector by a matrix. The vector is spread along the lines of one axis and is
the same on all of them; a PE multiplies its piece, and a two-tree adds up the sums of a line. The
result is spread along the other axis, where the next product needs it.

Source: WaferLLM, OSDI 2025, arXiv:2502.04563, sections 4 and 5; Cannon 1969.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce, exchange, next_in_ring, ring_places, shift
from spark_tui.wafer.constants import STEP
from spark_tui.wafer.fabric import Axis, Fabric, Values

LocalProduct = Callable[[Values, Values, Values], None]
"""A PE's part of a step: add the product of the last two arrays to the first; all (R, C, ...)."""


def labels(fabric: Fabric) -> NDArray[np.intp]:
    """Return the block that each PE works on in the first step of a MeshGEMM, (R, C)."""
    place = ring_places(fabric.rows)
    blocks: NDArray[np.intp] = (place[:, None] + place) % fabric.rows
    return blocks


def multiply(total: Values, a: Values, b: Values) -> None:
    """Add (R, C, m, k) by (R, C, k, n) to (R, C, m, n), one contracted element after another."""
    # An einsum could add in another order than a PE does, and so round otherwise.
    term = np.empty_like(total)
    for index in range(b.shape[2]):
        np.multiply(a[:, :, :, index, None], b[:, :, index, None], out=term)
        total += term


def stationary_sums(
    fabric: Fabric,
    a: Values,
    b: Values,
    total: Values,
    cycles: float,
    local: LocalProduct = multiply,
) -> Values:
    """Run a MeshGEMM: both factors move, the sums stay.

    Args:
        fabric: The mesh.
        a: (R, C, m, k), moves along rows.
        b: (R, C, k, n), moves along columns.
        total: (R, C, m, n), the start of the sums; added to in place.
        cycles: Cycles of a PE's arithmetic in one step.
        local: The local product.

    Returns:
        The sums, `total`.
    """
    onward = next_in_ring(fabric.rows)
    for _ in _steps(fabric, cycles, a, b):
        # After the shift each PE has the block of the next PE in its ring.
        local(total, a, b)
        a = a[:, onward]
        b = b[onward]
    return total


def moving_sums(
    fabric: Fabric,
    a: Values,
    b: Values,
    total: Values,
    cycles: float,
    local: LocalProduct = multiply,
) -> Values:
    """Run a MeshGEMM with a factor that stays (dist-GEMM-T): sums move along rows.

    Args:
        fabric: The mesh.
        a: (R, C, m, k), stays.
        b: (R, C, k, n), moves along columns.
        total: (R, C, m, n), the start of the sums.
        cycles: Cycles of a PE's arithmetic in one step.
        local: The local product.

    Returns:
        The sums, (R, C, m, n); a PE has the block of the result that `labels` gives it.
    """
    onward = next_in_ring(fabric.rows)
    for _ in _steps(fabric, cycles, total, b):
        local(total, a, b)
        total = total[:, onward]
        b = b[onward]
    return total


def _steps(
    fabric: Fabric, cycles: float, along_rows: Values, along_columns: Values
) -> Iterator[None]:
    """Run through all steps of a MeshGEMM: the caller's arithmetic, then the shifts."""
    row_words = costs.wavelets(along_rows[0, 0].size)
    column_words = costs.wavelets(along_columns[0, 0].size)
    for _ in range(fabric.rows):
        yield
        # STEP is everything that a step costs beside arithmetic and words.
        fabric.compute(cycles + STEP)
        shift(fabric, row_words, column_words)


def spread(fabric: Fabric, vector: Values, axis: Axis, tile: int | None = None) -> Values:
    """Lay out a vector, a piece on each position of every line.

    Args:
        fabric: The mesh.
        vector: (n,); zeros pad the last pieces.
        axis: The lines.
        tile: Elements of a piece, by default as few as hold the vector.

    Returns:
        (R, C, tile), a read-only view that is the same on all lines.

    Raises:
        ShapeError: The tiles are too small for the vector.
    """
    count = fabric.length(axis)
    if tile is None:
        tile = ceil(len(vector) / count)
    pieces = padded(vector, (count * tile,)).reshape(count, tile)
    of_lines = pieces[None] if axis == "rows" else pieces[:, None]
    return np.broadcast_to(of_lines, (fabric.rows, fabric.columns, tile))


def gather(fabric: Fabric, tiles: Values, axis: Axis, width: int) -> Values:
    """Put the pieces of a vector together again: (R, C, tile) -> (width,)."""
    vector: Values = fabric.lines(tiles, axis)[0].reshape(-1)[:width]
    return vector


def padded(values: Values, shape: Sequence[int]) -> Values:
    """Append zeros on each axis.

    Raises:
        ShapeError: The shape is smaller than that of the values.
    """
    if any(size > limit for size, limit in zip(values.shape, shape, strict=True)):
        raise ShapeError(f"values {values.shape} do not fit into tiles of {tuple(shape)} in all")
    result = np.zeros(tuple(shape), values.dtype)
    result[tuple(slice(size) for size in values.shape)] = values
    return result


def matrix_tiles(
    fabric: Fabric, matrix: Values, axis: Axis, tile: tuple[int, int] | None = None
) -> Values:
    """Cut a matrix for vectors that are spread along the lines of an axis.

    Args:
        fabric: The mesh.
        matrix: (in, out).
        axis: The lines.
        tile: k and n of a tile, by default as small as hold the matrix.

    Returns:
        (R, C, k, n).
    """
    other: Axis = "columns" if axis == "rows" else "rows"
    inputs = fabric.length(axis)
    outputs = fabric.length(other)
    if tile is None:
        tile = (ceil(matrix.shape[0] / inputs), ceil(matrix.shape[1] / outputs))
    k, n = tile
    blocks = padded(matrix, (inputs * k, outputs * n)).reshape(inputs, k, outputs, n)
    order = (1, 2, 0, 3) if axis == "rows" else (1, 0, 2, 3)
    # The local product walks over k, so that each of its slices should be contiguous.
    k_first = np.ascontiguousarray(blocks.transpose(order))
    return np.moveaxis(k_first, 0, 2)


def local_product(x: Values, matrix: Values) -> Values:
    """Multiply on each PE alone, one input after another: (R, C, k), (R, C, k, n) -> (R, C, n)."""
    total = x[..., 0, None] * matrix[:, :, 0]
    term = np.empty_like(total)
    for index in range(1, matrix.shape[2]):
        np.multiply(x[..., index, None], matrix[:, :, index], out=term)
        total += term
    return total


def mesh_gemv(
    fabric: Fabric, x: Values, matrix: Values, axis: Axis, *, parts: Sequence[int] = ()
) -> Values:
    """Multiply a vector by a matrix.

    Args:
        fabric: The mesh.
        x: (R, C, k), spread along the lines of `axis`.
        matrix: (R, C, k, n), cut by `matrix_tiles`.
        axis: The lines.
        parts: The n of each matrix, where several lie side by side in `matrix`. Each is a product
            of its own; their sums are reduced together.

    Returns:
        (R, C, n), a read-only view.

    Raises:
        ShapeError: The tiles do not fit together.
    """
    if x.shape != matrix.shape[:3] or (parts and sum(parts) != matrix.shape[3]):
        tiles = f"vector tiles {x.shape} by matrix tiles {matrix.shape}"
        raise ShapeError(f"{tiles}, parts {tuple(parts)}")
    # A PE issues one vector operation for each input and each matrix: matrices that lie side by
    # side are still operands of their own.
    widths = parts or matrix.shape[3:]
    fabric.compute(matrix.shape[2] * sum(costs.vector(n, fabric.lanes) for n in widths))
    return allreduce(fabric, local_product(x, matrix), axis)


def operate(fabric: Fabric, elements: int, operations: int, tokens: int = 1) -> None:
    """Book vector operations on every PE.

    Args:
        fabric: The mesh.
        elements: Length of the operands.
        operations: Operations for each token.
        tokens: Tokens.
    """
    fabric.compute(tokens * operations * costs.vector(elements, fabric.lanes))


def tokens_of(values: Values) -> int:
    """Count the tokens whose tiles a PE holds: the product of the axes between C and the last."""
    return prod(values.shape[2:-1])


def summed(values: Values) -> Values:
    """Add up the last axis, one element after another: (..., n) -> (...)."""
    total = values[..., 0].copy()
    for index in range(1, values.shape[-1]):
        total += values[..., index]
    return total


def allreduce_tokens(
    fabric: Fabric, values: Values, axis: Axis, combine: np.ufunc = np.add
) -> Values:
    """Allreduce everything that a PE holds: (R, C, ...) -> the same shape."""
    flat = values.reshape(fabric.rows, fabric.columns, -1)
    return allreduce(fabric, flat, axis, combine=combine).reshape(values.shape)


def rms_norm(
    fabric: Fabric, x: Values, weight: Values, axis: Axis, *, width: int, eps: float
) -> Values:
    """Divide hidden states by their root mean square, and multiply them by a weight.

    Args:
        fabric: The mesh.
        x: (R, C, ..., n), spread along the lines of `axis`.
        weight: (R, C, n), or what broadcasts to it.
        axis: The lines.
        width: Elements of a hidden state, without padding.
        eps: Added to the mean square.

    Returns:
        As `x`.

    Source:
        Zhang and Sennrich 2019, arXiv:1910.07467.
    """
    operate(fabric, x.shape[-1], 2, tokens_of(x))
    squares = allreduce_tokens(fabric, summed(x * x), axis)
    scale = 1 / np.sqrt(squares / x.dtype.type(width) + x.dtype.type(eps))
    # Weights have no axes for tokens; give them some of length 1.
    mesh = x.shape[:2]
    token_axes = (1,) * (x.ndim - 3)
    tile = x.shape[-1:]
    weights = np.broadcast_to(weight, mesh + tile).reshape(mesh + token_axes + tile)
    normed: Values = x * scale[..., None] * weights
    return normed


def silu_times(fabric: Fabric, gate: Values, up: Values) -> Values:
    """Multiply the SiLU of the gate by the up projection, in three operations."""
    operate(fabric, gate.shape[-1], 3, tokens_of(gate))
    with np.errstate(over="ignore"):  # exp overflows to inf, and the quotient is 0 as it should be
        result: Values = gate / (1 + np.exp(-gate)) * up
    return result


def add(fabric: Fabric, x: Values, y: Values) -> Values:
    """Add a residual or a bias."""
    operate(fabric, x.shape[-1], 1, tokens_of(x))
    return x + y


def softmax(
    fabric: Fabric, scores: Values, axis: Axis, *, scale: float, mask: NDArray[np.bool_]
) -> Values:
    """Take the softmax of scores by two allreduces, of the peaks and of the sums.

    Args:
        fabric: The mesh.
        scores: (R, C, H, ..., s), spread along the lines of `axis`.
        axis: The lines.
        scale: Factor of the scores.
        mask: True where a position is attended to; broadcasts to the scores.

    Returns:
        As `scores`; 0 where masked.
    """
    heads = scores.shape[2]
    positions = scores.shape[-1]
    # All heads of a token are one operand of each operation.
    operate(fabric, heads * positions, 4, prod(scores.shape[3:-1]))
    # A PE whose positions are all masked sends -inf, which changes no peak.
    masked = np.where(mask, scores, scores.dtype.type(-np.inf))
    peak = allreduce_tokens(fabric, masked.max(axis=-1), axis, np.maximum)
    shares = np.exp((masked - peak[..., None]) * scores.dtype.type(scale))
    total = allreduce_tokens(fabric, summed(shares), axis)
    result: Values = shares / total[..., None]
    return result


def rotate(
    fabric: Fabric, q: Values, k: Values, cosines: Values, sines: Values
) -> tuple[Values, Values]:
    """Rotate pairs of queries and keys by their positions.

    PEs exchange the halves of a pair that lies on two of them.

    Args:
        fabric: The mesh.
        q: (R, C, ..., e, rep).
        k: (R, C, ..., e); elements 2i and 2i + 1 of a whole row are a pair.
        cosines: Broadcasts to (R, C, ..., e).
        sines: Broadcasts to (R, C, ..., e), negative for the first half of a pair.

    Returns:
        As `q` and `k`.

    Source:
        RoPE, arXiv:2104.09864.
    """
    tokens = tokens_of(k)
    width = k.shape[-1]
    rep = q.shape[-1]
    _exchange_halves(fabric, tokens, width, rep)
    pairs = ceil(width / 2)
    # Four products and two sums for each pair, of queries and of keys.
    operate(fabric, pairs * rep, 6, tokens)
    operate(fabric, pairs, 6, tokens)
    cosines = cosines.astype(k.dtype)
    sines = sines.astype(k.dtype)
    # A key and the queries that meet it lie together, so one swap serves all of them.
    others = _other_halves(np.concatenate([q, k[..., None]], axis=-1))
    rotated_q: Values = q * cosines[..., None] + others[..., :-1] * sines[..., None]
    rotated_k: Values = k * cosines + others[..., -1] * sines
    return rotated_q, rotated_k


def _exchange_halves(fabric: Fabric, tokens: int, width: int, rep: int) -> None:
    # Pairs begin at even elements of a row: with an even width each lies on a single PE.
    if width % 2 == 0 or fabric.columns == 1:
        return
    exchange(fabric, "rows", _partners(fabric.columns), costs.wavelets(tokens * (rep + 1)))


def _partners(count: int) -> NDArray[np.intp]:
    """Pair neighbors: 0 with 1, 2 with 3, ...; the last one of an odd count is its own partner."""
    partners = np.arange(count) ^ 1
    partners[partners == count] -= 1
    return partners


def _other_halves(values: Values) -> Values:
    """Return the other element of each element's pair: (R, C, ..., e, n) -> the same shape."""
    # With columns next to elements, the elements of a whole row are one axis.
    by_row = np.moveaxis(values, 1, -3)
    flat = by_row.reshape(*by_row.shape[:-3], -1, values.shape[-1])
    swapped = flat[..., _partners(flat.shape[-2]), :]
    return np.moveaxis(swapped.reshape(by_row.shape), -3, 1)
