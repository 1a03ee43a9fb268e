"""The commands on a disk that ignores case and how accents are written, as Macs have it."""

import json
import unicodedata
from pathlib import Path

import pytest

from tests.cli.conftest import Spark, UseScripts
from tests.cli.test_exec import AREA, FIXED, SCRIPTS
from tests.fakes import git, make_repo

NAME = unicodedata.normalize("NFD", "Pläne.py")


@pytest.fixture
def folder(folding_folder: Path, use_scripts: UseScripts) -> Path:
    use_scripts(SCRIPTS)
    return make_repo(folding_folder / "Repo", {"Lib/Area.py": AREA, NAME: AREA})


@pytest.mark.parametrize(
    ("options", "known"),
    [
        (("multiply", "--file", "lib/AREA.py"), "Lib/Area.py"),
        pytest.param(
            ("multiply", "--at", "lib/area.py::area"), "Lib/Area.py", marks=pytest.mark.exhaustive
        ),
        pytest.param(("multiply @lib/area.py",), "Lib/Area.py", marks=pytest.mark.exhaustive),
        (("multiply @AREA.PY::area",), "Lib/Area.py"),
        (("multiply", "--file", unicodedata.normalize("NFC", NAME)), NAME),
        pytest.param(
            (f"multiply @{unicodedata.normalize('NFC', NAME)}",),
            NAME,
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_a_file_by_another_spelling_is_edited_staged_and_taken_back(
    spark: Spark, folder: Path, options: tuple[str, ...], known: str
) -> None:
    entries = git(folder, "ls-files", "-z")
    elsewhere = folder.parent / "REPO"

    done = spark("exec", *options, "--apply", "--stage", "--format", "json", "-C", elsewhere)

    assert (done.code, json.loads(done.out)["region"]["path"]) == (0, known)
    assert (folder / known).read_text() == FIXED
    assert git(folder, "ls-files", "-z") == entries
    assert git(folder, "diff", "--cached", "--name-only", "-z") == known.encode() + b"\0"
    assert spark("undo", "-C", folder).code == 0
    assert git(folder, "status", "--porcelain") == b""


def test_a_rename_in_case_alone_is_named_and_holds_up_no_other_file(
    spark: Spark, folder: Path
) -> None:
    git(folder, "mv", "--force", "Lib/Area.py", "Lib/AREA.py")
    (folder / NAME).write_text(FIXED)

    done = spark("review", "--take-back", "all", "--format", "json", "-C", folder)

    body = json.loads(done.out)
    assert (done.code, body["written"]) == (1, [NAME])
    assert "are one file on this disk" in body["left"][0]["reason"]


def test_doctor_says_that_case_is_ignored(spark: Spark, folder: Path) -> None:
    git(folder, "config", "core.ignorecase", "false")

    findings = json.loads(spark("doctor", "--json", "-C", folder).out)["findings"]
    names = next(each for each in findings if each["name"] == "names")

    assert not names["ok"]
    assert "git config core.ignorecase true" in names["advice"]
