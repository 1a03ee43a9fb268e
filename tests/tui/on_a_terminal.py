"""What the terminal test runs in a process of its own: the real screen on a scripted model that takes its time."""

import sys
import time
from pathlib import Path

from spark_tui.config import Settings
from spark_tui.tui.app import run
from tests.fakes import scripted_session
from tests.tui.support import SCRIPTS, STORE

STEP_S = 0.1


def main(folder: Path) -> int:
    """Run until the user leaves."""
    return run(lambda: scripted_session(folder, {"store.py": STORE}, SCRIPTS, lambda: time.sleep(STEP_S)), Settings())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
