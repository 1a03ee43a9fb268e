"""`spark bench`: measurements anyone can repeat, as a table or as one object."""

import argparse
import importlib
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol, cast

from spark_tui import __version__
from spark_tui.cli import output
from spark_tui.cli.start import add_model_argument

BENCHES = {
    "decode": ("spark_tui.cli.bench_decode", "tokens a second of the model, one after the other and in a prompt"),
    "latency": ("spark_tui.cli.bench_latency", "time to first token, Esc to standstill, redirect, key presses"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the median of `runs` with its extremes. `ratio` is above 1 where we are better than the peer.

    `limit` is what the hardware allows at best, where that can be measured.
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


class Bench(Protocol):
    """A bench's module."""

    def measure(self, args: argparse.Namespace, say: Callable[[str], None]) -> Iterable[Row]:
        """Measure, telling `say` what is going on."""
        ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benches."""
    benches = parser.add_subparsers(dest="bench", required=True, metavar="|".join(BENCHES))
    for name, (_, summary) in BENCHES.items():
        each = benches.add_parser(name, help=summary, description=summary)
        each.add_argument("--runs", type=int, default=5, metavar="N", help="how often each figure is measured")
        each.add_argument("--json", action="store_true", help="print one object")
        add_model_argument(each)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from spark_tui.engine.blas import use_one_blas_thread

    use_one_blas_thread()
    bench = cast("Bench", importlib.import_module(BENCHES[args.bench][0]))
    rows = []
    for row in bench.measure(args, output.say):
        rows.append(row)
        output.say(as_line(row))
    body = {"bench": args.bench, "machine": machine(), "versions": versions(), "rows": [asdict(row) for row in rows]}
    if args.json:
        output.show_json(body)
    else:
        print("\n".join(map(as_line, rows)))
    return 0


def row(
    metric: str, case: str, unit: str, values: Sequence[float], *, ours: float | None = None, limit: float | None = None
) -> Row:
    """A row from its single values. Args: ours: what stands for them, if not the median."""
    shown = (median(values) if ours is None else ours, min(values), max(values))
    middle, least, most = (round(each, 3) for each in shown)
    return Row(metric, case, unit, middle, least, most, len(values), limit=limit)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def as_line(row: Row) -> str:
    """A row for people."""
    limit = f", the hardware allows {row.limit:,.1f}" if row.limit else ""
    spread = f"{row.ours_min:,.1f} to {row.ours_max:,.1f} in {row.runs} runs{limit}"
    return f"{row.metric:<32} {row.case:<28} {row.ours:>10,.1f} {row.unit:<10} ({spread})"


def machine() -> dict[str, Any]:
    """The processor the figures are from, and how fast one core reads memory (GB/s)."""
    facts = _cpu_facts()
    return {
        "cpu": facts.get("model name", platform.processor() or platform.machine()),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "features": sorted(
            set(facts.get("flags", "").split()) & {"avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8"}
        ),
        "system": platform.platform(terse=True),
        "read_gigabytes_per_second": round(read_bandwidth(1 << 26) / 1e9, 2),
    }


def _cpu_facts() -> dict[str, str]:
    try:
        first = Path("/proc/cpuinfo").read_text("utf-8").split("\n\n")[0]
    except OSError:
        return {}
    entries = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in entries}


def read_bandwidth(size: int) -> float:
    """Bytes a second that a matrix of `size` bytes is read with in a product with a vector: the best of ten."""
    import time

    import numpy as np

    matrix = np.ones((size // 4096, 1024), np.float32)
    vector = np.ones(1024, np.float32)
    best = 0.0
    for _ in range(10):
        began = time.perf_counter()
        matrix @ vector
        best = max(best, matrix.nbytes / (time.perf_counter() - began))
    return best


def versions() -> dict[str, str]:
    """What the figures were measured with."""
    import numpy as np

    return {"spark": __version__, "python": platform.python_version(), "numpy": np.__version__}
