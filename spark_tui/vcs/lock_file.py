"""A file that at most one process holds; the system frees it when that process ends."""

import fcntl
import os
import sys
from contextlib import suppress

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

_LONGEST = 32
"""Bytes of a signature."""


def take(file: int) -> None:
    """Hold an open file. Raises: BlockingIOError: another process does."""
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sign(file: int, who: bytes) -> None:
    """Say who holds it, for others to read; a full disk does not make it a lesser lock."""
    with suppress(OSError):
        os.ftruncate(file, 0)
        os.pwrite(file, who, 0)


def signature(file: int) -> bytes:
    """Who holds it, as signed; nothing where nobody has."""
    return os.pread(file, _LONGEST, 0).strip()
