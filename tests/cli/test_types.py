"""`spark doctor` tells which language servers are installed, and which of them run."""

import json
from pathlib import Path

import pytest

from spark_tui.session.language_servers import trial_run
from tests.cli.conftest import Spark
from tests.fakes import make_repo, write_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with servers on PATH that do nothing but say their version."""
    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    monkeypatch.setenv("SPARK_TYPES", "true")
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    install(tmp_path, "ty", 'test "$1" = --version && echo ty 99.0.1')
    install(tmp_path, "gopls", 'test "$1" = version && echo golang.org/x/tools/gopls v0.5.0')
    return make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})


def install(tmp_path: Path, name: str, script: str) -> None:
    program = tmp_path / "programs" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def types_of(spark: Spark, folder: Path) -> dict[str, bool]:
    """Which servers are used, by the name of the program."""
    findings = json.loads(spark("doctor", "--json", "-C", folder).out)["findings"]
    return {
        Path(each["value"].split()[0]).name: each["ok"]
        for each in findings
        if each["name"] == "types"
    }


def test_the_doctor_says_which_servers_are_used_and_which_wait_for_trust(
    spark: Spark, folder: Path
) -> None:
    found = types_of(spark, folder)
    assert (found["ty"], found["gopls"]) == (True, False)
    spark("trust", "--yes", "-C", folder)
    assert types_of(spark, folder)["gopls"]


def test_the_doctor_says_that_types_are_not_wanted(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TYPES", "false")
    done = spark("doctor", "-C", folder)
    assert "ok    types        not checked, as the settings say" in done.out


@pytest.mark.parametrize(
    ("name", "script", "said"),
    [
        (
            "rust-analyzer",
            "echo \"error: Unknown binary 'rust-analyzer'\" >&2; echo more >&2; exit 1",
            "does not run: error: Unknown binary 'rust-analyzer'; rustup component add rust-",
        ),
        ("clangd", "exit 127", "does not run: exit status 127; install it again"),
        ("ty", "echo ty 0.0.9", "is too old: ty 0.0.9; 0.0.107 is the first that is asked; pip "),
        ("clangd", "exec sleep 600", "says nothing within 0 s; "),
    ],
)
def test_the_doctor_tells_of_a_server_that_does_not_run(
    spark: Spark,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    script: str,
    said: str,
) -> None:
    if "sleep" in script:
        monkeypatch.setattr(trial_run, "PATIENCE_SECONDS", 0.1)
    install(tmp_path, name, script)
    done = spark("doctor", "-C", folder)
    assert f"note  types        {tmp_path / 'programs' / name} {said}" in done.out


def test_the_doctor_tells_of_a_server_whose_interpreter_is_gone(
    spark: Spark, folder: Path, tmp_path: Path
) -> None:
    install(tmp_path, "typescript-language-server", "")
    program = tmp_path / "programs" / "typescript-language-server"
    program.write_text("#!/nowhere/node\n")
    assert not types_of(spark, folder)["typescript-language-server"]
