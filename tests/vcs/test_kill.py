"""Each operation, killed by SIGKILL at any call and again while recovering, is done wholly or
not at all.
"""

import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from spark_tui.vcs.disk import Disk
from tests.vcs.killing import OPERATIONS, Ground

# The system calls that change something; each is killed at its first time, its second, and so on.
CALLS = [
    "write",
    "pwrite64",
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "ftruncate",
    "fchmod",
    "fchown",
    "fsetxattr",
    "fremovexattr",
    "flock",
    "fcntl",
    "openat",
]
_AFTER_THE_START = {
    "openat": 40,
    "fcntl": 10,
}  # every how many of those that are made in great numbers

IN_FILES = ("accept", "undo", "undo_and_keep", "redo")
IN_GIT = ("stage", "undo_staged", "commit")

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path.cwd()), "PYTHONDONTWRITEBYTECODE": "1"}


def _ends(name: str, folder: Path, start: int, step: int, again: str) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "tests.vcs.killing",
        name,
        str(folder),
        str(start),
        str(step),
        again,
    ]
    done = subprocess.run(command, env=_environment(), capture_output=True, check=False)
    assert done.stderr == b""
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_FILES)
def test_killed_at_any_call_an_operation_is_done_wholly_or_not(
    tmp_path: Path, name: str, step: int
) -> None:
    ends = _ends(name, tmp_path, len(name) % step, step, "once")

    assert set(ends) == {"old", "new"}
    assert len(ends) * step > 30


@pytest.mark.parametrize("step", [13, pytest.param(3, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_FILES)
def test_killed_again_while_recovering_it_still_is(tmp_path: Path, name: str, step: int) -> None:
    ends = _ends(name, tmp_path, len(name) % step, step, "again")

    assert set(ends) <= {"old", "new"}
    assert len(ends) > 5


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_GIT)
@pytest.mark.parametrize("again", ["once", "again"])
def test_killed_at_any_call_index_and_branch_are_old_or_new(
    tmp_path: Path, name: str, step: int, again: str
) -> None:
    ends = _ends(name, tmp_path, 1, step, again)

    assert set(ends) <= {"old", "new"}
    assert len(ends) * step > 8


def test_killed_at_any_call_a_saved_session_is_the_old_one_or_the_new(tmp_path: Path) -> None:
    ends = _ends("save", tmp_path, 0, 1, "once")

    assert set(ends) == {"old", "new"}


@needs_strace
@pytest.mark.exhaustive
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_killed_at_any_system_call_an_operation_is_done_wholly_or_not(
    tmp_path: Path, name: str, call: str
) -> None:
    operation = OPERATIONS[name]
    ground = Ground(operation, tmp_path)
    for number in count(1, _AFTER_THE_START.get(call, 1)):
        here = ground.reset()
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
        run = [sys.executable, "-m", "tests.vcs.killing", name, str(here), "0", "1", "run"]
        command = ["strace", "-f", "-qq", "-o", "/dev/null", *inject, *run]
        done = subprocess.run(command, env=_environment(), capture_output=True, check=False)
        operation.recover(here, Disk())
        assert operation.end(here) in {"old", "new"}, number
        assert not list((here / "work").rglob("*.tmp")), number
        if done.returncode == 0:
            assert operation.end(here) == "new"
            return
