"""The LM head, which only the closed form counts: kernels on a mesh take as many cycles."""

import numpy as np
import pytest

from spark_tui.wafer import costs
from spark_tui.wafer.collectives import allreduce
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.kernels import gather, matrix_tiles, mesh_gemv, operate, rms_norm, spread
from spark_tui.wafer.machine import ModelShape
from spark_tui.wafer.predict import head_cycles
from tests.wafer.samples import EPS, conserved, norm, normal


@pytest.mark.parametrize("grid", [1, 2, 3, 4, 7, 16, 32])
@pytest.mark.parametrize(("dim", "vocab"), [(32, 320), (50, 333), (7, 1000)])
def test_norm_product_and_likeliest_token_take_the_cycles_of_the_closed_form(
    grid: int, dim: int, vocab: int
) -> None:
    fabric, rows = Fabric(grid, grid, sram=1 << 20), -(-vocab // grid)
    hidden, gains, head = normal(dim), normal(dim) + 1, normal(dim, vocab)
    normed = rms_norm(
        fabric,
        spread(fabric, hidden, "columns"),
        spread(fabric, gains, "columns"),
        "columns",
        width=dim,
        eps=EPS,
    )
    tiles = mesh_gemv(fabric, normed, matrix_tiles(fabric, head, "columns"), "columns")
    operate(fabric, rows, 1)
    best = allreduce(
        fabric,
        tiles.max(axis=2, keepdims=True),
        "rows",
        words=costs.wavelets(4),
        combine=np.maximum,
    )
    expected = norm(hidden.astype(np.float64), gains) @ head
    np.testing.assert_allclose(gather(fabric, tiles, "rows", vocab), expected, rtol=1e-4, atol=1e-4)
    assert best.max() == tiles.max()
    assert fabric.now == head_cycles(
        ModelShape("any", dim, 1, 1, 1, 1, 2, vocab), grid, rows, fabric.lanes
    )
    conserved(fabric)
