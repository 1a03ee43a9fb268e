"""Renames that swap two names, or refuse to replace one, in a single step; Linux has them, on most file systems."""

import ctypes
import errno
import os

# Source: renameat2(2).
_NOREPLACE, _EXCHANGE = 1, 2

UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})
"""What an OSError says where the kernel, or the file system, has no such renames."""

_renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def exchange(one: str, other: str, folder: int) -> None:
    """Swap what two names in an open folder stand for.

    Raises: OSError: refused (UNSUPPORTED: not possible here); nothing has changed.
    """
    _rename(one, other, folder, _EXCHANGE)


def rename_to_new(old: str, new: str, folder: int) -> None:
    """Give a file in an open folder another name that nothing has.

    Raises: OSError: refused (FileExistsError: something has it; UNSUPPORTED: not possible here); nothing has changed.
    """
    _rename(old, new, folder, _NOREPLACE)


def _rename(old: str, new: str, folder: int, flags: int) -> None:
    if _renameat2 is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    while _renameat2(folder, os.fsencode(old), folder, os.fsencode(new), ctypes.c_uint(flags)) < 0:
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code), old, None, new)
