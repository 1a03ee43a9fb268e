"""The allreduce of all rows or all columns of a mesh at once: values, ready times and words.

Sums go up a two-tree to its root and come back by multicast, word after word. Values are added in exactly the order of
the tree: a PE adds what comes to what it has, from the left before from the right. `collective_costs` has the same
times in closed form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from functools import reduce as fold

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer.collective_costs import CALIBRATED, groups, middle
from spark_tui.wafer.constants import HOP, THROUGH_PE
from spark_tui.wafer.costs import wavelets
from spark_tui.wafer.fabric import Axis, Counts, Cycles, Fabric, Kind, Positions, Traffic, Values

Sum = tuple[int, tuple[int, ...]]
"""A PE and those whose values it adds to its own, in order."""


@dataclass(frozen=True, slots=True)
class Step:
    """PEs that add at the same time. Args: targets: different positions; sources: arrays beside it, in order."""

    targets: Positions
    sources: tuple[Positions, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """An allreduce along a line of P PEs. Args: root: where sums meet. traffic: of one word, there and back."""

    steps: tuple[Step, ...]
    root: int
    traffic: Traffic

    @property
    def farthest(self) -> int:
        """Hops from the root to the PE that is farthest from it."""
        return max(self.root, len(self.traffic.sent) - 1 - self.root)


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
    steps = tuple(step for sums in rounds for step in _at_once(sums))
    parts = (Traffic.of(p, step.targets, step.sources) for step in steps)
    return Plan(steps, centre, fold(Traffic.__add__, parts, _multicast_traffic(p, centre)))


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
            at, *others = (np.array(each, np.intp) for each in (targets, *zip(*sources, strict=True)))
            steps.append(Step(at, tuple(others)))
    return steps


def _multicast_traffic(p: int, root: int) -> Traffic:
    """One word from the root to all: on every link away from it once."""
    one, others = np.arange(p) == root, np.arange(p) != root
    ahead, back = np.zeros((2, p), np.int64)
    ahead[root] += 1
    ahead[p - 1] -= 1
    back[min(1, root)] += root > 0
    if root + 1 < p:
        back[root + 1] -= root > 0
    return Traffic(one * (p - 1), others.astype(np.int64), ahead, back)


def allreduce(
    fabric: Fabric, values: Values, axis: Axis, *, words: int | None = None, combine: np.ufunc = np.add
) -> Values:
    """Give every PE the sum of its line.

    Args: values: (R, C, n) float32, unchanged. words: wavelets that carry the n elements, two a wavelet where not said.
        combine: what takes the place of adding.
    Returns: (R, C, n), a read-only view. Raises: ShapeError: values do not fit the mesh.
    """
    words = wavelets(values.shape[2]) if words is None else words
    plan = two_tree_plan(fabric.length(axis))
    sums = fabric.lines(values, axis).copy()
    for step in plan.steps:
        _combine(sums, step, combine)
        fabric.step(axis, step.targets, step.sources, CALIBRATED.stage)
    _multicast(fabric, axis, plan.root)
    fabric.count(axis, plan.traffic, words)
    fabric.ready += _stream(plan, words)
    for turn in ("even", "odd"):  # by turns, so that a PE listens to another than it sends on
        fabric.color(f"sums along {axis}, {turn}", f"from {turn} PEs to the next on the way to the sum")
    fabric.color("broadcast", "from the root of a line to all its PEs")
    found = sums[:, plan.root].copy()
    return np.broadcast_to(found[:, None] if axis == "rows" else found[None], values.shape)


def _combine(sums: Values, step: Step, combine: np.ufunc) -> None:
    total = sums[:, step.targets]
    for source in step.sources:
        combine(total, sums[:, source], out=total)
    sums[:, step.targets] = total


def _multicast(fabric: Fabric, axis: Axis, root: int) -> None:
    """The first word's way from the root back to all."""
    ready = fabric.lines(fabric.ready, axis)
    away = np.abs(np.arange(ready.shape[1]) - root)
    np.maximum(ready, ready[:, root : root + 1] + HOP * away, out=ready)
    ready += THROUGH_PE * (away > 0)


def _stream(plan: Plan, words: int) -> float:
    """Cycles from the first word's end to the last one's, out of what is counted on PEs and links.

    The PE that takes in the most works through all of that, beginning while the first word of the farthest is still on
    its way; and words move on no faster than neighbours can pass them on average, both ways together.

    Source: Luczynski et al., the larger of C and E/N + L.
    """
    taken, (ahead, back) = plan.traffic.received * words, plan.traffic.loads
    if len(taken) == 1:
        return 0.0
    carried = (ahead[:-1] + back[1:]) * words
    average = CALIBRATED.counted(int(carried.sum()) * CALIBRATED.wavelet / len(carried))
    return max(int(taken.max()) * CALIBRATED.wavelet - 2 * plan.farthest * HOP, average)


def interleaved(p: int) -> Positions:
    """A ring over the positions of a line whose neighbours are at most two hops apart: out on even, back on odd ones.

    Source: WaferLLM, INTERLEAVE.
    """
    return np.concatenate([np.arange(0, p, 2), np.arange(1, p, 2)[::-1]])


@cache
def places(p: int) -> Positions:
    """The place of each position of a line in its ring: the inverse of `interleaved`."""
    return np.argsort(interleaved(p))


@cache
def next_in_ring(p: int) -> Positions:
    """The position that follows each position in the ring."""
    return np.roll(interleaved(p), -1)[places(p)]


def exchange(fabric: Fabric, axis: Axis, sources: Positions, words: int) -> None:
    """Every PE of every line takes `words` from the position `sources` names for it, its own meaning none.

    Args: sources: (P,), a permutation.
    """
    start = _meet(fabric, axis, sources)
    fabric.lines(fabric.ready, axis)[:] = fabric.lines(start, axis) + _time(words) * (sources != _own(sources))
    _book(fabric, axis, sources, words)


def shift(fabric: Fabric, along_rows: int, along_columns: int) -> None:
    """All PEs take a tile from the next PE in their row's ring, and one from the next in their column's, at once.

    Args: along_rows, along_columns: words of the two tiles.
    """
    axes: list[tuple[Axis, int]] = [("rows", along_rows), ("columns", along_columns)]
    moving = [(axis, next_in_ring(fabric.length(axis)), words) for axis, words in axes if fabric.length(axis) > 1]
    if not moving:
        return
    start = np.maximum.reduce([_meet(fabric, axis, sources) for axis, sources, _ in moving])
    fabric.ready[:] = start + _time(sum(words for *_, words in moving))
    for axis, sources, words in moving:
        _book(fabric, axis, sources, words)


def _own(sources: Positions) -> Positions:
    return np.arange(len(sources))


def _meet(fabric: Fabric, axis: Axis, sources: Positions) -> Cycles:
    """When each PE has what comes to it, and what it hands on has arrived, (R, C)."""
    ready = fabric.lines(fabric.ready, axis)
    taken = HOP * abs(_own(sources) - sources)
    given = np.empty_like(taken)
    given[sources] = taken
    met = np.maximum(ready + np.maximum(taken, given), ready[:, sources] + taken)
    arrived: Cycles = met if axis == "rows" else met.swapaxes(0, 1)
    return arrived


def _time(words: int) -> float:
    return THROUGH_PE + words * CALIBRATED.passing


def _book(fabric: Fabric, axis: Axis, sources: Positions, words: int | Counts) -> None:
    fabric.count(axis, _traffic(tuple(sources.tolist())), words)
    for turn in ("even", "odd"):
        fabric.color(f"shifts along {axis}, {turn}", f"from {turn} places of a ring to the next")


@cache
def _traffic(sources: tuple[int, ...]) -> Traffic:
    """Of one word a PE."""
    taken = np.array(sources, np.intp)
    targets = np.flatnonzero(taken != np.arange(len(taken)))
    return Traffic.of(len(taken), targets, (taken[targets],))


def pass_up(fabric: Fabric, words: int, first: int, last: int) -> None:
    """Rows behind `first` to `last` hand `words` to the row above; all rows keep step with their neighbours."""
    if fabric.rows == 1:
        return
    ready = np.pad(fabric.ready, ((1, 1), (0, 0)), mode="edge")
    fabric.ready[:] = np.maximum.reduce([ready[:-2], ready[1:-1], ready[2:]]) + HOP + _time(words)
    sources = np.arange(fabric.rows)
    sources[first:last] += 1
    fabric.count("columns", _traffic(tuple(sources.tolist())), words)
    fabric.color("keys and values", "from each row to the one above")


def align_columns(fabric: Fabric, tiles: NDArray[Kind], words: int) -> NDArray[Kind]:
    """Turn each column's ring back by the column's own place in its row's ring, as the products of `gemm` want it.

    Columns turn the shorter way round, a place a step; those that are done wait. The mesh is square.

    Args: tiles: (R, C, ...). words: of a tile. Returns: the tiles where they are then.
    """
    p = fabric.rows
    onward, distance = next_in_ring(p), places(p)
    for _ in range(p // 2):
        fabric.ready[:] = _meet(fabric, "columns", onward) + _time(words)
    shorter = distance <= p // 2
    _book(fabric, "columns", onward, words * (distance * shorter)[:, None])
    _book(fabric, "columns", np.argsort(onward), words * ((p - distance) * ~shorter)[:, None])
    held = interleaved(p)[(places(p)[:, None] + distance) % p]
    moved: NDArray[Kind] = tiles[held, np.arange(p)]
    return moved
