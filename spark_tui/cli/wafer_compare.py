"""`spark wafer compare`: models on wafers and GPUs as a table, one object, or a plot."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap

from spark_tui.cli import output
from spark_tui.cli.wafer_shapes import MODEL_HELP, shape_of
from spark_tui.wafer.compare import Row, as_json, compare, services
from spark_tui.wafer.plots import Bar, Plot, check_plot, write_plot
from spark_tui.wafer.shapes import Shape

_WATTS = (
    "Watts: wafers or GPUs alone, as WaferLLM counts them; WSE-3's are assumed to be WSE-2's. A whole CS-2 or CS-3 "
    "draws 23 kW."
)
_CHOSEN = (
    "Wafers: as few as hold the model, then the grid with the fastest token; more wafers may bring the first token "
    "sooner. A prompt has a grid of its own; moving the weights between the two is not counted. "
    "GPUs run SGLang, as WaferLLM measured it."
)
_STILL_16_BITS = "Weights have {bits} bits on wafers; on GPUs they stay at 16."
_WIDTHS = "  {:<10} {:>11} {:>6} {:>12} {:>9} {:>14}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the models, the prompt and where a plot goes."""
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{MODEL_HELP}; the embedded one when left out")
    parser.add_argument(
        "--context", type=int, default=4096, metavar="N", help="tokens of the prompt and in the cache (default: 4096)"
    )
    parser.add_argument("--bits", type=int, default=16, metavar="N", help="of a weight on a wafer: 16 (default) or 8")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it, too: a .svg or a .txt file")


def run(args: argparse.Namespace) -> int:
    """Compare. Raises: UsageError: no such model. FileError: the plot cannot be written."""
    if args.plot is not None:
        check_plot(args.plot)
    shapes = list(dict.fromkeys(shape_of(name) for name in args.models or [None]))
    tables = {shape: compare(shape, context=args.context, bits=args.bits) for shape in shapes}
    if args.plot is not None:
        write_plot(args.plot, [_plot(rows, args.context) for rows in tables.values()])
        output.say(f"spark: drawn in {args.plot}")
    if args.json:
        rows = [row for rows in tables.values() for row in as_json(rows)]
        known = [asdict(service) for shape in shapes for service in services(shape)]
        output.show_json({"context": args.context, "bits": args.bits, "rows": rows, "published_services": known})
        return 0
    for shape in shapes:
        output.show("\n".join(_table(shape, tables[shape], args.context, args.bits)))
    return 0


def _table(shape: Shape, rows: Sequence[Row], context: int, bits: int) -> list[str]:
    head = ("device", "tokens/s", "±", "first token", "watts", "tokens/joule")
    return [
        f"{shape.name}, one request of {context:,} token{'s' * (context > 1)}, simulated",
        _WIDTHS.format(*head),
        *(_line(row) for row in rows),
        *_notes(rows, bits),
        *_published(shape),
        "",
    ]


def _line(row: Row) -> str:
    if not row.fits:
        return f"  {_device(row):<10}   no room: {row.note}"
    unsure, first = f"{row.uncertainty:.0%}", f"{1e3 * row.first_token_seconds:,.1f} ms"
    figures = (f"{row.tokens_per_second:,.1f}", unsure, first, f"{row.watts:,.0f}", f"{row.tokens_per_joule:.4f}")
    return _WIDTHS.format(_device(row), *figures)


def _device(row: Row) -> str:
    return f"{row.count} x {row.device}" if row.count > 1 else row.device


def _notes(rows: Sequence[Row], bits: int) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.fits and row.note and row.device not in reasons.setdefault(row.note, []):
            reasons[row.note].append(row.device)
    notes = [*(f"{', '.join(devices)}: {reason}." for reason, devices in reasons.items()), _WATTS, _CHOSEN]
    if bits < 16:
        notes.append(_STILL_16_BITS.format(bits=bits))
    return [line for note in notes for line in wrap(note, 78, initial_indent="  ", subsequent_indent="    ")]


def _published(shape: Shape) -> list[str]:
    known = services(shape)
    if not known:
        return []
    lines = [line for each in known for line in wrap(f"{each.speed}: {each.note}", 76, subsequent_indent="  ")]
    return ["  Published services, for context (network, queue and batches are in them):", *(f"    {x}" for x in lines)]


def _told(row: Row) -> str:
    if not row.fits:
        return "no room"
    return f"{row.tokens_per_second:,.0f} ± {row.uncertainty:.0%}, {row.tokens_per_joule:.2g} tokens/J"


def _plot(rows: Sequence[Row], context: int) -> Plot:
    bars = [
        Bar(
            label=_device(row),
            value=row.tokens_per_second,
            text=_told(row),
            unsure=row.uncertainty,
            kind=0 if row.device.startswith("wse") else 1,
        )
        for row in rows
    ]
    title = f"{rows[0].model}: tokens a second for one request, simulated"
    return Plot(title, bars, f"{context:,} tokens of context; ±: how unsure the speed is")
