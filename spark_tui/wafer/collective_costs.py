"""Costs of reductions and broadcasts along a line of P PEs, in cycles, in closed form.

Words are wavelets. With the rates `NETWORK` these are the formulas of Luczynski et al. (HPDC 2024,
arXiv:2404.15888): T = max(C, E/N + L) + (2 T_R + 1) D for contention C, energy E in hops, N links,
distance L and depth D. They are written here as the time of the first word, L + (2 T_R + 1) D, and
the time that the others need behind it, max(C - L, E/N), which `drain` computes.

The paper has no two-tree; the same model counts one. `collectives` finds the cycles of a two-tree
by running it. Tests hold the two equal, and the other formulas equal to replays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil, isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spark_tui.errors import UsageError
from spark_tui.wafer.constants import HOP, ISSUE, PASSING, THROUGH_PE, WAVELET


@dataclass(frozen=True, slots=True)
class Rates:
    """Cycles that a PE spends.

    Attributes:
        issue: As `constants.ISSUE`.
        wavelet: As `constants.WAVELET`.
        passing: As `constants.PASSING`.
        whole: Whether averages are rounded up to whole cycles.
    """

    issue: float
    wavelet: float
    passing: float
    whole: bool

    @property
    def stage(self) -> float:
        """Cycles from the arrival of a wavelet at a router until the sum with it leaves again."""
        return THROUGH_PE + self.issue

    def counted(self, cycles: float) -> float:
        """Round an average as a PE's clock would count it."""
        if self.whole:
            return ceil(cycles)
        return cycles


CALIBRATED: Final = Rates(ISSUE, WAVELET, PASSING, whole=True)
"""Kernels in CSL."""

NETWORK: Final = Rates(0, 1, 1, whole=False)
"""The network alone: a ramp takes one word each way per cycle, and averages stay fractions.

Source:
    Luczynski et al., HPDC 2024, arXiv:2404.15888.
"""


def drain(
    p: int,
    words: int,
    contention: int,
    hops: int,
    rates: Rates,
    distance: int | None = None,
) -> float:
    """Cycles from the end of the first word to the end of the last one.

    The busiest PE or the average link decides, whichever needs longer.

    Args:
        p: PEs in the line.
        words: Wavelets of each PE.
        contention: Streams that pass the busiest PE one after another.
        hops: Hops of one word over the whole line.
        rates: Cycles that a PE spends.
        distance: Hops from the root to the farthest PE, by default p - 1. The busiest PE works on
            the first streams while the first word of the farthest one is still on its way.

    Returns:
        Cycles; 0 for a single PE.
    """
    if p == 1:
        return 0.0
    if distance is None:
        distance = p - 1
    stream = words * rates.wavelet
    average_link = rates.counted(stream * hops / (p - 1))
    busiest_pe = stream * contention - distance * HOP
    return max(average_link, busiest_pe)


def chain(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a reduction from neighbor to neighbor, to the first PE."""
    # The first word passes P - 1 stages. A PE receives a single stream, and every link carries one.
    return (p - 1) * (HOP + rates.stage) + drain(p, words, 1, p - 1, rates)


def star(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a reduction in which all PEs send straight to the first one.

    The first PE takes the nearest stream first, so that no two streams meet on a link.
    """
    if p == 1:
        return 0.0
    return rates.stage + (p - 1) * words * rates.wavelet


def tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a reduction by halves.

    Every second PE sends to the one before it, and so on, until the first PE has the sum.
    """
    contention = _tree_levels(p)
    return _tree_head(p, rates) + drain(p, words, contention, _tree_hops(p), rates)


def double_tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of an allreduce for few words: halves from both ends to the middle, multicast."""
    if p == 1:
        return 0.0
    # Both sides include the center. The left one is never the smaller one, so its first word is
    # the last to arrive.
    center = p // 2
    left = center + 1
    right = p - center
    contention = _tree_levels(left) + _tree_levels(right)
    hops = _tree_hops(left) + _tree_hops(right)
    reduction = _tree_head(left, rates) + drain(p, words, contention, hops, rates, center)
    # The multicast begins when the whole sum is there.
    return reduction + center * HOP + rates.stage + words * rates.wavelet


def _tree_levels(p: int) -> int:
    return (p - 1).bit_length()


def _tree_hops(p: int) -> int:
    """Hops of one word over all levels of a binary tree."""
    hops = 0
    for level in range(_tree_levels(p)):
        # On this level every second one of the PEs that are left sends, over `stride` hops.
        stride = 1 << level
        senders = (p - stride - 1) // (2 * stride) + 1
        hops += stride * senders
    return hops


def _tree_head(p: int, rates: Rates) -> float:
    """Cycles until the first word of a binary tree has arrived at the first PE."""
    if p == 1:
        return 0.0
    # The last level joins two trees: one of the largest power of two below P, and the rest, whose
    # sum comes from `half` hops away.
    half = 1 << _tree_levels(p) - 1
    near = _tree_head(half, rates)
    far = _tree_head(p - half, rates) + half * HOP
    return max(near, far) + rates.stage


def group_size(p: int) -> int:
    """Return the PEs of a group in a two-phase reduction: the root of P, rounded up.

    The first group may be smaller.
    """
    if p == 1:
        return 1
    return 1 + isqrt(p - 1)


def two_phase(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a reduction by chains within groups, then by a chain over the groups."""
    size = group_size(p)
    count = ceil(p / size)
    stages = size - 1 + count - 1
    contention = 2 if p > 3 else 1
    # Within groups one hop for every PE but the first; then from the last group's first PE, over
    # all groups before it, to the first PE.
    hops = p - count + p - size
    return (p - 1) * HOP + stages * rates.stage + drain(p, words, contention, hops, rates)


def ring(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of an allreduce by a ring over the line, a P-th of the words in each step.

    Neighbors in the ring are at most two hops apart.
    """
    if p == 1:
        return 0.0
    # P - 1 steps add up, and P - 1 hand the sums on. The interleaved ring has two edges of one hop,
    # one at each end of the line, and all others of two. A chain of 2 (P - 1) steps goes around
    # twice, except for two edges; the slowest chain leaves out edges of one hop: both where they
    # are neighbors (P < 4), else one.
    steps = 2 * (p - 1)
    one_hop_steps = 2 if p < 4 else 3
    hops = 2 * steps - one_hop_steps
    return steps * (rates.stage + ceil(words / p) * rates.passing) + hops * HOP


def broadcast(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a multicast from the first PE to all others; routers copy on the way."""
    if p == 1:
        return 0.0
    return (p - 1) * HOP + rates.stage + drain(p, words, 1, p - 1, rates)


@cache
def groups(p: int) -> int:
    """Return the number of groups that a two-tree makes of P PEs: the largest divisor <= sqrt(P).

    Where P has no divisor near its root, the last group is shorter.

    Source:
        WaferLLM's choice for P = 240..720.
    """
    divisors = (count for count in range(1, isqrt(p) + 1) if p % count == 0)
    best = max(divisors)
    # Near enough: at least the root of P / 2.
    if 2 * best * best >= p:
        return best
    return ceil(p / group_size(p))


def depth(p: int) -> int:
    """Return the stages of a two-tree: to the middle of a group, then to the middle group."""
    count = groups(p)
    return ceil(p / count) // 2 + count // 2


@cache
def middle(p: int) -> int:
    """Return the position at which all sums of a two-tree meet.

    The position lies in the middle group, as near the middle of the line as the group can be added
    up no later than the others.
    """
    count = groups(p)
    size = ceil(p / count)
    start = count // 2 * size
    end = min(start + size, p)
    in_time = end - 1 - depth(p) + (count > 1)
    return max(p // 2, start, in_time)


def two_tree_reduce(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of a reduction in two levels toward the middle, where up to four streams meet."""
    root = middle(p)
    meeting, hops = _streams(p)
    return root * HOP + depth(p) * rates.stage + drain(p, words, meeting, hops, rates, root)


def two_tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles of an allreduce by a two-tree, whose root multicasts each word once it is added up.

    Source:
        WaferLLM, MeshGEMV with K = 2.
    """
    # The root lies at or behind the middle, so the first PE is the farthest one, there and back.
    way = middle(p) * HOP
    back = way + THROUGH_PE if p > 1 else 0.0
    return way + depth(p) * rates.stage + back + two_tree_drain(p, words, rates)


def two_tree_drain(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles from the end of a two-tree's first word to the end of its last one."""
    meeting, hops = _streams(p)
    # The multicast adds a stream to every PE but the root, and a hop to every link.
    contention = max(meeting, 1 + _streams_elsewhere(p))
    return drain(p, words, contention, hops + p - 1, rates, 2 * middle(p))


@cache
def _streams(p: int) -> tuple[int, int]:
    """Count the streams that meet in the middle of a two-tree, and the hops of one word.

    Both sides of the middle group and both neighboring groups send to the middle. A word goes from
    PE to PE within groups, and from middle to middle between them.
    """
    count = groups(p)
    root = middle(p)
    size = ceil(p / count)
    start = count // 2 * size
    end = min(start + size, p)
    last_start = (count - 1) * size
    first_root = size // 2 if count > 1 else root
    last_root = last_start + (p - last_start) // 2 if count > 2 else root
    # 1 for each side, and for each neighboring group, that there is.
    sides = (root > start) + (root < end - 1)
    neighbors = (count > 1) + (count > 2)
    return sides + neighbors, p - count + last_root - first_root


def _streams_elsewhere(p: int) -> int:
    """Count the streams that meet at most in a PE other than the root.

    The middle of another group receives both of its sides, and may have a third group behind it.
    """
    count = groups(p)
    if count == 1:
        return int(p > 3)
    return min(2, ceil(p / count) - 1) + (count > 3)


def lower_bound(p: int, words: int, rates: Rates = NETWORK, root: int = 0) -> float:
    """Cycles of the best trade of energy for depth in a reduction to one PE.

    Only a star of fewer than 2 (P - 1) / (P - 2) words is quicker: its streams never wait for each
    other, which the formula leaves out. The time to find the bound grows with P^3.

    Args:
        p: PEs in the line.
        words: Wavelets of each PE.
        rates: Cycles that a PE spends.
        root: Position of the PE that gets the sum.

    Source:
        Luczynski et al., min over D of B E*(P, D)/(P - 1) + P - 1 + (2 T_R + 1) D.
    """
    if p == 1:
        return 0.0
    # A root within the line gets a reduction from each side; their energies add up, and both have
    # the same depth at most.
    farthest = max(root, p - 1 - root)
    stream = words * rates.wavelet
    # No depth beyond this one pays: a two-phase reduction costs less.
    deepest = min(farthest, 2 * group_size(p) + int(2 * stream // rates.stage))
    # A power of two, so that few tables are built and kept.
    energies = _least_energies(p, 1 << (deepest - 1).bit_length())
    energy = energies[root + 1, 1:] + energies[p - root, 1:]
    depths = np.arange(1, len(energy) + 1)
    cycles = stream / (p - 1) * energy + farthest * HOP + rates.stage * depths
    return float(cycles.min())


@cache
def _least_energies(p: int, deepest: int) -> NDArray[np.float64]:
    """Tabulate the fewest hops of a word in a reduction of r <= P PEs by trees of depth <= d.

    Returns:
        (P + 1, deepest + 1), at [r, d].
    """
    least = np.full((p + 1, deepest + 1), np.inf)
    least[1] = 0
    for r in range(2, p + 1):
        # The last PEs are a tree of their own, one level less deep, whose sum then takes r - last
        # hops to the first PE. The others are a tree of the depth that is left.
        last = np.arange(1, r)[:, None]
        split = least[1:r, :-1] + least[r - 1 : 0 : -1, 1:] + (r - last)
        # A tree may also be less deep than it might be.
        least[r, 1:] = np.minimum.accumulate(split.min(axis=0))
    return least


def quickest_allreduce(p: int, words: int) -> float:
    """Cycles of the quickest allreduce: a double tree for few words, chains or a ring for many."""
    multicast = broadcast(p, words)
    return min(
        double_tree(p, words),
        two_phase(p, words) + multicast,
        chain(p, words) + multicast,
        ring(p, words),
    )


COLLECTIVES: dict[str, Callable[[int, int], float]] = {
    "chain": chain,
    "star": star,
    "tree": tree,
    "two-phase": two_phase,
    "broadcast": broadcast,
    "ring": ring,
    "ktree": two_tree,
    "allreduce": quickest_allreduce,
    "lower-bound": lower_bound,
}
"""The collectives that a case may name: cycles of P PEs and their words, of the network alone."""

MOST_PES = 1 << 20
"""More than the largest wafer has."""
MOST_PES_OF_BOUND = 1024
"""The lower bound is a table of PEs by depths, worked out row by row."""
MOST_WORDS = 1 << 24
"""More than fit into the memory of a PE."""


def case(collective: str, p: int, words: int) -> float:
    """Cycles of a collective along a line of P PEs, by the network alone.

    Args:
        collective: A name in `COLLECTIVES`; case does not matter, nor does _ in place of -.
        p: PEs in the line.
        words: Wavelets of each PE.

    Raises:
        UsageError: Unknown collective, or too few or too many PEs or words.
    """
    name = collective.lower().replace("_", "-")
    if name not in COLLECTIVES:
        choices = ", ".join(COLLECTIVES)
        raise UsageError(f"unknown collective {collective!r}; choose one of {choices}")
    most_pes = MOST_PES_OF_BOUND if name == "lower-bound" else MOST_PES
    _check_range("p", p, most_pes, f"PEs for {name}")
    _check_range("words", words, MOST_WORDS, "wavelets")
    return COLLECTIVES[name](p, words)


def _check_range(key: str, value: int, most: int, unit: str) -> None:
    if not 1 <= value <= most:
        raise UsageError(f"{key}={value}: give 1 to {most:,} {unit}")
