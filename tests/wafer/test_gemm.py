"""MeshGEMM and its twin: numpy's values, the closed form's cycles, no shift over two hops."""

from math import ceil

import numpy as np
import pytest

from spark_tui.wafer import costs
from spark_tui.wafer.collectives import (
    align_columns,
    exchange,
    interleaved,
    next_in_ring,
    ring_places,
)
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.kernels import labels
from tests.wafer.products import mesh_gemm, mesh_gemm_t
from tests.wafer.samples import Floats, conserved, normal

SQUARES = (1, 2, 3, 4, 5, 8, 13)
SIZES = [(1, 1, 1), (9, 17, 5), (30, 8, 33)]


@pytest.mark.parametrize("p", SQUARES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_product_is_numpys_in_the_cycles_of_the_closed_form(
    p: int, size: tuple[int, int, int], transposed: bool
) -> None:
    """With a transposed matrix that and the sums are shifted, and nothing else."""
    fabric, a, b = Fabric(p, p), normal(*size[:2]), normal(*size[1:])
    made = mesh_gemm_t(fabric, a, b.T.copy()) if transposed else mesh_gemm(fabric, a, b)
    np.testing.assert_allclose(made, a @ b, rtol=1e-4, atol=1e-4)
    m, k, n = (ceil(each / p) for each in size)
    assert fabric.now == costs.gemm(p, m, k, n, 4, (m * (n if transposed else k), k * n))
    conserved(fabric)


def test_late_pes_delay_a_product_by_what_the_latest_one_is_late() -> None:
    for p in range(2, 12):
        start = np.add.outer(*2 * [abs(np.arange(p) - p // 2)])
        late, even = Fabric(p, p), Fabric(p, p)
        late.ready += start
        for fabric in (late, even):
            mesh_gemm(fabric, normal(p, p), normal(p, p))
        assert late.now == even.now + start.max()


def test_neighbours_in_a_ring_are_at_most_two_hops_apart() -> None:
    for p in range(1, 65):
        hops = abs(next_in_ring(p) - np.arange(p))
        assert hops.max() == min(2, p - 1)
        assert list(interleaved(p)[ring_places(p)]) == list(range(p))
        assert len(set(next_in_ring(p).tolist())) == p


def test_a_shift_puts_every_word_on_each_link_it_crosses() -> None:
    fabric = Fabric(1, 5)  # the ring 0 2 4 3 1: each takes from the one that follows it
    exchange(fabric, "rows", next_in_ring(5), 10)
    assert fabric.links["west"].tolist() == [[0, 10, 10, 10, 10]]
    assert fabric.links["east"].tolist() == [[10, 10, 10, 10, 0]]
    assert fabric.sent.tolist() == fabric.received.tolist() == [[10] * 5]


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 9, 16])
def test_columns_are_aligned_by_the_shorter_way_round(p: int) -> None:
    fabric = Fabric(p, p)
    home = np.broadcast_to(ring_places(p)[:, None], (p, p))
    assert (align_columns(fabric, home, 3) == labels(fabric)).all()
    assert int(fabric.sent.sum()) == 3 * p * sum(min(steps, p - steps) for steps in range(p))
    assert fabric.now == p // 2 * costs.move(p, 6, 2)
    conserved(fabric)


def _carried(p: int, a: Floats, b: Floats, *, sums_move: bool) -> Floats:
    """Multiply by tiles that go from PE to PE in dictionaries, adding scalars one by one."""
    order = interleaved(p).tolist()
    m, (k, n) = len(a) // p, (len(b) // p, b.shape[1] // p)
    place = {position: index for index, position in enumerate(order)}
    label = {(i, j): (place[i] + place[j]) % p for i in range(p) for j in range(p)}

    def tile(matrix: Floats, row: int, column: int, size: tuple[int, int]) -> Floats:
        return matrix[
            row * size[0] : (row + 1) * size[0], column * size[1] : (column + 1) * size[1]
        ]

    left = {at: tile(a, at[0], at[1] if sums_move else label[at], (m, k)) for at in label}
    right = {
        at: tile(b, *((at[1], label[at]) if sums_move else (label[at], at[1])), (k, n))
        for at in label
    }
    sums = {at: np.zeros((m, n), np.float32) for at in label}
    for _ in range(p):
        for at in label:
            for x in range(m):
                for y in range(n):
                    for z in range(k):
                        sums[at][x, y] += left[at][x, z] * right[at][z, y]
        after = {i: order[(place[i] + 1) % p] for i in order}
        right = {(i, j): right[after[i], j] for i, j in label}
        moved = {(i, j): (sums if sums_move else left)[i, after[j]] for i, j in label}
        sums, left = (moved, left) if sums_move else (sums, moved)
    result = np.empty((m * p, n * p), np.float32)
    for (i, j), values in sums.items():
        column = label[i, j] if sums_move else j
        result[i * m : (i + 1) * m, column * n : (column + 1) * n] = values
    return result


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("sums_move", [False, True])
def test_products_are_bit_for_bit_those_of_tiles_carried_from_pe_to_pe(
    p: int, sums_move: bool
) -> None:
    a, b = normal(2 * p, 3 * p), normal(3 * p, 2 * p)
    result = (
        mesh_gemm_t(Fabric(p, p), a, b.T.copy()) if sums_move else mesh_gemm(Fabric(p, p), a, b)
    )
    assert result.tobytes() == _carried(p, a, b, sums_move=sums_move).tobytes()
