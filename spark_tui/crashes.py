"""What to say of a fault that nobody foresaw, and the report of it for those who can mend it."""

import os
import time
from pathlib import Path

from spark_tui.config import state_dir
from spark_tui.errors import SparkError

_LONGEST = 300


def problem_of(error: Exception) -> SparkError:
    """An error in words for people; one that nobody raised on purpose is written to a report, for their eyes alone."""
    if isinstance(error, SparkError):
        return error
    if isinstance(error, MemoryError):
        return SparkError("out of memory; close other programs or name a smaller model with -m")
    words = f"unexpected {type(error).__name__}: {error}"[:_LONGEST]
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        _write(path, error)
    except OSError:
        return SparkError(f"{words}; please report it")
    return SparkError(f"{words}; please report it with {path}")


def _write(path: Path, error: Exception) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(_report(error), "utf-8", "backslashreplace")


def _report(error: Exception) -> str:
    """What a report says: versions and where it happened, no values of variables."""
    import platform  # noqa: PLC0415 - hardly ever needed
    import traceback  # noqa: PLC0415

    from spark_tui import __version__  # noqa: PLC0415

    made_with = f"spark {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "".join((made_with, "\n\n", *traceback.format_exception(error)))
