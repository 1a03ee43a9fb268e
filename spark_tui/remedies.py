"""The advice for errors of the system, by the number of the error."""

import errno

LIMITS = {
    errno.EMFILE: "`ulimit -n` shows how many files spark may open: raise it, say to 1024",
    errno.ENFILE: "no program can open more files: close some programs, then try again",
    errno.ENOMEM: "memory is short: close other programs, or raise `ulimit -v`",
    errno.EAGAIN: "`ulimit -u` shows how many processes you may have: end some, or raise it",
}
"""Limits of the system, or of this process."""

UNREADABLE = {
    errno.EIO: "the disk is failing: check the system log, and save your work elsewhere",
    errno.ESTALE: "the file system went away: mount it again, then try again",
    errno.ETIMEDOUT: "the file system does not answer: check the network, then try again",
    errno.ENOTCONN: "the file system went away: mount it again, then try again",
}
"""File systems that do not answer."""

INTERRUPTED = {errno.EINTR: "a signal interrupted spark: try again"}

NO_ROOM = {
    errno.ENOSPC: "free some space, then try again",
    errno.EDQUOT: "your quota is used up: delete something, then try again",
}
"""File systems that are full."""


def words_of(error: OSError) -> str:
    """Return the system's words for an error, else its message, else its type."""
    return error.strerror or str(error) or type(error).__name__
