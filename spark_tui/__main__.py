"""The outermost edge of the process: every way a command can end becomes an exit code and at most one line.

It imports what it needs when it runs, so that an interrupt in the very first moment ends as quietly as any other.
"""

import errno
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False  # typing itself takes longer to import than all that is here
if TYPE_CHECKING:
    from spark_tui.errors import SparkError

_INTERRUPTED = 130
_HUNG_UP = 129
_LONGEST = 300
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def main(argv: Sequence[str] | None = None) -> int:
    """Run spark and return its exit code; never raises and never shows a traceback.

    Args: argv: the arguments after the program's name; None takes those of the process.
    """
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return _INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    from spark_tui.cli import output
    from spark_tui.errors import Interrupted, SparkError

    try:
        return _carry_out(arguments)
    except BrokenPipeError:
        output.forget(sys.stdout)
        return 0
    except KeyboardInterrupt:
        problem: SparkError = Interrupted("interrupted")
    except SparkError as e:
        problem = e
    except MemoryError:
        problem = SparkError("out of memory; close other programs or name a smaller model with -m")
    except Exception as e:  # noqa: BLE001 - the one place that may: nothing above could show it
        if output.is_hang_up(e):
            return _HUNG_UP
        problem = _no_room(e) or SparkError(_crashed(e))
    return output.fail(problem, as_json=output.wants_json(arguments))


def _no_room(error: Exception) -> "SparkError | None":
    """What to say when nothing more can be written, here most often because stdout leads to a full disk."""
    from spark_tui.cli import output
    from spark_tui.errors import FileError

    if not isinstance(error, OSError) or error.errno not in _NO_ROOM:
        return None
    output.forget(sys.stdout)
    return FileError(f"cannot write: {error.strerror}; make room or write elsewhere")


def _carry_out(arguments: Sequence[str]) -> int:
    """Run the command, and see that what it printed has gone out."""
    from spark_tui.cli import output
    from spark_tui.cli.main import run

    output.prepare()
    code = run(arguments)
    sys.stdout.flush()
    return code


def _crashed(error: Exception) -> str:
    """Write a crash report, for the user's eyes alone. Returns: what happened and where the report is."""
    import time

    from spark_tui.config import state_dir

    words = f"unexpected {type(error).__name__}: {error}"[:_LONGEST]
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(_report(error), "utf-8", "backslashreplace")
    except OSError:
        return f"{words}; please report it"
    return f"{words}; please report it with {path}"


def _report(error: Exception) -> str:
    """What a report says: versions and where it happened, no values of variables."""
    import platform
    import traceback

    from spark_tui import __version__

    made_with = f"spark {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "".join((made_with, "\n\n", *traceback.format_exception(error)))


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # `python -m` looks for modules in the current folder, which is the user's repository
    sys.exit(main())
