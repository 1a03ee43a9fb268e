"""`spark wafer plan`: the placement of a model as text with a small map, or as one object."""

import argparse
from collections import Counter
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from spark_tui.cli import output
from spark_tui.cli.table import table
from spark_tui.cli.wafer_shapes import MODEL_HELP, add_device_argument, shape_of, wafer_of
from spark_tui.wafer.constants import CODE_RESERVE
from spark_tui.wafer.placement import Placement, capacity, place
from spark_tui.wafer.predict import kv_capacity

_MAP_ROWS, _MAP_COLUMNS = 10, 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the model, the device and what may be fixed of the placement."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help=f"{MODEL_HELP}(default: the embedded one)")
    add_device_argument(parser)
    parser.add_argument("--grid", type=int, metavar="P", help="regions of P x P PEs (default: searched for)")
    parser.add_argument("--wafers", type=int, metavar="N", help="at most N wafers")
    parser.add_argument("--context", type=int, default=4096, metavar="N", help="tokens in the cache (default: 4096)")
    parser.add_argument("--bits", type=int, default=16, metavar="N", help="of a weight: 16 (default) or 8")


def run(args: argparse.Namespace) -> int:
    """Plan. Raises: UsageError: no such model or wafer, or the one does not fit on the other."""
    shape, device = shape_of(args.model), wafer_of(args.device, "place a model on")
    placed = place(shape, device, grid=args.grid, context=args.context, bits=args.bits, wafers=args.wafers)
    body = as_json(placed)
    if args.json:
        output.show_json(body)
    else:
        output.show("\n".join(_text(placed, body)))
    return 0


def as_json(placed: Placement) -> dict[str, Any]:
    """The plan for programs. `bytes` are those of a PE; `token_cycles` say what a whole token goes to."""
    most, parts = capacity(placed), placed.token_parts
    return {
        "model": placed.shape.name,
        "device": placed.wafer.name,
        "grid": placed.grid,
        "wafers": placed.wafers,
        "context": placed.context,
        "bits": placed.bits,
        "regions": [asdict(region) for region in placed.regions],
        "bytes": {"most_used": placed.used, "sram": placed.wafer.sram, "code": CODE_RESERVE, **asdict(placed.need)},
        "colors": {"used": placed.colors, "free": placed.colors_free},
        "token_cycles": parts,
        "bottleneck": max(parts, key=lambda name: parts[name]),
        "tokens_per_second": placed.tokens_per_second,
        "all_requests_tokens_per_second": placed.all_tokens_per_second,
        "first_token_seconds": placed.prompt_seconds(placed.context),
        "max_tokens": {"shift": most, "concat": most // placed.grid},
    }


def _text(placed: Placement, body: dict[str, Any]) -> list[str]:
    """The same for people: a map, shares of a token's cycles, and all else but each region."""
    wafers = f"{placed.wafers} x {placed.wafer.name}" if placed.wafers > 1 else placed.wafer.name
    shares = {name: f"{cycles / placed.token_cycles:.1%}" for name, cycles in placed.token_parts.items() if cycles}
    told = body | {"regions": len(placed.regions), "token_cycles": {"all": placed.token_cycles} | shares}
    return [
        f"{placed.shape.name} on {wafers}, {placed.bits}-bit weights, simulated",
        "",
        *_map(placed),
        "",
        *table(told),
        *_whole_wafer(placed),
    ]


def _whole_wafer(placed: Placement) -> list[str]:
    """Why the cache holds fewer tokens than `validate` says."""
    most = kv_capacity(placed.shape, placed.wafer)
    if placed.wafers > 1 or placed.bits < 16 or not most:
        return []
    why = "every PE filled; here regions are squares of whole layers, and buffers take room"
    return wrap(f"  (for tokens `validate` has {most:,}, as WaferLLM counts: {why})", 79, subsequent_indent="  ")


def _map(placed: Placement) -> list[str]:
    """The first wafer: a letter for each region, in the order tokens take, and dots where nothing lies."""
    wafer = placed.wafer
    lines = []
    for line in range(_MAP_ROWS):
        row = int((line + 0.5) * wafer.rows / _MAP_ROWS)
        cells = (int((column + 0.5) * wafer.columns / _MAP_COLUMNS) for column in range(_MAP_COLUMNS))
        lines.append("  " + "".join(_mark(placed, row, column) for column in cells))
    first = f"{wafer.rows} x {wafer.columns} PEs; a letter is a region, in the order tokens take"
    return [*lines, f"  {first}", *_other_wafers(placed)]


def _other_wafers(placed: Placement) -> list[str]:
    """How many there are beside the one that is drawn, and how many regions they have."""
    if placed.wafers == 1:
        return []
    counts = Counter(region.wafer for region in placed.regions)
    last = counts[placed.wafers - 1]
    regions = f"{counts[0]:,} region{'s' * (counts[0] > 1)} on each"
    others = "" if last == counts[0] else f" but the last, which has {last:,}"
    return [f"  the first of {placed.wafers:,} wafers: {regions}{others}"]


def _mark(placed: Placement, row: int, column: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for number, region in enumerate(placed.regions):
        inside = 0 <= row - region.row < placed.grid and 0 <= column - region.column < placed.grid
        if region.wafer == 0 and inside:
            return letters[number % len(letters)]
    return "."
