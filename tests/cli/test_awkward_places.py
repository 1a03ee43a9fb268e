"""Where spark cannot work it says so in one line, with the documented exit code and never a
traceback.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, Spark, UseScripts
from tests.fakes import edit_script, git, make_repo, write_model

AREA = "def area(w, h):\n    return w + h\n"
FIXED = AREA.replace("+", "*")


@pytest.fixture(autouse=True)
def _words(use_scripts: UseScripts) -> None:
    use_scripts({"multiply": edit_script(AREA, FIXED)})


@pytest.mark.parametrize(
    "arguments",
    [
        ["exec", "multiply"],
        ["undo"],
        ["redo"],
        ["log"],
        ["exec", "multiply", "--at", "a.py:1", "--apply"],
    ],
)
def test_outside_a_repository(spark: Spark, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "plain").mkdir()
    spark(*arguments, "-C", tmp_path / "plain").refuses(
        1, "not in a git repository; run `git init` first"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["exec", "multiply"],
        ["undo"],
        ["redo"],
        ["log"],
        ["trust"],
        ["doctor"],
        ["demo"],
        ["-C/"],
    ],
)
def test_where_the_folder_one_stands_in_is_gone(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    spark(*arguments).refuses(
        1, "the current folder is gone (No such file or directory); cd to another one"
    )


def test_in_a_folder_that_is_not_there(spark: Spark, tmp_path: Path) -> None:
    spark("exec", "multiply", "-C", tmp_path / "none").refuses(1, "cannot look into")


def test_in_a_bare_repository(spark: Spark, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    spark("exec", "multiply", "-C", tmp_path / "bare.git").refuses(1, "bare repository")


def test_a_repository_without_commits_works_like_any_other(spark: Spark, tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "new", {"a.py": AREA}, commit=False)
    assert spark("exec", "multiply", "--at", "a.py::area", "--apply", "-C", folder).code == 0
    assert (folder / "a.py").read_text() == FIXED
    assert spark("undo", "-C", folder).code == 0
    assert (folder / "a.py").read_text() == AREA


@pytest.mark.parametrize("place", [["--at", "a.py:1-1"], ["--file", "a.py"]])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x00\x01\n", "is binary: spark edits UTF-8 text only; name a"),
        (AREA.encode("utf-16"), "`iconv -f UTF-16 -t"),
    ],
)
def test_a_file_that_is_no_utf_8_text_is_a_usage_error_which_says_what_to_do(
    spark: Spark, tmp_path: Path, data: bytes, said: str, place: list[str]
) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": data})
    spark("exec", "multiply", *place, "-C", folder).refuses(2, said)


def test_a_folder_in_place_of_a_file(spark: Spark, tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"lib/a.py": AREA})
    spark("exec", "multiply", "--at", "lib", "-C", folder).refuses(
        2, "lib is a folder; name a file"
    )


def test_a_file_the_system_does_not_let_us_read(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": AREA})
    really_open = os.open

    def refuse(path: Any, *args: Any, **options: Any) -> int:
        if path == "a.py":
            raise PermissionError(13, "Permission denied")
        return really_open(path, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    spark("exec", "multiply", "--at", "a.py::area", "-C", folder).refuses(
        1, "cannot read a.py: Permission denied"
    )


def test_a_repository_without_files(spark: Spark, tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "repo", {})
    spark("exec", "multiply", "-C", folder).refuses(2)


def test_a_file_of_3_megabytes_is_edited_like_any_other(spark: Spark, tmp_path: Path) -> None:
    filler = "".join(f"# {n:06d} {'-' * 90}\n" for n in range(31_000))
    folder = make_repo(tmp_path / "repo", {"big.py": filler + AREA})
    assert len(filler) > 3_000_000
    done = spark("exec", "multiply", "--at", "big.py::area", "--apply", "-C", folder)
    assert done.code == 0
    assert (folder / "big.py").read_text() == filler + FIXED


def test_names_with_control_characters_reach_no_terminal(spark: Spark, tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": AREA})
    done = spark("exec", "multiply", "--at", "x\x1b]0;owned\x07.py:1-1", "-C", folder)
    assert done.code == 2
    assert "␛]0;owned␇" in done.err
    assert not {"\x1b", "\x07"} & set(done.err)


def _process(*arguments: str | Path, cwd: Path) -> Done:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "spark_tui", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=60
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_an_unknown_model_in_a_real_process(tmp_path: Path, state: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": AREA})
    _process("exec", "multiply", "--at", "a.py:1", "-m", "nope", cwd=folder).refuses(
        2, "no model 'nope'"
    )


def test_a_truncated_model_in_a_real_process(tmp_path: Path, state: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": AREA})
    weights = write_model(tmp_path / "model") / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    _process("exec", "x", "--at", "a.py:1", "-m", tmp_path / "model", cwd=folder).refuses(
        1, "model.safetensors"
    )


def test_a_bug_becomes_one_line_and_a_report(
    spark: Spark, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": AREA})
    monkeypatch.setattr("spark_tui.cli.journal.open_batches", lambda args: 1 / 0)
    spark("log", "-C", folder).refuses(1, "unexpected ZeroDivisionError")
    (report,) = (state / "crashes").iterdir()
    assert "Traceback" in report.read_text()


def test_a_module_of_the_repository_is_not_run(tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"secrets.py": 'open("ran", "w")\n', "a.py": AREA})
    assert _process("log", cwd=folder).code == 0
    assert not (folder / "ran").exists()


def test_lines_that_only_python_sees_are_told(spark: Spark, tmp_path: Path) -> None:
    folder = make_repo(tmp_path / "repo", {"a.py": b"def area(w, h):\r    return w + h\r"})
    done = spark("exec", "multiply", "--at", "a.py::area", "-C", folder)
    assert (done.code, "CRs without LF" in done.err) == (3, True)
