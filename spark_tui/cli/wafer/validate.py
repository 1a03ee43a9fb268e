"""`spark wafer validate`: compares published with simulated figures, or answers one case."""

import argparse
from dataclasses import asdict
from math import ceil
from textwrap import wrap

from spark_tui.cli import output
from spark_tui.cli.output import table
from spark_tui.cli.wafer.models import shape_of
from spark_tui.wafer.cases import KEYS, PHASES, Case, answer, check_possible, misfit, parse_case
from spark_tui.wafer.machine import SHAPES
from spark_tui.wafer.validation import (
    Comparison,
    agrees,
    as_json,
    constants_used,
    full_token,
    mean_errors,
    validate,
)

_WIDTHS = "{:<11} {:<34} {:>9} {:>9} {:>6} {:>4} {}"
_LIMITS = {"": "", "min": "≥ ", "max": "≤ "}
_LAYER_PHASES = {"decode", "prefill", "e2e"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--case`."""
    keys = ", ".join(KEYS)
    phases = ", ".join(PHASES)
    parser.add_argument(
        "--case",
        nargs="+",
        action="extend",
        metavar="KEY=VALUE",
        help=f"answer one question instead; keys: {keys}; phases: {phases}",
    )


def run(args: argparse.Namespace) -> int:
    """Compare all cells, or answer a case.

    Returns:
        1 where a cell is off by more than its gate.
    """
    if args.case is not None:
        return _answer(args.case, as_json=args.json)
    comparisons = validate()
    if args.json:
        output.show_json(as_json(comparisons))
    else:
        output.show("\n".join(_report(comparisons)))
    return 0 if agrees(comparisons) else 1


def _report(comparisons: list[Comparison]) -> list[str]:
    heading = _WIDTHS.format("set", "cell", "published", "simulated", "error", "gate", "")
    errors = mean_errors(comparisons).items()
    means = ", ".join(f"{name} {100 * error:.1f} %" for name, error in errors)
    return [
        heading.rstrip(),
        *(_line(comparison) for comparison in comparisons),
        "",
        *_wrapped(_summary(comparisons)),
        "On wafers: layer x layers, as WaferLLM timed it; bounds: the whole token.",
        *_wrapped(
            "170 ms: for a prompt of unknown length; 1,000 tokens are assumed; 4,096 take 209 ms."
        ),
        "* Does not fit there: WaferLLM timed some of its layers and scaled up.",
        *_wrapped("No cells: other systems on a wafer; table 2's GPUs, which contradict table 4."),
        *_wrapped(f"Mean error: {means}"),
        *_wrapped(f"Constants: {constants_used()}"),
    ]


def _summary(comparisons: list[Comparison]) -> str:
    gated = []
    bounds = []
    others = []
    for comparison in comparisons:
        if comparison.cell.gate is not None:
            gated.append(comparison)
        elif comparison.cell.bound:
            bounds.append(comparison)
        else:
            others.append(comparison)
    within = sum(comparison.ok is True for comparison in gated)
    kept = sum(comparison.ok is True for comparison in bounds)
    worst = max(others, key=lambda comparison: abs(comparison.error))
    return (
        f"{within} of {len(gated)} gated cells within their gates; "
        f"{len(others)} more without a gate, worst {100 * worst.error:+.1f} % "
        f"({worst.cell.set}, {worst.cell.label}); "
        f"{kept} of {len(bounds)} bounds kept."
    )


def _wrapped(text: str) -> list[str]:
    return wrap(text, 79, subsequent_indent="  ")


def _line(comparison: Comparison) -> str:
    cell = comparison.cell
    name = cell.label
    if "grid" in cell.case:
        name += f" {cell.case['grid']}^2"
    error = f"{100 * comparison.error:+.1f}"
    if cell.bound:
        error = "kept" if comparison.ok else "broken"
    mark = "*" if comparison.scaled else ""
    if comparison.ok is False:
        mark = "!"
    gate = "-"
    if cell.gate is not None:
        gate = f"{100 * cell.gate:.0f} %"
    line = _WIDTHS.format(
        cell.set,
        name,
        _LIMITS[cell.bound] + _figure(cell.published),
        _figure(comparison.simulated),
        error,
        gate,
        mark,
    )
    return line.rstrip()


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _answer(words: list[str], *, as_json: bool) -> int:
    case = parse_case(words, shape_of)
    check_possible(case)
    figures = asdict(answer(case))
    reason = misfit(case)
    body = {
        "case": case.values,
        **figures,
        "fits": not reason,
        "reason": reason or None,
        "full_token": full_token(case),
    }
    if as_json:
        output.show_json(body)
        return 0
    if case.phase == "collective" and figures["cycles"] is not None:
        body["cycles"] = ceil(figures["cycles"])  # the formulas give fractions of a cycle
    output.show("\n".join(["simulated", *table(body), *_layer_note(case)]))
    return 0


def _layer_note(case: Case) -> list[str]:
    """Say what the cycles of a case count, beside those of its full token."""
    if case.on_gpu or case.phase not in _LAYER_PHASES:
        return []
    timed = ", as WaferLLM timed it" if case.model.name in SHAPES else ""
    full = "in a full token the model's own heads, LM head, sampling and links count, too"
    return _wrapped(f"Cycles and tokens/s: layer x layers{timed}; {full}.")
