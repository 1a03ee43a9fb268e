"""Each operation, killed by SIGKILL at any call and again while recovering, is done wholly or
not at all.
"""

from pathlib import Path

import pytest

from tests.vcs.killing import OPERATIONS
from tests.vcs.kills import CALLS, ends, needs_strace, traced_ends

MODULE = "tests.vcs.killing"
IN_FILES = ("accept", "undo", "undo_and_keep", "redo")
IN_GIT = ("stage", "undo_staged", "commit")


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_FILES)
def test_killed_at_any_call_an_operation_is_done_wholly_or_not(
    tmp_path: Path, name: str, step: int
) -> None:
    found = ends(MODULE, name, tmp_path, len(name) % step, step)

    assert set(found) == {"old", "new"}
    assert len(found) * step > 30


@pytest.mark.parametrize("step", [13, pytest.param(3, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_FILES)
def test_killed_again_while_recovering_it_still_is(tmp_path: Path, name: str, step: int) -> None:
    found = ends(MODULE, name, tmp_path, len(name) % step, step, again=True)

    assert set(found) <= {"old", "new"}
    assert len(found) > 5


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", IN_GIT)
@pytest.mark.parametrize("again", [False, True])
def test_killed_at_any_call_index_and_branch_are_old_or_new(
    tmp_path: Path, name: str, step: int, again: bool
) -> None:
    found = ends(MODULE, name, tmp_path, 1, step, again=again)

    assert set(found) <= {"old", "new"}
    assert len(found) * step > 8


def test_killed_at_any_call_a_saved_session_is_the_old_one_or_the_new(tmp_path: Path) -> None:
    found = ends(MODULE, "save", tmp_path, 0, 1)

    assert set(found) == {"old", "new"}


@needs_strace
@pytest.mark.exhaustive
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_killed_at_any_system_call_an_operation_is_done_wholly_or_not(
    tmp_path: Path, name: str, call: str
) -> None:
    *found, last = traced_ends(MODULE, name, tmp_path, call)

    assert set(found) <= {"old", "new"}
    assert last == "new"
