"""What reductions and broadcasts along a line of P PEs cost, in cycles, in closed form.

Words are wavelets. `collectives` counts the two-tree by running; tests hold it, and replays of the others, equal to
these. With the rates `NETWORK` they are the formulas of Luczynski et al. (HPDC 2024, arXiv:2404.15888): T = max(C, E/N
+ L) + (2 T_R + 1) D for contention C, energy E in hops, N links, distance L and depth D. They have no two-tree; the
same model counts it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil, isqrt
from typing import Final

import numpy as np

from spark_tui.errors import UsageError
from spark_tui.wafer.constants import HOP, ISSUE, PASSING, THROUGH_PE, WAVELET


@dataclass(frozen=True, slots=True)
class Rates:
    """What a PE spends, in cycles.

    Args: issue, wavelet, passing: as `constants.ISSUE`, `WAVELET` and `PASSING`. whole: it takes no part of a cycle.
    """

    issue: float
    wavelet: float
    passing: float
    whole: bool

    @property
    def stage(self) -> float:
        """Cycles from a wavelet's arrival at a router until the sum it became part of leaves there again."""
        return THROUGH_PE + self.issue

    def counted(self, cycles: float) -> float:
        """An average number of cycles, as a PE's clock counts it."""
        return ceil(cycles) if self.whole else cycles


CALIBRATED: Final = Rates(ISSUE, WAVELET, PASSING, whole=True)
"""As kernels in CSL behave."""

NETWORK: Final = Rates(0, 1, 1, whole=False)
"""The network alone: a ramp takes one word each way a cycle; averages stay fractions.

Source: Luczynski et al., HPDC 2024, arXiv:2404.15888.
"""


def drain(p: int, words: int, contention: int, hops: int, rates: Rates, distance: int | None = None) -> float:
    """Cycles from the first word's end to the last one's: as long as the busiest PE or the average link needs.

    Args: contention: streams that pass the busiest PE one after another. hops: of one word over the whole line.
        distance: from the root to the farthest PE, p - 1 where not said; words wait while others are on their way.
    """
    if p == 1:
        return 0.0
    longest, far = words * rates.wavelet, p - 1 if distance is None else distance
    return max(rates.counted(longest * hops / (p - 1)), longest * contention - far * HOP)


def chain(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A sum handed from neighbour to neighbour, to the first PE."""
    return (p - 1) * (HOP + rates.stage) + drain(p, words, 1, p - 1, rates)


def star(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A sum of what all PEs send straight to the first, which takes the nearest first, so that no two streams meet."""
    return 0.0 if p == 1 else rates.stage + (p - 1) * words * rates.wavelet


def tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A sum by halves: every second PE sends to the one before it, and so on, until the first has all."""
    return _tree_head(p, rates) + drain(p, words, (p - 1).bit_length(), _tree_hops(p), rates)


def double_tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Sums by halves from both ends to the middle, then a multicast from there: an allreduce for few words."""
    if p == 1:
        return 0.0
    sides = p // 2 + 1, p - p // 2
    contention, hops = sum((side - 1).bit_length() for side in sides), sum(_tree_hops(side) for side in sides)
    there = _tree_head(sides[0], rates) + drain(p, words, contention, hops, rates, p // 2)
    return there + p // 2 * HOP + rates.stage + words * rates.wavelet


def _tree_hops(p: int) -> int:
    strides = [1 << k for k in range((p - 1).bit_length())]
    return sum(stride * ((p - stride - 1) // (2 * stride) + 1) for stride in strides)


def _tree_head(p: int, rates: Rates) -> float:
    if p == 1:
        return 0.0
    half = 1 << (p - 1).bit_length() - 1
    return max(_tree_head(half, rates), _tree_head(p - half, rates) + half * HOP) + rates.stage


def group_size(p: int) -> int:
    """PEs of a group in a two-phase reduction: the root of P, rounded up; the first group may be smaller."""
    return 1 + isqrt(p - 1) if p > 1 else 1


def two_phase(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A sum by chains within groups, then by a chain over the groups."""
    size = group_size(p)
    depth = size - 1 + ceil(p / size) - 1
    contention, hops = (2 if p > 3 else 1), p - ceil(p / size) + p - size
    return (p - 1) * HOP + depth * rates.stage + drain(p, words, contention, hops, rates)


def ring(p: int, words: int, rates: Rates = NETWORK) -> float:
    """An allreduce by a ring laid over the line with neighbours at most two hops apart, a P-th of the words a step."""
    if p == 1:
        return 0.0
    detours = 4 * (p - 1) - (2 if p < 4 else 3)
    return 2 * (p - 1) * (rates.stage + ceil(words / p) * rates.passing) + detours * HOP


def broadcast(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A multicast from the first PE to all others: routers copy on the way."""
    return 0.0 if p == 1 else (p - 1) * HOP + rates.stage + drain(p, words, 1, p - 1, rates)


@cache
def groups(p: int) -> int:
    """Into how many groups a two-tree divides P PEs in a line: the largest divisor up to sqrt(P).

    Where P has none near its root the last group is shorter. Source: WaferLLM's choice for P = 240..720.
    """
    best = max(divisor for divisor in range(1, isqrt(p) + 1) if p % divisor == 0)
    size = p // best if 2 * best * best >= p else group_size(p)
    return ceil(p / size)


def depth(p: int) -> int:
    """PEs that a two-tree's sum goes through one after another: to the middle of its group, then to the middle one."""
    count = groups(p)
    return ceil(p / count) // 2 + count // 2


@cache
def middle(p: int) -> int:
    """The position where a two-tree's sums all meet.

    It is in the middle group, and as near the line's middle as that group can be added up no later than the others.
    """
    count = groups(p)
    size = ceil(p / count)
    start = count // 2 * size
    return max(p // 2, start, min(start + size, p) - 1 - depth(p) + (count > 1))


def two_tree_reduce(p: int, words: int, rates: Rates = NETWORK) -> float:
    """A sum in two levels, both toward the middle, where up to four streams of words meet."""
    return middle(p) * HOP + depth(p) * rates.stage + drain(p, words, *_streams(p), rates, middle(p))


def two_tree(p: int, words: int, rates: Rates = NETWORK) -> float:
    """The same, each word multicast from the middle as soon as it is added up: an allreduce in one stream.

    Source: WaferLLM, MeshGEMV with K = 2.
    """
    back = middle(p) * HOP + THROUGH_PE if p > 1 else 0.0
    return middle(p) * HOP + depth(p) * rates.stage + back + two_tree_drain(p, words, rates)


def two_tree_drain(p: int, words: int, rates: Rates = NETWORK) -> float:
    """Cycles from the end of a two-tree's first word to that of its last one, which all PEs have then."""
    meeting, hops = _streams(p)
    return drain(p, words, max(meeting, 1 + _streams_elsewhere(p)), hops + p - 1, rates, 2 * middle(p))


@cache
def _streams(p: int) -> tuple[int, int]:
    """How many streams meet in the middle of a two-tree, and the hops of a word over the whole line.

    Both sides of the middle group and both neighbouring groups send there; within groups a word goes from PE to PE,
    between groups from middle to middle.
    """
    count, centre = groups(p), middle(p)
    size = ceil(p / count)
    start, last = count // 2 * size, (count - 1) * size
    first_root = size // 2 if count > 1 else centre
    last_root = last + (p - last) // 2 if count > 2 else centre
    sides = (centre > start) + (centre < min(start + size, p) - 1)
    return sides + (count > 1) + (count > 2), p - count + last_root - first_root


def _streams_elsewhere(p: int) -> int:
    """How many meet at most in any other PE: in the middle of another group, which may have a third one behind it."""
    count = groups(p)
    return int(p > 3) if count == 1 else min(2, ceil(p / count) - 1) + (count > 3)


def lower_bound(p: int, words: int, rates: Rates = NETWORK, root: int = 0) -> float:
    """Cycles of the best trade of energy for depth in a reduction along a line to one of its P PEs.

    Only a star of fewer than 2 (P - 1) / (P - 2) words is quicker: its streams never wait for each other, which the
    formula leaves out. Finding it takes time that grows with P^3.

    Args: root: the PE's position. Source: Luczynski et al., min over D of B E*(P, D)/(P - 1) + P - 1 + (2 T_R + 1) D.
    """
    if p == 1:
        return 0.0
    far, load = max(root, p - 1 - root), words * rates.wavelet / (p - 1)
    deepest = min(far, 2 * group_size(p) + int(2 * words * rates.wavelet // rates.stage))  # no two-phase costs more
    energies = _least_energies(p, 1 << (deepest - 1).bit_length())
    both = energies[root + 1, 1:] + energies[p - root, 1:]
    return float((load * both + far * HOP + rates.stage * np.arange(1, len(both) + 1)).min())


@cache
def _least_energies(p: int, deepest: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Fewest hops of a word in a reduction of r <= P PEs to the first by trees at most d deep, at [r, d]."""
    least = np.full((p + 1, deepest + 1), np.inf)
    least[1] = 0
    for r in range(2, p + 1):
        last = np.arange(1, r)[:, None]
        split = least[1:r, :-1] + least[r - 1 : 0 : -1, 1:] + (r - last)
        least[r, 1:] = np.minimum.accumulate(split.min(axis=0))
    return least


def quickest_allreduce(p: int, words: int) -> float:
    """The allreduce to take for so many words: trees to the middle for few, chains and a ring for many."""
    back = broadcast(p, words)
    return min(double_tree(p, words), two_phase(p, words) + back, chain(p, words) + back, ring(p, words))


COLLECTIVES: dict[str, Callable[[int, int], float]] = {
    "chain": chain, "star": star, "tree": tree, "two-phase": two_phase, "broadcast": broadcast, "ring": ring,
    "ktree": two_tree, "allreduce": quickest_allreduce, "lower-bound": lower_bound,
}  # fmt: skip
"""Every collective one can ask for by its name; cycles of P PEs and so many words, of the network alone."""

MOST_PES, MOST_PES_OF_BOUND, MOST_WORDS = 1 << 20, 1024, 1 << 24


def case(collective: str, p: int, words: int) -> float:
    """Cycles of a collective along a line of P PEs, each with so many wavelets, by the network alone.

    Raises: UsageError: no such collective, or too few or too many PEs or words.
    """
    name = collective.lower().replace("_", "-")
    if name not in COLLECTIVES:
        raise UsageError(f"unknown collective {collective!r}; choose one of {', '.join(COLLECTIVES)}")
    _check("p", p, MOST_PES_OF_BOUND if name == "lower-bound" else MOST_PES, f"PEs for {name}")
    _check("words", words, MOST_WORDS, "wavelets")
    return COLLECTIVES[name](p, words)


def _check(key: str, value: int, most: int, what: str) -> None:
    if not 1 <= value <= most:
        raise UsageError(f"{key}={value}: give 1 to {most:,} {what}")
