"""`spark train ...`: teaches a pretrained model to edit, from requests to measurements.

data, fetch        the requests with the code they are about, from references to packages
commits            references to changes of public repositories whose messages make requests
base, round        a model to train, in four bits
rows               the requests as tokens, for a machine that only trains
tune, pack         the adapter that edits, and its place beside that model
calibrate, eval    how far to trust its probabilities, and how often it is right
                   (`cli/train.py`)
"""

import argparse
from pathlib import Path

from spark_tui.training import commits, dataset, teach

COMMANDS = {
    "data": dataset.run,
    "fetch": dataset.run,
    "commits": commits.run,
    "base": teach.make_base,
    "round": teach.round_base,
    "rows": teach.write_rows,
    "tune": teach.tune,
    "pack": teach.pack,
}
"""The commands that ask no model, which `python -m spark_tui.training` has, too."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands, in the order in which they are run."""
    commands = parser.add_subparsers(
        dest="train_command",
        required=True,
        metavar="data|fetch|commits|base|round|rows|tune|pack|calibrate|eval",
    )
    dataset.add_arguments(commands)
    commits.add_arguments(commands)
    teach.add_arguments(commands)
    evaluation = commands.add_parser("eval", help="measure how often a model that edits is right")
    evaluation.add_argument("-m", "--model", help="its name or folder (default: the shipped one)")
    evaluation.add_argument(
        "--cases",
        type=Path,
        nargs="+",
        action="extend",
        required=True,
        metavar="FILE.jsonl",
        help="cases written by hand, or written requests (repeatable)",
    )
    evaluation.add_argument(
        "--judge",
        metavar="NAME",
        help="a chat model that judges the answers where the first is not sure",
    )
    evaluation.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    """Run one that asks no model; returns the exit code."""
    if args.train_command == "data" and args.commits:
        return commits.write_requests(args)
    return COMMANDS[args.train_command](args)
