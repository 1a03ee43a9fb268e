"""`spark exec` with a model that quotes: a sure edit, an unsure one, and none."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.answering.quoting_models import NOTHING
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import SURE, UNSURE, edit_script, git

AREA = "def area(w, h):\n    return w + h\n"
SCRIPTS = {"this should multiply": edit_script(AREA, AREA.replace("+", "*")), "thanks": NOTHING}
Use = Callable[[float], Path]


@pytest.fixture
def use(use_scripts: UseScripts, repo: MakeRepo) -> Use:
    """Makes every model the tiny one, sure from this chance on; gives the repository."""

    def make(sure: float) -> Path:
        use_scripts(SCRIPTS, sure=sure)
        return repo({"a.py": AREA})

    return make


def ask(spark: Spark, folder: Path, words: str, *more: str):  # type: ignore[no-untyped-def]
    return spark("exec", words, "--at", "a.py::area", "-C", folder, *more)


def test_a_sure_edit_is_a_patch_and_is_applied(spark: Spark, use: Use) -> None:
    folder = use(SURE)
    done = ask(spark, folder, "this should multiply")
    assert done.code == 0, done.err
    assert "+    return w * h" in done.out
    assert ask(spark, folder, "this should multiply", "--apply").code == 0
    assert (folder / "a.py").read_text() == AREA.replace("+", "*")
    assert spark("undo", "-C", folder).code == 0
    assert (folder / "a.py").read_text() == AREA


def test_an_unsure_edit_prints_no_patch_and_writes_nothing(spark: Spark, use: Use) -> None:
    folder = use(UNSURE)
    done = ask(spark, folder, "this should multiply", "--apply")
    assert (done.code, done.out) == (3, "")
    assert "unsure (" in done.err
    assert "--unsure takes it" in done.err
    assert git(folder, "status", "--porcelain") == b""


def test_an_unsure_edit_is_there_for_programs(spark: Spark, use: Use) -> None:
    done = ask(spark, use(UNSURE), "this should multiply", "--format", "json")
    told = json.loads(done.out)
    assert done.code == 3
    assert told["status"] == "unsure"
    assert 0 <= told["confidence"] <= 1
    assert "+    return w * h" in told["patch"]
    assert told["applied"] is False


def test_an_unsure_edit_can_be_taken(spark: Spark, use: Use) -> None:
    folder = use(UNSURE)
    done = ask(spark, folder, "this should multiply", "--apply", "--unsure")
    assert done.code == 0, done.err
    assert (folder / "a.py").read_text() == AREA.replace("+", "*")


def test_nothing_to_change_is_said_and_is_no_patch(spark: Spark, use: Use) -> None:
    done = ask(spark, use(SURE), "thanks")
    assert (done.code, done.out) == (3, "")
    assert "nothing to change" in done.err
