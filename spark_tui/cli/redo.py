"""`spark redo`: do again what was undone last."""

import argparse

from spark_tui.cli.start import open_batches
from spark_tui.cli.steps import show_entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark redo`."""
    parser.add_argument("--json", action="store_true", help="print the journal's entry as an object")


def run(args: argparse.Namespace) -> int:
    """Redo one batch. Raises: UsageError, Conflict."""
    show_entry(open_batches(args).redo(), as_json=args.json)
    return 0
