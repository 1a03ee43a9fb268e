"""`spark undo`: take back an accepted edit; what was edited since stays."""

import argparse

from spark_tui.cli.common import open_batches
from spark_tui.cli.steps import add_choice, carry_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark undo`."""
    parser.add_argument(
        "id", nargs="?", help="which batch (see `spark log`; default: the last one in force)"
    )
    parser.add_argument(
        "--file",
        action="append",
        metavar="PATH",
        help="only this file of it, named as in `spark log`",
    )
    add_choice(parser, "restore what was before")
    parser.add_argument(
        "--json", action="store_true", help="print the journal's entry as an object"
    )


def run(args: argparse.Namespace) -> int:
    """Say what undoing one batch changes, and do it.

    Raises:
        UsageError, Conflict.
    """
    batches = open_batches(args)
    return carry_out(
        args,
        batches,
        lambda chosen: batches.preview_undo(args.id, only=args.file, chosen=chosen),
        back=True,
    )
