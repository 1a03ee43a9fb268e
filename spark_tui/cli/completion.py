"""`spark completion`: prints a script that has a shell complete spark's commands and options."""

import argparse
from collections.abc import Iterator

from spark_tui.cli import output
from spark_tui.cli.main import whole_parser

SHELLS = ("bash", "zsh", "fish")
_FOLDERS = frozenset({"DIR", "CLONES_DIR"})
"""The values of options that are folders, by what the help calls them."""
_FILES = frozenset({"FILE", "PATH", "PLACE", "DEST"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the name of the shell."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete spark")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    parser = whole_parser()
    for action in actions_of(parser):
        if action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    output.show(shtab.complete(parser, args.shell).removesuffix("\n"))
    return 0


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Return all arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from actions_of(command)
