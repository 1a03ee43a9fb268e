"""What to say of a fault that nobody foresaw, and the report of it for those who can mend it."""

import errno
import os
import sys
import time
from pathlib import Path

from spark_tui.config import state_dir
from spark_tui.errors import FileError, SparkError

_LONGEST = 300
_MOST_CAUSES = 8
"""Of an error, that are looked at."""
_LIMITS = {
    errno.EMFILE: "`ulimit -n` shows how many files spark may open: raise it, say to 1024",
    errno.ENFILE: "no program can open more files: close some programs, then try again",
    errno.ENOMEM: "close other programs, or raise `ulimit -v`",
    errno.EAGAIN: "`ulimit -u` shows how many processes you may have: end some, or raise it",
}
"""What can be done about limits of the system."""
_READING = {
    errno.EIO: "the disk is failing: check the system log, and save your work elsewhere",
    errno.ESTALE: "the file system went away: mount it again, then try again",
    errno.ETIMEDOUT: "the file system does not answer: check the network, then try again",
    errno.ENOTCONN: "the file system went away: mount it again, then try again",
}
"""What can be done where a file cannot be read."""
_WORDS = {os.strerror(code): code for code in _LIMITS} | {
    "failed to map segment": errno.ENOMEM,
    "can't start new thread": errno.EAGAIN,
}
"""What a limit is called where its number is lost: by the loader of libraries and by threads."""


def problem_of(error: Exception) -> SparkError:
    """An error in words for people.

    An error that nobody raised on purpose is written to a report that only the user can read.
    """
    if isinstance(error, SparkError):
        return error
    if isinstance(error, MemoryError):
        return SparkError(f"out of memory; {_more_memory()} or name a smaller model with -m")
    if words := _of_the_system(error):
        return FileError(words)
    words = f"unexpected {type(error).__name__}: {error}"[:_LONGEST]
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        _write(path, error)
    except OSError:
        return SparkError(f"{words}; please report it")
    return SparkError(f"{words}; please report it with {path}")


def _more_memory() -> str:
    """How to get more memory: by the limit of this process where it has one."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - hardly ever needed

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            return f"`ulimit -v` allows {limit >> 20} MB: raise it"
    return "close other programs"


def _of_the_system(error: BaseException) -> str:
    """What to say where the system refused a file or a limit is reached; "" for a fault of spark's.

    An import that fails for that reason wraps what the system said in an ImportError.
    """
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            break
        code = _code_of(cause)
        if code:
            return _sentence(cause, code)
        cause = cause.__cause__ or cause.__context__
    return ""


def _code_of(error: BaseException) -> int:
    """The errno with which the system refused, read from the number or the message; 0 if none."""
    if isinstance(error, MemoryError):
        return errno.ENOMEM
    if isinstance(error, OSError) and error.errno in {*_LIMITS, *_READING}:
        return error.errno
    if isinstance(error, ImportError | OSError | RuntimeError):
        for words, code in _WORDS.items():
            if words in str(error):
                return code
    return 0


def _sentence(error: BaseException, code: int) -> str:
    """One line that names the file, where the system says which, and the way out."""
    name = getattr(error, "filename", None) or getattr(error, "path", None)
    where = f"cannot read {os.fsdecode(name)}" if isinstance(name, str | bytes) else "cannot go on"
    return f"{where}: {os.strerror(code)}; {(_LIMITS | _READING)[code]}"


def _write(path: Path, error: Exception) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(_report(error), "utf-8", "backslashreplace")


def _report(error: Exception) -> str:
    """What a report says: versions and where it happened, no values of variables."""
    import platform  # noqa: PLC0415 - hardly ever needed
    import traceback  # noqa: PLC0415

    from spark_tui import __version__  # noqa: PLC0415

    made_with = f"spark {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "".join((made_with, "\n\n", *traceback.format_exception(error)))
