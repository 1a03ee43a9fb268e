"""`spark bench`: runs a bench and prints what it measured, as lines or as one object."""

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module

from spark_tui.cli import output
from spark_tui.cli.bench.suite import Figure, as_line, machine, versions
from spark_tui.cli.common import add_model_argument, ended_once
from spark_tui.errors import SparkError, UsageError

BENCHES = {
    "decode": "tokens a second of the model, one after the other and in a prompt",
    "edit": "requests of 20 words on functions of 30 lines, from Enter to the checked edit; of "
    "a chat model rewrites",
    "latency": "what people wait for: first tokens, Esc, redirects, variations, starting",
    "ui": "keys, frames and a large diff on a real terminal",
    "remote": "an endpoint over a connection kept open, beside one connection a request",
}
_MODELS = ("embedded", "135m", "0.5b", "mixture")
CASES = tuple(f"{which}-{bits}" for which in _MODELS for bits in (8, 4))
"""What `decode` measures: the model asked for and random weights of three shapes, at 8 and 4
bits.
"""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a bench is given.

    `say` tells people what is going on; `notes` goes into the object's versions.
    """

    args: argparse.Namespace
    say: Callable[[str], None]
    notes: dict[str, str] = field(default_factory=dict)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benches."""
    benches = parser.add_subparsers(dest="bench", required=True, metavar="|".join(BENCHES))
    for name, summary in BENCHES.items():
        each = benches.add_parser(name, help=summary, description=summary)
        each.add_argument(
            "--runs", type=int, default=3, metavar="N", help="how often each figure is measured"
        )
        each.add_argument("--json", action="store_true", help="print one object")
        add_model_argument(each)
    decode = benches.choices["decode"]
    edit = benches.choices["edit"]
    decode.add_argument(
        "--cases",
        nargs="+",
        choices=CASES,
        default=CASES[:4],
        help="which models, at how many bits",
    )
    edit.add_argument("--edits", type=int, default=12, metavar="N", help="how many of the 12 edits")


def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        SparkError.
    """
    for name in ("runs", "edits"):
        if (count := getattr(args, name, 1)) < 1:
            raise UsageError(f"--{name} {count}: choose a number from 1")
    with ended_once():
        return _measure(Bench(args, output.say))


def _measure(bench: Bench) -> int:
    facts = machine()
    bench.say(", ".join(f"{key} {value}" for key, value in facts.items()))
    rows = list[Figure]()
    problem = "it failed"
    try:
        with closing(
            import_module(f"spark_tui.cli.bench.{bench.args.bench}").measure(bench)
        ) as measured:
            for row in measured:
                rows.append(row)
                (bench.say if bench.args.json else output.show_line)(as_line(row))
    except (
        SparkError,
        KeyboardInterrupt,
    ) as e:  # what was measured took long, and is worth as much as before
        problem = str(e) or "interrupted"
        if not rows or isinstance(e, KeyboardInterrupt):
            raise
        bench.say(f"the rest was not measured: {problem}")
    else:
        problem = ""
    finally:
        if bench.args.json and rows:
            found = {"versions": versions() | bench.notes, "rows": [row.to_json() for row in rows]}
            error = {"error": problem} if problem else {}
            output.show_json({"bench": bench.args.bench, "machine": facts} | found | error)
    return 1 if problem else 0
