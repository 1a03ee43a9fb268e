"""One spark at a time writes to a repository, its linked work trees included."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spark_tui.errors import FileError, Transient

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock at `path` for the length of a `with`; the system frees it should the process die.

    Raises: Transient: someone else holds it. FileError: the lock file cannot be made.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(path, _FLAGS, 0o600)
    except OSError as e:
        raise FileError(f"cannot write to {path.parent}: {e.strerror}; set XDG_STATE_HOME to a folder of yours") from e
    try:
        _take(file)
        yield
    finally:
        os.close(file)


def _take(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as e:
        raise Transient("another spark is writing to this repository; try again in a moment") from e
