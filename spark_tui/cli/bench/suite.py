"""Rows of measurements, and the machine that they are taken on.

What a bench measured, one side or two in turn, as rows for programs and lines for people.

What figures were measured on and with.
"""

import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any

from spark_tui import __version__
from spark_tui.engine import machine as processor
from spark_tui.engine.backend import processors

SHARE = "share"
"""The unit of parts of a whole: 1 means all of it, nothing less."""
SETTLE_SECONDS = 0.05
"""Between two sides: llama.cpp's threads spin for some milliseconds when they have nothing to
do, ours yield.
"""
_LESS_IS_BETTER = frozenset({"ms", "µs", "MB"})
_FOR_PEOPLE_ONLY = ("peer_values", "ratios")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: the median of `runs` with its extremes.

    `ratio` is above 1 where we are better than the peer.

    `limit` is what the hardware allows at best, where that can be measured. `peer_values` and
    `ratios` have a value a run, in the order in which they were measured. `claim` tells what ours
    spares of the peer's, and what others say that theirs does, which nothing here measures.
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
        return {
            key: value
            for key, value in asdict(self).items()
            if key not in _FOR_PEOPLE_ONLY and value != ""
        }


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
    runs: int,
    ours: Callable[[int], float],
    peer: Callable[[int], float] | None = None,
    peer_name: str | None = None,
) -> Pairs:
    """Measure both sides `runs` times, A B A B, so that what the machine does meanwhile happens to
    both.

    Args:
        ours, peer: Measure once, given the number of the run.
    """
    mine = []
    theirs = []
    for number in range(runs):
        settle()
        mine.append(ours(number))
        if peer is not None:
            settle()
            theirs.append(peer(number))
    return Pairs(mine, theirs, peer_name if theirs else None)


def row(
    metric: str,
    case: str,
    unit: str,
    values: Sequence[float],
    *,
    ours: float | None = None,
    limit: float | None = None,
) -> Figure:
    """A row from its single values.

    Args:
        ours: What stands for them, if not the median.
    """
    shown = (median(values) if ours is None else ours, min(values), max(values))
    below = 0.999 if unit == SHARE else 1.0  # a share that is below 1 stays below it
    middle, least, most = (
        min(_rounded(value), below) if value < 1 else _rounded(value) for value in shown
    )
    return Figure(
        metric,
        case,
        unit,
        middle,
        least,
        most,
        len(values),
        limit=_rounded(limit) if limit else None,
    )


def paired_row(
    metric: str, case: str, unit: str, pairs: Pairs, *, limit: float | None = None
) -> Figure:
    """A row of both sides; the ratio is the median of those pair by pair."""
    alone = row(metric, case, unit, pairs.ours, limit=limit)
    if not pairs.peer:
        return alone
    ratios = tuple(map(_rounded, pairs.ratios or _ratios(pairs, unit)))
    values = tuple(map(_rounded, pairs.peer))
    peer = _rounded(median(pairs.peer))
    ratio = _rounded(median(ratios))
    return replace(
        alone, peer_name=pairs.peer_name, peer=peer, ratio=ratio, peer_values=values, ratios=ratios
    )


def _ratios(pairs: Pairs, unit: str) -> list[float]:
    both = zip(pairs.ours, pairs.peer, strict=True)
    return [theirs / mine if unit in _LESS_IS_BETTER else mine / theirs for mine, theirs in both]


def _rounded(value: float) -> float:
    return round(value, 3)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def tail_row(metric: str, case: str, values: Sequence[float], share: float) -> Figure:
    """A row of waits in milliseconds, of which the percentile `share` stands for all."""
    return row(metric, case, "ms", values, ours=percentile(values, share))


def as_line(row: Figure) -> str:
    """A row for people."""
    if row.limit:
        limit = f", {row.ours / row.limit:.0%} of the {row.limit:,.1f} the hardware allows"
    else:
        limit = ""
    digits = 3 if row.unit == SHARE else 1
    spread = f"{row.ours_min:,.{digits}f} to {row.ours_max:,.{digits}f} in {row.runs} runs{limit}"
    line = f"{row.metric:<32} {row.case:<28} {row.ours:>10,.{digits}f} {row.unit:<10} ({spread})"
    return line + _beside(row)


def _beside(row: Figure) -> str:
    if row.peer is None or row.ratio is None:
        return ""
    if row.peer_values:
        spread = f"{min(row.peer_values):,.1f} to {max(row.peer_values):,.1f}"
    else:
        spread = "one figure"
    pairs = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
    claim = row.claim and f"; {row.claim}"
    return (
        f"; {row.peer_name} {row.peer:,.1f} ({spread}), {row.ratio:.2f} x, pair by pair "
        f"{pairs}{claim}"
    )


_FEATURES = {
    "avx2",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "amx_int8",
    "asimd",
    "asimddp",
    "i8mm",
    "sve",
    "bf16",
}
_BEYOND_CACHES = 1 << 28
_TIMES = 10


def machine() -> dict[str, Any]:
    """The processor, and how fast memory is read with all cores we may use (GB/s)."""
    facts = processor.facts()
    return {
        "cpu": facts.get("model name", platform.processor() or platform.machine()),
        "cores": processors(),
        "features": sorted(set(facts.get("flags", facts.get("Features", "")).split()) & _FEATURES),
        "system": platform.platform(terse=True),
        "read_gigabytes_per_second": round(read_bandwidth(_BEYOND_CACHES) / 1e9, 2),
    }


def versions() -> dict[str, str]:
    """What the figures were measured with."""
    found = {"spark": __version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "textual"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def read_bandwidth(size: int) -> float:
    """Bytes a second that `size` bytes are read with by all cores together, over and over: the best
    of three.

    What fits in a cache is read from there, as the weights of a small model are.
    """
    import numpy as np

    cores = processors()
    rows = max(1, size // 4096 // cores)
    blocks = [np.ones((rows, 1024), np.float32) for _ in range(cores)]
    vector = np.ones(1024, np.float32)

    def read(block: "np.ndarray[Any, np.dtype[np.float32]]") -> None:
        for _ in range(_TIMES):
            block @ vector

    def once(pool: ThreadPoolExecutor) -> float:
        began = time.perf_counter()
        list(pool.map(read, blocks))
        return _TIMES * sum(block.nbytes for block in blocks) / (time.perf_counter() - began)

    with ThreadPoolExecutor(len(blocks)) as pool:
        return max(once(pool) for _ in range(3))
