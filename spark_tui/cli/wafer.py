"""`spark wafer`: the model on a simulated wafer-scale mesh. Every number it prints is simulated."""

import argparse

from spark_tui.cli.main import command_in

ACTIONS = {
    "plan": ("spark_tui.cli.wafer_plan", "where a model's layers lie, and what limits it there"),
    "run": ("spark_tui.cli.wafer_run", "an edit whose every token is computed on a simulated mesh"),
    "validate": ("spark_tui.cli.wafer_validate", "every published measurement beside the simulated one"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, each of which lives in a module of its own."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(ACTIONS))
    for name, (module, summary) in ACTIONS.items():
        each = actions.add_parser(name, help=summary, description=summary)
        each.add_argument("--json", action="store_true", help="print one object")
        command_in(module).add_arguments(each)


def run(args: argparse.Namespace) -> int:
    """Do it. Raises: UsageError: what is asked for makes no sense, or does not fit."""
    return command_in(ACTIONS[args.action][0]).run(args)
