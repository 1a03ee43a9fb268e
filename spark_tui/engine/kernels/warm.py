"""Compiles what passes need, so that the next process finds it: `python -m spark_tui.engine.kernels.warm FOLDER`."""

import os
import sys
from pathlib import Path

from spark_tui.engine.backend import Backend


def main(folder: Path) -> None:
    """Compile unless it is done; while another process does it, wait for that."""
    import fcntl

    os.nice(19)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    backend = Backend(folder=folder)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not backend.is_ready:
            backend.build()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
