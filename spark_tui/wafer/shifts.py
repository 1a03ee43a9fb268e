"""Steps in which all PEs of all lines hand a tile to a neighbour and take one: exchanges, and rings laid over a line.

Both neighbours of a PE must be ready before a step is over for it, so that a line keeps step.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from spark_tui.wafer.collective_costs import CALIBRATED
from spark_tui.wafer.constants import HOP, THROUGH_PE
from spark_tui.wafer.fabric import Axis, Counts, Cycles, Fabric, Kind, Positions, Traffic


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
