"""`spark redo`: do again what was undone."""

import argparse

from spark_tui.cli.common import open_batches
from spark_tui.cli.steps import add_choice, carry_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark redo`."""
    parser.add_argument(
        "id", nargs="?", help="which batch (see `spark log`; default: the one undone last)"
    )
    add_choice(parser, "take the edit")
    parser.add_argument(
        "--json", action="store_true", help="print the journal's entry as an object"
    )


def run(args: argparse.Namespace) -> int:
    """Say what redoing one batch changes, and do it.

    Raises:
        UsageError, Conflict.
    """
    batches = open_batches(args)
    return carry_out(
        args, batches, lambda chosen: batches.preview_redo(args.id, chosen=chosen), back=False
    )
