"""Temporary folders of a killed spark are gone after the next start; nobody else's are."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.vcs.temporary_folder import TemporaryFolder, remove_left_over

PACKAGE = Path(__file__).parents[2]
QUARANTINE = """
from spark_tui.vcs.patch import private_repository
with private_repository():
    {}
"""
COPY = """
from contextlib import closing
from pathlib import Path
from spark_tui.vcs.temporary_folder import TemporaryFolder
with closing(TemporaryFolder("check")) as folder:
    (folder.path / "deep/er").mkdir(parents=True)
    (folder.path / "deep/er/copy.py").touch()
    {}
"""
KILL = "import os; os.kill(os.getpid(), 9)"
PLACES = {"quarantine": QUARANTINE.format(KILL), "copy": COPY.format(KILL)}


def start(code: str, place: Path) -> "subprocess.Popen[bytes]":
    """A spark whose temporary folders are in a place."""
    env = os.environ | {"PYTHONPATH": str(PACKAGE), "TMPDIR": str(place)}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def end_of(code: str, place: Path) -> int:
    """How such a spark ends."""
    with start(code, place) as process:
        process.communicate()
    return process.returncode


def make_old(place: Path) -> None:
    """Let some time pass for all in a folder."""
    for path in place.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)


@pytest.mark.parametrize("code", PLACES.values(), ids=PLACES)
def test_the_next_start_removes_what_a_killed_one_left(tmp_path: Path, code: str) -> None:
    assert end_of(code, tmp_path) == -9
    assert len(list(tmp_path.iterdir())) == 1
    make_old(tmp_path)
    assert end_of(QUARANTINE.format("pass"), tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_kept_however_old(tmp_path: Path) -> None:
    with start(COPY.format("print(flush=True); input()"), tmp_path) as other:
        assert other.stdout is not None
        other.stdout.readline()
        make_old(tmp_path)
        with closing(TemporaryFolder("check", tmp_path)) as own:
            os.utime(own.path, (0, 0))
            remove_left_over(tmp_path)
            assert len(list(tmp_path.iterdir())) == 2
        other.communicate(b"\n")
    assert list(tmp_path.iterdir()) == []


def make_folder(place: Path) -> Path:
    (place / "file").parent.mkdir()
    (place / "file").touch()
    return place / "file"


def make_link(place: Path) -> Path:
    elsewhere = place.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    place.symlink_to(elsewhere)
    return elsewhere / "file"


def make_file(place: Path) -> Path:
    place.touch()
    return place


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("spark-0f5c1a3e-1f0b-4b5e-9d57-3c1f6d2e0c11", make_folder),
        ("spark-demo-abc", make_folder),
        ("spark-abc", make_folder),
        ("spark-tui-check-abc", make_link),
        ("spark-tui-check-abc", make_file),
    ],
)
def test_what_is_nobodys_left_over_is_kept(
    tmp_path: Path, name: str, make: Callable[[Path], Path]
) -> None:
    file = make(tmp_path / name)
    make_old(tmp_path)
    remove_left_over(tmp_path)
    assert file.exists()


def test_a_new_folder_is_kept_until_its_maker_may_have_locked_it(tmp_path: Path) -> None:
    new = tmp_path / "spark-tui-check-abc"
    new.mkdir()
    remove_left_over(tmp_path)
    assert new.exists()
    make_old(tmp_path)
    remove_left_over(tmp_path)
    assert not new.exists()


def test_a_place_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    remove_left_over(tmp_path / "missing")
