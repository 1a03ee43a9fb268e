"""MeshGEMM: matrix times matrix by steps of multiplying and cyclic shifts, and its twin that shifts the sums.

Rings are interleaved, so that no shift is farther than two hops. What is contracted is cut into as many blocks as there
are steps; a PE at places (y, x) of its rings has block y + x + t at step t of both factors, or of one and the sums.
After the last step everything lies where it lay before the first one.
Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 4 (MeshGEMM, dist-GEMM-T, INTERLEAVE); Cannon 1969.
"""

from collections.abc import Callable, Iterator
from math import lcm

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer import costs
from spark_tui.wafer.constants import STEP
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.shifts import next_in_ring, places, shift

Values = NDArray[np.float32]
Local = Callable[[Values, Values, Values], None]
"""What a PE does in a step: adds to the first array the product of the other two; all are (R, C, ...)."""


def blocks(fabric: Fabric) -> int:
    """Into how many blocks the contracted axis is cut: a step for each."""
    return lcm(fabric.rows, fabric.columns)


def labels(fabric: Fabric, step: int = 0) -> NDArray[np.intp]:
    """The block that each PE works with at a step, (R, C)."""
    found: NDArray[np.intp] = (places(fabric.rows)[:, None] + places(fabric.columns) + step) % blocks(fabric)
    return found


def multiply(total: Values, a: Values, b: Values) -> None:
    """Add (R, C, m, k) by (R, C, k, n) to (R, C, m, n), a contracted element after the other."""
    term = np.empty_like(total)
    for index in range(b.shape[2]):
        np.multiply(a[:, :, :, index, None], b[:, :, index, None], out=term)
        total += term


def stationary_sums(
    fabric: Fabric, a: Values, b: Values, total: Values, cycles: float, local: Local = multiply
) -> None:
    """Both factors move, the sums stay.

    Args: a: (R, C, L / C, m, k), moves along rows. b: (R, C, L / R, k, n), moves along columns. total: (R, C, m, n),
        is added to. cycles: of a PE's arithmetic in a step.
    """
    for at in _steps(fabric, cycles, a, b):
        local(total, _slot(a, at // fabric.columns), _slot(b, at // fabric.rows))
        a, b = a[:, next_in_ring(fabric.columns)], b[next_in_ring(fabric.rows)]


def moving_sums(fabric: Fabric, a: Values, b: Values, total: Values, cycles: float, local: Local = multiply) -> Values:
    """One factor moves along columns, and the sums along rows, each PE adding its part: dist-GEMM-T.

    Args: a: (R, C, m, k), stays. b: (R, C, L / R, k, n), moves. total: (R, C, L / C, m, n), what is added to.
    Returns: the sums; a PE has the blocks of the result of its `labels`.
    """
    rows, columns = np.indices((fabric.rows, fabric.columns))
    for at in _steps(fabric, cycles, total, b):
        sums = _slot(total, at // fabric.columns)
        local(sums, a, _slot(b, at // fabric.rows))
        if total.shape[2] > 1:
            total[rows, columns, at // fabric.columns] = sums
        total, b = total[:, next_in_ring(fabric.columns)], b[next_in_ring(fabric.rows)]
    return total


def _steps(fabric: Fabric, cycles: float, along_rows: Values, along_columns: Values) -> Iterator[NDArray[np.intp]]:
    """Go through all steps, arithmetic before shifts, and say which blocks the PEs have."""
    words = [costs.wavelets(values[0, 0].size) for values in (along_rows, along_columns)]
    for step in range(blocks(fabric)):
        yield labels(fabric, step)
        fabric.compute(cycles + STEP)
        shift(fabric, *words)


def _slot(values: Values, which: NDArray[np.intp]) -> Values:
    if values.shape[2] == 1:
        return values[:, :, 0]
    rows, columns = np.indices(which.shape)
    chosen: Values = values[rows, columns, which]
    return chosen
