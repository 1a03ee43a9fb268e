"""MeshGEMM: matrix times matrix by steps of multiplying and cyclic shifts, and its twin that shifts the sums.

Rings are interleaved, so that no shift is farther than two hops. The mesh is square, P x P; what is contracted is cut
into P blocks, and a PE at places (y, x) of its rings has block y + x + t at step t of both factors, or of one and the
sums.
After the last step everything lies where it lay before the first one.
Source: WaferLLM, OSDI 2025, arXiv:2502.04563, section 4 (MeshGEMM, dist-GEMM-T, INTERLEAVE); Cannon 1969.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer import costs
from spark_tui.wafer.constants import STEP
from spark_tui.wafer.fabric import Fabric, Values
from spark_tui.wafer.shifts import next_in_ring, places, shift

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
