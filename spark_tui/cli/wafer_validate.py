"""`spark wafer validate`: published and simulated figures side by side, or the answer to one case."""

import argparse
from dataclasses import asdict
from math import ceil
from textwrap import wrap

from spark_tui.cli import output
from spark_tui.cli.table import table
from spark_tui.cli.wafer_shapes import shape_of
from spark_tui.wafer.cases import KEYS, PHASES, Case, answer, check_possible, misfit, parse_case
from spark_tui.wafer.machine import SHAPES
from spark_tui.wafer.validation import Comparison, agrees, as_json, constants_used, full_token, mean_errors, validate

_WIDTHS = "{:<11} {:<34} {:>9} {:>9} {:>6} {:>4} {}"
_ON_LAYERS = {"decode", "prefill", "e2e"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--case`."""
    parser.add_argument(
        "--case",
        nargs="+",
        action="extend",
        metavar="KEY=VALUE",
        help=f"answer one question instead; keys: {', '.join(KEYS)}; phases: {', '.join(PHASES)}",
    )


def run(args: argparse.Namespace) -> int:
    """Compare, or answer. Returns: 1 when a cell is off by more than its gate."""
    if args.case is not None:
        return _answer(args.case, as_json=args.json)
    compared = validate()
    if args.json:
        output.show_json(as_json(compared))
    else:
        output.show("\n".join(_table(compared)))
    return 0 if agrees(compared) else 1


def _table(compared: list[Comparison]) -> list[str]:
    lines = [_WIDTHS.format("set", "cell", "published", "simulated", "error", "gate", "").rstrip()]
    lines += [_line(each) for each in compared]
    means = ", ".join(f"{name} {100 * error:.1f} %" for name, error in mean_errors(compared).items())
    return [
        *lines,
        "",
        *_wrapped(_summary(compared)),
        "On wafers: layer x layers, as WaferLLM timed it; bounds: the whole token.",
        *_wrapped("170 ms: for a prompt of unknown length; 1,000 tokens are assumed; 4,096 take 209 ms."),
        "* Does not fit there: WaferLLM timed some of its layers and scaled up.",
        *_wrapped("No cells: other systems on a wafer; table 2's GPUs, which contradict table 4."),
        *_wrapped(f"Mean error: {means}"),
        *_wrapped(f"Constants: {constants_used()}"),
    ]


def _summary(compared: list[Comparison]) -> str:
    gated = [each for each in compared if each.cell.gate is not None]
    bounds = [each for each in compared if each.cell.bound]
    others = [each for each in compared if each.cell.gate is None and not each.cell.bound]
    worst = max(others, key=lambda each: abs(each.error))
    return (
        f"{sum(each.ok is True for each in gated)} of {len(gated)} gated cells within their gates; "
        f"{len(others)} more without a gate, worst {100 * worst.error:+.1f} % "
        f"({worst.cell.set}, {worst.cell.label}); "
        f"{sum(each.ok is True for each in bounds)} of {len(bounds)} bounds kept."
    )


def _wrapped(text: str) -> list[str]:
    return wrap(text, 79, subsequent_indent="  ")


def _line(each: Comparison) -> str:
    cell = each.cell
    name = f"{cell.label} {cell.case['grid']}^2" if "grid" in cell.case else cell.label
    gate = "-" if cell.gate is None else f"{100 * cell.gate:.0f} %"
    state = "!" if each.ok is False else "*" if each.scaled else ""
    limit, error = {"": "", "min": "≥ ", "max": "≤ "}[cell.bound], f"{100 * each.error:+.1f}"
    if cell.bound:
        error = "kept" if each.ok else "broken"
    figures = limit + _figure(cell.published), _figure(each.simulated)
    return _WIDTHS.format(cell.set, name, *figures, error, gate, state).rstrip()


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _answer(words: list[str], *, as_json: bool) -> int:
    case = parse_case(words, shape_of)
    check_possible(case)
    result, why = asdict(answer(case)), misfit(case)
    body = {"case": case.values, **result, "fits": not why, "reason": why or None, "full_token": full_token(case)}
    if as_json:
        output.show_json(body)
        return 0
    if case.phase == "collective" and result["cycles"] is not None:
        body["cycles"] = ceil(result["cycles"])
    output.show("\n".join(["simulated", *table(body), *_counted(case)]))
    return 0


def _counted(case: Case) -> list[str]:
    """What the cycles of a case count, beside those of its full token."""
    if case.on_gpu or case.phase not in _ON_LAYERS:
        return []
    timed = ", as WaferLLM timed it" if case.model.name in SHAPES else ""
    full = "in a full token the model's own heads, LM head, sampling and links count, too"
    return _wrapped(f"Cycles and tokens/s: layer x layers{timed}; {full}.")
