"""Each operation, with a call into the system refused at any moment: all of it is done or nothing.

An error is told in one line and is never taken for an editor's save. What it leaves behind goes
with the next operation once the system answers again. What was told as failed is then as it was.
"""

import errno
import os
from itertools import count
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.vcs.disk import Disk
from tests.vcs.killing import OPERATIONS, Ground
from tests.vcs.system_calls import SystemCalls

NAMES = ("accept", "undo", "redo", "stage", "undo_staged")
EVERY_ONE = pytest.param(1, marks=pytest.mark.exhaustive)
CODES = (
    "EIO",
    "EMFILE",
    "ENOMEM",
    pytest.param("ENOSPC", marks=pytest.mark.exhaustive),  # whose slice is in `test_faults.py`
    pytest.param("EACCES", marks=pytest.mark.exhaustive),
)
_HIDDEN = ("git was not found on PATH", "see `git -C ", "cannot be read", "is not in a git")
"""Beginnings of what is said where a library keeps the system's own words to itself."""


class Tries:
    """An operation, tried with one call refused after the other."""

    def __init__(self, name: str, folder: Path, code: int, *, lasting: bool) -> None:
        self.operation = OPERATIONS[name]
        self._ground = Ground(self.operation, folder)
        self._code = code
        self._lasting = lasting

    def refuse(self, number: int) -> tuple[Path, str] | None:
        """Try from the beginning.

        Returns:
            Where, and what was said; None: that call never came.
        """
        here = self._ground.reset()
        calls = SystemCalls(number, self._code, lasting=self._lasting)
        words = ""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", lambda _file: None)  # which is most of the time it takes
            calls.install(patch)
            try:
                self.operation.run(here, Disk())
            except SparkError as e:
                words = str(e)
        return (here, words) if len(calls.made) > number else None


@pytest.mark.parametrize("step", [199, EVERY_ONE])
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from_there_on"])
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("name", NAMES)
def test_with_a_call_refused_an_operation_is_done_wholly_or_not(
    tmp_path: Path, name: str, code: str, lasting: bool, step: int
) -> None:
    number = getattr(errno, code)
    tries = Tries(name, tmp_path, number, lasting=lasting)
    for at in count((7 * number + len(name)) % step, step):
        tried = tries.refuse(at)
        if tried is None:
            break
        here, words = tried
        assert "\n" not in words, at
        assert "another program" not in words, at
        assert not words or os.strerror(number) in words or any(w in words for w in _HIDDEN), at
        tries.operation.recover(here, Disk())
        end = tries.operation.end(here)
        assert end == ("old" if words else "new"), (at, words)
        assert not list((here / "work").rglob("*.tmp")), at
