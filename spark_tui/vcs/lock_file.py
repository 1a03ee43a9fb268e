"""A file that at most one process holds; the system frees it when that process ends.

Apart from `lock`, so that type checks for Windows, which has no such call, stop at the top.
"""

import fcntl
import os
import sys
from contextlib import suppress

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

_MOST_SIGNATURE_BYTES = 32
"""Far more digits than the number of a process has."""


def take(file: int) -> None:
    """Hold an open file.

    Raises:
        BlockingIOError: Another process holds the file.
    """
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sign(file: int, who: bytes) -> None:
    """Write into a held file who holds it, for others to read."""
    with suppress(OSError):  # a full disk does not make the lock weaker
        os.ftruncate(file, 0)
        os.pwrite(file, who, 0)


def signature(file: int) -> bytes:
    """Who holds a file, as signed; empty where nobody has signed."""
    return os.pread(file, _MOST_SIGNATURE_BYTES, 0).strip()
