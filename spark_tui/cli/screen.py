"""`spark [PROMPT]`: the screen."""

import argparse
import gc
import os
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.common import add_model_argument, add_pace_argument, open_session, settings_of
from spark_tui.config import Settings
from spark_tui.errors import UsageError

if TYPE_CHECKING:
    from spark_tui.tui.watchdog import Watchdog


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """Open the screen on the repository.

    Raises:
        SparkError: It cannot be opened.
    """
    settings = settings_of(args, in_full=True)
    return open_screen(
        Path(args.folder), settings, prompt=args.prompt, resume=args.resume, again=args.again
    )


def open_screen(
    folder: Path, settings: Settings, *, prompt: str, resume: str | None = None, again: bool = False
) -> int:
    """Open the screen, or begin to talk in plain lines where the user wants that.

    Args:
        prompt: Typed in, not sent.
        resume: Show earlier turns: of the session that begins so, or "" for all.
        again: Bring back the last turn's words.

    Returns:
        The exit code.
    """
    if settings.plain or os.environ.get("TERM") == "dumb":
        _check(folder)
        from spark_tui.cli.plain import talk

        load = partial(open_session, folder, settings)
        return end(talk(load, settings, prompt=prompt, resume=resume, again=again))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; `spark exec INSTRUCTION` and `--plain` work without one"
        )
    _check(folder)
    watchdog = _watchdog(sys.stdout.fileno())
    # until the session is there: what a start makes is kept, and looking through it takes a tenth
    # of it
    gc.disable()
    from spark_tui.tui.app import Outside
    from spark_tui.tui.app import run as run_app

    outside = Outside(partial(_findings, folder), resume, again)
    code = run_app(
        partial(open_session, folder, settings, tell=outside.notices.put),
        settings,
        prompt=prompt,
        tell=output.say,
        watchdog=watchdog,
        outside=outside,
    )
    return end(code)


def _findings(folder: Path) -> list[str]:
    from spark_tui.cli.doctor import findings_of, lines_of

    return [line for each in findings_of(folder) for line in lines_of(each)]


def end(code: int) -> int:
    """End the process now if threads remain that only it can end, say one that still reads a
    model.
    """
    if threading.active_count() > 1:
        output.flush()
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

    What is there is only opened after the first paint.
    """
    start = folder.resolve()
    if not any((each / ".git").exists() for each in (start, *start.parents)):
        from spark_tui.vcs.repository import Repository

        Repository.discover(folder)
