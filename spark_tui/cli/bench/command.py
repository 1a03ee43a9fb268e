"""`spark bench`: runs a bench and prints what it measured, as a table or as one object."""

import argparse
import importlib
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol, cast

from spark_tui.cli import output
from spark_tui.cli.bench.ending import ended_once
from spark_tui.cli.bench.machine import machine, versions
from spark_tui.cli.bench.rows import Row, as_line
from spark_tui.cli.start import add_model_argument
from spark_tui.errors import SparkError, UsageError

BENCHES = {
    "decode": "tokens a second of the model, one after the other and in a prompt",
    "edit": "held-out edits from prompt to verified patch, with speculation",
    "latency": "what people wait for: first tokens, Esc, redirects, accepting, starting",
    "ui": "keys, frames and a large diff on a real terminal",
}
CASES = ("embedded-8", "embedded-4", "0.5b-8", "0.5b-4")
"""What `decode` measures: the model asked for and one of the shape of Qwen2.5-Coder-0.5B, at 8 and at 4 bits."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a bench is given. `say` tells people what is going on; `notes` goes into the object's versions."""

    args: argparse.Namespace
    say: Callable[[str], None]
    notes: dict[str, str] = field(default_factory=dict)


class BenchModule(Protocol):
    """A bench's module."""

    def measure(self, bench: Bench) -> Generator[Row, None, None]:
        """Measure; a row as soon as it is known."""
        ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benches."""
    benches = parser.add_subparsers(dest="bench", required=True, metavar="|".join((*BENCHES, "table")))
    for name, summary in BENCHES.items():
        each = benches.add_parser(name, help=summary, description=summary)
        each.add_argument("--runs", type=int, default=5, metavar="N", help="how often each figure is measured")
        each.add_argument("--json", action="store_true", help="print one object")
        add_model_argument(each)
    decode, edit = benches.choices["decode"], benches.choices["edit"]
    decode.add_argument("--cases", nargs="+", choices=CASES, default=CASES, help="which models, at how many bits")
    edit.add_argument("--edits", type=int, default=200, metavar="N", help="how many held-out edits (default: 200)")
    summary = "what --json printed, as a table in Markdown"
    table = benches.add_parser("table", help=summary, description=summary)
    table.add_argument("files", nargs="+", metavar="FILE", help="files with what --json printed")


def run(args: argparse.Namespace) -> int:
    """Measure and print. Raises: SparkError."""
    if args.bench == "table":
        from spark_tui.cli.bench.table import table

        output.show(table(args.files))
        return 0
    if args.runs < 1:
        raise UsageError(f"--runs {args.runs}: choose a number from 1")
    if args.bench == "edit" and args.edits < 1:
        raise UsageError(f"--edits {args.edits}: choose a number from 1")
    with ended_once():
        return _measure(Bench(args, output.say))


def _measure(bench: Bench) -> int:
    from spark_tui.engine.blas import use_one_blas_thread

    use_one_blas_thread()
    facts = machine()
    bench.say(", ".join(f"{key} {value}" for key, value in facts.items()))
    rows, problem = list[Row](), dict[str, str]()
    with closing(_module(bench.args.bench).measure(bench)) as measured:
        try:
            for row in measured:
                rows.append(row)
                (bench.say if bench.args.json else output.show_line)(as_line(row))
        except SparkError as e:  # what was measured took long, and is worth as much as before
            if not rows:
                raise
            problem = {"error": str(e)}
            bench.say(f"the rest was not measured: {e}")
    if bench.args.json:
        made_with = versions() | bench.notes
        lines = [row.to_json() for row in rows]
        output.show_json({"bench": bench.args.bench, "machine": facts, "versions": made_with, "rows": lines} | problem)
    return 1 if problem else 0


def _module(name: str) -> BenchModule:
    return cast("BenchModule", importlib.import_module(f"spark_tui.cli.bench.{name}"))
