"""The mesh: ready times by max-plus, words counted on every link, phases on a time line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer.fabric import DIRECTIONS, Axis, Fabric, Link, Positions, Traffic
from tests.wafer.samples import conserved


def move(
    fabric: Fabric, axis: Axis, targets: Positions, sources: Positions, words: int, cost: float
) -> None:
    fabric.step(axis, targets, (sources,), cost)
    fabric.count(axis, Traffic.of(fabric.length(axis), targets, (sources,)), words)


def test_a_target_waits_for_its_words_and_a_late_one_lets_them_wait() -> None:
    fabric = Fabric(2, 4)
    fabric.compute(np.array([[10.0, 0, 0, 0], [10, 0, 0, 50]]))
    move(fabric, "rows", np.array([3]), np.array([0]), 1, 2.5)
    assert fabric.ready[:, 3].tolist() == [10 + 3 + 2.5, 50 + 2.5]
    assert fabric.ready[:, 0].tolist() == [10, 10]
    assert fabric.now == 52.5


def test_a_shift_along_a_ring_takes_all_words_at_the_same_time() -> None:
    fabric = Fabric(1, 3)
    fabric.compute(np.array([[1.0, 20, 300]]))
    move(fabric, "rows", np.arange(3), np.array([2, 0, 1]), 5, 0)
    assert fabric.ready.tolist() == [[302, 20, 300]]
    assert {way: load.tolist() for way, load in fabric.links.items() if load.any()} == {
        "east": [[5, 5, 0]],
        "west": [[0, 5, 5]],
    }
    conserved(fabric)


@st.composite
def _moves(draw: st.DrawFn) -> list[tuple[Axis, list[int], list[int], int]]:
    size = 6
    move = st.integers(1, size).flatmap(
        lambda count: st.tuples(
            st.sampled_from(["rows", "columns"]),
            st.permutations(range(size)).map(lambda order: order[:count]),
            st.lists(st.integers(0, size - 1), min_size=count, max_size=count),
            st.integers(1, 9),
        )
    )
    return draw(st.lists(move, min_size=1, max_size=6))  # type: ignore[arg-type]


@given(_moves())
def test_links_carry_what_walking_every_route_hop_by_hop_counts(
    moves: list[tuple[Axis, list[int], list[int], int]],
) -> None:
    fabric, loads = Fabric(6, 6), {way: np.zeros((6, 6), np.int64) for way in DIRECTIONS}
    for number, (axis, targets, sources, words) in enumerate(moves):
        with fabric.phase(f"move {number % 2}"):
            move(fabric, axis, np.array(targets), np.array(sources), words, 1.25)
        for target, source in zip(targets, sources, strict=True):
            for at in range(source, target, 1 if target > source else -1):
                way = DIRECTIONS[2 * (axis == "columns") + (target < source)]
                loads[way][(slice(None), at) if axis == "rows" else (at, slice(None))] += words
    assert all((fabric.links[way] == loads[way]).all() for way in DIRECTIONS)
    assert fabric.sent.sum() == sum(6 * len(targets) * words for _, targets, _, words in moves)
    conserved(fabric)
    busiest = fabric.busiest_links(1)[0]
    assert busiest.words == max(load.max() for load in loads.values())
    assert loads[busiest.direction][busiest.row, busiest.column] == busiest.words


def test_the_busiest_links_come_first() -> None:
    fabric = Fabric(2, 3)
    move(fabric, "rows", np.array([2]), np.array([0]), 4, 0)
    move(fabric, "rows", np.array([1]), np.array([0]), 3, 0)
    assert fabric.busiest_links(3) == [
        Link(0, 0, "east", 7),
        Link(1, 0, "east", 7),
        Link(0, 1, "east", 4),
    ]


def test_phases_follow_each_other_on_the_time_line() -> None:
    fabric = Fabric(2, 2)
    for name, cycles in (("norm", 3.25), ("product", 10), ("norm", 1)):
        with fabric.phase(name):
            fabric.compute(cycles)
    assert [(phase.name, phase.start, phase.end) for phase in fabric.phases] == [
        ("norm", 0, 3.25),
        ("product", 3.25, 13.25),
        ("norm", 13.25, 14.25),
    ]
    assert fabric.cycles_by_phase() == {"norm": 4.25, "product": 10}


def test_one_route_too_many_is_refused_and_a_route_keeps_its_color() -> None:
    fabric = Fabric(3, 3)
    for _ in range(2):
        for number in range(21):
            fabric.color(f"r{number}", "somewhere")
    with pytest.raises(
        UsageError,
        match=r"PE \(0, 0\) has no color left for 'more': r0, .*, r20 take all of its 21 ",
    ):
        fabric.color("more", "elsewhere")
    assert len(fabric.colors) == 21


def test_an_array_over_other_pes_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(3, 2\) PEs on a mesh of \(2, 3\)"):
        Fabric(2, 3).lines(np.zeros((3, 2)), "rows")
