"""Reads the command line: finds the command and imports its module, and no other.

A module with one command has `add_arguments(parser)` and `run(args) -> exit code`; a module with
several has a table of them, `COMMANDS`.
"""

import argparse
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from spark_tui import __version__
from spark_tui.cli import output
from spark_tui.engine import use_one_blas_thread
from spark_tui.errors import FileError, UsageError

COMMANDS = {
    "exec": ("spark_tui.cli.exec", "one edit without the screen: the patch goes to stdout"),
    "ask": ("spark_tui.cli.ask", "a chat model answers a question; nothing is edited"),
    "task": ("spark_tui.cli.task", "a model works on a task by itself, beside your files"),
    "review": ("spark_tui.cli.review", "the work tree or a patch, hunk by hunk"),
    "serve": ("spark_tui.cli.serve", "one warm engine for shells, editors and scripts"),
    "acp": ("spark_tui.cli.acp", "an agent for editors, by the Agent Client Protocol"),
    "undo": ("spark_tui.cli.journal", "undo the last accepted edit"),
    "redo": ("spark_tui.cli.journal", "redo what was undone last"),
    "log": ("spark_tui.cli.journal", "what was accepted, undone and redone here"),
    "demo": ("spark_tui.cli.open", "try it on an example project in a temporary repository"),
    "trust": ("spark_tui.cli.doctor", "what this repository could run by itself, and allowing it"),
    "doctor": ("spark_tui.cli.doctor", "what is installed and what to do about problems"),
    "stats": ("spark_tui.cli.stats", "your own turns in figures, by model and week"),
    "model": (
        "spark_tui.cli.models",
        "list, info, add, remove, export: the models spark knows, and their files",
    ),
    "wafer": ("spark_tui.cli.wafer.command", "the model on a simulated wafer: plan, run, validate"),
    "bench": (
        "spark_tui.cli.bench.suite",
        "measure this machine: decode, edit, latency, ui, remote; and a model: canary",
    ),
    "train": ("spark_tui.cli.train", "teach a pretrained model to edit, and measure it"),
    "completion": (
        "spark_tui.cli.completion",
        "a script that has bash, zsh or fish complete spark's commands and options",
    ),
}
SCREEN = ""
"""The name in `COMMANDS` of the screen, which opens where the command line names no command."""
_TAKE_A_VALUE = frozenset({"-C", "-m", "--model", "--theme", "--pace"})
"""Options whose value must not be taken for a command."""


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A command of the command line.

    Attributes:
        add_arguments: Declares its arguments.
        run: Does its work and returns the exit code.
    """

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line.

    Attributes:
        hint: Says what a word may mean that the parser does not know; "" for nothing.
    """

    hint: Callable[[], str] = str

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        hint = ""
        if message.startswith("unrecognized"):
            hint = self.hint()
        if hint:
            message = f"{message}; {hint}"
        raise UsageError(f"{message}; see `{self.prog} --help`")

    def parse_anywhere(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments whose options may stand between the words.

        argparse knows no such order where a command has commands of its own.
        """
        if self._subparsers is not None:
            return self.parse_args(arguments)
        return self.parse_intermixed_args(arguments)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help where argparse would not notice that nobody can read it."""
        output.show(message.removesuffix("\n"))


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code.

    Raises:
        SparkError: The command line is wrong, or the command fails.
    """
    use_one_blas_thread()  # before any command imports numpy
    _require_current_folder()
    position = _first_word(arguments)
    word = None if position is None else arguments[position]
    if position is None or word not in COMMANDS:
        parser = _screen_parser()
        if word is not None:
            parser.hint = partial(_suggestion, word)
        return _run(parser, command_in("spark_tui.cli.open", SCREEN), arguments)
    module, summary = COMMANDS[word]
    parser = Parser(prog=f"spark {word}", description=summary, allow_abbrev=False)
    rest = [*arguments[:position], *arguments[position + 1 :]]
    return _run(parser, command_in(module, word), rest)


def _suggestion(word: str) -> str:
    """Advise whoever began with a word that is no command and went on."""
    from difflib import get_close_matches  # every start would wait for the import

    close = get_close_matches(word, COMMANDS, 1)
    if close:
        return f"did you mean `spark {close[0]}`?"
    return "put an instruction between quotes"


def _require_current_folder() -> None:
    """Refuse to work in a folder that is gone: no path could be resolved from there."""
    try:
        os.getcwd()  # noqa: PTH109 - only whether it works
    except OSError as e:
        raise FileError(f"the current folder is gone ({e.strerror}); cd to another one") from e


def command_in(module: str, name: str = "") -> Subcommand:
    """Import a command.

    Args:
        module: The module it lives in.
        name: Its name, where the module has several commands.
    """
    imported: Any = importlib.import_module(module)
    commands: Mapping[str, Subcommand] = getattr(imported, "COMMANDS", {})
    if name in commands:
        return commands[name]
    return Subcommand(imported.add_arguments, imported.run)


def _add_arguments(parser: argparse.ArgumentParser, command: Subcommand) -> None:
    parser.add_argument(
        "-C", dest="folder", metavar="DIR", default=".", help="work in DIR instead of here"
    )
    command.add_arguments(parser)


def whole_parser() -> Parser:
    """Return one parser of all commands, for what describes the command line as a whole."""
    parser = _screen_parser()
    # The commands come first: a shell completes them where the prompt may stand.
    commands = parser.add_subparsers(title="commands", prog=parser.prog, metavar="COMMAND")
    _add_arguments(parser, command_in("spark_tui.cli.open", SCREEN))
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        _add_arguments(command, command_in(module, name))
    return parser


def _run(parser: Parser, command: Subcommand, arguments: Sequence[str]) -> int:
    _add_arguments(parser, command)
    return command.run(parser.parse_anywhere(arguments))


def _screen_parser() -> Parser:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    parser = Parser(
        prog="spark",
        usage="spark [options] [PROMPT]\n       spark COMMAND [options]",
        description="Edit the code of this git repository with a model that runs in this very "
        "process.",
        epilog="commands (`spark COMMAND --help`):\n" + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"spark {__version__}")
    return parser


def _first_word(arguments: Sequence[str]) -> int | None:
    """Find the first argument that is no option; what follows `--` is never a command."""
    is_value = False
    for position, argument in enumerate(arguments):
        if argument == "--":
            return None
        if not is_value and not argument.startswith("-"):
            return position
        # an option that takes a value makes the next argument one, unless it is a value itself
        is_value = not is_value and argument in _TAKE_A_VALUE
    return None
