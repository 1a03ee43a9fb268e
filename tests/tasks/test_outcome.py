"""The end of a task: its changes go in beside later edits, in one batch, or not at all."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.tasks.acceptance import acceptance_of
from spark_tui.tasks.outcome import (
    accept,
    applied_batch,
    changes_of,
    description_of,
    doubts,
    proposed,
    result,
)
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import run_git
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.patch import apply_in_quarantine
from spark_tui.vcs.repository import Repository
from tests.tasks.conftest import Work
from tests.tasks.scripts import (
    CHECK,
    DONE,
    FILES,
    MAKE,
    MEND,
    ScriptedTalker,
    command,
    edit,
    open_task,
    store_in,
    worked,
)
from tests.vcs.repos import git, tree

STEPS = (MEND + MAKE + "report.py\n<<<<<<< DELETE\n", DONE)
AFTER = {
    **FILES,
    "shapes/area.py": b"def area(w, h):\n    return w * h\n",
    "docs/area.md": b"# Area\n",
}
del AFTER["report.py"]


def batches_of(root: Path) -> Batches:
    return Batches(Repository.discover(root), root.parent / "state")


def accepted(task: Task, root: Path, allow: tuple[str, ...] = ()) -> JournalEntry | None:
    """Accept all of a task."""
    changes = changes_of(task.log, task.worktree).files
    return accept(task.log, Repository.discover(root), batches_of(root), changes, allow)


def test_all_files_are_one_batch_with_one_undo(work: Work, root: Path) -> None:
    task, _ = work(*STEPS)
    entry = accepted(task, root)
    assert tree(root) == AFTER
    batch = applied_batch(task.log, batches_of(root))
    assert batch is not None
    assert batch.entry == entry
    batches_of(root).undo()
    assert tree(root) == FILES
    assert applied_batch(task.log, batches_of(root)) is None


def test_edits_beside_it_stay(work: Work, root: Path) -> None:
    task, _ = work(*STEPS)
    (root / "shapes/area.py").write_bytes(b"# areas\n\n" + FILES["shapes/area.py"])
    (root / "other.py").write_bytes(b"other\n")
    assert accepted(task, root)
    assert (root / "shapes/area.py").read_bytes() == (
        b"# areas\n\ndef area(w, h):\n    return w * h\n"
    )
    assert (root / "other.py").read_bytes() == b"other\n"
    body = result(task.log, Repository.discover(root), task.worktree, batches_of(root))
    assert "@@ -1,4 +1,4 @@\n # areas\n" in body["patch"]


def test_uncommitted_work_of_the_beginning_is_no_change(
    store: TaskStore, root: Path, work: Work
) -> None:
    (root / "shapes/area.py").write_bytes(b"def area(w, h):\n    return w + h\n\n\nx = 1\n")
    task, _ = work(MEND, DONE)
    assert accepted(task, root)
    assert (root / "shapes/area.py").read_bytes() == (
        b"def area(w, h):\n    return w * h\n\n\nx = 1\n"
    )


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("shapes/area.py", b"def area(w, h):\n    return w - h\n"),
        ("shapes/area.py", None),
        ("docs/area.md", b"# Other\n"),
        ("report.py", b"import sys\n"),
    ],
)
def test_where_the_same_was_edited_nothing_is_written(
    work: Work, root: Path, path: str, data: bytes | None
) -> None:
    task, _ = work(*STEPS)
    place = root / path
    if data is None:
        place.unlink()
    else:
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    before = tree(root)
    with pytest.raises(Conflict):
        accepted(task, root)
    assert tree(root) == before
    assert batches_of(root).log() == ()


def test_what_is_there_already_is_left_out(work: Work, root: Path) -> None:
    task, _ = work(*STEPS)
    (root / "docs").mkdir()
    (root / "docs/area.md").write_bytes(b"# Area\n")
    (root / "report.py").unlink()
    entry = accepted(task, root)
    assert entry is not None
    assert [file.path for file in entry.files] == ["shapes/area.py"]
    assert accepted(task, root) is None


def test_a_branch_that_moved_meanwhile_is_no_hindrance(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    task = open_task(store, log, ScriptedTalker(STEPS))
    events = task.events()
    next(events)
    git(root, "checkout", "--quiet", "-b", "other")
    (root / "notes.txt").write_bytes(b"committed\n")
    git(root, "commit", "--quiet", "--all", "--message=second")
    git(root, "branch", "--quiet", "--delete", "--force", "main")
    list(events)
    assert accepted(task, root)
    assert tree(root) == {**AFTER, "notes.txt": b"committed\n"}


def test_files_that_run_by_themselves_need_a_consent(work: Work, root: Path) -> None:
    task, _ = work(MEND + edit("conftest.py", "", "import os\n"), DONE)
    with pytest.raises(SparkError, match=r"--allow conftest\.py"):
        accepted(task, root)
    assert tree(root) == FILES
    assert accepted(task, root, ("conftest.py",))


def test_an_executable_stays_one_and_what_is_no_text_is_told(work: Work, root: Path) -> None:
    make = "run sh -c 'echo x > tool; chmod 755 tool; printf \"\\0\" > data.bin; ln -s tool link'"
    task, _ = work(command(make), DONE, rules=RunRules(("sh",)))
    body = result(task.log, Repository.discover(root), task.worktree, batches_of(root))
    assert "left out, as no text: data.bin, link" in body["message"]
    accepted(task, root)
    assert (root / "tool").stat().st_mode & 0o111
    assert not (root / "data.bin").exists()


def test_the_object_holds_what_the_contract_says(work: Work, root: Path) -> None:
    task, _ = work(*STEPS, check=CHECK)
    body = result(task.log, Repository.discover(root), task.worktree, batches_of(root))
    assert (body["id"], body["status"], body["steps"]) == (task.log.id, "done", 2)
    assert body["tokens"] == 4
    assert body["check"] == {"command": CHECK, "ok": True, "output": ""}
    assert (body["applied"], body["journal_id"]) == (False, None)
    assert [(file["path"], file["status"]) for file in body["files"]] == [
        ("docs/area.md", "added"),
        ("report.py", "deleted"),
        ("shapes/area.py", "modified"),
    ]
    files = {name: FILES[name] for name in ("report.py", "shapes/area.py")}
    assert apply_in_quarantine(body["patch"].encode(), files) == {
        name: AFTER[name] for name in ("docs/area.md", "shapes/area.py")
    }


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("create", errno.EDQUOT),
        ("write", errno.ENOSPC),
        ("fsync", errno.EIO),
        ("open", errno.EIO),
    ],
)
def test_a_disk_that_refuses_is_told_and_the_task_goes_on_later(
    root: Path, call: str, code: int
) -> None:
    refuses = False

    def fail(name: str) -> None:
        if refuses and name == call:
            raise OSError(code, os.strerror(code))

    store = store_in(root.parent, Disk(fail))
    log = store.begin("mend", "scripted")
    events = open_task(store, log, ScriptedTalker(STEPS)).events()
    next(events)
    refuses = True
    with pytest.raises(FileError, match=os.strerror(code)):
        list(events)
    assert tree(root) == FILES
    sound = store_in(root.parent)
    task = worked(open_task(sound, sound.find(log.id), ScriptedTalker(STEPS)))
    assert accepted(task, root)
    assert tree(root) == AFTER


def test_what_was_accepted_of_a_file_is_not_offered_again(work: Work, root: Path) -> None:
    path = root / "report.py"
    path.write_bytes(b"import os\n\n\n\n\nA = 1\n\n\n\n\nprint(1)\n")
    git(root, "commit", "-qam", "longer")
    first = edit("report.py", "import os\n", "import os.path\n")
    last = edit("report.py", "print(1)\n", "print(2)\n")
    task, _ = work(first + last, DONE)
    changes = changes_of(task.log, task.worktree).files
    # the first hunk was accepted, and something between was written by hand
    path.write_bytes(b"import os.path\n\n\n\n\nA = 3\n\n\n\n\nprint(1)\n")
    [change] = proposed(Repository.discover(root), changes)
    assert change.before == path.read_bytes()
    assert change.after == change.before.replace(b"print(1)", b"print(2)")
    path.write_bytes(change.after)
    assert proposed(Repository.discover(root), changes) == ()


def test_what_clashes_is_offered_as_the_task_made_it(work: Work, root: Path) -> None:
    task, _ = work(MEND, DONE)
    changes = changes_of(task.log, task.worktree).files
    path = root / "shapes/area.py"
    path.write_bytes(path.read_bytes().replace(b"w + h", b"h + w"))
    assert proposed(Repository.discover(root), changes) == changes


def test_what_was_accepted_in_part_is_counted_by_hunks(work: Work, root: Path) -> None:
    task, _ = work(*STEPS)
    batches = batches_of(root)
    assert acceptance_of(task.log, task.worktree, batches) is None
    changes = changes_of(task.log, task.worktree).files
    mended = [change for change in changes if change.path == "shapes/area.py"]
    rest = [change for change in changes if change.path != "shapes/area.py"]

    batches.accept(mended, description_of(task.log))
    part = acceptance_of(task.log, task.worktree, batches)
    assert part is not None
    assert (part.applied, part.total, part.is_whole) == (1, 3, False)
    assert part.words == "1 of 3 hunks applied, the others rejected or left undecided"
    batches.accept(rest, description_of(task.log))
    whole = acceptance_of(task.log, task.worktree, batches)
    assert whole is not None
    assert (whole.applied, whole.words) == (3, "applied")
    batches.undo()
    assert acceptance_of(task.log, task.worktree, batches) == part


def test_the_name_of_a_file_and_each_of_its_hunks_count_once(work: Work, root: Path) -> None:
    old = FILES["report.py"].decode()
    moved = old.replace("import os\n", "import os as o\n")
    make = f"names.py\n<<<<<<< SEARCH\n=======\n{moved}>>>>>>> REPLACE\n"
    task, _ = work(make + "report.py\n<<<<<<< DELETE\n", DONE)
    batches = batches_of(root)
    name = description_of(task.log)
    batches.accept([FileChange("report.py", old.encode(), moved.encode())], name)
    part = acceptance_of(task.log, task.worktree, batches)
    assert part is not None
    assert (part.applied, part.total) == (1, 2)
    move = [
        FileChange("report.py", moved.encode(), None),
        FileChange("names.py", None, moved.encode()),
    ]
    batches.accept(move, name)
    whole = acceptance_of(task.log, task.worktree, batches)
    assert whole is not None
    assert whole.is_whole


def test_git_starts_as_often_for_many_new_files_as_for_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repository.discover(root)
    started = list[object]()

    def run_counted(*args: Any, **given: Any) -> bytes:
        started.append(args)
        return run_git(*args, **given)

    monkeypatch.setattr("spark_tui.vcs.policy.run_git", run_counted)
    counts = list[int]()
    for number in (1, 40):
        started.clear()
        changes = [FileChange(f"new/{each}.txt", None, b"x\n") for each in range(number)]
        assert doubts(repo, changes) == {}
        counts.append(len(started))
    assert counts[0] == counts[1]
