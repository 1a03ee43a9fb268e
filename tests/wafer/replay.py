"""Collectives once more, event by event, in plain Python over numpy scalars.

The lockstep mesh is compared with these.
"""

import heapq
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from spark_tui.wafer.collective_costs import groups, middle

Operations = dict[int, list[tuple[int, ...]]]
"""PE -> those whose values it adds to its own, one operation after another."""


def chain(p: int) -> Operations:
    return {i: [(i + 1,)] for i in range(p - 1)}


def star(p: int) -> Operations:
    return {0: [tuple(range(1, p))]} if p > 1 else {}


def tree(p: int) -> Operations:
    def children(i: int) -> list[tuple[int, ...]]:
        reach = i & -i if i else p
        return [
            (i + (1 << k),) for k in range(p.bit_length()) if 1 << k < reach and i + (1 << k) < p
        ]

    return {i: children(i) for i in range(p)}


def double_tree(p: int) -> Operations:
    centre = p // 2
    done: Operations = {}
    for i, operations in tree(centre + 1).items():
        done[centre - i] = [(centre - source,) for (source,) in operations]
    for i, operations in tree(p - centre).items():
        if i:
            done[centre + i] = [(centre + source,) for (source,) in operations]
    left, right = done[centre], [(centre + source,) for (source,) in tree(p - centre).get(0, [])]
    done[centre] = [one + (right[k] if k < len(right) else ()) for k, one in enumerate(left)]
    return done


def two_phase(p: int) -> Operations:
    size = int(np.ceil(np.sqrt(p)))
    starts = [0, *range(p - (p - 1) // size * size, p, size)]
    done: Operations = {i: [(i + 1,)] for i in range(p - 1) if i + 1 not in starts}
    for start, after in pairwise(starts):
        done.setdefault(start, []).append((after,))
    return done


def two_tree(p: int) -> Operations:
    size, centre = -(-p // groups(p)), middle(p)
    done: Operations = {}
    roots = []
    for start in range(0, p, size):
        line = list(range(start, min(start + size, p)))
        roots.append(centre if centre in line else line[len(line) // 2])
        _inward(done, line, roots[-1])
    _inward(done, roots, centre)
    return done


def _inward(done: Operations, line: Sequence[int], root: int) -> None:
    at = line.index(root)
    for i in range(at - 1):
        done.setdefault(line[i + 1], []).append((line[i],))
    for i in range(len(line) - 1, at + 1, -1):
        done.setdefault(line[i - 1], []).append((line[i],))
    both = tuple(line[i] for i in (at - 1, at + 1) if 0 <= i < len(line))
    if both:
        done.setdefault(root, []).append(both)


TREES: dict[str, Callable[[int], Operations]] = {
    "chain": chain,
    "star": star,
    "tree": tree,
    "double_tree": double_tree,
    "two_phase": two_phase,
    "two_tree": two_tree,
}


def run(
    operations: Operations, ready: Sequence[float], values: Sequence[np.float32], stage: float
) -> tuple[list[float], list[np.float32]]:
    """Let messages arrive in the order of time.

    Returns:
        When each PE is done, and the value it has then.
    """
    todo = {pe: [*operations.get(pe, [])] for pe in range(len(ready))}
    parent = {
        source: pe for pe, ones in operations.items() for sources in ones for source in sources
    }
    time, sums, inbox = [*ready], [*values], {pe: dict[int, float]() for pe in todo}
    events = [(time[pe], pe, pe) for pe in todo if not todo[pe]]
    heapq.heapify(events)
    while events:
        at, pe, sender = heapq.heappop(events)
        if sender != pe:
            inbox[pe][sender] = at
        while todo[pe] and all(source in inbox[pe] for source in todo[pe][0]):
            sources = todo[pe].pop(0)
            time[pe] = max(time[pe], *(inbox[pe][source] for source in sources)) + stage
            for source in sources:
                sums[pe] = sums[pe] + sums[source]
        if not todo[pe] and pe in parent:
            heapq.heappush(events, (time[pe] + abs(pe - parent[pe]), parent[pe], pe))
    assert not any(todo.values())
    return time, sums
