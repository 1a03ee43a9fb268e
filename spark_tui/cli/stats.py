"""`spark stats`: the user's own turns and tasks in figures, by model and week.

The figures are those that `session.telemetry` keeps on this machine.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from spark_tui.cli import output
from spark_tui.cli.common import notice, settings_of
from spark_tui.config import state_dir

if TYPE_CHECKING:
    from spark_tui.session.telemetry import EndFigures, StepFigures, TurnFigures

_COLUMNS = (
    *("week", "model", "turns", "shown", "accepted", "rejected", "undone"),
    *("first token p50", "p95", "turn p50", "p95", "tok/s"),
)
_STEP_COLUMNS = (
    *("week", "model", "tasks", "done", "accepted", "rejected", "undone"),
    *("steps", "files", "tokens"),
    *("first token p50", "p95", "step p50", "p95", "tok/s"),
)
T = TypeVar("T", "TurnFigures", "StepFigures")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark stats`."""
    parser.add_argument("--json", action="store_true", help="print one object")


def run(args: argparse.Namespace) -> int:
    """Show the figures of all turns and steps that were noted."""
    from spark_tui.session.telemetry import read_ends, read_steps, read_turns

    settings = settings_of(args)
    turns = [_summary(*key, group) for key, group in _grouped(read_turns(state_dir())).items()]
    all_steps = read_steps(state_dir())
    ends = read_ends(state_dir())
    # Steps come in the order of time, so the last one of each task stays.
    last = {step.task: step for step in all_steps}
    steps = []
    for key, group in _grouped(all_steps).items():
        # A task is accepted or rejected in the week of its last step.
        ended = [step.task for step in group if step is last[step.task] and step.task in ends]
        steps.append(_step_summary(*key, group, [ends[task] for task in ended]))
    if args.json:
        body = {"version": 1, "telemetry": settings.telemetry, "models": turns, "tasks": steps}
        output.show_json(body)
        return 0
    if not settings.telemetry:
        notice("telemetry = false in the settings: turns are not noted")
    elif not turns and not steps:
        notice("no turn was noted yet")
    tables = []
    if turns:
        tables.append(_aligned([_COLUMNS, *map(_row, turns)]))
    if steps:
        tables.append(_aligned([_STEP_COLUMNS, *map(_step_row, steps)]))
    for number, lines in enumerate(tables):
        if number:
            output.show_line("")
        for line in lines:
            output.show_line(line)
    return 0


def _grouped(figures: Iterable[T]) -> dict[tuple[str, str], list[T]]:
    """Figures by week and model, the last week first."""
    groups: dict[tuple[str, str], list[T]] = {}
    for figure in figures:
        year, week, _ = figure.time.isocalendar()
        groups.setdefault((f"{year}-W{week:02}", figure.model), []).append(figure)
    weeks = sorted({week for week, _ in groups}, reverse=True)
    return {key: groups[key] for wanted in weeks for key in sorted(groups) if key[0] == wanted}


def _summary(week: str, model: str, turns: Sequence["TurnFigures"]) -> dict[str, Any]:
    """The figures of a group, for programs; null where there is nothing to measure."""
    shown = sum(turn.shown for turn in turns)
    accepted = sum(turn.accepted for turn in turns)
    return {
        "model": model,
        "week": week,
        "turns": len(turns),
        "statuses": dict(Counter(turn.status for turn in turns)),
        "hunks": {
            "shown": shown,
            "accepted": accepted,
            "rejected": sum(turn.rejected for turn in turns),
            "undone": sum(turn.undone for turn in turns),
        },
        "accept_rate": round(accepted / shown, 4) if shown else None,
        "ttft_ms": _percentiles(turn.ttft_ms for turn in turns),
        "total_ms": _percentiles(turn.total_ms for turn in turns),
        "tokens_per_second": _percentiles(turn.tokens_per_second for turn in turns),
        "prompt_tokens": sum(turn.prompt_tokens for turn in turns),
        "cached_tokens": sum(turn.cached_tokens for turn in turns),
        "generated_tokens": sum(turn.generated_tokens for turn in turns),
    }


def _step_summary(
    week: str, model: str, steps: Sequence["StepFigures"], ends: Sequence["EndFigures"]
) -> dict[str, Any]:
    """The figures of a group of steps, for programs; null where there is nothing to measure.

    Args:
        ends: The ends of the tasks that are counted here.
    """
    kinds = Counter(end.end.value for end in ends)
    return {
        "model": model,
        "week": week,
        "tasks": len({step.task for step in steps}),
        "done": len({step.task for step in steps if step.ends}),
        "accepted": len(ends) - kinds["dropped"],
        "rejected": kinds["dropped"],
        "undone": sum(end.undone for end in ends),
        "ends": {kind: count for kind, count in kinds.items() if count},
        "steps": len(steps),
        "kinds": dict(Counter(step.kind for step in steps)),
        "files": sum(step.files for step in steps),
        "tokens": sum(step.tokens for step in steps),
        "seconds": round(sum(step.seconds for step in steps), 3),
        "ttft_ms": _percentiles(step.ttft_ms for step in steps),
        "step_ms": _percentiles(1000 * step.seconds for step in steps),
        "tokens_per_second": _percentiles(step.tokens_per_second for step in steps),
    }


def _percentiles(figures: Iterable[float]) -> dict[str, float] | None:
    """The figures that half of them, and 95 % of them, do not exceed; a zero was not measured."""
    known = sorted(figure for figure in figures if figure > 0)
    if not known:
        return None
    # nearest rank: of n figures the one at place ceil(share * n / 100)
    return {f"p{share}": known[-(-share * len(known) // 100) - 1] for share in (50, 95)}


def _row(summary: dict[str, Any]) -> tuple[str, ...]:
    """The cells of a group, for people."""
    hunks = summary["hunks"]
    rate = summary["accept_rate"]
    accepted = str(hunks["accepted"])
    if rate is not None:
        accepted += f" ({rate:.0%})"
    first = summary["ttft_ms"] or {}
    total = summary["total_ms"] or {}
    speed = summary["tokens_per_second"] or {}
    return (
        summary["week"],
        summary["model"],
        str(summary["turns"]),
        str(hunks["shown"]),
        accepted,
        str(hunks["rejected"]),
        str(hunks["undone"]),
        _milliseconds(first.get("p50")),
        _milliseconds(first.get("p95")),
        _milliseconds(total.get("p50")),
        _milliseconds(total.get("p95")),
        f"{speed['p50']:.0f}" if speed else "",
    )


def _step_row(summary: dict[str, Any]) -> tuple[str, ...]:
    """The cells of a group of steps, for people."""
    first = summary["ttft_ms"] or {}
    step = summary["step_ms"] or {}
    speed = summary["tokens_per_second"] or {}
    names = _STEP_COLUMNS[2:10]
    return (
        summary["week"],
        summary["model"],
        *(f"{summary[name]:,}" for name in names),
        _milliseconds(first.get("p50")),
        _milliseconds(first.get("p95")),
        _milliseconds(step.get("p50")),
        _milliseconds(step.get("p95")),
        f"{speed['p50']:.0f}" if speed else "",
    )


def _milliseconds(figure: float | None) -> str:
    return "" if figure is None else f"{figure:,.0f} ms"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines: names to the left of their columns, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:2], widths, strict=False)]
        cells += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines
