"""`spark undo`: take back an accepted edit; what was edited since stays."""

import argparse

from spark_tui.cli.start import open_batches
from spark_tui.cli.steps import show_entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark undo`."""
    parser.add_argument("id", nargs="?", help="which (see `spark log`); the last one in force when left out")
    parser.add_argument("--json", action="store_true", help="print the journal's entry as an object")


def run(args: argparse.Namespace) -> int:
    """Undo one batch. Raises: UsageError, Conflict."""
    show_entry(open_batches(args).undo(args.id), as_json=args.json)
    return 0
