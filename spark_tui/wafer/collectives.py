"""Reductions and broadcasts, on all rows or all columns of a mesh at once: values, ready times and words.

Values are added in exactly the order of the tree: a PE adds what comes to what it has, from the left before from the
right. `collective_costs` has the same times in closed form.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from functools import reduce as fold

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import ShapeError
from spark_tui.wafer.collective_costs import group_size, groups, middle
from spark_tui.wafer.constants import HOP, THROUGH_PE
from spark_tui.wafer.costs import wavelets
from spark_tui.wafer.fabric import Axis, Fabric, Positions, Traffic
from spark_tui.wafer.rates import Rates

Values = NDArray[np.float32]
Sum = tuple[int, tuple[int, ...]]
"""A PE and those whose values it adds to its own, in order."""


@dataclass(frozen=True, slots=True)
class Step:
    """PEs that add at the same time. Args: targets: different positions; sources: arrays beside it, in order."""

    targets: Positions
    sources: tuple[Positions, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A reduction along a line of P PEs. Args: root: where the sum ends up. traffic: of one word, by position."""

    steps: tuple[Step, ...]
    root: int
    traffic: Traffic

    @property
    def farthest(self) -> int:
        """Hops from the root to the PE that is farthest from it."""
        return max(self.root, len(self.traffic.sent) - 1 - self.root)

    @classmethod
    def of(cls, size: int, steps: list[Step], root: int = 0) -> "Plan":
        """A plan with its traffic counted."""
        nothing = Traffic.of(size, _at(), ())
        parts = (Traffic.of(size, step.targets, step.sources) for step in steps)
        return cls(tuple(steps), root, fold(Traffic.__add__, parts, nothing))


def _at(*positions: int) -> Positions:
    return np.array(positions, np.intp)


@cache
def chain_plan(p: int) -> Plan:
    """From neighbour to neighbour, to the first."""
    return Plan.of(p, [Step(_at(i), (_at(i + 1),)) for i in range(p - 2, -1, -1)])


@cache
def star_plan(p: int) -> Plan:
    """All straight to the first."""
    return Plan.of(p, [Step(_at(0), tuple(_at(i) for i in range(1, p)))] if p > 1 else [])


@cache
def tree_plan(p: int) -> Plan:
    """By halves, to the first."""
    strides = [1 << k for k in range((p - 1).bit_length())]
    targets = [np.arange(0, p - stride, 2 * stride) for stride in strides]
    return Plan.of(p, [Step(t, (t + stride,)) for t, stride in zip(targets, strides, strict=True)])


@cache
def double_tree_plan(p: int) -> Plan:
    """By halves from both ends to the middle."""
    centre, steps = p // 2, []
    for stride in (1 << k for k in range(centre.bit_length())):
        apart = range(0, centre + 1 - stride, 2 * stride)
        sums = [(centre + side * i, (centre + side * (i + stride),)) for i in apart for side in (-1, 1)]
        inside = [(target, sources) for target, sources in sums if sources[0] < p]
        ends = tuple(source for target, (source,) in inside if target == centre)
        steps += _at_once([(centre, ends), *(pair for pair in inside if pair[0] != centre)])
    return Plan.of(p, steps, centre)


@cache
def two_phase_plan(p: int) -> Plan:
    """By chains within groups to their first PE, then by a chain over these."""
    size = group_size(p)
    ends = np.arange(p, 0, -size)[::-1]
    starts = np.maximum(ends - size, 0)
    steps = []
    for offset in range(size - 2, -1, -1):
        targets = starts[ends - starts > offset + 1] + offset
        steps.append(Step(targets, (targets + 1,)))
    steps += [Step(_at(starts[i]), (_at(starts[i + 1]),)) for i in range(len(starts) - 2, -1, -1)]
    return Plan.of(p, steps)


@cache
def two_tree_plan(p: int) -> Plan:
    """By chains from both sides to the middle of each group, then from both sides to the middle group."""
    size, centre = -(-p // groups(p)), middle(p)
    lines = [range(start, min(start + size, p)) for start in range(0, p, size)]
    roots = [centre if centre in line else line[len(line) // 2] for line in lines]
    within = [_inward(line, root - line[0]) for line, root in zip(lines, roots, strict=True)]
    left = range(max(map(len, within)), 0, -1)
    rounds = [[pair for steps in within if len(steps) >= k for pair in steps[-k]] for k in left]
    rounds += _inward(roots, roots.index(centre))
    return Plan.of(p, [step for sums in rounds for step in _at_once(sums)], centre)


def _inward(line: Sequence[int], centre: int) -> list[list[Sum]]:
    """From both ends of a line to one of its PEs, a step at a time. Args: centre: its index in the line."""
    steps: list[list[Sum]] = []
    for distance in range(max(centre, len(line) - 1 - centre), 0, -1):
        sides = [(centre - distance, 1), (centre + distance, -1)]
        pairs = [(line[index + toward], line[index]) for index, toward in sides if 0 <= index < len(line)]
        steps.append([(target, (source,)) for target, source in pairs])
        if distance == 1:
            steps[-1] = [(line[centre], tuple(source for _, source in pairs))]
    return steps


def _at_once(sums: Sequence[Sum]) -> list[Step]:
    """What several PEs do at the same time: a step for those with one source, and one for those with two."""
    steps = []
    for count in (1, 2):
        chosen = [(target, sources) for target, sources in sums if len(sources) == count]
        if chosen:
            targets, sources = zip(*chosen, strict=True)
            steps.append(Step(_at(*targets), tuple(_at(*column) for column in zip(*sources, strict=True))))
    return steps


PLANS: dict[str, Callable[[int], Plan]] = {
    "chain": chain_plan, "star": star_plan, "tree": tree_plan, "two_phase": two_phase_plan,
    "double_tree": double_tree_plan, "two_tree": two_tree_plan,
}  # fmt: skip
"""Every reduction by its name."""


def reduce(
    fabric: Fabric, values: Values, axis: Axis, by: str = "two_tree", *, words: int | None = None,
    combine: np.ufunc = np.add,
) -> Values:  # fmt: skip
    """Bring the sums of all lines to their roots.

    Args: values: (R, C, n) float32, unchanged. by: a name in PLANS. words: wavelets that carry the n elements, two a
        wavelet where not said. combine: what takes the place of adding.
    Returns: (lines, n), the sum of each line.
    Raises: ShapeError: values do not fit the mesh.
    """
    words = wavelets(values.shape[2]) if words is None else words
    plan = PLANS[by](fabric.length(axis))
    sums = _first_words(fabric, values, axis, by, words, combine)
    fabric.ready += _stream(plan.traffic, plan.farthest, words, fabric.rates, meeting=by != "star")
    return sums


def _first_words(fabric: Fabric, values: Values, axis: Axis, by: str, words: int, combine: np.ufunc) -> Values:
    """`reduce` until the first word of every sum is at its root; what the others take follows from their number."""
    plan = PLANS[by](fabric.length(axis))
    sums = fabric.lines(values, axis).copy()
    for step in plan.steps:
        _combine(sums, step, combine)
        fabric.step(axis, step.targets, step.sources, fabric.rates.stage)
    fabric.count(axis, plan.traffic, words)
    _take_colors(fabric, axis, by)
    return sums[:, plan.root].copy()


def _combine(sums: Values, step: Step, combine: np.ufunc) -> None:
    total = sums[:, step.targets]
    for source in step.sources:
        combine(total, sums[:, source], out=total)
    sums[:, step.targets] = total


def _stream(traffic: Traffic, distance: int, words: int, rates: Rates, *, meeting: bool = True) -> float:
    """Cycles from the first word's end to the last one's, out of what is counted on PEs and links.

    The PE that takes in the most works through all of that, beginning while the first word of the farthest is still on
    its way; and words move on no faster than neighbours can pass them on average, both ways together.

    Args: traffic: of one word. distance: in hops, of the longest way. meeting: streams wait for each other on links.
        Source: Luczynski et al., the larger of C and E/N + L.
    """
    taken, (ahead, back) = traffic.received * words, traffic.loads
    if len(taken) == 1:
        return 0.0
    carried = (ahead[:-1] + back[1:]) * words
    average = rates.counted(int(carried.sum()) * rates.wavelet / len(carried)) if meeting else 0.0
    return max(int(taken.max()) * rates.wavelet - distance * HOP, average)


def broadcast(fabric: Fabric, values: Values, axis: Axis, *, root: int = 0, words: int | None = None) -> Values:
    """Multicast from one PE of each line to all others of it.

    Args: values: (lines, n), what the root of each line has. root: its position. words: as in `reduce`.
    Returns: (R, C, n), a read-only view.
    """
    words = wavelets(values.shape[1]) if words is None else words
    p = fabric.length(axis)
    if p > 1:
        _multicast(fabric, axis, root, words, fabric.rates.stage)
        fabric.ready += _stream(_multicast_traffic(p, root), max(root, p - 1 - root), words, fabric.rates)
    return _spread(fabric, values, axis)


def allreduce(
    fabric: Fabric, values: Values, axis: Axis, by: str = "two_tree", *, words: int | None = None,
    combine: np.ufunc = np.add,
) -> Values:  # fmt: skip
    """Give every PE the sum of its line. Args and Raises: as of `reduce`; `by` may be "ring".

    A two-tree's words go back from the middle one by one; other reductions are followed by a broadcast.
    Returns: (R, C, n); a read-only view but for "ring".
    """
    words = wavelets(values.shape[2]) if words is None else words
    if by == "ring":
        return _ring(fabric, values, axis, words, combine)
    plan = PLANS[by](p := fabric.length(axis))
    if by != "two_tree":
        sums = reduce(fabric, values, axis, by, words=words, combine=combine)
        return broadcast(fabric, sums, axis, root=plan.root, words=words)
    sums = _first_words(fabric, values, axis, by, words, combine)
    _multicast(fabric, axis, plan.root, words, THROUGH_PE)
    fabric.ready += _stream(plan.traffic + _multicast_traffic(p, plan.root), 2 * plan.farthest, words, fabric.rates)
    return _spread(fabric, sums, axis)


@cache
def _multicast_traffic(p: int, root: int) -> Traffic:
    """One word from the root to all: on every link away from it once."""
    one, others = np.arange(p) == root, np.arange(p) != root
    ahead, back = np.zeros((2, p), np.int64)
    ahead[root] += 1
    ahead[p - 1] -= 1
    back[min(1, root)] += root > 0
    if root + 1 < p:
        back[root + 1] -= root > 0
    return Traffic(one * (p - 1), others.astype(np.int64), others.astype(np.int64), ahead, back)


def _multicast(fabric: Fabric, axis: Axis, root: int, words: int, cost: float) -> None:
    ready = fabric.lines(fabric.ready, axis)
    away = np.abs(np.arange(ready.shape[1]) - root)
    np.maximum(ready, ready[:, root : root + 1] + HOP * away, out=ready)
    ready += cost * (away > 0)
    fabric.count(axis, _multicast_traffic(ready.shape[1], root), words)
    fabric.color("broadcast", "from the root of a line to all its PEs")


def _spread(fabric: Fabric, sums: Values, axis: Axis) -> Values:
    lines = fabric.rows if axis == "rows" else fabric.columns
    if len(sums) != lines:
        raise ShapeError(f"{len(sums)} sums for {lines} {axis}")
    beside = sums[:, None] if axis == "rows" else sums[None]
    return np.broadcast_to(beside, (fabric.rows, fabric.columns, sums.shape[1]))


def interleaved(p: int) -> Positions:
    """A ring over the positions of a line whose neighbours are at most two hops apart: out on even, back on odd ones.

    Source: WaferLLM, INTERLEAVE.
    """
    return np.concatenate([np.arange(0, p, 2), np.arange(1, p, 2)[::-1]])


def _ring(fabric: Fabric, values: Values, axis: Axis, words: int, combine: np.ufunc) -> Values:
    p = fabric.length(axis)
    order = interleaved(p)
    for _ in range(2 * (p - 1)):
        cost = fabric.rates.stage + fabric.rates.passing * -(-words // p)
        fabric.move(axis, order, np.roll(order, 1), -(-words // p), cost)
    _take_colors(fabric, axis, "ring")
    return _spread(fabric, _ring_sums(fabric.lines(values, axis)[:, order], combine), axis)


def _ring_sums(values: Values, combine: np.ufunc) -> Values:
    """Each P-th of the elements added up once around the ring, from its own PE on. Args: values: (lines, P, n)."""
    lines, p, n = values.shape
    parts = np.zeros((lines, p, p, -(-n // p)), np.float32)
    parts.reshape(lines, p, -1)[:, :, :n] = values
    part = np.arange(p)
    sums = parts[:, part, part]
    for step in range(1, p):
        sums = combine(parts[:, (part + step) % p, part], sums)
    return sums.reshape(lines, -1)[:, :n]


def _take_colors(fabric: Fabric, axis: Axis, by: str) -> None:
    """Two colors for sums, by turns, so that a PE listens to another than it sends on; a star needs one."""
    for turn in ("even",) if by == "star" else ("even", "odd"):
        fabric.color(f"sums along {axis}, {turn}", f"from {turn} PEs to the next on the way to the sum")
