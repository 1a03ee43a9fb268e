"""Whole matrix products by MeshGEMM: matrices are cut, and the tiles of the result put together."""

from math import ceil

import numpy as np

from spark_tui.wafer import costs
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.kernels import labels, moving_sums, padded, stationary_sums


def _blocks(fabric: Fabric, matrix: Values) -> Values:
    """P x P blocks of a matrix: (M, K) -> (P, P, m, k)."""
    p = fabric.rows
    m, k = (ceil(size / p) for size in matrix.shape)
    return padded(matrix, (p * m, p * k)).reshape(p, m, p, k).swapaxes(1, 2)


def _joined(tiles: Values, shape: tuple[int, int]) -> Values:
    """The matrix of which each PE has a block: (P, P, m, n) -> (M, N)."""
    p, _, m, n = tiles.shape
    return tiles.swapaxes(1, 2).reshape(p * m, p * n)[: shape[0], : shape[1]]


def mesh_gemm(fabric: Fabric, a: Values, b: Values) -> Values:
    """A matrix product: (M, K) by (K, N) -> (M, N)."""
    label, line = labels(fabric), np.arange(fabric.rows)
    left, right = _blocks(fabric, a)[line[:, None], label], _blocks(fabric, b)[label, line]
    m, (k, n) = left.shape[2], right.shape[2:]
    total = np.zeros((fabric.rows, fabric.rows, m, n), np.result_type(a, b))
    stationary_sums(fabric, left, right, total, costs.multiply_adds(m, k, n, fabric.lanes))
    return _joined(total, (a.shape[0], b.shape[1]))


def mesh_gemm_t(fabric: Fabric, a: Values, b: Values) -> Values:
    """A product with a transposed matrix: (M, K) by (N, K) -> (M, N)."""
    label, line = labels(fabric), np.arange(fabric.rows)
    left, right = _blocks(fabric, a), _blocks(fabric, b)[label, line].swapaxes(2, 3)
    m, (k, n) = left.shape[2], right.shape[2:]
    total = np.zeros((fabric.rows, fabric.rows, m, n), np.result_type(a, b))
    moved = moving_sums(fabric, left, right, total, costs.multiply_adds(m, k, n, fabric.lanes))
    result = np.empty_like(moved)
    result[line[:, None], label] = moved
    return _joined(result, (a.shape[0], b.shape[0]))
