"""Declares and runs the actions of `spark wafer`; each has a module of its own."""

import argparse

from spark_tui.cli.main import command_in

ACTIONS = {
    "plan": (
        "spark_tui.cli.wafer.plan",
        "where a model's layers lie, and what limits it there",
    ),
    "run": (
        "spark_tui.cli.wafer.run",
        "an edit whose every token is computed on a simulated mesh",
    ),
    "validate": (
        "spark_tui.cli.wafer.validate",
        "every published measurement beside the simulated one",
    ),
}
"""Action -> its module, and what it does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(ACTIONS))
    for name, (module, summary) in ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("--json", action="store_true", help="print one object")
        command_in(module).add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run an action.

    Raises:
        UsageError: The arguments make no sense, or the model does not fit.
    """
    module, _ = ACTIONS[args.action]
    return command_in(module).run(args)
