"""What the system refuses is told as that, with a way out; only spark's faults are to be
reported.
"""

import errno
import os
import sys
from pathlib import Path

import pytest

from spark_tui.crash_report import problem_of
from spark_tui.errors import SparkError


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def refusal(code: int, name: str | None = None) -> OSError:
    return OSError(code, os.strerror(code), name)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.EMFILE, "ulimit -n"),
        (errno.ENFILE, "close some programs"),
        (errno.ENOMEM, "ulimit -v"),
        (errno.EAGAIN, "ulimit -u"),
        (errno.EIO, "the disk is failing"),
        (errno.ESTALE, "mount it again"),
        (errno.EINTR, "try again"),
    ],
)
@pytest.mark.parametrize("name", [None, "lib/module.py"])
def test_a_refusal_is_told_with_its_file_and_what_to_do(
    code: int, advice: str, name: str | None
) -> None:
    words = str(problem_of(refusal(code, name)))
    assert os.strerror(code) in words
    assert advice in words
    assert name is None or f"cannot read {name}" in words
    assert "report" not in words
    assert "\n" not in words


def test_an_import_that_fails_for_want_of_descriptors_names_the_limit() -> None:
    wrapped = ImportError("numpy did not load.\nRead the whole page.")
    wrapped.__cause__ = refusal(errno.EMFILE, "/lib/numpy.so")
    assert "ulimit -n" in str(problem_of(wrapped))
    loader = ImportError(f"libx.so: cannot open shared object file: {os.strerror(errno.EMFILE)}")
    assert "ulimit -n" in str(problem_of(loader))
    assert "ulimit -v" in str(problem_of(ImportError("libx.so: failed to map segment from file")))
    assert "ulimit -u" in str(problem_of(RuntimeError("can't start new thread")))


@pytest.mark.parametrize("name", ["json.decoder", "spark_tui.windows", "numba"])
def test_what_is_installed_and_cannot_be_loaded_is_no_fault_of_spark_s(name: str) -> None:
    words = str(problem_of(ModuleNotFoundError(f"No module named {name!r}", name=name)))
    assert words.startswith(f"cannot load {name}, though it is installed; try again, and see `ulim")


def test_a_cache_that_numba_cannot_have_is_no_fault_of_spark_s() -> None:
    error = RuntimeError("cannot cache function 'f': no locator available for file 'x.py'")
    assert str(problem_of(error)).startswith("cannot keep compiled code, since no folder for it")


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'nix'", name="nix"),
        ImportError("no x"),
        OSError("odd"),
        refusal(errno.EINVAL),
        ZeroDivisionError(),
    ],
)
def test_any_other_fault_is_to_be_reported(error: Exception) -> None:
    assert "please report it" in str(problem_of(error))


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limits")
def test_out_of_memory_names_the_limit_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for limit, advice in ((300 << 20, "`ulimit -v` allows 300 MB"), (-1, "close other programs")):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        words = str(problem_of(MemoryError()))
        assert words.startswith(f"out of memory; {advice}")
        assert words.endswith("name a smaller model with -m")


def test_an_error_raised_on_purpose_is_told_as_it_is() -> None:
    error = SparkError("as it is")
    error.__cause__ = refusal(errno.EMFILE)
    assert problem_of(error) is error
