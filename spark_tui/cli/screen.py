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
from spark_tui.cli.start import add_model_argument, add_pace_argument, open_session, settings_of
from spark_tui.config import Settings
from spark_tui.engine.blas import use_one_blas_thread
from spark_tui.errors import UsageError
from spark_tui.resources import models_dir

if TYPE_CHECKING:
    from spark_tui.tui.watchdog import Watchdog


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark` itself."""
    parser.add_argument("prompt", nargs="?", default="", metavar="PROMPT", help="an instruction to begin with")
    parser.add_argument("--theme", help="the name of a theme")
    add_pace_argument(parser)
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screen on the repository. Raises: SparkError: it cannot be opened."""
    return open_screen(Path(args.folder), settings_of(args), prompt=args.prompt)


def open_screen(folder: Path, settings: Settings, *, prompt: str) -> int:
    """Open the screen. Args: prompt: typed in, not sent. Returns: the exit code."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal; `spark exec INSTRUCTION` works without one")
    _check(folder, settings.model)
    _check_pace(settings.pace)
    watchdog = _watchdog(sys.stdout.fileno())
    gc.disable()  # until the session is there: what a start makes is kept, and looking through it takes a tenth of it
    from spark_tui.tui.app import run as run_app

    load = partial(open_session, folder, settings)
    code = run_app(load, settings, prompt=prompt, tell=output.say, watchdog=watchdog)
    return _end(code)


def _end(code: int) -> int:
    """End the process now if threads remain that only it can end, say one that still reads a model."""
    if threading.active_count() > 1:
        output.flush()
        os._exit(code)
    return code


def _watchdog(terminal: int) -> "Watchdog | None":
    """Have one before anything large is imported; without one spark works, too."""
    if sys.platform == "win32":
        return None
    from spark_tui.tui.watchdog import Watchdog

    try:
        return Watchdog(terminal)
    except OSError:
        return None


def _check_pace(name: str) -> None:
    """Refuse what is no pace. Raises: UsageError."""
    if name != "real":
        use_one_blas_thread()
        from spark_tui.session.pacing import check_pace

        check_pace(name)


def _check(folder: Path, model: str) -> None:
    """Refuse what cannot work before the screen opens. What is there is only opened after the first paint."""
    start = folder.resolve()
    if not any((each / ".git").exists() for each in (start, *start.parents)):
        from spark_tui.vcs.repository import Repository

        Repository.discover(folder)
    if not (models_dir() / model).is_dir() and not Path(model).exists():
        use_one_blas_thread()
        from spark_tui.engine.library import find_model

        find_model(model)
