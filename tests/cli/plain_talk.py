"""What the tests of plain lines run in a process of its own: the real conversation on a scripted model.

python -m tests.cli.plain_talk FOLDER [STEP_S]
"""

import sys
import time
from pathlib import Path

from spark_tui.cli.plain import talk
from spark_tui.config import Settings
from spark_tui.session.store import SessionStore
from tests.fakes import scripted_session
from tests.tui.support import SCRIPTS, STORE


def main(folder: Path, step_s: float) -> int:
    """Talk until the user leaves."""
    session = scripted_session(
        folder, {"store.py": STORE}, SCRIPTS, lambda: time.sleep(step_s), SessionStore(folder / "sessions")
    )
    return talk(session, Settings(), prompt="", resume=None, again=False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float("".join(sys.argv[2:]) or 0)))
