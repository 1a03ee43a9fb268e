"""What errors of the disk mean, in words for people."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from spark_tui.errors import DiskError
from spark_tui.remedies import LIMITS, NO_ROOM, UNREADABLE, words_of

_REMEDIES = {
    **NO_ROOM,
    **UNREADABLE,
    **LIMITS,
    errno.EACCES: "check the permissions with `ls -l`",
    errno.EPERM: "check the permissions with `ls -l`, the attributes with `lsattr`",
    errno.EBUSY: "something is mounted on it: unmount that, then try again",
    errno.EROFS: "this file system is mounted read-only: remount it to write",
    errno.ENOENT: "something was moved meanwhile: try again",
    errno.ENAMETOOLONG: "the name is too long for a copy of it: use a shorter one",
}


@contextmanager
def as_disk_error(what: str) -> Iterator[None]:
    """Turn an error of the system within a `with` into one for people.

    Args:
        what: What was not possible: the beginning of the message.

    Raises:
        DiskError: In place of the OSError.
    """
    try:
        yield
    except OSError as e:
        raise DiskError(f"{what}: {in_words(e)}") from e


def in_words(error: OSError) -> str:
    """The system's words for an error, and what to do about it where anything can be done."""
    remedy = _REMEDIES.get(error.errno or 0)
    words = words_of(error)
    return f"{words}; {remedy}" if remedy else words
