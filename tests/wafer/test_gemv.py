"""MeshGEMV: numpy's values, the closed form's cycles, and each sum in the order of its tree."""

from itertools import product
from math import ceil

import numpy as np
import pytest

from spark_tui.errors import ShapeError
from spark_tui.wafer import costs
from spark_tui.wafer.collective_costs import middle
from spark_tui.wafer.fabric import Axis, Fabric
from spark_tui.wafer.kernels import gather, matrix_tiles, mesh_gemv, spread
from tests.wafer.replay import TREES, run
from tests.wafer.samples import Floats, conserved, normal

AXES: tuple[Axis, Axis] = ("rows", "columns")
GRIDS = [(1, 1), (1, 5), (5, 1), (2, 2), (3, 7), (8, 4), (12, 12), (64, 3), (31, 33)]
SIZES = [(1, 1), (7, 40), (40, 7), (130, 65)]


def _other(axis: Axis) -> Axis:
    return "columns" if axis == "rows" else "rows"


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("axis", AXES)
def test_a_product_is_numpys_in_the_cycles_of_the_closed_form(
    grid: tuple[int, int], axis: Axis
) -> None:
    for given, made in SIZES:
        fabric, vector, matrix = Fabric(*grid), normal(given), normal(given, made)
        result = mesh_gemv(
            fabric, spread(fabric, vector, axis), matrix_tiles(fabric, matrix, axis), axis
        )
        np.testing.assert_allclose(
            gather(fabric, result, _other(axis), made), vector @ matrix, rtol=2e-4, atol=2e-4
        )
        p, n = fabric.length(axis), ceil(made / fabric.length(_other(axis)))
        assert fabric.now == ceil(given / p) * costs.vector(n, fabric.lanes) + costs.allreduce(p, n)
        conserved(fabric)


def test_matrices_side_by_side_are_products_of_their_own_whose_sums_go_together() -> None:
    fabric = Fabric(4, 4)
    vector, matrix = normal(16), normal(16, 28)
    mesh_gemv(
        fabric,
        spread(fabric, vector, "rows"),
        matrix_tiles(fabric, matrix, "rows"),
        "rows",
        parts=(4, 2, 1),
    )
    assert fabric.now == 4 * sum(costs.vector(n, 4) for n in (4, 2, 1)) + costs.allreduce(4, 7)


def _replayed(vector: Floats, matrix: Floats, p: int) -> Floats:
    """The same product on P x P PEs by loops over scalars, the vector spread along rows."""
    k, n = ceil(len(vector) / p), ceil(matrix.shape[1] / p)
    result = np.zeros(p * n, np.float32)
    for row, element in product(range(p), range(n)):
        made = row * n + element
        parts = []
        for column in range(p):
            total = np.float32(0)
            for index, given in enumerate(range(column * k, (column + 1) * k)):
                inside = given < len(vector) and made < matrix.shape[1]
                term = vector[given] * matrix[given, made] if inside else np.float32(0)
                total = total + term if index else term
            parts.append(total)
        result[made] = run(TREES["two_tree"](p), [0.0] * p, parts, 0)[1][middle(p)]
    return result[: matrix.shape[1]]


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_a_product_is_bit_for_bit_the_flat_replay(p: int) -> None:
    fabric, vector, matrix = Fabric(p, p), normal(21), normal(21, 11)
    result = mesh_gemv(
        fabric, spread(fabric, vector, "rows"), matrix_tiles(fabric, matrix, "rows"), "rows"
    )
    assert gather(fabric, result, "columns", 11).tobytes() == _replayed(vector, matrix, p).tobytes()


def test_tiles_that_do_not_fit_are_refused() -> None:
    fabric = Fabric(2, 2)
    with pytest.raises(ShapeError, match="matrix tiles"):
        mesh_gemv(
            fabric,
            spread(fabric, normal(8), "rows"),
            matrix_tiles(fabric, normal(6, 6), "rows"),
            "rows",
        )
    with pytest.raises(ShapeError, match="do not fit into tiles"):
        spread(fabric, normal(8), "rows", 3)
