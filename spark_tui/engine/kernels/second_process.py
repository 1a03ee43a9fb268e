"""A second process, which compiles the kernels while the first one compiles the passes.

Nothing is lost if the second process fails: whoever needs the kernels compiles what is missing.
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
    """Start the second process for the duration of a block, and kill it if it outlives the block.

    Args:
        folder: The folder in which numba keeps its code.

    Yields:
        A function that waits for the end of the process, within a limit.
    """
    # -P keeps the current folder off the path of imports: spark may have been started in a
    # stranger's repository, with a module named numba in it.
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
    # Without a second process the first one compiles everything. A ValueError is an interpreter
    # that does not know its own path.
    except (OSError, ValueError):
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
