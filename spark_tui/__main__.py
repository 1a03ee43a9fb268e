"""Runs spark, and turns every way a command can end into an exit code and at most one line.

Imports stand in the functions that use them, so that an interrupt in the very first moment ends as
quietly as any other.
"""

import errno
import sys
from collections.abc import Sequence

TYPE_CHECKING = False  # typing itself takes longer to import than all that is here
if TYPE_CHECKING:
    from spark_tui.errors import SparkError

_INTERRUPTED = 130
_HUNG_UP = 129
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def main(argv: Sequence[str] | None = None) -> int:
    """Run spark and return its exit code; never raises and never shows a traceback.

    Args:
        argv: The arguments after the program's name; None takes those of the process.
    """
    if sys.platform == "win32":
        sys.stderr.write(f"spark: {_on_windows()}\n")
        return 1
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return _INTERRUPTED


def _on_windows() -> str:
    from spark_tui import windows

    return windows.ADVICE


def _run(arguments: Sequence[str]) -> int:
    from spark_tui.cli import output
    from spark_tui.crash_report import problem_of  # where a limit is reached, nothing is imported
    from spark_tui.errors import Interrupted, SparkError

    try:
        return _carry_out(arguments)
    except BrokenPipeError:
        # The reader has what it wanted, such as `head`.
        output.forget(sys.stdout)
        return 0
    except KeyboardInterrupt:
        problem: SparkError = Interrupted("interrupted")
    except Exception as e:  # noqa: BLE001 - nothing above could show it
        if output.is_hang_up(e):
            return _HUNG_UP
        problem = _no_room(e) or problem_of(e)
    return output.fail(problem, as_json=output.wants_json(arguments))


def _no_room(error: Exception) -> "SparkError | None":
    """The error where nothing more can be written; most often stdout leads to a full disk."""
    from spark_tui.cli import output
    from spark_tui.errors import FileError

    if not isinstance(error, OSError) or error.errno not in _NO_ROOM:
        return None
    output.forget(sys.stdout)
    return FileError(f"cannot write: {error.strerror}; free some space or write elsewhere")


def _carry_out(arguments: Sequence[str]) -> int:
    """Run the command, and see that what it printed has gone out."""
    from spark_tui.cli import output
    from spark_tui.cli.main import run

    output.prepare()
    code = run(arguments)
    # Here, where an error still becomes an exit code; at exit Python would print a traceback.
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` looks for modules in the current folder, which is the user's repository.
        del sys.path[0]
    sys.exit(main())
