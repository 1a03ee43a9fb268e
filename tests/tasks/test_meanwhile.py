"""What happens around a task meanwhile: its folder or its commits go, the disk is full."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from spark_tui.errors import FileError, RepoError
from spark_tui.tasks.events import StepEnded, StepText
from spark_tui.tasks.outcome import accept, changes_of, status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from tests.tasks.scripts import (
    DONE,
    FILES,
    MAKE,
    MEND,
    WORSE,
    ScriptedTalker,
    open_task,
    store_in,
    worked,
)
from tests.vcs.repos import git, tree

AFTER = {"shapes/area.py": b"def area(w, h):\n    return w * h\n", "docs/area.md": b"# Area\n"}


def test_a_folder_that_was_deleted_and_pruned_is_made_anew(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([MEND, MAKE, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    next(event for event in events if isinstance(event, StepEnded))
    events.close()
    shutil.rmtree(task.worktree.root)
    git(root, "worktree", "prune")
    again = worked(open_task(store, store.find(log.id), talker))
    shutil.rmtree(again.worktree.root)
    changes = changes_of(again.log, again.worktree)
    assert {change.path: change.after for change in changes.files} == AFTER
    assert again.back(3) == 0
    assert tree(again.worktree.root) == FILES


def test_going_back_works_where_the_folder_is_gone(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    task = open_task(store, log, ScriptedTalker([WORSE, MEND, DONE]))
    events = task.events()
    next(event for event in events if isinstance(event, StepEnded))
    next(event for event in events if isinstance(event, StepText))
    shutil.rmtree(task.worktree.root)
    assert task.back() == 1
    assert task.back() == 0
    assert tree(task.worktree.root) == FILES
    events.close()


def test_commits_that_are_gone_are_told_and_the_task_can_be_dropped(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, DONE])))
    before = tree(root), git(root, "status", "--porcelain")
    shutil.rmtree(task.worktree.root)
    shutil.rmtree(task.worktree.git_dir)
    with pytest.raises(RepoError):
        changes_of(log, task.worktree)
    with pytest.raises(RepoError):
        open_task(store, store.find(log.id), ScriptedTalker([DONE])).back()
    store.drop(log.id)
    assert (tree(root), git(root, "status", "--porcelain")) == before


def test_commits_of_a_task_outlive_a_collection_of_git(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([MEND, MAKE, DONE])))
    git(root, "gc", "--quiet", "--prune=now")
    changes = changes_of(log, task.worktree).files
    repo = Repository.discover(root)
    assert accept(log, repo, Batches(repo, root.parent / "state"), changes)
    assert task.back(3) == 0
    assert tree(task.worktree.root) == FILES


@pytest.mark.parametrize("call", ["create", "write", "open"])
def test_a_full_disk_lets_nobody_go_back_half_way(root: Path, call: str) -> None:
    refuses = False

    def fail(name: str) -> None:
        if refuses and name == call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = store_in(root.parent, Disk(fail))
    log = store.begin("mend", "scripted")
    task = open_task(store, log, ScriptedTalker([WORSE, MAKE, DONE]))
    events = task.events()
    for event in events:
        if isinstance(event, StepEnded) and event.number == 2:
            break
    refuses = True
    with pytest.raises(FileError, match="No space left"):
        task.back(2)
    assert tree(root) == FILES
    refuses = False
    if task.log.steps:  # the log refused, not the work tree
        task.back(2)
    assert task.log.steps == []
    assert list(events)
    assert status_of(store_in(root.parent).find(log.id))[0] == "done"
    assert tree(root) == FILES
