"""What a bench measured, one side or two in turn, as rows for programs and lines for people."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

SHARE = "share"
"""The unit of parts of a whole: 1 means all of it, nothing less."""
SETTLE_SECONDS = 0.05
"""Between two sides: llama.cpp's threads spin for some milliseconds when they have nothing to do, ours yield."""
_LESS_IS_BETTER = frozenset({"ms", "µs", "MB"})
_FOR_PEOPLE_ONLY = ("peer_values", "ratios")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the median of `runs` with its extremes. `ratio` is above 1 where we are better than the peer.

    `limit` is what the hardware allows at best, where that can be measured. `peer_values` and `ratios` have a value a
    run, in the order in which they were measured. `claim` tells what ours spares of the peer's, and what others
    say that theirs does, which nothing here measures.
    """

    metric: str
    case: str
    unit: str
    ours: float
    ours_min: float
    ours_max: float
    runs: int
    peer_name: str | None = None
    peer: float | None = None
    ratio: float | None = None
    limit: float | None = None
    peer_values: tuple[float, ...] = field(default=())
    ratios: tuple[float, ...] = field(default=())
    claim: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row as programs see it."""
        return {key: value for key, value in asdict(self).items() if key not in _FOR_PEOPLE_ONLY and value != ""}


@dataclass(frozen=True, slots=True)
class Pairs:
    """What was measured in turn: ours, and the peer's where there is one; one value a run."""

    ours: Sequence[float]
    peer: Sequence[float] = ()
    peer_name: str | None = None
    ratios: Sequence[float] = ()
    """Better than the peer by so much, a run; left out, each is worked out from the pair."""


def settle() -> None:
    """Let the threads of the side that was measured last come to rest."""
    time.sleep(SETTLE_SECONDS)


def in_turn(
    runs: int, ours: Callable[[int], float], peer: Callable[[int], float] | None = None, peer_name: str | None = None
) -> Pairs:
    """Measure both sides `runs` times, A B A B, so that what the machine does meanwhile happens to both.

    Args: ours, peer: measure once, given the number of the run.
    """
    mine, theirs = [], []
    for number in range(runs):
        settle()
        mine.append(ours(number))
        if peer is not None:
            settle()
            theirs.append(peer(number))
    return Pairs(mine, theirs, peer_name if theirs else None)


def row(
    metric: str, case: str, unit: str, values: Sequence[float], *, ours: float | None = None, limit: float | None = None
) -> Row:
    """A row from its single values. Args: ours: what stands for them, if not the median."""
    shown = (median(values) if ours is None else ours, min(values), max(values))
    below = 0.999 if unit == SHARE else 1.0  # a share that is below 1 stays below it
    middle, least, most = (min(_rounded(value), below) if value < 1 else _rounded(value) for value in shown)
    return Row(metric, case, unit, middle, least, most, len(values), limit=_rounded(limit) if limit else None)


def paired_row(metric: str, case: str, unit: str, pairs: Pairs, *, limit: float | None = None) -> Row:
    """A row of both sides; the ratio is the median of those pair by pair."""
    alone = row(metric, case, unit, pairs.ours, limit=limit)
    if not pairs.peer:
        return alone
    ratios = tuple(map(_rounded, pairs.ratios or _ratios(pairs, unit)))
    values, peer, ratio = tuple(map(_rounded, pairs.peer)), _rounded(median(pairs.peer)), _rounded(median(ratios))
    return replace(alone, peer_name=pairs.peer_name, peer=peer, ratio=ratio, peer_values=values, ratios=ratios)


def _ratios(pairs: Pairs, unit: str) -> list[float]:
    both = zip(pairs.ours, pairs.peer, strict=True)
    return [theirs / mine if unit in _LESS_IS_BETTER else mine / theirs for mine, theirs in both]


def _rounded(value: float) -> float:
    return round(value, 3)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def tail_row(metric: str, case: str, values: Sequence[float], share: float) -> Row:
    """A row of waits in milliseconds, of which the percentile `share` stands for all."""
    return row(metric, case, "ms", values, ours=percentile(values, share))


def as_line(row: Row) -> str:
    """A row for people."""
    limit = f", {row.ours / row.limit:.0%} of the {row.limit:,.1f} the hardware allows" if row.limit else ""
    digits = 3 if row.unit == SHARE else 1
    spread = f"{row.ours_min:,.{digits}f} to {row.ours_max:,.{digits}f} in {row.runs} runs{limit}"
    line = f"{row.metric:<32} {row.case:<28} {row.ours:>10,.{digits}f} {row.unit:<10} ({spread})"
    return line + _beside(row)


def _beside(row: Row) -> str:
    if row.peer is None or row.ratio is None:
        return ""
    spread = f"{min(row.peer_values):,.1f} to {max(row.peer_values):,.1f}" if row.peer_values else "one figure"
    pairs = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
    claim = row.claim and f"; {row.claim}"
    return f"; {row.peer_name} {row.peer:,.1f} ({spread}), {row.ratio:.2f} x, pair by pair {pairs}{claim}"
