"""Whether another process has a file open; the kernel tells through leases, on most local file systems."""

import errno
import fcntl
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def open_for_writing(file: int) -> bool:
    """Whether any process can still write to a file, given a descriptor of it that reads. False where nobody knows."""
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@contextmanager
def alone(file: int) -> Iterator[None]:
    """Let others wait who open this file (Source: fcntl(2): for 45 s at most), where nobody else has it open now.

    Args: file: a descriptor that reads and writes.
    """
    with suppress(OSError):
        # The signal that tells of someone waiting: one that does nothing, instead of SIGIO, which kills.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
