"""Collectives on the mesh: values bit for bit, times exactly as in closed form, every word counted."""

from collections import Counter
from collections.abc import Callable
from math import isqrt, log2

import numpy as np
import pytest

from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer import collective_costs, costs
from spark_tui.wafer.collective_costs import case
from spark_tui.wafer.collectives import PLANS, Values, allreduce, broadcast, interleaved, reduce
from spark_tui.wafer.fabric import Axis, Fabric
from spark_tui.wafer.rates import CALIBRATED, NETWORK, Rates
from tests.wafer.replay import TREES, run

SIZES = range(1, 65)
WORDS = (1, 2, 7, 64, 300)
BOTH = pytest.mark.parametrize("rates", [CALIBRATED, NETWORK], ids=["calibrated", "network"])
CLOSED: dict[str, Callable[[int, int, Rates], float]] = {
    "chain": collective_costs.chain, "star": collective_costs.star, "tree": collective_costs.tree,
    "two_phase": collective_costs.two_phase, "two_tree": collective_costs.two_tree_reduce,
}  # fmt: skip
CLOSED_BACK: dict[str, Callable[[int, int, Rates], float]] = {
    "two_tree": collective_costs.two_tree, "double_tree": collective_costs.double_tree, "ring": collective_costs.ring,
    "chain": lambda p, words, rates: sum(f(p, words, rates) for f in (collective_costs.chain, _back)),
}  # fmt: skip


def _back(p: int, words: int, rates: Rates) -> float:
    return collective_costs.broadcast(p, words, rates)


def _values(*shape: int) -> Values:
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


def _starts(rows: int, columns: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.random.default_rng(columns).integers(0, 4000, (rows, columns)) / 4


@BOTH
@pytest.mark.parametrize("by", PLANS)
def test_sums_and_times_are_those_of_the_same_tree_event_by_event(by: str, rates: Rates) -> None:
    for p in SIZES:
        fabric, values = Fabric(2, p, rates=rates), _values(2, p, 2)
        fabric.ready[:] = starts = _starts(2, p)
        sums = reduce(fabric, values, "rows", by, words=0)
        for line in range(2):
            for element in range(2):
                ready, expected = run(TREES[by](p), list(starts[line]), list(values[line, :, element]), rates.stage)
                assert sums[line, element].tobytes() == expected[PLANS[by](p).root].tobytes()
            assert list(fabric.ready[line]) == ready


@BOTH
@pytest.mark.parametrize("by", CLOSED)
def test_a_reduction_takes_the_cycles_of_its_closed_form(by: str, rates: Rates) -> None:
    for p in SIZES:
        for words in WORDS:
            fabric = Fabric(p, 1, rates=rates)
            reduce(fabric, np.zeros((p, 1, 1), np.float32), "columns", by, words=words)
            assert fabric.ready[PLANS[by](p).root, 0] == CLOSED[by](p, words, rates)


@BOTH
@pytest.mark.parametrize("by", CLOSED_BACK)
def test_an_allreduce_takes_the_cycles_of_its_closed_form(by: str, rates: Rates) -> None:
    for p in SIZES:
        for words in WORDS:
            fabric = Fabric(1, p, rates=rates)
            allreduce(fabric, np.zeros((1, p, 1), np.float32), "rows", by, words=words)
            assert fabric.now == pytest.approx(CLOSED_BACK[by](p, words, rates), rel=1e-15)


@BOTH
def test_a_broadcast_takes_the_cycles_of_its_closed_form(rates: Rates) -> None:
    for p in SIZES:
        for words in WORDS:
            fabric = Fabric(1, p, rates=rates)
            broadcast(fabric, np.zeros((1, 1), np.float32), "rows", words=words)
            assert fabric.now == collective_costs.broadcast(p, words, rates)


@pytest.mark.parametrize("p", [*SIZES, 240, 256, 331, 420, 540, 600, 660, 720, 750, 994])
def test_the_cost_of_a_models_allreduce_is_what_running_it_takes(p: int) -> None:
    for elements in (1, 13, 64):
        fabric = Fabric(1, p)
        sums = reduce(fabric, np.ones((1, p, elements), np.float32), "rows")
        assert (sums == p).all()
        assert fabric.ready[0, collective_costs.middle(p)] == costs.reduce(p, elements)
        fabric = Fabric(1, p)
        allreduce(fabric, np.ones((1, p, elements), np.float32), "rows")
        assert fabric.now == costs.allreduce(p, elements)


def test_lines_that_start_later_end_later_by_as_much() -> None:
    fabric = Fabric(5, 12)
    fabric.ready += np.arange(5)[:, None] * 100
    allreduce(fabric, _values(5, 12, 6), "rows")
    assert list(fabric.ready.max(axis=1)) == [100 * line + costs.allreduce(12, 6) for line in range(5)]


@pytest.mark.parametrize("p", [n * n for n in range(2, 9)])
@pytest.mark.parametrize("words", [1, 16, 300])
def test_the_networks_times_are_the_published_formulas(p: int, words: int) -> None:
    root = isqrt(p)
    load = 2 * words * (p - root) / (p - 1)
    assert case("star", p, words) == words * (p - 1) + 5
    assert case("chain", p, words) == words + 6 * (p - 1)
    assert case("two_phase", p, words) == pytest.approx(max(2 * words, load + p - 1) + 5 * (2 * root - 2), rel=1e-15)
    assert case("broadcast", p, words) == words + p + 4


@pytest.mark.parametrize("p", [2, 8, 64, 512])
def test_a_tree_of_a_power_of_two_has_its_published_depth_and_energy(p: int) -> None:
    for words in (1, 256):
        load = words * p / 2 * log2(p) / (p - 1)
        assert case("tree", p, words) == pytest.approx(max(words * log2(p), load + p - 1) + 5 * log2(p))


@pytest.mark.parametrize("by", ["chain", "two_phase", "two_tree"])
def test_a_reduction_on_the_network_takes_what_the_published_model_says_of_its_tree(by: str) -> None:
    for p in range(2, 65):
        operations, root = TREES[by](p), PLANS[by](p).root
        messages = [(pe, source) for pe, ones in operations.items() for sources in ones for source in sources]
        taken = Counter(pe for pe, _ in messages)
        energy, distance = sum(abs(pe - source) for pe, source in messages), max(root, p - 1 - root)
        depth = max(run(operations, [0.0] * p, [np.float32(0)] * p, 1 << 20)[0]) // (1 << 20)
        for words in WORDS:
            longest = max(words * max(taken.values()), words * energy / (p - 1) + distance)
            assert CLOSED[by](p, words, NETWORK) == pytest.approx(longest + 5 * depth, rel=1e-12)


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
            min(reduction(p, words, rates) for by, reduction in CLOSED.items() if by not in {"star", "two_tree"})
            >= bound
        )
        assert min(both(p, words, rates) for both in CLOSED_BACK.values()) >= bound
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
            options += [least.get((s, d - 1), np.inf) + least.get((r - s, d), np.inf) + r - s for s in range(1, r)]
            least[r, d] = min(options)
    return [least[p, d] for d in range(p)]


def test_an_allreduce_of_one_word_takes_about_1_1_diameters_of_the_wafer() -> None:
    cycles = case("allreduce", 600, 1) + case("allreduce", 595, 1)
    assert 1.0 < cycles / (599 + 594) < 1.15


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize("by", [*PLANS, "ring"])
def test_all_lines_at_once_do_what_each_does_alone(by: str, axis: Axis) -> None:
    values, starts = _values(5, 7, 3), _starts(5, 7)
    fabric = Fabric(5, 7)
    fabric.ready[:] = starts
    together = allreduce(fabric, values, axis, by)
    for line in range(5 if axis == "rows" else 7):
        here = np.s_[line : line + 1, :] if axis == "rows" else np.s_[:, line : line + 1]
        alone = Fabric(*values[here].shape[:2])
        alone.ready[:] = starts[here]
        assert allreduce(alone, values[here], axis, by).tobytes() == together[here].tobytes()
        assert (alone.ready == fabric.ready[here]).all()
        assert all((alone.links[way] == fabric.links[way][here]).all() for way in alone.links)


def test_a_rings_sums_start_at_a_different_pe_for_every_part() -> None:
    p, n = 5, 12
    values = _values(1, p, n)
    sums = allreduce(Fabric(1, p), values, "rows", "ring")[0]
    width, order = -(-n // p), interleaved(p)
    for element in range(n):
        part = element // width
        total = values[0, order[part], element]
        for step in range(1, p):
            total = values[0, order[(part + step) % p], element] + total
        assert all(sums[pe, element] == total for pe in range(p))
    assert max(abs(int(a) - int(b)) for a, b in zip(order, np.roll(order, 1), strict=True)) == 2


@pytest.mark.parametrize("by", PLANS)
def test_every_link_carries_what_the_messages_that_cross_it_carry(by: str) -> None:
    for p in (1, 2, 3, 10, 17, 64):
        fabric = Fabric(1, p)
        reduce(fabric, _values(1, p, 1), "rows", by, words=3)
        east, west = [0] * p, [0] * p
        for target, operations in TREES[by](p).items():
            for source in (source for sources in operations for source in sources):
                for hop in range(min(source, target), max(source, target)):
                    east[hop] += 3 * (source < target)
                    west[hop + 1] += 3 * (source > target)
        assert list(fabric.links["east"][0]) == east
        assert list(fabric.links["west"][0]) == west
        assert int(fabric.sent.sum()) == 3 * (p - 1)
        fabric.check_conserved()


@pytest.mark.parametrize("root", range(6))
def test_a_multicast_crosses_each_link_away_from_its_root_once(root: int) -> None:
    fabric = Fabric(6, 2)
    spread = broadcast(fabric, _values(2, 4), "columns", root=root, words=9)
    assert (spread == _values(2, 4)).all()
    assert list(fabric.links["south"][:, 0]) == [9 * (root <= i < 5) for i in range(6)]
    assert list(fabric.links["north"][:, 1]) == [9 * (0 < i <= root) for i in range(6)]
    fabric.check_conserved()


@pytest.mark.parametrize("by", [*PLANS, "ring"])
def test_the_greatest_value_is_found_instead_of_the_sum(by: str) -> None:
    values = _values(3, 9, 4)
    found = allreduce(Fabric(3, 9), values, "columns", by, combine=np.maximum)
    assert (found == values.max(axis=0)).all()


@pytest.mark.parametrize("by", [*PLANS, "ring"])
def test_a_line_needs_at_most_three_colors_and_a_mesh_five(by: str) -> None:
    fabric = Fabric(4, 4)
    once = allreduce(fabric, _values(4, 4, 2), "rows", by)
    assert fabric.colors.most <= 3
    allreduce(fabric, once, "columns", by)
    assert fabric.colors.most <= 5


@pytest.mark.parametrize(
    ("collective", "p", "words", "said"),
    [
        ("gossip", 4, 1, "no collective 'gossip' is known; choose one of chain, star"),
        ("tree", 0, 1, "p=0: give 1 to 1,048,576 PEs for tree"),
        ("tree", 1 << 30, 1, "p=1073741824: give 1 to"),
        ("lower_bound", 4096, 1, "p=4096: give 1 to 1,024 PEs for lower-bound"),
        ("chain", 4, 0, "words=0: give 1 to 16,777,216 wavelets"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused(collective: str, p: int, words: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        case(collective, p, words)


@pytest.mark.parametrize("name", collective_costs.COLLECTIVES)
def test_every_collective_costs_something_finite_on_any_number_of_pes(name: str) -> None:
    sizes = (2, 1000) if name == "lower-bound" else (2, 1000, 1_000_000)
    assert case(name, 1, 5) == 0
    assert all(0 < case(name, p, 5) < 1e10 for p in sizes)
    assert case(name.upper().replace("-", "_"), 9, 5) == case(name, 9, 5)


def test_sums_of_another_number_of_lines_cannot_be_spread() -> None:
    with pytest.raises(ShapeError, match="2 sums for 3 rows"):
        broadcast(Fabric(3, 2), np.zeros((2, 1), np.float32), "rows")
