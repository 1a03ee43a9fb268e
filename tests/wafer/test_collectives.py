"""Collectives: values bit for bit and times exactly as in closed form; replays of those not run."""

from collections.abc import Callable
from math import isqrt, log2

import numpy as np
import pytest

from spark_tui.errors import UsageError
from spark_tui.wafer import collective_costs, costs
from spark_tui.wafer.collective_costs import CALIBRATED, NETWORK, Rates, case
from spark_tui.wafer.collectives import allreduce, interleaved, two_tree_plan
from spark_tui.wafer.constants import HOP
from spark_tui.wafer.fabric import Axis, Fabric, Values
from tests.wafer.replay import TREES, run
from tests.wafer.samples import conserved

SIZES = range(1, 65)
WORDS = (1, 2, 7, 64, 300)
BOTH = pytest.mark.parametrize("rates", [CALIBRATED, NETWORK], ids=["calibrated", "network"])
Closed = Callable[[int, int, Rates], float]
CLOSED: dict[str, Closed] = {
    "chain": collective_costs.chain,
    "star": collective_costs.star,
    "tree": collective_costs.tree,
    "two_phase": collective_costs.two_phase,
    "two_tree": collective_costs.two_tree_reduce,
}


def _values(*shape: int) -> Values:
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


def _starts(rows: int, columns: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.random.default_rng(columns).integers(0, 4000, (rows, columns)) / 4


def _replayed(by: str, p: int, words: int, rates: Rates) -> float:
    """Reduce many words: the first is replayed event by event, the others follow its loads."""
    operations = TREES[by](p)
    messages = [
        (pe, source) for pe, ones in operations.items() for sources in ones for source in sources
    ]
    (root,) = set(range(p)) - {source for _, source in messages}
    head = run(operations, [0.0] * p, [np.float32(0)] * p, rates.stage)[0][root]
    if p == 1:
        return head
    contention = max(sum(pe == target for target, _ in messages) for pe in range(p))
    hops = (
        0 if by == "star" else sum(abs(pe - source) for pe, source in messages)
    )  # its streams never meet
    longest, distance = words * rates.wavelet, max(root, p - 1 - root)
    return head + max(
        rates.counted(longest * hops / (p - 1)), longest * contention - distance * HOP
    )


@BOTH
@pytest.mark.parametrize("by", CLOSED)
def test_a_reduction_takes_the_cycles_of_its_replay(by: str, rates: Rates) -> None:
    for p in SIZES:
        for words in WORDS:
            assert CLOSED[by](p, words, rates) == pytest.approx(
                _replayed(by, p, words, rates), rel=1e-12
            )


@BOTH
def test_two_trees_to_the_middle_and_back_take_the_cycles_of_their_replay(rates: Rates) -> None:
    for p in SIZES[1:]:
        for words in WORDS:
            back = p // 2 * HOP + rates.stage + words * rates.wavelet
            there = _replayed("double_tree", p, words, rates)
            assert collective_costs.double_tree(p, words, rates) == pytest.approx(
                there + back, rel=1e-12
            )


@BOTH
def test_a_ring_takes_the_cycles_of_its_replay(rates: Rates) -> None:
    for p in SIZES:
        order = interleaved(p).tolist()
        assert all(
            abs(one - other) <= 2 for one, other in zip(order, order[1:] + order[:1], strict=True)
        )
        for words in WORDS:
            ready, cost = [0.0] * p, rates.stage + rates.passing * -(-words // p)
            for _ in range(2 * (p - 1)):
                arrived = [
                    ready[place - 1] + HOP * abs(pe - order[place - 1])
                    for place, pe in enumerate(order)
                ]
                ready = [max(own, came) + cost for own, came in zip(ready, arrived, strict=True)]
            assert max(ready) == collective_costs.ring(p, words, rates)


def test_sums_and_times_are_those_of_the_same_tree_event_by_event() -> None:
    for p in SIZES:
        fabric, values, root = Fabric(2, p), _values(2, p, 2), two_tree_plan(p).root
        fabric.ready[:] = starts = _starts(2, p)
        sums = allreduce(fabric, values, "rows", words=0)
        for line in range(2):
            for element in range(2):
                given = list(values[line, :, element])
                ready, expected = run(
                    TREES["two_tree"](p), list(starts[line]), given, CALIBRATED.stage
                )
                assert set(sums[line, :, element].tolist()) == {float(expected[root])}
            back = [
                max(at, ready[root] + abs(pe - root)) + 5 * (pe != root)
                for pe, at in enumerate(ready)
            ]
            assert list(fabric.ready[line]) == back


@pytest.mark.parametrize("p", [*SIZES, 240, 256, 331, 420, 540, 600, 660, 720, 750, 994])
def test_the_cost_of_a_models_allreduce_is_what_running_it_takes(p: int) -> None:
    for elements in (1, 13, 64):
        fabric = Fabric(1, p)
        assert (allreduce(fabric, np.ones((1, p, elements), np.float32), "rows") == p).all()
        assert fabric.now == costs.allreduce(p, elements)


def test_lines_that_start_later_end_later_by_as_much() -> None:
    fabric = Fabric(5, 12)
    fabric.ready += np.arange(5)[:, None] * 100
    allreduce(fabric, _values(5, 12, 6), "rows")
    assert list(fabric.ready.max(axis=1)) == [
        100 * line + costs.allreduce(12, 6) for line in range(5)
    ]


@pytest.mark.parametrize("p", [n * n for n in range(2, 9)])
@pytest.mark.parametrize("words", [1, 16, 300])
def test_the_networks_times_are_the_published_formulas(p: int, words: int) -> None:
    root = isqrt(p)
    load = 2 * words * (p - root) / (p - 1)
    assert case("star", p, words) == words * (p - 1) + 5
    assert case("chain", p, words) == words + 6 * (p - 1)
    assert case("two_phase", p, words) == pytest.approx(
        max(2 * words, load + p - 1) + 5 * (2 * root - 2), rel=1e-15
    )
    assert case("broadcast", p, words) == words + p + 4


@pytest.mark.parametrize("p", [2, 8, 64, 512])
def test_a_tree_of_a_power_of_two_has_its_published_depth_and_energy(p: int) -> None:
    for words in (1, 256):
        load = words * p / 2 * log2(p) / (p - 1)
        assert case("tree", p, words) == pytest.approx(
            max(words * log2(p), load + p - 1) + 5 * log2(p)
        )


def test_the_lower_bound_is_the_best_trade_of_energy_for_depth() -> None:
    for p in (2, 3, 9, 16, 40):
        energies = _energies(p)
        for words in (1, 10, 200):
            best = min(words * energies[d] / (p - 1) + p - 1 + 5 * d for d in range(1, p))
            assert case("lower-bound", p, words) == pytest.approx(best)


@BOTH
@pytest.mark.parametrize("p", [*range(2, 41), 64, 100, 240, 256, 331, 420])
def test_nothing_is_quicker_than_the_lower_bound(p: int, rates: Rates) -> None:
    for words in (*range(1, 12), *(1 << k for k in range(4, 21)), 33, 100, 999, 54_321):
        bound = collective_costs.lower_bound(p, words, rates) * (1 - 1e-12)
        assert (
            min(
                reduction(p, words, rates)
                for by, reduction in CLOSED.items()
                if by not in {"star", "two_tree"}
            )
            >= bound
        )
        both: list[Closed] = [
            collective_costs.two_tree,
            collective_costs.double_tree,
            collective_costs.ring,
        ]
        assert min(there_and_back(p, words, rates) for there_and_back in both) >= bound
        if words * rates.wavelet * (p - 2) >= 2 * (p - 1):
            assert collective_costs.star(p, words, rates) >= bound
        at_middle = collective_costs.lower_bound(p, words, rates, collective_costs.middle(p))
        assert collective_costs.two_tree_reduce(p, words, rates) >= at_middle * (1 - 1e-12)
        assert case("allreduce", p, words) >= case("lower-bound", p, words) * (1 - 1e-12)


def _energies(p: int) -> list[float]:
    least = {(1, 0): 0.0}
    for d in range(p):
        for r in range(1, p + 1):
            options = [least.get((r, d - 1), np.inf), 0.0 if r == 1 else np.inf]
            options += [
                least.get((s, d - 1), np.inf) + least.get((r - s, d), np.inf) + r - s
                for s in range(1, r)
            ]
            least[r, d] = min(options)
    return [least[p, d] for d in range(p)]


def test_an_allreduce_of_one_word_takes_about_1_1_diameters_of_the_wafer() -> None:
    cycles = case("allreduce", 600, 1) + case("allreduce", 595, 1)
    assert 1.0 < cycles / (599 + 594) < 1.15


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_all_lines_at_once_do_what_each_does_alone(axis: Axis) -> None:
    values, starts = _values(5, 7, 3), _starts(5, 7)
    fabric = Fabric(5, 7)
    fabric.ready[:] = starts
    together = allreduce(fabric, values, axis)
    for line in range(5 if axis == "rows" else 7):
        here = np.s_[line : line + 1, :] if axis == "rows" else np.s_[:, line : line + 1]
        alone = Fabric(*values[here].shape[:2])
        alone.ready[:] = starts[here]
        assert allreduce(alone, values[here], axis).tobytes() == together[here].tobytes()
        assert (alone.ready == fabric.ready[here]).all()
        assert all((alone.links[way] == fabric.links[way][here]).all() for way in alone.links)


def test_every_link_carries_the_sums_that_cross_it_and_each_word_once_on_its_way_back() -> None:
    for p in (1, 2, 3, 10, 17, 64):
        fabric, root = Fabric(1, p), two_tree_plan(p).root
        allreduce(fabric, _values(1, p, 1), "rows", words=3)
        east, west = (
            [3 * (root <= hop < p - 1) for hop in range(p)],
            [3 * (0 < hop <= root) for hop in range(p)],
        )
        for target, operations in TREES["two_tree"](p).items():
            for source in (source for sources in operations for source in sources):
                for hop in range(min(source, target), max(source, target)):
                    east[hop] += 3 * (source < target)
                    west[hop + 1] += 3 * (source > target)
        assert list(fabric.links["east"][0]) == east
        assert list(fabric.links["west"][0]) == west
        assert int(fabric.sent.sum()) == 2 * 3 * (p - 1)
        conserved(fabric)


def test_the_greatest_value_is_found_instead_of_the_sum() -> None:
    values = _values(3, 9, 4)
    assert (
        allreduce(Fabric(3, 9), values, "columns", combine=np.maximum) == values.max(axis=0)
    ).all()


def test_a_line_needs_three_colors_and_a_mesh_five() -> None:
    fabric = Fabric(4, 4)
    once = allreduce(fabric, _values(4, 4, 2), "rows")
    assert len(fabric.colors) == 3
    allreduce(fabric, once, "columns")
    assert len(fabric.colors) == 5


@pytest.mark.parametrize(
    ("collective", "p", "words", "said"),
    [
        ("gossip", 4, 1, "unknown collective 'gossip'; choose one of chain, star"),
        ("tree", 0, 1, "p=0: give 1 to 1,048,576 PEs for tree"),
        ("tree", 1 << 30, 1, "p=1073741824: give 1 to"),
        ("lower_bound", 4096, 1, "p=4096: give 1 to 1,024 PEs for lower-bound"),
        ("chain", 4, 0, "words=0: give 1 to 16,777,216 wavelets"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused(
    collective: str, p: int, words: int, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        case(collective, p, words)


@pytest.mark.parametrize("name", collective_costs.COLLECTIVES)
def test_every_collective_costs_something_finite_on_any_number_of_pes(name: str) -> None:
    sizes = (2, 1000) if name == "lower-bound" else (2, 1000, 1_000_000)
    assert case(name, 1, 5) == 0
    assert all(0 < case(name, p, 5) < 1e10 for p in sizes)
    assert case(name.upper().replace("-", "_"), 9, 5) == case(name, 9, 5)
