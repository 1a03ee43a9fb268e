"""Whole matrix products by MeshGEMM: matrices are cut, and the tiles of the result put together."""

from math import ceil

import numpy as np

from spark_tui.wafer import costs
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.gemm import Values, blocks, labels, moving_sums, stationary_sums
from spark_tui.wafer.gemv import padded


def left_tiles(fabric: Fabric, matrix: Values) -> Values:
    """Cut what moves along rows: (M, K) -> (R, C, L / C, m, k), aligned for the first step."""
    m, k = ceil(matrix.shape[0] / fabric.rows), ceil(matrix.shape[1] / blocks(fabric))
    whole = padded(matrix, (fabric.rows * m, blocks(fabric) * k)).reshape(fabric.rows, m, blocks(fabric), k)
    held = labels(fabric) % fabric.columns
    slots = [whole[np.arange(fabric.rows)[:, None], :, held + start] for start in _starts(fabric, fabric.columns)]
    return np.stack(slots, axis=2)


def right_tiles(fabric: Fabric, matrix: Values) -> Values:
    """Cut what moves along columns: (K, N) -> (R, C, L / R, k, n), aligned for the first step."""
    k, n = ceil(matrix.shape[0] / blocks(fabric)), ceil(matrix.shape[1] / fabric.columns)
    whole = padded(matrix, (blocks(fabric) * k, fabric.columns * n)).reshape(blocks(fabric), k, fabric.columns, n)
    held = labels(fabric) % fabric.rows
    slots = [whole[held + start, :, np.arange(fabric.columns)] for start in _starts(fabric, fabric.rows)]
    return np.stack(slots, axis=2)


def _starts(fabric: Fabric, lines: int) -> range:
    return range(0, blocks(fabric), lines)


def tiles_by_rows(fabric: Fabric, matrix: Values) -> Values:
    """Cut what stays, or a result: (M, K) -> (R, C, m, k)."""
    m, k = ceil(matrix.shape[0] / fabric.rows), ceil(matrix.shape[1] / fabric.columns)
    whole = padded(matrix, (fabric.rows * m, fabric.columns * k))
    return whole.reshape(fabric.rows, m, fabric.columns, k).swapaxes(1, 2)


def joined(tiles: Values, shape: tuple[int, int]) -> Values:
    """The matrix of which each PE has a tile: (R, C, m, n) -> (M, N)."""
    rows, columns, m, n = tiles.shape
    return tiles.swapaxes(1, 2).reshape(rows * m, columns * n)[: shape[0], : shape[1]]


def mesh_gemm(fabric: Fabric, a: Values, b: Values) -> Values:
    """A matrix product: (M, K) by (K, N) -> (M, N)."""
    left, right = left_tiles(fabric, a), right_tiles(fabric, b)
    m, (k, n) = left.shape[3], right.shape[3:]
    total = np.zeros((fabric.rows, fabric.columns, m, n), np.result_type(a, b))
    stationary_sums(fabric, left, right, total, costs.multiply_adds(m, k, n, fabric.lanes))
    return joined(total, (a.shape[0], b.shape[1]))


def mesh_gemm_t(fabric: Fabric, a: Values, b: Values) -> Values:
    """A product with a transposed matrix: (M, K) by (N, K) -> (M, N)."""
    left, n = tiles_by_rows(fabric, a), ceil(b.shape[0] / blocks(fabric))
    m, k = left.shape[2:]
    whole = padded(b, (blocks(fabric) * n, fabric.columns * k)).reshape(blocks(fabric), n, fabric.columns, k)
    held, columns = labels(fabric) % fabric.rows, np.arange(fabric.columns)
    slots = [whole[held + start, :, columns].swapaxes(2, 3) for start in _starts(fabric, fabric.rows)]
    shape = fabric.rows, fabric.columns, blocks(fabric) // fabric.columns, m, n
    total = np.zeros(shape, np.result_type(a, b))
    cycles = costs.multiply_adds(m, k, n, fabric.lanes)
    total = moving_sums(fabric, left, np.stack(slots, axis=2), total, cycles)
    return _collected(fabric, total)[: a.shape[0], : b.shape[0]]


def _collected(fabric: Fabric, total: Values) -> Values:
    """Sums that lie by their labels, in order: (R, C, slots, m, n) -> (M, N)."""
    m, n = total.shape[3:]
    result = np.empty((fabric.rows, m, blocks(fabric), n), total.dtype)
    for slot, start in enumerate(_starts(fabric, fabric.columns)):
        held = labels(fabric) % fabric.columns + start
        result[np.arange(fabric.rows)[:, None], :, held] = total[:, :, slot]
    return result.reshape(fabric.rows * m, blocks(fabric) * n)
