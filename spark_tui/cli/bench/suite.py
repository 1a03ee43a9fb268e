"""`spark bench`: runs a bench, and prints its rows and the machine they were measured on."""

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from statistics import median
from typing import Any

from spark_tui import __version__, system
from spark_tui.cli import output
from spark_tui.cli.common import add_model_argument, ended_once
from spark_tui.engine import machine as processor
from spark_tui.engine.backend import processors
from spark_tui.errors import SparkError, UsageError

SHARE = "share"
"""The unit of parts of a whole: 1 means all of it, nothing less."""
SETTLE_SECONDS = 0.05
"""Pause between two sides: llama.cpp's threads spin for some milliseconds when they are idle."""
_LESS_IS_BETTER = frozenset({"ms", "µs", "MB"})
_FOR_PEOPLE_ONLY = ("peer_values", "ratios")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: the median of `runs` with its extremes.

    Attributes:
        metric: The name of what was measured.
        case: The case, such as a model and a prompt.
        unit: The unit of the values.
        ours: The median.
        ours_min: The least value.
        ours_max: The largest value.
        runs: The number of values.
        peer_name: The name of the peer, where there is one.
        peer: The peer's median.
        ratio: Above 1 where we are better than the peer.
        limit: The best that the hardware allows, where that can be measured.
        peer_values: The peer's values, in the order in which they were measured.
        ratios: The ratio of each run.
        claim: The share that ours saves of the peer's, and the share that others claim, which is
            not measured here.
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
    """Values measured in turn: ours, and the peer's where there is one; one for each run."""

    ours: Sequence[float]
    peer: Sequence[float] = ()
    peer_name: str | None = None
    ratios: Sequence[float] = ()
    """Better than the peer by so much, a run; left out, each is worked out from the pair."""


def settle() -> None:
    """Let the threads of the other side come to rest."""
    time.sleep(SETTLE_SECONDS)


def in_turn(
    runs: int,
    ours: Callable[[int], float],
    peer: Callable[[int], float] | None = None,
    peer_name: str | None = None,
) -> Pairs:
    """Measure both sides `runs` times, A B A B.

    So whatever else the machine does meanwhile meets both sides.

    Args:
        runs: How often each side is measured.
        ours: Measures our side once, given the number of the run.
        peer: Measures the peer; None without one.
        peer_name: The name of the peer.
    """
    mine = []
    theirs = []
    for number in range(runs):
        settle()
        mine.append(ours(number))
        if peer is not None:
            settle()
            theirs.append(peer(number))
    if not theirs:
        return Pairs(mine, theirs, None)
    return Pairs(mine, theirs, peer_name)


def row(
    metric: str,
    case: str,
    unit: str,
    values: Sequence[float],
    *,
    ours: float | None = None,
    limit: float | None = None,
) -> Figure:
    """Return a row of single values.

    Args:
        metric: The name of what is measured.
        case: The case, such as a model and a prompt.
        unit: The unit of the values.
        values: A value for each run.
        ours: The value that stands for them; the median by default.
        limit: The best that the hardware allows.
    """
    round_ = _rounded_share if unit == SHARE else _rounded
    if ours is None:
        ours = median(values)
    return Figure(
        metric,
        case,
        unit,
        round_(ours),
        round_(min(values)),
        round_(max(values)),
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
    """Return how much better ours is than the peer's, in each pair."""
    ratios = []
    for ours, peer in zip(pairs.ours, pairs.peer, strict=True):
        if unit in _LESS_IS_BETTER:
            ratios.append(peer / ours)
        else:
            ratios.append(ours / peer)
    return ratios


def _rounded(value: float) -> float:
    return round(value, 3)


def _rounded_share(value: float) -> float:
    """Round a share; one below 1 stays below it, or a single wrong token would not be seen."""
    if value < 1:
        return min(_rounded(value), 0.999)
    return _rounded(value)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def tail_row(metric: str, case: str, values: Sequence[float], share: float) -> Figure:
    """Return a row of waits in milliseconds; the percentile `share` stands for all of them."""
    return row(metric, case, "ms", values, ours=percentile(values, share))


def as_line(row: Figure) -> str:
    """Return a row for people."""
    digits = 3 if row.unit == SHARE else 1
    value = f"{row.ours:>10,.{digits}f} {row.unit:<10}"
    spread = f"{row.ours_min:,.{digits}f} to {row.ours_max:,.{digits}f} in {row.runs} runs"
    if row.limit:
        spread += f", {row.ours / row.limit:.0%} of the {row.limit:,.1f} the hardware allows"
    return f"{row.metric:<32} {row.case:<28} {value} ({spread}){_beside(row)}"


def _beside(row: Figure) -> str:
    if row.peer is None:
        return ""
    if row.ratio is None:
        return f"; {row.peer_name} {row.peer:,.1f}"
    if row.peer_values:
        spread = f"{min(row.peer_values):,.1f} to {max(row.peer_values):,.1f}"
    else:
        spread = "one figure"
    digits = 3 if row.unit == SHARE else 1
    beside = f"; {row.peer_name} {row.peer:,.{digits}f} ({spread}), {row.ratio:.2f} x"
    if row.ratios:
        pairs = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
        beside = f"{beside}, pair by pair {pairs}"
    return beside + (row.claim and f"; {row.claim}")


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
"""Bytes that no processor's caches hold."""
_TIMES = 10
"""How often `read_bandwidth` reads them."""


def machine() -> dict[str, Any]:
    """Describe the processor, and how fast all cores that we may use read memory (GB/s)."""
    facts = processor.facts()
    return {
        "cpu": facts.get("model name", platform.machine()),
        "cores": processors(),
        "features": sorted(set(facts.get("flags", facts.get("Features", "")).split()) & _FEATURES),
        "system": system.describe_machine(),
        "read_gigabytes_per_second": round(read_bandwidth(_BEYOND_CACHES) / 1e9, 2),
    }


def versions() -> dict[str, str]:
    """Return the versions of spark and of the libraries behind the figures."""
    versions = {"spark": __version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "textual"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def read_bandwidth(size: int) -> float:
    """Measure the bytes a second that all cores together read from `size` bytes: the best of three.

    A size that fits in a cache is read from there, as the weights of a small model are.
    """
    import numpy as np

    cores = processors()
    rows = max(1, size // 4096 // cores)
    blocks = [np.ones((rows, 1024), np.float32) for _ in range(cores)]
    vector = np.ones(1024, np.float32)

    def read(block: "np.ndarray[Any, np.dtype[np.float32]]") -> None:
        for _ in range(_TIMES):
            # A product with a vector reads every number once, and computes too little for that to
            # count.
            block @ vector

    best = 0.0
    bytes_read = _TIMES * sum(block.nbytes for block in blocks)
    with ThreadPoolExecutor(len(blocks)) as pool:
        for _ in range(3):
            began = time.perf_counter()
            list(pool.map(read, blocks))
            best = max(best, bytes_read / (time.perf_counter() - began))
    return best


BENCHES = {
    "decode": "tokens a second of the model, one after the other and in a prompt",
    "edit": "requests of 20 words on functions of 30 lines, from Enter to the checked edit; of "
    "a chat model rewrites",
    "latency": "what people wait for: first tokens, Esc, redirects, variations, starting",
    "ui": "keys, frames and a large diff on a real terminal",
    "canary": "your own last turns, replayed by a new model beside another one",
    "remote": "an endpoint over a connection kept open, beside one connection a request",
}
_MODELS = ("embedded", "135m", "0.5b", "mixture")
CASES = tuple(f"{which}-{bits}" for which, bits in product(_MODELS, (8, 4)))
"""The cases of `decode`: the model in use and random weights of three shapes, at 8 and 4 bits."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The options of a bench.

    Attributes:
        args: The arguments of the command.
        say: Tells people how the bench goes.
        notes: Go into the versions of the object.
        failed: The thresholds that are missed, a sentence each.
    """

    args: argparse.Namespace
    say: Callable[[str], None]
    notes: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benches."""
    benches = parser.add_subparsers(dest="bench", required=True, metavar="|".join(BENCHES))
    for name, summary in BENCHES.items():
        bench = benches.add_parser(name, help=summary, description=summary)
        if name != "canary":
            bench.add_argument(
                "--runs", type=int, default=3, metavar="N", help="how often each figure is measured"
            )
        bench.add_argument("--json", action="store_true", help="print one object")
        add_model_argument(bench)
    decode = benches.choices["decode"]
    edit = benches.choices["edit"]
    decode.add_argument(
        "--cases",
        nargs="+",
        choices=CASES,
        default=CASES[:4],
        help="which models, at how many bits",
    )
    _add_thresholds(benches.choices["canary"])
    edit.add_argument("--edits", type=int, default=12, metavar="N", help="how many of the 12 edits")


def _add_thresholds(canary: argparse.ArgumentParser) -> None:
    """Declare what is replayed, and below which figures the bench fails."""
    canary.add_argument(
        "-C", dest="folder", metavar="DIR", default=argparse.SUPPRESS, help="work in DIR"
    )
    canary.add_argument("--against", metavar="MODEL", help="the model to compare with")
    canary.add_argument(
        "--turns", type=int, default=50, metavar="N", help="how many of the last turns (50)"
    )
    share = partial(canary.add_argument, type=float, metavar="SHARE")
    share("--min-accept", help="exit 1 where fewer answers are what you accepted")
    share("--min-applied", help="exit 1 where fewer answers are edits that apply")
    share("--min-checked", help="exit 1 where fewer answers pass the checks")
    share("--max-loss", help="exit 1 where so many fewer are accepted than of --against")
    canary.add_argument(
        "--max-ttft", type=float, metavar="MS", help="exit 1 where the first token takes longer"
    )
    canary.add_argument(
        "--min-speed", type=float, metavar="N", help="exit 1 where fewer tokens a second come"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        UsageError: A number of runs is none.
        SparkError: The bench fails before anything is measured.
    """
    for name in ("runs", "edits", "turns"):
        if (count := getattr(args, name, 1)) < 1:
            raise UsageError(f"--{name} {count}: choose a number from 1")
    with ended_once():
        return _measure(Bench(args, output.say))


def _measure(bench: Bench) -> int:
    facts = machine()
    bench.say(", ".join(f"{key} {value}" for key, value in facts.items()))
    # with --json, stdout is for the one object at the end
    show = bench.say if bench.args.json else output.show_line
    rows = list[Figure]()
    problem = "it failed"
    module = import_module(f"spark_tui.cli.bench.{bench.args.bench}")
    try:
        with closing(module.measure(bench)) as measured:
            for row in measured:
                rows.append(row)
                show(as_line(row))
    except (SparkError, KeyboardInterrupt) as e:
        # What was measured until then took long, and is worth as much as before.
        problem = str(e) or "interrupted"
        if not rows or isinstance(e, KeyboardInterrupt):
            raise
        bench.say(f"the rest was not measured: {problem}")
    else:
        problem = ""
        for words in bench.failed:
            bench.say(words)
    finally:
        if bench.args.json and rows:
            body = {
                "bench": bench.args.bench,
                "machine": facts,
                "versions": versions() | bench.notes,
                "rows": [row.to_json() for row in rows],
            }
            if problem:
                body["error"] = problem
            if bench.failed:
                body["failed"] = bench.failed
            output.show_json(body)
    return 1 if problem or bench.failed else 0
