"""Reads the small files that spark itself keeps, whatever stands in their place.

Anybody who may write to a folder can put a pipe there, which nobody writes to, or a link to
/dev/zero, which never ends. So a file is opened without waiting, looked at, and read up to a bound.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opens a pipe without waiting for its other end; Windows has no such pipes."""
_NO_CHILD = getattr(os, "O_CLOEXEC", 0)
_ODD = "it is no regular file; move it away"
MOST_BYTES = 16 << 20
"""Far more bytes than spark writes into such a file."""


class OddFile(OSError):
    """What is at a path is no file that spark has written there."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, or the one that a link leads to, to read it for a `with`.

    Raises:
        OddFile: A pipe, a device or a socket is there.
        OSError: There is no file, or it cannot be read.
    """
    try:
        file = os.open(path, os.O_RDONLY | _AT_ONCE | _NO_CHILD)
    except OSError as e:
        if e.errno == errno.ENXIO:  # a socket
            raise OddFile(e.errno, _ODD, str(path)) from e
        raise
    with os.fdopen(_regular(file, path), "rb") as stream:
        yield stream


def _regular(file: int, path: Path) -> int:
    """The descriptor of an open file, if the file is regular; else it is closed.

    Raises:
        OSError: It is not.
    """
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return file
    os.close(file)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OddFile(errno.EINVAL, _ODD, str(path))


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file as `opened` opens it.

    Args:
        path: The file.
        most: The most bytes that it may have.

    Raises:
        OddFile: As `opened`, or the file is larger.
        OSError: As `opened`.
    """
    with opened(path) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OddFile(errno.EFBIG, f"it has more than {most:,} bytes; move it away", str(path))
    return data


def read_small_text(path: Path, errors: str = "strict") -> str:
    """As `read_small`, as UTF-8 with line feeds.

    Args:
        errors: As for `bytes.decode`.

    Raises:
        UnicodeDecodeError: It is no UTF-8.
    """
    text = read_small(path).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
