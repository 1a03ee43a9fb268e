"""`spark` and `spark demo`: open the screen on a repository, or on a copy of an example."""

import argparse
import gc
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import exec as exec_command
from spark_tui.cli import output
from spark_tui.cli.common import (
    add_model_argument,
    add_no_serve_argument,
    add_pace_argument,
    open_session,
    settings_of,
)
from spark_tui.cli.main import SCREEN, Parser, Subcommand
from spark_tui.config import Settings, added_models, data_dir, state_dir
from spark_tui.errors import SparkError, UsageError
from spark_tui.resources import examples_dir

if TYPE_CHECKING:
    from spark_tui.session.change_review import ReviewSource
    from spark_tui.session.session import Session
    from spark_tui.tui.watchdog import Watchdog


def add_screen_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark` itself."""
    parser.add_argument(
        "prompt", nargs="?", default="", metavar="PROMPT", help="an instruction to begin with"
    )
    parser.add_argument("--theme", help="the name of a theme")
    add_pace_argument(parser)
    parser.add_argument(
        "--plain", action="store_true", default=None, help="lines of text instead of the screen"
    )
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument(
        "-c",
        "--continue",
        dest="again",
        action="store_true",
        help="bring back the last turn's words",
    )
    earlier.add_argument(
        "-r",
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="choose among earlier turns, or those of one session",
    )
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run_screen(args: argparse.Namespace) -> int:
    """Open the screen on the repository.

    Raises:
        SparkError: The screen cannot be opened.
    """
    settings = settings_of(args, in_full=True)
    return open_screen(
        Path(args.folder),
        settings,
        prompt=args.prompt,
        resume=args.resume,
        again=args.again,
        serve=not args.no_serve,
    )


def open_screen(
    folder: Path,
    settings: Settings,
    *,
    prompt: str,
    resume: str | None = None,
    again: bool = False,
    review: "ReviewSource | None" = None,
    serve: bool = True,
) -> int:
    """Open the screen, or begin to talk in plain lines where the user wants that.

    Args:
        prompt: Typed in, not sent.
        resume: Show earlier turns: of the session that begins so, or "" for all.
        again: Bring back the last turn's words.
        review: A change to review; the model is then loaded beside, if there is one.
        serve: Use the engine of `spark serve`, if one runs.

    Returns:
        The exit code.
    """
    if settings.plain or os.environ.get("TERM") == "dumb":
        _check(folder)
        from spark_tui.cli.plain import talk

        load = partial(open_session, folder, settings, serve=serve)
        return end(talk(load, settings, prompt=prompt, resume=resume, again=again))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; `spark exec INSTRUCTION` and `--plain` work without one"
        )
    _check(folder)
    watchdog = _watchdog(sys.stdout.fileno())
    # Until the session is ready: all that a start creates stays, and the collector would take a
    # tenth of the start to look through it.
    gc.disable()
    from spark_tui.tui.app import Outside
    from spark_tui.tui.app import run as run_app

    outside = Outside(partial(_findings, folder), resume, again, review=review)
    is_late = review is not None

    def load_beside() -> "Session":
        session = open_session(
            folder, settings, serve=serve, tell=outside.notices.put, is_late=is_late
        )
        offer_second_model(session.notices.append)
        return session

    code = run_app(
        load_beside,
        settings,
        prompt=prompt,
        tell=output.say,
        watchdog=watchdog,
        outside=outside,
    )
    return end(code)


_OFFER = "`spark model add spark-l` adds a larger model to this machine, 1.1 GB"


def offer_second_model(tell: Callable[[str], object]) -> None:
    """Say, once in the life of an installation, that a larger model can be added where it fits.

    Args:
        tell: Hears the sentence.
    """
    from spark_tui.cli.catalogue import catalogue, require_room

    told = state_dir() / "told" / "spark-l"
    if told.exists() or "spark-l" in added_models():
        return
    # Where the note cannot be written, the sentence would come at every start.
    with suppress(SparkError, OSError):
        require_room(catalogue()["spark-l"], data_dir())
        told.parent.mkdir(parents=True, exist_ok=True)
        told.touch()
        tell(_OFFER)


def _findings(folder: Path) -> list[str]:
    from spark_tui.cli.doctor import findings_of, lines_of

    lines = []
    for finding in findings_of(folder):
        lines += lines_of(finding)
    return lines


def end(code: int) -> int:
    """End the process now if threads remain, say one that still reads a model."""
    if threading.active_count() > 1:
        output.flush()
        # At its own end the interpreter waits for threads; one may read a model for seconds.
        os._exit(code)
    return code


def _watchdog(terminal: int) -> "Watchdog | None":
    """Have one before anything large is imported; without one spark works, too."""
    from spark_tui.tui.watchdog import Watchdog

    try:
        return Watchdog(terminal)
    except OSError:
        return None


def _check(folder: Path) -> None:
    """Refuse what cannot work before the screen opens.

    A repository that exists is only opened after the first paint.
    """
    start = folder.resolve()
    # A plain look first: git takes long to start, and is asked only to word the refusal.
    if not any((above / ".git").exists() for above in (start, *start.parents)):
        from spark_tui.vcs.repository import Repository

        Repository.discover(folder)


PROJECT = "expenses"
INSTRUCTION = "rename d to expenses"
PLACE = "storage.py::load"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark demo`."""
    parser.add_argument(
        "--print", action="store_true", help="do the edit without the screen and print the patch"
    )
    parser.add_argument("--theme", help="the name of a theme")
    add_pace_argument(parser)
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run_demo(args: argparse.Namespace) -> int:
    """Make a copy of the example and work in it.

    Raises:
        SparkError: The copy cannot be made, or the screen or the turn fails.
    """
    settings = settings_of(args, in_full=True)
    folder = make_copy()
    output.say(f"spark: demo project at {folder}")
    if not args.print:
        words = f"@{PLACE} {INSTRUCTION}"
        return open_screen(folder, settings, prompt=words, serve=not args.no_serve)
    parser = Parser(prog="spark demo")
    exec_command.add_arguments(parser)
    options = ["--model", args.model] if args.model else []
    if args.no_serve:
        options.append("--no-serve")
    rest = parser.parse_args([INSTRUCTION, "--at", PLACE, *options])
    rest.folder = str(folder)
    return exec_command.run(rest)


def make_copy(project: str = PROJECT) -> Path:
    """Copy an example project into a new git repository with one commit."""
    from spark_tui.vcs.git import run_git
    from spark_tui.vcs.repository import take_no_programs_around

    take_no_programs_around(Path())
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


COMMANDS = {
    SCREEN: Subcommand(add_screen_arguments, run_screen),
    "demo": Subcommand(add_demo_arguments, run_demo),
}
