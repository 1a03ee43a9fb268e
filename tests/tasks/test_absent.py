"""A check fails before any edit for want of what the copy of a task lacks: that is said, once."""

from pathlib import Path

import pytest

from spark_tui.tasks.check import describe_absent
from spark_tui.tasks.events import FilesAbsent, StepStarted, TaskEvent
from spark_tui.tasks.store import TaskStore
from tests.tasks.scripts import DONE, FILES, MEND, ScriptedTalker, open_task, store_in
from tests.vcs.repos import git, make_repo, write_files

ABSENT = ("s/", ".env", "node_modules/", "web/")


@pytest.fixture
def root(root: Path) -> Path:
    """A work tree with ignored files, a submodule, and another repository."""
    write_files(root, {".gitignore": b".env\nnode_modules\n*.tmp\n__pycache__\n"})
    make_repo(root / "s", {"f": b"1\n"})
    commit = git(root / "s", "rev-parse", "HEAD").decode().strip()
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},s")
    make_repo(root / "web", {"index.js": b"1\n"})
    write_files(root, {".env": b"KEY=1\n", "node_modules/p/index.js": b"1\n"})
    write_files(root, {"__pycache__/a.pyc": b"1\n", "untracked.txt": b"1\n"})
    return root


def _begun(store: TaskStore, check: str) -> tuple[list[TaskEvent], ScriptedTalker]:
    """The events before the first step, and the model that takes it."""
    talker = ScriptedTalker([MEND, DONE])
    events = list[TaskEvent]()
    task = open_task(store, store.begin("mend", "scripted", check=check), talker)
    for event in task.events():
        if isinstance(event, StepStarted):
            break
        events.append(event)
    for _ in task.events():
        pass
    return events, talker


@pytest.mark.parametrize(
    ("check", "likeliest"),
    [
        ("test -f node_modules/p/index.js", "node_modules/"),
        ("test -f s/f", "s/"),
        ("grep KEY .env", ".env"),
        ("cat web/index.js", "web/"),
    ],
)
def test_what_the_copy_lacks_is_told_to_user_and_model(
    store: TaskStore, root: Path, check: str, likeliest: str
) -> None:
    events, talker = _begun(store, check)
    (absent,) = [event for event in events if isinstance(event, FilesAbsent)]
    assert absent.paths[0] == likeliest
    assert sorted(absent.paths) == sorted(ABSENT)
    told = describe_absent(absent)
    opening = talker.read[0][1]["content"]
    for path in ABSENT:
        assert path in told
        assert path in opening


def test_nothing_is_told_where_the_check_passes(store: TaskStore, root: Path) -> None:
    events, talker = _begun(store, "test -f untracked.txt")
    assert not any(isinstance(event, FilesAbsent) for event in events)
    assert "node_modules" not in talker.read[0][1]["content"]


def test_nothing_is_told_where_nothing_is_lacking(tmp_path: Path) -> None:
    make_repo(tmp_path / "plain/work", FILES)
    events, _ = _begun(store_in(tmp_path / "plain"), "false")
    assert not any(isinstance(event, FilesAbsent) for event in events)


def test_it_is_told_once(store: TaskStore, root: Path) -> None:
    log = store.begin("mend", "scripted", check="test -f .env")
    told = list[TaskEvent]()
    for steps in ([MEND], [MEND, MEND]):
        task = open_task(store, store.find(log.id), ScriptedTalker(steps))
        for event in task.events():
            if isinstance(event, StepStarted) and event.number == len(steps) + 1:
                break
            told.append(event)
    assert sum(isinstance(event, FilesAbsent) for event in told) == 1
