"""A task that is killed by SIGKILL at any moment and resumed ends as if nobody had killed it.

The user's files and index are the same all the while.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tui.errors import FileError, UsageError
from spark_tui.tasks.store import TaskStore
from tests.tasks.scripts import DONE, MEND, READ, ScriptedTalker, open_task, worked


def _ends(folder: Path, start: int, step: int) -> list[str]:
    command = [sys.executable, "-m", "tests.tasks.killing", str(folder), str(start), str(step)]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())}
    )
    ends: list[str] = json.loads(done.stdout)
    return ends


def test_a_task_that_was_killed_ends_as_another(tmp_path: Path) -> None:
    ends = _ends(tmp_path, 7, 43)
    assert len(ends) >= 3
    assert set(ends) == {"new"}


@pytest.mark.exhaustive
def test_a_task_that_was_killed_at_any_moment_ends_as_another(tmp_path: Path) -> None:
    ends = _ends(tmp_path, 0, 1)
    assert len(ends) >= 100
    assert set(ends) == {"new"}


def log_of(root: Path, task_id: str) -> Path:
    """The file of a log."""
    return root.parent / "state" / "tasks" / f"{task_id}.jsonl"


def test_a_line_that_a_crash_cut_short_is_none(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted")
    worked(open_task(store, log, ScriptedTalker([READ, MEND, DONE])))
    file = log_of(root, log.id)
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    for length in (1, len(lines[-1]) // 2, len(lines[-1]) - 2):
        file.write_bytes(b"".join(lines[:-1]) + lines[-1][:length])
        talker = ScriptedTalker([READ, MEND, DONE])
        task = worked(open_task(store, store.find(log.id), talker))
        assert len(talker.read) == 1
        assert [step.answer for step in task.log.steps] == [READ, MEND, DONE]


def test_a_log_without_its_first_line_is_told_and_can_be_dropped(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted")
    log_of(root, log.id).write_bytes(b'{"line":"task","for')
    with pytest.raises(FileError, match=f"spark task drop {log.id}"):
        store.find(log.id)
    assert store.logs() == ()
    store.drop(log.id)
    with pytest.raises(UsageError):
        store.find(log.id)
