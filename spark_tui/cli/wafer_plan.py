"""`spark wafer plan`: the placement of a model as text with a small map, or as one object."""

import argparse
from collections import Counter
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from spark_tui.cli import output
from spark_tui.cli.wafer_shapes import MODEL_HELP, add_device_argument, shape_of, wafer_of
from spark_tui.wafer.constants import CODE_RESERVE
from spark_tui.wafer.placement import COLOR_USES, Placement, capacity, place
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
    if args.json:
        output.show_json(as_json(placed))
    else:
        output.show("\n".join(_text(placed)))
    return 0


def as_json(placed: Placement) -> dict[str, Any]:
    """The plan for programs. `bytes` are those of a PE; `token_cycles` say what a whole token goes to."""
    most = capacity(placed)
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
        "token_cycles": placed.token_parts,
        "bottleneck": bottleneck(placed),
        "tokens_per_second": placed.tokens_per_second,
        "all_requests_tokens_per_second": placed.all_tokens_per_second,
        "first_token_seconds": placed.prompt_seconds(placed.context),
        "max_tokens": {"shift": most, "concat": most // placed.grid},
    }


def bottleneck(placed: Placement) -> str:
    """What most of a token's time goes to."""
    parts = placed.token_parts
    return max(parts, key=lambda name: parts[name])


def _text(placed: Placement) -> list[str]:
    shape, wafer = placed.shape, placed.wafer
    most, pes, full = capacity(placed), placed.wafers * wafer.pes, placed.used / wafer.sram
    wafers = f"{placed.wafers} x {wafer.name}" if placed.wafers > 1 else wafer.name
    return [
        f"{shape.name} on {wafers}, {placed.bits}-bit weights, simulated",
        "",
        *_map(placed),
        "",
        *_entry("regions", f"{len(placed.regions):,} of {placed.grid} x {placed.grid} PEs, {_layers(placed)}"),
        *_entry("PEs", f"{placed.pes:,} of {pes:,} ({placed.pes / pes:.0%})"),
        *_entry("fullest PE", f"{placed.used:,} of {wafer.sram:,} bytes ({full:.0%})", *_memory(placed)),
        *_entry("colors", f"{placed.colors} in use, {placed.colors_free} free for programs",
                *(f"{count:>2}  {what}" for what, count in COLOR_USES.items())),
        *_entry("cache", f"{placed.context:,} tokens; {most:,} at most when they move up the rows,",
                f"{most // placed.grid:,} when they stay where they are made", *_whole_wafer(placed)),
        *_time(placed),
    ]  # fmt: skip


def _whole_wafer(placed: Placement) -> list[str]:
    """Why the cache holds fewer tokens than `validate` says."""
    most = kv_capacity(placed.shape, placed.wafer)
    if placed.wafers > 1 or placed.bits < 16 or not most:
        return []
    return wrap(
        f"(`validate` has {most:,}, as WaferLLM counts: every PE filled; here regions are squares of whole layers, "
        "and buffers take room)",
        64,
    )


def _entry(name: str, *lines: str) -> list[str]:
    return [f"  {title:<11} {line}" for title, line in zip((name, *[""] * len(lines)), lines, strict=False)]


def _layers(placed: Placement) -> str:
    few, many = min(placed.stages), max(placed.stages)
    counts = str(many) if few == many else f"{few} to {many}"
    return f"{counts} layer{'s' if many > 1 else ''} in each"


def _memory(placed: Placement) -> list[str]:
    fullest = max(placed.regions, key=lambda region: region.bytes)
    need = placed.need
    parts = {
        "weights": fullest.layers * need.layer_weights,
        "keys and values": fullest.layers * need.layer_cache,
        "embeddings": (fullest.embedding + fullest.head) * need.vocab_row,
        "buffers": need.buffers,
        "code": CODE_RESERVE,
    }
    return wrap(", ".join(f"{name} {size:,}" for name, size in parts.items() if size), 66)


def _time(placed: Placement) -> list[str]:
    total = placed.token_cycles
    parts = sorted(placed.token_parts.items(), key=lambda part: -part[1])
    first = 1e3 * placed.prompt_seconds(placed.context)
    fewest = f"the fewest wafers, {placed.wafers}" if placed.wafers > 1 else "one wafer"
    return [
        *_entry("token", f"{total:,.0f} cycles: {placed.tokens_per_second:,.0f} tokens/s for one request,",
                f"{placed.all_tokens_per_second:,.0f} tokens/s with a request in every region"),
        *_entry("prompt", f"{first:,.1f} ms to the first token behind {placed.context:,} tokens",
                f"on these regions of {fewest}"),
        *_entry("bottleneck", f"in time {bottleneck(placed)}, in space SRAM; a token's cycles go to:",
                *(f"{cycles / total:>6.1%}  {name}" for name, cycles in parts if cycles)),
    ]  # fmt: skip


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
