"""`spark log`: what was accepted, undone and redone in this work tree, the newest first."""

import argparse

from spark_tui.cli import output
from spark_tui.cli.start import open_batches
from spark_tui.cli.steps import entry_json, entry_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark log`."""
    parser.add_argument("--json", action="store_true", help="print one object")


def run(args: argparse.Namespace) -> int:
    """Show the journal."""
    batches = open_batches(args).log()
    if args.json:
        output.show_json({"version": 1, "entries": [entry_json(b.entry) | {"state": str(b.state)} for b in batches]})
        return 0
    for batch in batches:
        output.show_line(f"{batch.state.value:<11} {entry_line(batch.entry)}")
    if not batches:
        output.say("spark: nothing was accepted here yet")
    return 0
