"""A task that is killed at every moment, really: by SIGKILL, in a process of its own.

A moment is a call of its Disk, of git, or a piece that the model writes. `python -m
tests.tasks.killing FOLDER START STEP` kills it at each of them from START on, resumes it, and
writes how it ended.
"""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs import worktree
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import run_git
from tests.tasks.scripts import (
    CHECK,
    DONE,
    FILES,
    FROM_WORSE,
    MAKE,
    READ,
    WORSE,
    ScriptedTalker,
    command,
    open_task,
    store_in,
    worked,
)
from tests.vcs import killing
from tests.vcs.repos import git, make_repo, tree

STEPS = [READ, WORSE, command("run touch made.txt"), FROM_WORSE, MAKE, DONE]
UNCOMMITTED = b"edited\n"


def _prepare(folder: Path) -> None:
    """Begin a task in a work tree with uncommitted work."""
    root = make_repo(folder / "work", FILES)
    (root / "new.txt").write_bytes(UNCOMMITTED)
    store_in(folder).begin("mend the area", "scripted", check=CHECK)


def _work(folder: Path, disk: Disk) -> None:
    """Have the task work to its end."""
    moment = partial(disk.remove, str(folder / "there is no such file"))

    def run_announced(*args: Any, **given: Any) -> bytes:
        moment()
        return run_git(*args, **given)

    setattr(worktree, "run_git", run_announced)  # noqa: B010 - it is only imported there
    store = store_in(folder, disk)
    log = store.logs()[0]
    rules = RunRules(("touch",), CHECK)
    worked(open_task(store, log, ScriptedTalker(STEPS, moment), rules))


def _end(folder: Path) -> str:
    """How the task ended: "new" where all is as if nobody had killed it."""
    root = folder / "work"
    if tree(root) != {**FILES, "new.txt": UNCOMMITTED}:
        return f"the files have changed: {tree(root)}"
    if git(root, "status", "--porcelain") != b"?? new.txt\n":
        return "the index has changed"
    store = store_in(folder)
    log = store.logs()[0]
    changes = changes_of(log, store.worktree(log))
    facts = {
        "status": status_of(log),
        "answers": [step.answer for step in log.steps],
        "checks": [step.check.ok for step in log.steps if step.check],
        "files": {change.path: change.after for change in changes.files},
    }
    wanted = {
        "status": ("done", "done in 6 steps"),
        "answers": STEPS,
        "checks": [False, True, True, True],
        "files": {
            "docs/area.md": b"# Area\n",
            "made.txt": b"",
            "shapes/area.py": b"def area(w, h):\n    return w * h\n",
        },
    }
    return "new" if facts == wanted else f"mixed: {facts}"


killing.OPERATIONS["task"] = killing.Operation(_prepare, _work, _work, _end)

if __name__ == "__main__":
    place, start, step = sys.argv[1:]
    found = list(killing.ends("task", Path(place), start=int(start), step=int(step)))
    sys.stdout.write(json.dumps(found))
