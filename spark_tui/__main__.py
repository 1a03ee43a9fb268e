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
    except Exception as e:  # noqa: BLE001 - the one place that may: nothing above could show it
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
    """Write a crash report. Returns: what happened and where the report is."""
    import time
    import traceback

    from spark_tui.config import state_dir

    words = f"unexpected {type(error).__name__}: {error}"
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
    except OSError:
        return f"{words}; please report it"
    return f"{words}; please report it with {path}"


if __name__ == "__main__":
    sys.exit(main())
