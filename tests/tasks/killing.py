"""A task that is killed at every moment, really: by SIGKILL, in a process of its own.

A moment is a call of its Disk, of git, or a piece that the model writes. `python -m
tests.tasks.killing FOLDER START STEP` kills it at each of them from START on, resumes it, and
writes how it ended. In it the user speaks once and goes back once.
"""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.tasks.events import StepEnded, TaskStarted
from spark_tui.tasks.log import REDIRECTED
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.task import Task
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs import file_commits, worktree
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
)
from tests.vcs import killing
from tests.vcs.repos import git, make_repo, tree

STEPS = [READ, WORSE, command("run touch made.txt"), FROM_WORSE, MAKE, DONE]
UNCOMMITTED = b"edited\n"
WORDS = "now make the file"


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

    for module in (worktree, file_commits):
        setattr(module, "run_git", run_announced)  # noqa: B010 - it is only imported there
    store = store_in(folder, disk)
    log = store.logs()[0]
    rules = RunRules(("touch",), CHECK)
    task = open_task(store, log, ScriptedTalker(STEPS, moment), rules)
    for event in task.events():
        if isinstance(event, TaskStarted | StepEnded):
            _have_a_say(task)


def _have_a_say(task: Task) -> None:
    """Speak behind the second step, and go back behind the fourth, unless that is done."""
    log = task.log
    kinds = [step.kind for step in log.taken]
    if len(kinds) == 2:
        task.redirect(WORDS)
    elif len(kinds) == 4 and len(log.steps) == 4:
        task.back()


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
        "taken": [step.kind for step in log.taken],
        "replies": [step.reply for step in log.steps if step.kind == REDIRECTED],
        "checks": [step.check.ok for step in log.steps if step.check],
        "files": {change.path: change.after for change in changes.files},
    }
    wanted = {
        "status": ("done", "done in 7 steps"),
        "answers": [*STEPS[:2], "", *STEPS[2:]],
        "taken": ["read", "edit", REDIRECTED, "run", "run", "edit", "edit", "done"],
        "replies": [WORDS],
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
