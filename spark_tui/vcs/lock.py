"""Lock files, so that one spark at a time writes to a repository and its linked work trees.

At most one process holds a lock file; the system frees it when that process ends. The holder signs
the file with its number, for the message that others show.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spark_tui.errors import FileError, Transient
from spark_tui.own_folders import remedy
from spark_tui.remedies import words_of
from spark_tui.vcs import lock_file
from spark_tui.vcs.disk import NO_LINK, OPEN_FILE

_FLAGS = os.O_RDWR | os.O_CREAT | OPEN_FILE | NO_LINK

_PATIENCE_SECONDS = 0.5  # longer than an accept takes
_SECONDS_BETWEEN_TRIES = 0.02


@contextmanager
def exclusive(path: Path, *, patience: float | None = None) -> Iterator[None]:
    """Hold the lock at `path` for the length of a `with`.

    Args:
        patience: Seconds to wait for the lock; default longer than an accept takes.

    Raises:
        Transient: Another process held the lock all the time.
        FileError: The lock file cannot be made.
    """
    if patience is None:
        patience = _PATIENCE_SECONDS
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(path, _FLAGS, 0o600)
    except OSError as e:
        advice = remedy(e, path, "XDG_STATE_HOME")
        raise FileError(f"cannot write to {path.parent}: {words_of(e)}; {advice}") from e
    try:
        _take_patiently(file, path, patience)
        lock_file.sign(file, b"%d\n" % os.getpid())
        yield
        # Emptied and not removed: who waits has this very file open, and would then hold a lock
        # that nobody else can find.
        lock_file.sign(file, b"")
    finally:
        os.close(file)  # the system frees the lock with this


def _take_patiently(file: int, path: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            lock_file.take(file)
        except BlockingIOError as e:
            if time.monotonic() > end:
                raise Transient(_describe_holder(file)) from e
            time.sleep(_SECONDS_BETWEEN_TRIES)
        except OSError as e:  # as on a network file system without locks
            advice = remedy(e, path, "XDG_STATE_HOME")
            raise FileError(f"cannot lock {path}: {words_of(e)}; {advice}") from e
        else:
            return


def _describe_holder(file: int) -> str:
    """Who holds a lock, as a message that says what to do."""
    number = lock_file.signature(file)
    if not number.isdigit():
        return "another spark is writing to this repository; wait for it, then try again"
    process = int(number)
    return (
        f"another spark (process {process}) is writing to this repository; wait for it, or end it "
        f"with `kill {process}`, then try again"
    )
