"""What the tests of plain lines run in a process of its own: the real conversation on a scripted model.

python -m tests.cli.plain_talk FOLDER [STEP_S [unsure]]

While FOLDER/loading is there, the session is being loaded.
"""

import sys
import time
from functools import partial
from pathlib import Path

from spark_tui.answering.calibration import Calibration
from spark_tui.cli.lines import talk
from spark_tui.config import Settings
from spark_tui.session.keeping.store import SessionStore
from spark_tui.session.session import Session
from spark_tui.vcs.repository import Repository
from tests.answering.quoting_models import quoting_model
from tests.fakes import make_repo, scripted_session
from tests.tui.support import HUSH, SCRIPTS, STORE


def unsure_session(folder: Path) -> Session:
    """One whose model quotes, and is never sure."""
    loaded = quoting_model(folder / "model", {HUSH: ['-    print("loaded", len(expenses))']})
    Calibration(sure=1.1).write(loaded.path)
    repo = Repository.discover(make_repo(folder / "repo", {"store.py": STORE}))
    return Session(repo, loaded, folder / "state", sessions=SessionStore(folder / "sessions"))


def main(folder: Path, step_s: float, *, unsure: bool = False) -> int:
    """Talk until the user leaves."""

    def load() -> Session:
        while (folder / "loading").exists():
            time.sleep(0.01)
        if unsure:
            return unsure_session(folder)
        step = partial(time.sleep, step_s)
        return scripted_session(folder, {"store.py": STORE}, SCRIPTS, step, SessionStore(folder / "sessions"))

    return talk(load, Settings(), prompt="", resume=None, again=False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float("".join(sys.argv[2:3]) or 0), unsure="unsure" in sys.argv))
