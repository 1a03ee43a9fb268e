"""What `spark doctor` says of the language servers that are installed."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Spark
from tests.fakes import make_repo, write_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with programs on PATH that are never started."""
    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    monkeypatch.setenv("SPARK_TYPES", "true")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("ty", "gopls"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})


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
