"""What the terminal tests run in a process of its own: the real screen on a scripted model that takes its time.

    python -m tests.tui.on_a_terminal FOLDER [broken|full]

It rings when a turn ends. `broken` meets a bug once the screen is there, `full` runs out of memory.
"""

import sys
import time
from pathlib import Path

from spark_tui.tui.watchdog import Watchdog

STEP_S = 0.1


def main(folder: Path, fault: str) -> int:
    """Run until the user leaves."""
    watchdog = Watchdog(1)
    from spark_tui.config import Settings
    from spark_tui.session.session import Session
    from spark_tui.tui.app import run
    from tests.fakes import scripted_session
    from tests.tui.support import SCRIPTS, STORE

    def load() -> Session:
        if fault:
            raise {"broken": ZeroDivisionError, "full": MemoryError}[fault]
        return scripted_session(folder, {"store.py": STORE}, SCRIPTS, lambda: time.sleep(STEP_S))

    return run(load, Settings(bell=True), watchdog=watchdog)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "".join(sys.argv[2:])))
