"""`spark exec`: one turn without the screen. The patch goes to stdout, what happens to stderr."""

import argparse
from functools import partial

from spark_tui.cli.common import add_model_argument, add_no_serve_argument
from spark_tui.editing.conflicts import SIDES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark exec`."""
    parser.add_argument(
        "instruction", nargs="?", help="what to do, in plain words; - reads it from stdin"
    )
    repeatable = partial(parser.add_argument, action="append", default=[], metavar="PATH")
    repeatable("--file", help="look in this file (repeatable)")
    parser.add_argument(
        "--at", metavar="PLACE", help="edit PATH:FIRST-LAST, PATH::Symbol.name or PATH"
    )
    parser.add_argument(
        "--keep",
        choices=SIDES,
        help="resolve a merge's conflicts this way, instead of an instruction",
    )
    parser.add_argument(
        "--rename", metavar="NEW", help="rename --at PATH::NAME in all Python files, instead of one"
    )
    parser.add_argument("--apply", action="store_true", help="apply the edit to the work tree")
    parser.add_argument(
        "--unsure", action="store_true", help="accept an edit that the model is unsure of, too"
    )
    repeatable(
        "--allow",
        help="approve of PATH, which needs it, being sent and written (repeatable)",
    )
    parser.add_argument(
        "--stage", action="store_true", help="with --apply: also stage the edit, and nothing else"
    )
    parser.add_argument(
        "--check", metavar="CMD", help="a command that must pass in a copy of the tracked files"
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="how long to look for a fix that passes (60)",
    )
    parser.add_argument(
        "--variations", type=int, metavar="N", help="up to N different answers, the likeliest first"
    )
    parser.add_argument("--format", choices=["diff", "json", "stream-json"], default="diff")
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="0 (default) always takes the likeliest token",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the seed for a temperature above 0")
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", help="give up after this many tokens"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Do one turn.

    Returns:
        0, 3 (no edit, or an unsure one) or 130.

    Raises:
        SparkError: The arguments are wrong, or the turn failed.
    """
    from spark_tui.cli.headless import take_turn

    return take_turn(args)
