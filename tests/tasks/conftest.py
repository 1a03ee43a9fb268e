"""A repository with a test that fails, and what a task does in it."""

from pathlib import Path
from typing import Any, Protocol

import pytest

from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task
from spark_tui.tasks.tools import RunRules
from tests.tasks.scripts import FILES, ScriptedTalker, open_task, store_in, worked
from tests.vcs.repos import make_repo


class Work(Protocol):
    """Has a scripted model work on a task to its end."""

    def __call__(
        self, *steps: str, rules: RunRules | None = None, **given: Any
    ) -> tuple[Task, ScriptedTalker]: ...


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The user's work tree."""
    return make_repo(tmp_path / "work", FILES)


@pytest.fixture
def store(root: Path) -> TaskStore:
    return store_in(root.parent)


@pytest.fixture
def work(store: TaskStore) -> Work:
    def work(
        *steps: str, rules: RunRules | None = None, **given: Any
    ) -> tuple[Task, ScriptedTalker]:
        talker = ScriptedTalker(steps)
        log = store.begin("mend the area", "scripted", **given)
        return worked(open_task(store, log, talker, rules)), talker

    return work
