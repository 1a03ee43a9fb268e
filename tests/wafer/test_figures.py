"""Figures that must not move unseen: small costs by hand, and errors of cells without a gate."""

import pytest

from spark_tui.wafer import costs, predict
from spark_tui.wafer.collective_costs import depth, groups
from spark_tui.wafer.constants import CODE_RESERVE, ISSUE
from spark_tui.wafer.machine import SHAPES, WAFERS
from spark_tui.wafer.published import CELLS
from spark_tui.wafer.validation import validate

ERRORS = {
    "kv": (0.001076, 0.0),
    "energy": (-0.047823, 0.031577, -0.011906, 0.027654, 0.00739, -0.085009, -0.047573, -0.019144),
    "collective": (0.0, 0.0, 0.0, 0.0, -0.030705),
}
"""As seen when the constants were frozen: no gates, but a change has to be meant."""


@pytest.mark.parametrize("name", ERRORS)
def test_cells_without_a_gate_keep_the_errors_they_are_known_to_have(name: str) -> None:
    found = [each.error for each in validate(cell for cell in CELLS if cell.set == name)]
    assert found == pytest.approx(ERRORS[name], abs=1e-5)


@pytest.mark.parametrize(
    ("lanes", "elements", "cycles"), [(4, 1, 1), (4, 4, 1), (4, 5, 2), (8, 8, 1), (8, 17, 3)]
)
def test_a_part_of_the_lanes_takes_a_cycle_of_its_own(
    lanes: int, elements: int, cycles: int
) -> None:
    assert costs.vector(elements, lanes) == ISSUE + cycles


# WaferLLM took 32 groups of 16 for 512 PEs, and 16 of 32 are taken here: both sums are as deep.
@pytest.mark.parametrize(
    ("p", "count"),
    [
        (240, 15),
        (256, 16),
        (300, 15),
        (360, 18),
        (420, 20),
        (480, 20),
        (540, 20),
        (600, 24),
        (660, 22),
        (720, 24),
    ],
)
def test_a_line_is_divided_into_the_groups_that_waferllm_took(p: int, count: int) -> None:
    assert groups(p) == count
    assert depth(p) == p // count // 2 + count // 2


@pytest.mark.parametrize(("p", "count"), [(1, 1), (7, 3), (541, 23), (755, 27)])
def test_a_line_without_a_divisor_near_its_root_has_a_shorter_last_group(
    p: int, count: int
) -> None:
    assert groups(p) == count


def test_a_cache_takes_every_byte_beside_weights_and_code() -> None:
    shape, wafer = SHAPES["llama3-8b"], WAFERS["wse2"]
    token = 2 * 32 * 8 * 128 * 2
    free = 750 * 994 * (48 * 1024 - CODE_RESERVE) - 2 * (
        32 * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336) + 2 * 128256 * 4096
    )
    assert predict.kv_capacity(shape, wafer) == free // token
