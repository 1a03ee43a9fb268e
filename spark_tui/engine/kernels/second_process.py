"""A process that compiles the kernels while the one that started it compiles the passes.

Whatever becomes of it, nothing is lost: what it left undone is compiled by whoever needs it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MOST_SECONDS = 120
"""Far more than the kernels take on the slowest processor."""


@contextmanager
def second_process(folder: Path) -> Iterator[Callable[[], None]]:
    """Start it.

    Args:
        folder: Where numba keeps its code.

    Yields:
        A function that returns when the process has ended, which it has behind the context.
    """
    # -P: the folder that spark was started in may hold modules of a stranger.
    command = [sys.executable, "-P", "-m", __name__]
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        )
    except (OSError, ValueError):  # ValueError: an interpreter that does not know its own place
        yield lambda: None
        return

    def wait() -> None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_MOST_SECONDS)

    try:
        yield wait
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    from spark_tui.engine.kernels.compiled import compile_kernels

    compile_kernels()
