"""`spark exec --apply --stage`: the edit, and nothing else, goes into the index, too."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Spark
from tests.cli.test_exec import AREA, FIXED, SCRIPTS, MakeRepo, UseScripts
from tests.fakes import git

HEAD = "# mine, not staged\n"


@pytest.fixture
def folder(repo: MakeRepo, use_scripts: UseScripts) -> Path:
    """A repository with one function, and a file that was edited and staged by hand."""
    use_scripts(SCRIPTS)
    root = repo({"a.py": AREA, "lib/b.py": "x = 1\n"})
    (root / "lib" / "b.py").write_text("x = 2\n")
    git(root, "add", "lib/b.py")
    return root


def test_the_edit_alone_is_staged(spark: Spark, folder: Path) -> None:
    (folder / "a.py").write_text(HEAD + AREA)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    assert done.code == 0
    assert "applied and staged, `spark undo` takes it back" in done.err
    assert (folder / "a.py").read_text() == HEAD + FIXED
    assert git(folder, "show", ":a.py").decode() == FIXED
    assert git(folder, "status", "--porcelain") == b"MM a.py\nM  lib/b.py\n"


def test_what_cannot_be_staged_is_applied_all_the_same_and_told(spark: Spark, folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.py filter=lfs\n")
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "--format", "json", "-C", folder)
    assert (done.code, json.loads(done.out)["applied"]) == (1, True)
    assert "`git add` it by hand" in json.loads(done.err)["message"]
    assert (folder / "a.py").read_text() == FIXED
    assert git(folder, "show", ":a.py").decode() == AREA


def test_an_untrusted_repository_is_told_before_anything_is_done(spark: Spark, folder: Path) -> None:
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    assert (done.code, done.out) == (1, "")
    assert "spark trust" in done.err
    assert (folder / "a.py").read_text() == AREA


def test_to_stage_without_applying_is_a_usage_error(spark: Spark, folder: Path) -> None:
    done = spark("exec", "multiply", "--at", "a.py::area", "--stage", "-C", folder)
    assert (done.code, done.err) == (2, "spark: --stage is for an edit that is applied; add --apply\n")
