"""`spark exec --apply --stage`: the edit, and nothing else, goes into the index, too."""

import json
from pathlib import Path

import pytest

from spark_tui.vcs import index
from tests.cli.conftest import Spark
from tests.cli.test_exec import AREA, FIXED, SCRIPTS, MakeRepo, UseScripts
from tests.fakes import edit_script, git
from tests.vcs.states import LINES, STATES

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


@pytest.mark.parametrize(
    ("state", "staged"),
    [
        ("unborn", 0),
        ("merging", 0),
        ("rebasing", 0),
        ("conflicted index", 1),
        ("inside a submodule", 0),
        ("linked work tree", 0),
        ("sparse index", 0),
        ("SHA-256", 0),
        ("locked index", 75),
    ],
)
def test_from_the_command_line_too_every_state_works_or_ends_in_one_line(
    spark: Spark, use_scripts: UseScripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, staged: int
) -> None:
    monkeypatch.setattr(index, "PATIENCE_SECONDS", 0.0)
    after = LINES.replace(b"line_3 = 1", b"line_3 = 3")
    use_scripts({"three": edit_script(LINES.decode(), after.decode())})
    root = STATES[state](tmp_path)
    done = spark("exec", "three", "--at", "a.py:1-12", "--apply", "--stage", "-q", "-C", root)
    assert (done.code, len(done.err.splitlines())) == (staged, 1 if staged else 0), done.err
    assert (root / "a.py").read_bytes() == after
    assert [spark(command, "-C", root).code for command in ("undo", "redo", "log")] == [0, 0, 0]
    assert (root / "a.py").read_bytes() == after


def test_a_bare_repository_is_one_line(spark: Spark, use_scripts: UseScripts, tmp_path: Path) -> None:
    use_scripts(SCRIPTS)
    root = STATES["bare"](tmp_path)
    for command in (["exec", "multiply"], ["undo"], ["redo"], ["log"]):
        done = spark(*command, "-C", root)
        assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
