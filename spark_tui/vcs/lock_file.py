"""A file that at most one process holds; the system frees it when that process ends.

This module stands apart from `lock`, so that a type check for Windows, which has no `flock`, stops
at its top.
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
    """Lock an open file for this process.

    Raises:
        BlockingIOError: Another process holds the file.
    """
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sign(file: int, who: bytes) -> None:
    """Write the name of the holder into a locked file, for others to read."""
    with suppress(OSError):  # a full disk does not make the lock weaker
        os.ftruncate(file, 0)
        os.pwrite(file, who, 0)


def signature(file: int) -> bytes:
    """The name of the holder, as `sign` wrote it; empty where nobody has signed."""
    return os.pread(file, _MOST_SIGNATURE_BYTES, 0).strip()
