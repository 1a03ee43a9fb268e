"""What is done with a task, and in a review, killed at every moment.

As in `tests.vcs.killing`, by SIGKILL, in a process of its own: `python -m tests.tasks.killing NAME
FOLDER START STEP AGAIN` kills an operation of those below. A moment is a call of its Disk, of git,
or a piece that the model writes. Each kill is followed by a start, which recovers the journal and
removes what is left; work then goes on.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.session.change_review import ChangeReview, Patch, WorkTree
from spark_tui.tasks.acceptance import acceptance_of
from spark_tui.tasks.events import StepEnded, TaskStarted
from spark_tui.tasks.log import REDIRECTED, TaskLog
from spark_tui.tasks.outcome import accept, changes_of, status_of
from spark_tui.tasks.task import Task
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs import file_commits, index, side_repository, worktree
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.temporary_folder import remove_left_over
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
from tests.vcs.killing import OPERATIONS, Operation, batches_in, main
from tests.vcs.repos import git, make_repo, tree, write_files

STEPS = [READ, WORSE, command("run touch made.txt"), FROM_WORSE, MAKE, DONE]
WORDS = "now make the file"
UNCOMMITTED = {"new.txt": b"edited\n"}
BEFORE = {**FILES, **UNCOMMITTED}
"""The user's files when the task begins."""
MADE = {
    "docs/area.md": b"# Area\n",
    "made.txt": b"",
    "shapes/area.py": b"def area(w, h):\n    return w * h\n",
}
"""What the task makes."""
MEANWHILE = {"shapes/area.py": b"# areas\n" + FILES["shapes/area.py"]}
"""What the user writes while the task works."""
MERGED = {**MADE, "shapes/area.py": b"# areas\n" + MADE["shapes/area.py"]}
_PARTS = ("", ".git", ".git.made", ".jsonl", ".lock", ".made", ".tmp", ".tmp.made")
"""How the names of what is kept of a task may end."""


def _prepare_repository(folder: Path) -> None:
    """Make a work tree with uncommitted work."""
    root = make_repo(folder / "work", FILES)
    git(root, "branch", "other")
    (root / "docs").mkdir()
    write_files(root, UNCOMMITTED)
    _note_git(folder)


def _prepare_task(folder: Path) -> None:
    """Begin a task there."""
    _prepare_repository(folder)
    store_in(folder).begin("mend the area", "scripted", check=CHECK)


def _prepare_end(folder: Path) -> None:
    """Have the task work to its end."""
    _prepare_task(folder)
    _work(folder, Disk())


def _prepare_apply(folder: Path) -> None:
    """The user goes on in the meantime."""
    _prepare_end(folder)
    write_files(folder / "work", MEANWHILE)


def _note_git(folder: Path) -> None:
    """Note index and branches, which no operation changes."""
    (folder / "git").write_bytes(_git_of(folder / "work"))


def _git_of(root: Path) -> bytes:
    """The index and the branches of a repository, and what git finds wrong in it."""
    questions = (
        ["ls-files", "--stage", "-v"],
        ["for-each-ref"],
        ["symbolic-ref", "HEAD"],
        ["worktree", "list"],
        ["fsck", "--full", "--strict", "--no-progress"],
    )
    return b"\0".join(git(root, *question) for question in questions)


def _begin(folder: Path, disk: Disk) -> None:
    _announce_git(folder, disk)
    store_in(folder, disk).begin("mend the area", "scripted", check=CHECK)


def _work(folder: Path, disk: Disk) -> None:
    """Have the task work to its end."""
    moment = _announce_git(folder, disk)
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


def _apply(folder: Path, disk: Disk) -> None:
    _announce_git(folder, disk)
    store = store_in(folder, disk)
    log = store.logs()[0]
    changes = changes_of(log, store.worktree(log)).files
    accept(log, Repository.discover(folder / "work"), batches_in(folder, disk), changes)


def _drop(folder: Path, disk: Disk) -> None:
    _announce_git(folder, disk)
    store = store_in(folder, disk)
    store.drop(store.logs()[0].id)


def _announce_git(folder: Path, disk: Disk) -> Callable[[], None]:
    """Have the Disk announce the calls of git, too; returns how to announce more."""
    moment = partial(disk.remove, str(folder / "there is no such file"))

    def run_announced(*args: Any, **given: Any) -> bytes:
        moment()
        return run_git(*args, **given)

    for module in (worktree, file_commits, side_repository, index):
        setattr(module, "run_git", run_announced)  # noqa: B010 - it is only imported there
    return moment


def _start(folder: Path, disk: Disk) -> None:
    """Do what a start does, a while later."""
    batches_in(folder, disk).recover()
    store_in(folder, disk).sweep()
    for path in _temporary().iterdir():
        os.utime(path, (time.time() - 3600,) * 2)
    remove_left_over(_temporary())


def _start_and_work(folder: Path, disk: Disk) -> None:
    _start(folder, disk)
    _work(folder, disk)


def _temporary() -> Path:
    """The folder for temporary folders, which the environment names."""
    return Path(tempfile.gettempdir())


def _wrong(folder: Path, tasks: int) -> str:
    """What is not as it was before, or is left; "" for nothing.

    Args:
        tasks: How many there are to be.
    """
    root = folder / "work"
    if tasks and not (root / "docs").is_dir():
        return "the user's empty folder is gone"
    if _git_of(root) != (folder / "git").read_bytes():
        return f"git has changed: {_git_of(root)!r}"
    store = store_in(folder)
    if len(store.logs()) != tasks or store.troubles():
        return f"tasks: {store.logs()}, {store.troubles()}"
    known = {f"{log.id}{part}" for log in store.logs() for part in _PARTS}
    left = [path.name for path in (folder / "state/tasks").glob("*") if path.name not in known]
    left += [str(path) for path in _temporary().iterdir()]
    left += [path.name for path in (root / ".git").iterdir() if path.name.startswith("spark-s")]
    for log in store.logs():
        left += _left_of(store.worktree(log).git_dir)
    return f"left: {left}" if left else ""


def _left_of(git_dir: Path) -> list[str]:
    """Files that a kill left in the repository of a task."""
    ends = (".lock", ".tmp")
    paths = [path for path in git_dir.rglob("*") if path.is_file()]
    return [str(path) for path in paths if path.suffix in ends or path.name.startswith("tmp_")]


def _end_of_begin(folder: Path) -> str:
    """Whether there is a task, which can be worked on."""
    is_begun = bool(store_in(folder).logs())
    if wrong := _wrong(folder, int(is_begun)):
        return wrong
    if tree(folder / "work") != BEFORE:
        return f"the files have changed: {tree(folder / 'work')}"
    if not is_begun:
        return "old"
    store = store_in(folder)
    log = store.logs()[0]
    kept = store.worktree(log)
    kept.make(log.spec.base)
    return "new" if tree(kept.root) == BEFORE else f"mixed: {tree(kept.root)}"


def _end_of_work(folder: Path) -> str:
    """How the task ended: "new" where all is as if nobody had killed it."""
    if wrong := _wrong(folder, 1):
        return wrong
    if tree(folder / "work") != BEFORE:
        return f"the files have changed: {tree(folder / 'work')}"
    log = store_in(folder).logs()[0]
    facts = {
        "status": status_of(log),
        "answers": [step.answer for step in log.steps],
        "taken": [step.kind for step in log.taken],
        "replies": [step.reply for step in log.steps if step.kind == REDIRECTED],
        "checks": [step.check.ok for step in log.steps if step.check],
        "files": _files_of(folder, log),
    }
    wanted = {
        "status": ("done", "done in 7 steps"),
        "answers": [*STEPS[:2], "", *STEPS[2:]],
        "taken": ["read", "edit", REDIRECTED, "run", "run", "edit", "edit", "done"],
        "replies": [WORDS],
        "checks": [False, True, True, True],
        "files": MADE,
    }
    return "new" if facts == wanted else f"mixed: {facts}"


def _files_of(folder: Path, log: TaskLog) -> dict[str, bytes | None]:
    """What the task makes of the files that it changes."""
    changes = changes_of(log, store_in(folder).worktree(log))
    return {change.path: change.after for change in changes.files}


def _end_of_apply(folder: Path) -> str:
    """The files are as the journal says."""
    if wrong := _wrong(folder, 1):
        return wrong
    store = store_in(folder)
    log = store.logs()[0]
    acceptance = acceptance_of(log, store.worktree(log), batches_in(folder))
    files = tree(folder / "work")
    if files == {**BEFORE, **MEANWHILE} and acceptance is None:
        return "old"
    if files == {**BEFORE, **MERGED} and acceptance is not None and acceptance.is_whole:
        return "new"
    return f"mixed: {files}, {acceptance}"


def _end_of_drop(folder: Path) -> str:
    """Where the task is there, it can be applied."""
    is_there = bool(store_in(folder).logs())
    if wrong := _wrong(folder, int(is_there)):
        return wrong
    if tree(folder / "work") != BEFORE:
        return f"the files have changed: {tree(folder / 'work')}"
    if not is_there:
        return "new"
    files = _files_of(folder, store_in(folder).logs()[0])
    return "old" if files == MADE else f"mixed: {files}"


REVIEWED = {
    "report.py": b"import os\nimport sys\n\n\ndef name(path):\n    return os.path.basename(path)\n",
    "shapes/area.py": MADE["shapes/area.py"],
    "notes.txt": None,
    "docs/new/area.md": b"# Area\r\n",
}
"""The changes under review; None: the file is gone."""
CHANGED = {path: data for path, data in (FILES | REVIEWED).items() if data is not None}


def _prepare_take_back(folder: Path) -> None:
    """Change, delete and make files, beside one that is not under review."""
    root = make_repo(folder / "work", FILES)
    for path, data in REVIEWED.items():
        if data is None:
            (root / path).unlink()
        else:
            write_files(root, {path: data})
    _note_git(folder)


def _prepare_patch(folder: Path) -> None:
    """The same as a patch that is not applied."""
    _prepare_take_back(folder)
    root = folder / "work"
    git(root, "add", "--all")
    (folder / "patch").write_bytes(git(root, "diff", "--cached", "--binary"))
    git(root, "reset", "--quiet", "--hard")
    _note_git(folder)


def _review_in(folder: Path, disk: Disk, source: WorkTree | Patch) -> ChangeReview:
    repo = Repository.discover(folder / "work")
    return ChangeReview.open(repo, batches_in(folder, disk), source)


def _take_back(folder: Path, disk: Disk) -> None:
    _review_in(folder, disk, WorkTree()).reject()


def _take_patch(folder: Path, disk: Disk) -> None:
    _review_in(folder, disk, Patch("patch", (folder / "patch").read_bytes())).accept()


def _end_of_review(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> str:
    if wrong := _wrong(folder, 0):
        return wrong
    files = tree(folder / "work")
    states = [bool(batch.in_force) for batch in batches_in(folder).log()]
    if files == old and not states:
        return "old"
    if files == new and states == [True]:
        return "new"
    return f"mixed: {files}, {states}"


OPERATIONS |= {
    "task_begin": Operation(_prepare_repository, _begin, _start, _end_of_begin),
    "task_work": Operation(_prepare_task, _work, _start_and_work, _end_of_work),
    "task_apply": Operation(_prepare_apply, _apply, _start, _end_of_apply),
    "task_drop": Operation(_prepare_end, _drop, _start, _end_of_drop),
    "review_accept": Operation(
        _prepare_patch, _take_patch, _start, partial(_end_of_review, old=FILES, new=CHANGED)
    ),
    "review_take_back": Operation(
        _prepare_take_back, _take_back, _start, partial(_end_of_review, old=CHANGED, new=FILES)
    ),
}

if __name__ == "__main__":
    main(sys.argv[1:])
