"""`spark wafer plan`: prints the placement of a model with a small map, or as one object."""

import argparse
from collections import Counter
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from spark_tui.cli import output
from spark_tui.cli.output import table
from spark_tui.cli.wafer.models import MODEL_HELP, add_device_argument, shape_of, wafer_of
from spark_tui.wafer.constants import CODE_RESERVE
from spark_tui.wafer.placement import Placement, capacity, place
from spark_tui.wafer.predict import kv_capacity

_MAP_ROWS = 10
_MAP_COLUMNS = 60
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the model, the device and what may be fixed of the placement."""
    model_help = f"{MODEL_HELP} (default: the embedded one)"
    parser.add_argument("model", nargs="?", metavar="MODEL", help=model_help)
    add_device_argument(parser)
    grid_help = "regions of P x P PEs (default: searched for)"
    parser.add_argument("--grid", type=int, metavar="P", help=grid_help)
    parser.add_argument("--wafers", type=int, metavar="N", help="at most N wafers")
    context_help = "tokens in the cache (default: 4096)"
    parser.add_argument("--context", type=int, default=4096, metavar="N", help=context_help)
    bits_help = "of a weight: 16 (default) or 8"
    parser.add_argument("--bits", type=int, default=16, metavar="N", help=bits_help)


def run(args: argparse.Namespace) -> int:
    """Print a placement.

    Raises:
        UsageError: No such model or wafer, or the model does not fit.
    """
    placement = place(
        shape_of(args.model),
        wafer_of(args.device, "place a model on"),
        grid=args.grid,
        context=args.context,
        bits=args.bits,
        wafers=args.wafers,
    )
    body = as_json(placement)
    if args.json:
        output.show_json(body)
    else:
        output.show("\n".join(_report(placement, body)))
    return 0


def as_json(placement: Placement) -> dict[str, Any]:
    """Return the placement for programs.

    `bytes` are those of a PE; `token_cycles` are the cycles of a whole token by their use.
    """
    tokens = capacity(placement)
    parts = placement.token_parts
    return {
        "model": placement.shape.name,
        "device": placement.wafer.name,
        "grid": placement.grid,
        "wafers": placement.wafers,
        "context": placement.context,
        "bits": placement.bits,
        "regions": [asdict(region) for region in placement.regions],
        "bytes": {
            "most_used": placement.used,
            "sram": placement.wafer.sram,
            "code": CODE_RESERVE,
            **asdict(placement.need),
        },
        "colors": {"used": placement.colors, "free": placement.colors_free},
        "token_cycles": parts,
        "bottleneck": max(parts, key=lambda name: parts[name]),
        "tokens_per_second": placement.tokens_per_second,
        "all_requests_tokens_per_second": placement.all_tokens_per_second,
        "first_token_seconds": placement.prompt_seconds(placement.context),
        "max_tokens": {"shift": tokens, "concat": tokens // placement.grid},
    }


def _report(placement: Placement, body: dict[str, Any]) -> list[str]:
    """Return the lines for people: a map, and the object without its single regions."""
    wafers = placement.wafer.name
    if placement.wafers > 1:
        wafers = f"{placement.wafers} x {wafers}"
    token: dict[str, Any] = {"all": placement.token_cycles}
    for name, cycles in placement.token_parts.items():
        if cycles:
            token[name] = f"{cycles / placement.token_cycles:.1%}"
    return [
        f"{placement.shape.name} on {wafers}, {placement.bits}-bit weights, simulated",
        "",
        *_map(placement),
        "",
        *table(body | {"regions": len(placement.regions), "token_cycles": token}),
        *_capacity_note(placement),
    ]


def _capacity_note(placement: Placement) -> list[str]:
    """Say why the cache holds fewer tokens here than by `spark wafer validate`."""
    # WaferLLM's count is for 16-bit weights on one wafer.
    tokens = kv_capacity(placement.shape, placement.wafer)
    if placement.wafers > 1 or placement.bits < 16 or not tokens:
        return []
    reason = "every PE filled; here regions are squares of whole layers, and buffers take room"
    note = f"  (for tokens `validate` has {tokens:,}, as WaferLLM counts: {reason})"
    return wrap(note, 79, subsequent_indent="  ")


def _map(placement: Placement) -> list[str]:
    """Draw the first wafer: a letter for each region, and dots where nothing lies."""
    wafer = placement.wafer
    lines = []
    for line in range(_MAP_ROWS):
        # Each character stands for the PE in the middle of its cell.
        row = int((line + 0.5) * wafer.rows / _MAP_ROWS)
        letters = ""
        for character in range(_MAP_COLUMNS):
            column = int((character + 0.5) * wafer.columns / _MAP_COLUMNS)
            letters += _letter_at(placement, row, column)
        lines.append(f"  {letters}")
    lines.append(
        f"  {wafer.rows} x {wafer.columns} PEs; a letter is a region, in the order tokens take"
    )
    return [*lines, *_other_wafers(placement)]


def _letter_at(placement: Placement, row: int, column: int) -> str:
    for number, region in enumerate(placement.regions):
        in_rows = 0 <= row - region.row < placement.grid
        in_columns = 0 <= column - region.column < placement.grid
        if region.wafer == 0 and in_rows and in_columns:
            return _LETTERS[number % len(_LETTERS)]
    return "."


def _other_wafers(placement: Placement) -> list[str]:
    """Count the wafers beside the one that is drawn, and their regions."""
    if placement.wafers == 1:
        return []
    counts = Counter(region.wafer for region in placement.regions)
    last = counts[placement.wafers - 1]
    plural = "s" if counts[0] > 1 else ""
    note = f"  the first of {placement.wafers:,} wafers: {counts[0]:,} region{plural} on each"
    if last != counts[0]:
        note += f" but the last, which has {last:,}"
    return [note]
