"""What errors of the disk mean, in words for people."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from spark_tui.errors import DiskError

_REMEDIES = {
    errno.ENOSPC: "free some space, then try again",
    errno.EDQUOT: "your quota is used up: delete something, then try again",
    errno.EIO: "the disk is failing: check the system log, and save your work elsewhere",
    errno.EACCES: "check the permissions with `ls -l`",
    errno.EPERM: "check the permissions with `ls -l`, the attributes with `lsattr`",
    errno.EBUSY: "something is mounted on it: unmount that, then try again",
    errno.EROFS: "this file system is mounted read-only: remount it to write",
    errno.EMFILE: "`ulimit -n` shows how many files spark may open: raise it, say to 1024",
    errno.ENFILE: "no program can open more files: close some programs, then try again",
    errno.ENOMEM: "memory is short: close other programs, or raise `ulimit -v`",
    errno.EAGAIN: "`ulimit -u` shows how many processes you may have: end some, or raise it",
    errno.ENOENT: "something was moved meanwhile: try again",
    errno.ENAMETOOLONG: "the name is too long for a copy of it: use a shorter one",
}


@contextmanager
def told(what: str) -> Iterator[None]:
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
    words = error.strerror or str(error)
    return f"{words}; {remedy}" if remedy else words
