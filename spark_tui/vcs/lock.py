"""One spark at a time writes to a repository, its linked work trees included."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spark_tui.errors import FileError, Transient
from spark_tui.own_folders import remedy
from spark_tui.vcs import lock_file, open_flags

_FLAGS = os.O_RDWR | os.O_CREAT | open_flags.FILE | open_flags.NO_LINK

_PATIENCE = 0.5  # seconds: longer than an accept takes
_PAUSE = 0.02  # seconds between two looks


@contextmanager
def exclusive(path: Path, *, patience: float | None = None) -> Iterator[None]:
    """Hold the lock at `path` for the length of a `with`; the system frees it should the process die.

    Args: patience: seconds to wait for it; default longer than an accept takes.
    Raises: Transient: someone else holds it, and goes on doing so. FileError: the lock file cannot be made.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(path, _FLAGS, 0o600)
    except OSError as e:
        advice = remedy(e, path, "XDG_STATE_HOME")
        raise FileError(f"cannot write to {path.parent}: {e.strerror}; {advice}") from e
    try:
        _take(file, path, _PATIENCE if patience is None else patience)
        lock_file.sign(file, b"%d\n" % os.getpid())
        yield
        lock_file.sign(file, b"")
    finally:
        os.close(file)


def _take(file: int, path: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            lock_file.take(file)
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
    number = lock_file.signature(file)
    who = f"another spark (process {int(number)})" if number.isdigit() else "another spark"
    stop = f", or end it with `kill {int(number)}`" if number.isdigit() else ""
    return f"{who} is writing to this repository; wait for it{stop}, then try again"
