"""`spark exec` with a model that quotes and is not sure."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import UNSURE, edit_script, git

AREA = "def area(w, h):\n    return w + h\n"
ASKED = ("exec", "this should multiply", "--at", "a.py::area", "-C")


@pytest.fixture
def folder(use_scripts: UseScripts, repo: MakeRepo) -> Path:
    """A repository, and a model that is not sure of what it does there."""
    use_scripts({"this should multiply": edit_script(AREA, AREA.replace("+", "*"))}, sure=UNSURE)
    return repo({"a.py": AREA})


def test_an_unsure_edit_prints_no_patch_and_writes_nothing(spark: Spark, folder: Path) -> None:
    done = spark(*ASKED, folder, "--apply")
    assert (done.code, done.out) == (3, "")
    assert "unsure (" in done.err
    assert "--unsure applies it" in done.err
    assert git(folder, "status", "--porcelain") == b""
    assert "--unsure prints it" in spark(*ASKED, folder).err


def test_an_unsure_edit_is_there_for_programs(spark: Spark, folder: Path) -> None:
    done = spark(*ASKED, folder, "--format", "json")
    told = json.loads(done.out)
    assert (done.code, told["status"], told["applied"]) == (3, "unsure", False)
    assert 0 <= told["confidence"] <= 1
    assert "+    return w * h" in told["patch"]


def test_an_unsure_edit_can_be_taken(spark: Spark, folder: Path) -> None:
    done = spark(*ASKED, folder, "--apply", "--unsure")
    assert done.code == 0, done.err
    assert (folder / "a.py").read_text() == AREA.replace("+", "*")
