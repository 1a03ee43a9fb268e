"""Communication on a mesh: allreduces along lines, and shifts around rings laid over lines.

All rows or all columns run an operation at once. The functions move values, advance the ready times
of the fabric, count words and reserve colors; `collective_costs` and `costs` have the same cycles
in closed form. An allreduce adds in exactly the order of its tree, because float sums depend on the
order: a PE adds what it receives to its own value, first from the left, then from the right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer.collective_costs import CALIBRATED, groups, middle
from spark_tui.wafer.constants import HOP, THROUGH_PE
from spark_tui.wafer.costs import wavelets
from spark_tui.wafer.fabric import Axis, Counts, Cycles, Fabric, Kind, Positions, Traffic, Values

_Sum = tuple[int, tuple[int, ...]]
"""A PE and the PEs whose values it adds to its own, in order."""


@dataclass(frozen=True, slots=True)
class ReductionStep:
    """PEs that add at the same time.

    Attributes:
        targets: Positions of the adding PEs, all different.
        sources: Positions that they receive from, arrays beside `targets`, in order.
    """

    targets: Positions
    sources: tuple[Positions, ...]


@dataclass(frozen=True, slots=True)
class AllreducePlan:
    """An allreduce along a line of P PEs.

    Attributes:
        steps: The reduction.
        root: Position where the sums meet.
        traffic: Of one word, to the root and back.
    """

    steps: tuple[ReductionStep, ...]
    root: int
    traffic: Traffic

    @property
    def farthest(self) -> int:
        """Hops from the root to the farthest PE."""
        last = len(self.traffic.sent) - 1
        return max(self.root, last - self.root)


@cache
def two_tree_plan(p: int) -> AllreducePlan:
    """Plan a two-tree: chains to the middle of each group, then chains to the middle group."""
    size = -(-p // groups(p))
    root = middle(p)
    lines = [range(start, min(start + size, p)) for start in range(0, p, size)]
    group_roots = []
    in_groups = []
    for line in lines:
        # The middle group sums up at the root, which need not be its own middle.
        group_root = root if root in line else line[len(line) // 2]
        group_roots.append(group_root)
        in_groups.append(_inward_rounds(line, group_root - line[0]))
    rounds = _aligned_at_end(in_groups)
    rounds += _inward_rounds(group_roots, group_roots.index(root))
    steps: list[ReductionStep] = []
    for sums in rounds:
        steps += _parallel_steps(sums)
    # The way back is a multicast, of which every link carries one copy.
    traffic = _multicast_traffic(p, root)
    for step in steps:
        traffic += Traffic.of(p, step.targets, step.sources)
    return AllreducePlan(tuple(steps), root, traffic)


def _inward_rounds(line: Sequence[int], center: int) -> list[list[_Sum]]:
    """Reduce from both ends of a line to one of its PEs, a round at a time.

    Args:
        line: Positions of the PEs.
        center: Index of the receiving PE in `line`.
    """
    rounds: list[list[_Sum]] = []
    last = len(line) - 1
    for distance in range(max(center, last - center), 0, -1):
        sums: list[_Sum] = []
        left = center - distance
        if left >= 0:
            sums.append((line[left + 1], (line[left],)))
        right = center + distance
        if right <= last:
            sums.append((line[right - 1], (line[right],)))
        if distance == 1:
            # Both neighbors send to the center, which adds them in one step.
            sums = [(line[center], tuple(source for _, (source,) in sums))]
        rounds.append(sums)
    return rounds


def _aligned_at_end(groups_of_rounds: Sequence[list[list[_Sum]]]) -> list[list[_Sum]]:
    """Merge the rounds of all groups so that all groups end at the same time."""
    # `left` counts the rounds that are left; a group of fewer rounds joins in later.
    merged: list[list[_Sum]] = []
    for left in range(max(map(len, groups_of_rounds)), 0, -1):
        sums: list[_Sum] = []
        for rounds in groups_of_rounds:
            if len(rounds) >= left:
                sums += rounds[-left]
        merged.append(sums)
    return merged


def _parallel_steps(sums: Iterable[_Sum]) -> list[ReductionStep]:
    """Turn one round into array steps: PEs with one source together, then those with two."""
    by_count: dict[int, list[_Sum]] = {1: [], 2: []}
    for target, sources in sums:
        by_count[len(sources)].append((target, sources))
    steps = []
    for chosen in by_count.values():
        if not chosen:
            continue
        targets = np.array([target for target, _ in chosen], np.intp)
        # (sums, count), so that column i holds the i-th source of every sum.
        sources_of = np.array([sources for _, sources in chosen], np.intp)
        steps.append(ReductionStep(targets, tuple(np.ascontiguousarray(sources_of.T))))
    return steps


def _multicast_traffic(p: int, root: int) -> Traffic:
    """Count one word from the root to all others: once on every link away from the root."""
    is_root = np.arange(p) == root
    ahead = np.zeros(p, np.int64)
    ahead[root] += 1
    ahead[p - 1] -= 1
    back = np.zeros(p, np.int64)
    if root > 0:  # the links from the root down to PE 1 carry the word
        back[1] += 1
        if root + 1 < p:
            back[root + 1] -= 1
    return Traffic(is_root * (p - 1), (~is_root).astype(np.int64), ahead, back)


def allreduce(
    fabric: Fabric,
    values: Values,
    axis: Axis,
    *,
    words: int | None = None,
    combine: np.ufunc = np.add,
) -> Values:
    """Give every PE the sum over its line.

    Args:
        fabric: The mesh.
        values: (R, C, n) float32, left unchanged.
        axis: The lines.
        words: Wavelets that carry the n elements, by default two elements a wavelet.
        combine: The operation in place of addition.

    Returns:
        (R, C, n), a read-only view.

    Raises:
        ShapeError: The values are not laid out over this mesh.
    """
    if words is None:
        words = wavelets(values.shape[2])
    plan = two_tree_plan(fabric.length(axis))
    sums = fabric.lines(values, axis).copy()
    for step in plan.steps:
        _combine(sums, step, combine)
        fabric.step(axis, step.targets, step.sources, CALIBRATED.stage)
    # So far the times are those of the first word; the others follow it in a stream.
    _multicast_first_word(fabric, axis, plan.root)
    fabric.count(axis, plan.traffic, words)
    fabric.ready += _drain(plan, words)
    for parity in ("even", "odd"):  # a PE receives on one color while it sends on the other
        path = f"from {parity} PEs to the next on the way to the sum"
        fabric.color(f"sums along {axis}, {parity}", path)
    fabric.color("broadcast", "from the root of a line to all its PEs")
    # Every PE of a line has the root's sum: one copy of it, viewed by all of them.
    totals = sums[:, plan.root].copy()
    of_lines = totals[:, None] if axis == "rows" else totals[None]
    return np.broadcast_to(of_lines, values.shape)


def _combine(sums: Values, step: ReductionStep, combine: np.ufunc) -> None:
    total = sums[:, step.targets]
    for source in step.sources:
        combine(total, sums[:, source], out=total)
    sums[:, step.targets] = total


def _multicast_first_word(fabric: Fabric, axis: Axis, root: int) -> None:
    """Advance ready times by the way of the first word from the root back to all PEs."""
    ready = fabric.lines(fabric.ready, axis)
    distance = np.abs(np.arange(ready.shape[1]) - root)
    np.maximum(ready, ready[:, root : root + 1] + HOP * distance, out=ready)
    ready += THROUGH_PE * (distance > 0)  # the root has its sum without the network


def _drain(plan: AllreducePlan, words: int) -> float:
    """Cycles from the end of the first word to the end of the last one, from counted traffic.

    The busiest PE works through everything it receives, and begins while the first word of the
    farthest PE is still on its way; and words move no faster than neighbors can pass them on
    average, both directions together.

    Source:
        Luczynski et al., the larger of C and E/N + L.
    """
    received = plan.traffic.received * words
    if len(received) == 1:
        return 0.0
    busiest_pe = int(received.max()) * CALIBRATED.wavelet - 2 * plan.farthest * HOP
    # Link i lies between positions i and i + 1.
    ahead, back = plan.traffic.loads
    carried = (ahead[:-1] + back[1:]) * words
    average_link = CALIBRATED.counted(int(carried.sum()) * CALIBRATED.wavelet / len(carried))
    return max(busiest_pe, average_link)


def interleaved(p: int) -> Positions:
    """Lay a ring over a line: out on even positions, back on odd ones.

    Neighbors in the ring are at most two hops apart.

    Returns:
        The position on the line of each place in the ring, (P,).

    Source:
        WaferLLM, INTERLEAVE.
    """
    return np.concatenate([np.arange(0, p, 2), np.arange(1, p, 2)[::-1]])


@cache
def ring_places(p: int) -> Positions:
    """Invert `interleaved`: the place in the ring of each position on the line, (P,)."""
    return np.argsort(interleaved(p))


@cache
def next_in_ring(p: int) -> Positions:
    """Return the position that follows each position in the ring, (P,)."""
    return np.roll(interleaved(p), -1)[ring_places(p)]


def exchange(fabric: Fabric, axis: Axis, sources: Positions, words: int) -> None:
    """Let every PE of every line receive words from another one.

    Args:
        fabric: The mesh.
        axis: The lines.
        sources: The position that each position receives from, (P,), a permutation; a PE that names
            itself takes no part.
        words: Words that each PE receives.
    """
    start = fabric.lines(_time_of_meeting(fabric, axis, sources), axis)
    takes_part = sources != np.arange(len(sources))
    fabric.lines(fabric.ready, axis)[:] = start + _shift_cycles(words) * takes_part
    _book_shift(fabric, axis, sources, words)


def shift(fabric: Fabric, along_rows: int, along_columns: int) -> None:
    """Shift two tiles at once: one around the ring of each row, one around that of each column.

    Args:
        fabric: The mesh.
        along_rows: Words of the tile that each PE receives from the next PE in its row's ring.
        along_columns: Words of the tile from the next PE in the column's ring.
    """
    tiles: list[tuple[Axis, int]] = [("rows", along_rows), ("columns", along_columns)]
    moving = [(axis, words) for axis, words in tiles if fabric.length(axis) > 1]
    if not moving:
        return
    starts = []
    for axis, _ in moving:
        starts.append(_time_of_meeting(fabric, axis, next_in_ring(fabric.length(axis))))
    # The tiles travel at the same time, but a PE handles their words one after another.
    total_words = sum(words for _, words in moving)
    fabric.ready[:] = np.maximum.reduce(starts) + _shift_cycles(total_words)
    for axis, words in moving:
        _book_shift(fabric, axis, next_in_ring(fabric.length(axis)), words)


def _time_of_meeting(fabric: Fabric, axis: Axis, sources: Positions) -> Cycles:
    """Return when each PE has its words, and its own words have arrived elsewhere, (R, C).

    A PE waits for both neighbors, so that a line keeps step.
    """
    ready = fabric.lines(fabric.ready, axis)
    receiving = HOP * abs(np.arange(len(sources)) - sources)
    sending = np.empty_like(receiving)
    sending[sources] = receiving
    own = ready + np.maximum(receiving, sending)
    met: Cycles = np.maximum(own, ready[:, sources] + receiving)
    if axis == "rows":
        return met
    return met.swapaxes(0, 1)


def _shift_cycles(words: int) -> float:
    return THROUGH_PE + words * CALIBRATED.passing


def _book_shift(fabric: Fabric, axis: Axis, sources: Positions, words: int | Counts) -> None:
    fabric.count(axis, _shift_traffic(tuple(sources.tolist())), words)
    for parity in ("even", "odd"):
        path = f"from {parity} places of a ring to the next"
        fabric.color(f"shifts along {axis}, {parity}", path)


@cache
def _shift_traffic(sources: tuple[int, ...]) -> Traffic:
    """Count one word for each PE."""
    positions = np.array(sources, np.intp)
    targets = np.flatnonzero(positions != np.arange(len(positions)))
    return Traffic.of(len(positions), targets, (positions[targets],))


def pass_up(fabric: Fabric, words: int, first: int, last: int) -> None:
    """Pass words from each row behind `first`, up to `last`, to the row above.

    All rows keep step with their neighbors, also those that pass nothing.

    Args:
        fabric: The mesh.
        words: Words that each PE of these rows sends.
        first: The first row that receives.
        last: The last row that sends.
    """
    if fabric.rows == 1:
        return
    # The first and the last row have one neighbor only; repeating their own times adds no wait.
    padded = np.pad(fabric.ready, ((1, 1), (0, 0)), mode="edge")
    neighbors_ready = np.maximum.reduce([padded[:-2], padded[1:-1], padded[2:]])
    fabric.ready[:] = neighbors_ready + HOP + _shift_cycles(words)
    sources = np.arange(fabric.rows)
    sources[first:last] += 1
    fabric.count("columns", _shift_traffic(tuple(sources.tolist())), words)
    fabric.color("keys and values", "from each row to the one above")


def align_columns(fabric: Fabric, tiles: NDArray[Kind], words: int) -> NDArray[Kind]:
    """Turn the ring of each column back by the column's own place in the ring of its row.

    A MeshGEMM needs its factors aligned this way. Columns turn the shorter way round, a place in
    each step, and those that are done wait. The mesh is square.

    Args:
        fabric: The mesh.
        tiles: (R, C, ...).
        words: Words of a tile.

    Returns:
        The tiles in their new places.
    """
    p = fabric.rows
    onward = next_in_ring(p)
    distance = ring_places(p)
    # No column turns by more than half a ring. Times advance for all columns alike, words are
    # booked only for those that still turn.
    for _ in range(p // 2):
        fabric.ready[:] = _time_of_meeting(fabric, "columns", onward) + _shift_cycles(words)
    goes_onward = distance <= p // 2
    steps_onward = distance * goes_onward
    steps_back = (p - distance) * ~goes_onward
    _book_shift(fabric, "columns", onward, words * steps_onward[:, None])
    _book_shift(fabric, "columns", np.argsort(onward), words * steps_back[:, None])
    # The values move in one go: each PE takes the tile that lay `distance` places further on.
    old_rows = interleaved(p)[(ring_places(p)[:, None] + distance) % p]
    moved: NDArray[Kind] = tiles[old_rows, np.arange(p)]
    return moved
