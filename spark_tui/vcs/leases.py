"""Whether another process has a file open: Linux tells through leases, on most local file systems.

Other systems do not tell; what is asked here has an answer there, too, which is that nobody is known to.
"""

import errno
import fcntl
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TRIES, _PAUSE = 10, 0.01  # and seconds between two: longer than it takes to read a file


def can_be_had(file: int) -> bool:
    """Whether the system has leases, and the file system of a descriptor that reads gives one."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True


def open_for_writing(file: int) -> bool:
    """Whether any process can still write to a file, given a descriptor of it that reads. False where nobody knows."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@contextmanager
def alone(file: int) -> Iterator[bool]:
    """Let others wait who open a file within a `with` (Source: fcntl(2): for 45 s at most).

    Args: file: a descriptor that reads and writes.
    Yields: whether nobody else has it open. True where nobody knows.
    """
    if sys.platform != "linux":
        yield True
        return
    # The signal that tells of someone waiting: one that does nothing, instead of SIGIO, which kills.
    with suppress(OSError):
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
    free = any(_taken(file) for _ in range(_TRIES))
    try:
        yield free
    finally:
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _taken(file: int) -> bool:
    if sys.platform != "linux":
        return True
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as e:
        if e.errno != errno.EAGAIN:
            return True
        time.sleep(_PAUSE)
        return False
    return True
