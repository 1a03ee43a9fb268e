"""One writer at a time.

A file that at most one process holds; the system frees it when that process ends.

One spark at a time writes to a repository, its linked work trees included.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark_tui import windows
from spark_tui.errors import FileError, Transient
from spark_tui.own_folders import remedy
from spark_tui.vcs import safe_paths

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

_LONGEST = 32
"""Bytes of a signature."""


def take(file: int) -> None:
    """Hold an open file.

    Raises:
        BlockingIOError: Another process does.
    """
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sign(file: int, who: bytes) -> None:
    """Say who holds it, for others to read; a full disk does not make it a lesser lock."""
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, who, 0)


def signature(file: int) -> bytes:
    """Who holds it, as signed; nothing where nobody has."""
    return os.pread(file, _LONGEST, 0).strip()


_FLAGS = os.O_RDWR | os.O_CREAT | safe_paths.FILE | safe_paths.NO_LINK

_PATIENCE = 0.5  # seconds: longer than an accept takes
_PAUSE = 0.02  # seconds between two looks


@contextmanager
def exclusive(path: Path, *, patience: float | None = None) -> Iterator[None]:
    """Hold the lock at `path` for the length of a `with`; the system frees it should the process
    die.

    Args:
        patience: Seconds to wait for it; default longer than an accept takes.

    Raises:
        Transient: Someone else holds it, and goes on doing so.
        FileError: The lock file cannot be made.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(path, _FLAGS, 0o600)
    except OSError as e:
        advice = remedy(e, path, "XDG_STATE_HOME")
        raise FileError(f"cannot write to {path.parent}: {e.strerror}; {advice}") from e
    try:
        _take(file, path, _PATIENCE if patience is None else patience)
        sign(file, b"%d\n" % os.getpid())
        yield
        sign(file, b"")
    finally:
        os.close(file)


def _take(file: int, path: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            take(file)
        except BlockingIOError as e:
            if time.monotonic() > end:
                raise Transient(_holder(file)) from e
            time.sleep(_PAUSE)
        except OSError as e:  # as where a network file system has no locks
            advice = remedy(e, path, "XDG_STATE_HOME")
            raise FileError(f"cannot lock {path}: {e.strerror}; {advice}") from e
        else:
            return


def _holder(file: int) -> str:
    number = signature(file)
    who = f"another spark (process {int(number)})" if number.isdigit() else "another spark"
    stop = f", or end it with `kill {int(number)}`" if number.isdigit() else ""
    return f"{who} is writing to this repository; wait for it{stop}, then try again"
