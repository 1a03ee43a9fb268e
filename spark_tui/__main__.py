"""The outermost edge of the process: every way a command can end becomes an exit code and at most one line."""

import os
import sys
from collections.abc import Sequence

from spark_tui.cli import output
from spark_tui.cli.main import run
from spark_tui.errors import Interrupted, SparkError


def main(argv: Sequence[str] | None = None) -> int:
    """Run spark and return its exit code; never raises and never shows a traceback.

    Args: argv: the arguments after the program's name; None takes those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    output.prepare()
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except KeyboardInterrupt:
        return output.fail(Interrupted("interrupted"), as_json=output.wants_json(arguments))
    except SparkError as e:
        return output.fail(e, as_json=output.wants_json(arguments))
    except Exception as e:  # noqa: BLE001 - the one place that may: nothing above could show it
        return output.fail(_crashed(e), as_json=output.wants_json(arguments))
    return code


def _crashed(error: Exception) -> SparkError:
    """Write a crash report and say where it is."""
    import time
    import traceback

    from spark_tui.config import state_dir

    words = f"unexpected {type(error).__name__}: {error}"
    path = state_dir() / "crashes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
    except OSError:
        return SparkError(f"{words}; please report it")
    return SparkError(f"{words}; please report it with {path}")


def _forget_stdout() -> None:
    """Whoever read our output is gone; keep the interpreter from complaining when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
