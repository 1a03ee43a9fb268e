"""What the tests of plain lines run in a process of its own: the real conversation on a scripted
model.

python -m tests.cli.plain_talk FOLDER [STEP_S [unsure]]
"""

import sys
import time
from functools import partial
from pathlib import Path

from spark_tui.cli.plain import talk
from spark_tui.config import Settings
from spark_tui.session.session import Session
from spark_tui.session.turn_store import SessionStore
from tests.expenses import SCRIPTS, STORE
from tests.fakes import SURE, UNSURE, scripted_session


def main(folder: Path, step_s: float, *, unsure: bool = False) -> int:
    """Talk until the user leaves."""

    def load() -> Session:
        step, sessions = partial(time.sleep, step_s), SessionStore(folder / "sessions")
        sure = UNSURE if unsure else SURE
        return scripted_session(folder, {"store.py": STORE}, SCRIPTS, step, sessions, sure=sure)

    return talk(load, Settings(), prompt="", resume=None, again=False)


if __name__ == "__main__":
    sys.exit(
        main(Path(sys.argv[1]), float("".join(sys.argv[2:3]) or 0), unsure="unsure" in sys.argv)
    )
