"""`spark demo`: an example project in a temporary repository, with a first instruction ready."""

import argparse
import shutil
import tempfile
from pathlib import Path

from spark_tui.cli import exec as exec_command
from spark_tui.cli import output
from spark_tui.cli.common import add_model_argument, add_pace_argument, settings_of
from spark_tui.cli.main import Parser
from spark_tui.cli.screen import open_screen
from spark_tui.resources import examples_dir

PROJECT = "expenses"
INSTRUCTION = "rename d to expenses"
PLACE = "storage.py::load"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark demo`."""
    parser.add_argument(
        "--print", action="store_true", help="do the edit without the screen and print the patch"
    )
    parser.add_argument("--theme", help="the name of a theme")
    add_pace_argument(parser)
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Make the copy and work in it.

    Raises:
        SparkError.
    """
    settings = settings_of(args, in_full=True)
    folder = make_copy()
    output.say(f"spark: demo project at {folder}")
    if not args.print:
        return open_screen(folder, settings, prompt=f"@{PLACE} {INSTRUCTION}")
    parser = Parser(prog="spark demo")
    exec_command.add_arguments(parser)
    model = ["--model", args.model] if args.model else []
    rest = parser.parse_args([INSTRUCTION, "--at", PLACE, *model])
    rest.folder = str(folder)
    return exec_command.run(rest)


def make_copy(project: str = PROJECT) -> Path:
    """Copy an example project into a new git repository with one commit."""
    from spark_tui.vcs.git import run_git

    folder = Path(tempfile.mkdtemp(prefix="spark-demo-")).resolve()
    shutil.copytree(examples_dir() / project, folder, dirs_exist_ok=True, ignore=_IGNORED)
    run_git(["init", "--quiet", "--initial-branch=main"], cwd=folder)
    for args in (
        ["config", "user.name", "spark demo"],
        ["config", "user.email", "demo@localhost"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", f"Begin {project}"],
    ):
        run_git(args, git_dir=folder / ".git", work_tree=folder)
    return folder
