"""Which command was asked for, and nothing more: each lives in its own module, imported when it is
used.

A command's module has `add_arguments(parser)` and `run(args) -> exit code`.
"""

import argparse
import importlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn, Protocol, cast

from spark_tui import __version__
from spark_tui.cli import output
from spark_tui.engine.blas import use_one_blas_thread
from spark_tui.errors import FileError, UsageError

COMMANDS = {
    "exec": ("spark_tui.cli.exec", "one edit without the screen: the patch goes to stdout"),
    "ask": ("spark_tui.cli.ask", "a chat model answers a question; nothing is edited"),
    "task": ("spark_tui.cli.task", "a model works on a task by itself, beside your files"),
    "undo": ("spark_tui.cli.undo", "undo the last accepted edit"),
    "redo": ("spark_tui.cli.redo", "redo what was undone last"),
    "log": ("spark_tui.cli.log", "what was accepted, undone and redone here"),
    "demo": ("spark_tui.cli.demo", "try it on an example project in a temporary repository"),
    "trust": ("spark_tui.cli.trust", "what this repository could run by itself, and allowing it"),
    "doctor": ("spark_tui.cli.doctor", "what is installed and what to do about problems"),
    "model": (
        "spark_tui.cli.models",
        "list, info, add, remove, export: the models spark knows, and their files",
    ),
    "wafer": ("spark_tui.cli.wafer.command", "the model on a simulated wafer: plan, run, validate"),
    "bench": (
        "spark_tui.cli.bench.command",
        "measure this machine: decode, edit, latency, ui, remote",
    ),
    "train": ("spark_tui.cli.train", "teach a pretrained model to edit, and measure it"),
}
_TAKE_A_VALUE = frozenset({"-C", "-m", "--model", "--theme", "--pace"})


class CommandModule(Protocol):
    """A command's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare its arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it.

        Returns:
            The exit code.
        """


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line.

    `hint`: what may be meant by more than is read.
    """

    hint: Callable[[], str] = str

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        hint = f"; {words}" if message.startswith("unrecognized") and (words := self.hint()) else ""
        raise UsageError(f"{message}{hint}; see `{self.prog} --help`")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help where argparse would not notice that it cannot be written."""
        output.show(message.removesuffix("\n"))


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code.

    Raises:
        SparkError.
    """
    use_one_blas_thread()  # before any command imports numpy
    _stand_somewhere()
    at = _first_word(arguments)
    name = arguments[at] if at is not None else None
    if at is None or name not in COMMANDS:
        parser = _screen_parser()
        if name is not None:
            parser.hint = partial(_meant, name)
        return _run(parser, "spark_tui.cli.screen", arguments)
    module, summary = COMMANDS[name]
    parser = Parser(prog=f"spark {name}", description=summary, allow_abbrev=False)
    return _run(parser, module, [*arguments[:at], *arguments[at + 1 :]])


def _meant(word: str) -> str:
    """What to say to whoever began with a word that is no command and went on."""
    from difflib import get_close_matches  # here: every start would wait for it

    near = get_close_matches(word, COMMANDS, 1)
    return f"did you mean `spark {near[0]}`?" if near else "put an instruction between quotes"


def _stand_somewhere() -> None:
    """Refuse to work in a folder that is gone: nothing could be found from there."""
    try:
        os.getcwd()  # noqa: PTH109 - only whether it works
    except OSError as e:
        raise FileError(f"the current folder is gone ({e.strerror}); cd to another one") from e


def command_in(module: str) -> CommandModule:
    """The command that a module is."""
    return cast("CommandModule", importlib.import_module(module))


def _run(parser: Parser, module: str, arguments: Sequence[str]) -> int:
    command = command_in(module)
    parser.add_argument(
        "-C", dest="folder", metavar="DIR", default=".", help="work in DIR instead of here"
    )
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))


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
    """Where the first argument that is no option stands; what follows `--` is never a command."""
    skip = False
    for at, argument in enumerate(arguments):
        if argument == "--":
            return None
        if not skip and not argument.startswith("-"):
            return at
        skip = not skip and argument in _TAKE_A_VALUE
    return None
