"""Renames in an open folder that take a single step: an exchange, and a move that replaces nothing.

Linux and macOS have both, by different names; `spark doctor` tells where neither can be called.
"""

import ctypes
import errno
import os
import sys

UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})
"""What an OSError says where the kernel, or the file system, has no such renames."""

_library = ctypes.CDLL(None, use_errno=True)

if sys.platform == "darwin":
    # Source: renameatx_np(2), <sys/stdio.h>: RENAME_EXCL, RENAME_SWAP.
    _system_call = getattr(_library, "renameatx_np", None)
    _EXCLUSIVE = 0x4
    _EXCHANGE = 0x2
else:
    # Source: renameat2(2): RENAME_NOREPLACE, RENAME_EXCHANGE.
    _system_call = getattr(_library, "renameat2", None)
    _EXCLUSIVE = 0x1
    _EXCHANGE = 0x2


def exchange(one: str, other: str, folder: int) -> None:
    """Swap what two names in an open folder stand for.

    Raises:
        OSError: refused, and nothing has changed; of `UNSUPPORTED` where there is no such rename.
    """
    _rename(one, other, folder, _EXCHANGE)


def move(old: str, new: str, folder: int) -> None:
    """Give a file in an open folder a name that nothing has.

    Raises:
        FileExistsError: something has the name.
        OSError: as for `exchange`.
    """
    _rename(old, new, folder, _EXCLUSIVE)


def _rename(old: str, new: str, folder: int, flags: int) -> None:
    if _system_call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    names = os.fsencode(old), os.fsencode(new)
    while _system_call(folder, names[0], folder, names[1], ctypes.c_uint(flags)) < 0:
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code), old, None, new)
