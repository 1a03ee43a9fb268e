"""Puts unforeseen faults into words, and writes a report for those who can mend them."""

import errno
import os
import sys
import time
from pathlib import Path

from spark_tui.config import state_dir
from spark_tui.errors import FileError, SparkError
from spark_tui.remedies import INTERRUPTED, LIMITS, UNREADABLE

_LONGEST = 300
_NUMBA_CACHE = "cannot cache function"
_ADVICE = LIMITS | UNREADABLE | INTERRUPTED
_MOST_CAUSES = 8
"""Causes of an error that are looked at."""
_WORDS = {os.strerror(code): code for code in LIMITS | INTERRUPTED} | {
    "failed to map segment": errno.ENOMEM,
    "can't start new thread": errno.EAGAIN,
}
"""The words for a limit where its number is lost: of the system, of the loader, of threads."""


def problem_of(error: Exception) -> SparkError:
    """Turn any error into one with a message for people.

    An error that nobody raised on purpose is written to a report that only the user can read.
    """
    if isinstance(error, SparkError):
        return error
    if isinstance(error, MemoryError):
        return SparkError(f"out of memory; {_more_memory()} or name a smaller model with -m")
    if words := _of_the_system(error) or _of_an_import(error):
        return FileError(words)
    words = f"unexpected {type(error).__name__}: {error}"[:_LONGEST]
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        _write(path, error)
    except OSError:
        return SparkError(f"{words}; please report it")
    return SparkError(f"{words}; please report it with {path}")


def _more_memory() -> str:
    """Say how to get more memory: by the limit of this process where it has one."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - hardly ever needed

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            return f"`ulimit -v` allows {limit >> 20} MB: raise it"
    return "close other programs"


def _of_the_system(error: BaseException) -> str:
    """Word an error where the system refused a file or a limit is reached; "" for a fault of spark.

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


def _of_an_import(error: BaseException) -> str:
    """Word an error where something installed could not be loaded; "" where it is not installed.

    Some loaders keep the error of the system to themselves.
    """
    if isinstance(error, ModuleNotFoundError) and error.name and _is_installed(error.name):
        what = f"cannot load {error.name}, though it is installed"
    elif _NUMBA_CACHE in str(error):
        what = "cannot keep compiled code, since no folder for it can be written to"
    else:
        return ""
    return f"{what}; try again, and see `ulimit -n`, `ulimit -v` and the system log if it stays so"


def _is_installed(name: str) -> bool:
    """Whether a module can be found now."""
    import importlib  # noqa: PLC0415 - hardly ever needed
    import importlib.util  # noqa: PLC0415

    importlib.invalidate_caches()
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, OSError, ValueError):
        return False


def _code_of(error: BaseException) -> int:
    """The errno with which the system refused, read from the number or the message; 0 if none."""
    if isinstance(error, MemoryError):
        return errno.ENOMEM
    if isinstance(error, OSError) and error.errno in _ADVICE:
        return error.errno
    if isinstance(error, ImportError | OSError | RuntimeError):
        for words, code in _WORDS.items():
            if words in str(error):
                return code
    return 0


def _sentence(error: BaseException, code: int) -> str:
    """Return one line that names the file, where the system says which, and the remedy."""
    name = getattr(error, "filename", None) or getattr(error, "path", None)
    where = f"cannot read {os.fsdecode(name)}" if isinstance(name, str | bytes) else "cannot go on"
    return f"{where}: {os.strerror(code)}; {_ADVICE[code]}"


def _write(path: Path, error: Exception) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # with its permissions before any text is in it: the message of an error may hold the user's
    # code
    path.touch(mode=0o600)
    path.write_text(_report(error), "utf-8", "backslashreplace")


def _report(error: Exception) -> str:
    """Write a report: versions and where the error happened, no values of variables."""
    import platform  # noqa: PLC0415 - hardly ever needed
    import traceback  # noqa: PLC0415

    from spark_tui import __version__, system  # noqa: PLC0415

    made_with = (
        f"spark {__version__}, Python {platform.python_version()}, {system.describe_machine()}"
    )
    return "".join((made_with, "\n\n", *traceback.format_exception(error)))
