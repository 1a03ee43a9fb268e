"""A task or a review that is killed by SIGKILL at any moment is as before, or done; a task that is
killed at work ends as if nobody had killed it.

The user's index and branches are the same all the while, and nothing is left after the next start.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.errors import FileError, UsageError
from spark_tui.tasks.store import TaskStore
from tests.tasks.scripts import DONE, MEND, READ, ScriptedTalker, open_task, worked
from tests.vcs.kills import CALLS, ends, needs_strace, traced_ends

MODULE = "tests.tasks.killing"
OPERATIONS = {
    "task_begin": 11,
    "task_work": 70,
    "task_apply": 17,
    "task_drop": 2,
    "review_accept": 20,
    "review_take_back": 20,
}
"""Of how many moments of an operation the default run takes one."""
SHORT = sorted(OPERATIONS.keys() - {"task_work"})
"""Operations that make few system calls."""


@pytest.mark.parametrize(("name", "step"), OPERATIONS.items())
def test_what_was_killed_is_as_before_or_done(tmp_path: Path, name: str, step: int) -> None:
    found = ends(MODULE, name, tmp_path, step // 3, step)
    assert len(found) >= 3
    assert set(found) <= {"old", "new"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_was_killed_at_any_moment_is_as_before_or_done(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ends(MODULE, name, tmp_path, 0, 1)
    _report(name, "calls of the disk and of git", found, capsys)
    assert set(found) <= {"old", "new"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SHORT)
def test_what_was_killed_again_at_the_next_start_is_as_before_or_done(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ends(MODULE, name, tmp_path, 1, 3, again=True)
    _report(name, "pairs of calls", found, capsys)
    assert set(found) <= {"old", "new"}


@needs_strace
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_was_killed_at_any_system_call_is_as_before_or_done(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for call in CALLS:
        folder = tmp_path / call
        folder.mkdir()
        *found, last = traced_ends(MODULE, name, folder, call, seldom=name not in SHORT)
        _report(name, call, found, capsys)
        assert set(found) <= {"old", "new"}
        assert last == "new"


def _report(name: str, what: str, found: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Tell how often an operation was killed, and how it ended."""
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {len(found)} kills at {what}: {dict(Counter(found))}")


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


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"[1]",
        b'"step"',
        b"null",
        b"[" * 100_000,
        b'{"line":' * 50_000,
        b"{}",
        b'{"line":"step"}',
        (
            b'{"line":"step","number":1,"kind":5,"title":"","answer":"","reply":"","commit":"",'
            b'"same":"","tokens":"many","seconds":0,"check":null}'
        ),
        (
            b'{"line":"given up","number":1,"kind":"a","title":"","answer":"","reply":"",'
            b'"commit":"--output=x","same":"","tokens":1,"seconds":1}'
        ),
        (
            b'{"line":"step","number":1,"kind":"a","title":"","answer":"","reply":"","commit":"0",'
            b'"same":"","tokens":1,"seconds":NaN}'
        ),
        b'{"line":"resumed","budget":{"steps":0}}',
        b'{"line":"resumed","budget":[]}',
        b'{"line":"back","steps":"all"}',
        b'{"line":"plan","plan":[1]}',
        b'{"line":"agent plan","items":[3]}',
        b'{"line":"opening","text":7,"check":null}',
        b"\xff\x00",
    ],
    ids=lambda line: line[:20].decode("latin-1"),
)
def test_a_damaged_line_is_skipped_and_told(store: TaskStore, root: Path, line: bytes) -> None:
    log = store.begin("mend", "scripted")
    worked(open_task(store, log, ScriptedTalker([READ, MEND, DONE])))
    file = log_of(root, log.id)
    lines = file.read_bytes().splitlines(keepends=True)
    for place in (1, len(lines)):
        file.write_bytes(b"".join([*lines[:place], line + b"\n", *lines[place:]]))
        (kept,) = store.logs()
        assert [step.answer for step in kept.steps] == [READ, MEND, DONE]
        assert [str(file) in trouble for trouble in store.troubles()] == [True]


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [_pipe, _endless, Path.mkdir])
def test_what_is_no_log_is_told_at_once(
    store: TaskStore, root: Path, make: Callable[[Path], None]
) -> None:
    log = store.begin("mend", "scripted")
    other = store.begin("other", "scripted")
    file = log_of(root, log.id)
    file.unlink()
    make(file)
    assert [kept.id for kept in store.logs()] == [other.id]
    assert [str(file) in trouble for trouble in store.troubles()] == [True]
    with pytest.raises(FileError, match="is not a regular file"):
        store.find(log.id)
    assert store.drop(log.id) == log.id
    assert not any(path.name.startswith(log.id) for path in file.parent.iterdir())


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
