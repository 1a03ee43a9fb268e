"""Every command in a repository where each setting that names a program sings when it runs:
none does before trust.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from spark_tui.cli.open import INSTRUCTION
from spark_tui.vcs.git import find_git
from tests.cli.conftest import Spark
from tests.fakes import rename_script, write_model
from tests.providers.quoting_models import Script
from tests.vcs.canary import plant, sung
from tests.vcs.repos import git, make_repo

HERE = Path(__file__).parents[2]
SOURCE = "def f(d):\n    return d\n"
RENAME = ("exec", "rename d to e", "--at", "m.py:1-2")


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def hostile(
    tmp_path: Path, canary: Path, use_scripts: Callable[[Mapping[str, Script]], None]
) -> Path:
    root = plant(tmp_path / "work", canary)
    (root / "m.py").write_text(SOURCE)
    (root / ".spark").mkdir()
    (root / ".spark" / "config.toml").write_text('model = "/evil"\nnonsense = 1\n')
    use_scripts({"rename d to e": rename_script("d", "e")})
    return root


def test_no_command_sets_one_off_before_trust(spark: Spark, hostile: Path, canary: Path) -> None:
    here = ("-C", hostile)
    codes = {
        "propose": spark(*here, *RENAME).code,
        "as json": spark(*here, *RENAME, "--format", "json").code,
        "find": spark(*here, "exec", "rename d to e", "--file", "m.py").code,
        "check": spark(*here, *RENAME, "--check", "true").code,
        "apply": spark(*here, *RENAME, "--apply").code,
        "log": spark(*here, "log").code,
        "undo": spark(*here, "undo").code,
        "redo": spark(*here, "redo").code,
        "undo again": spark(*here, "undo").code,
        "rename": spark(*here, "exec", "--rename", "g", "--at", "m.py::f", "--apply").code,
        "stage": spark(*here, *RENAME, "--apply", "--stage").code,
        "trust": spark(*here, "trust").code,
        "trust as json": spark(*here, "trust", "--json").code,
        "screen": spark(*here).code,
    }

    assert sung(canary) == set()
    refused = {"check": 1, "stage": 1, "trust": 2, "screen": 2}
    assert codes == {name: refused.get(name, 0) for name in codes}


def test_trusting_itself_sets_none_off_and_is_needed_again_after_a_change(
    spark: Spark, hostile: Path, canary: Path
) -> None:
    (hostile / ".spark" / "config.toml").write_text("seed = 1\n")
    assert spark("-C", hostile, "trust", "--yes").code == 0
    assert spark("-C", hostile, *RENAME, "--check", "true").code == 0
    assert sung(canary) == set()

    (hostile / ".git" / "more-hooks" / "pre-commit").write_text("#!/bin/sh\nother\n")
    assert json.loads(spark("-C", hostile, "trust", "--json").out)["restricted"] == [
        "hook pre-commit (changed since you trusted it)"
    ]
    assert spark("-C", hostile, *RENAME, "--check", "true").code == 1
    assert sung(canary) == set()


def test_a_work_tree_sent_elsewhere_is_refused_by_every_command(
    spark: Spark, hostile: Path, canary: Path, tmp_path: Path
) -> None:
    (tmp_path / "victim").mkdir()
    with (hostile / ".git" / "config.worktree").open("a") as config:
        config.write(f"[core]\n\tworktree = {tmp_path}/victim\n")
    for command in (RENAME, ("log",), ("undo",), ("trust", "--yes")):
        done = spark("-C", hostile, *command)
        assert (done.code, "core.worktree" in done.err, len(done.err.splitlines())) == (1, True, 1)

    assert sung(canary) == set()


def test_the_doctor_and_the_demo_set_none_off(
    spark: Spark,
    tmp_path: Path,
    canary: Path,
    monkeypatch: pytest.MonkeyPatch,
    use_scripts: Callable[[Mapping[str, Script]], None],
) -> None:
    use_scripts({INSTRUCTION: rename_script("d", "expenses")})
    root = plant(tmp_path / "work", canary)
    monkeypatch.chdir(root)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    assert "core.fsmonitor" in spark("doctor", "--json").out
    assert spark("demo", "--print").code == 0
    assert sung(canary) == set()


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "odd"])
@pytest.mark.parametrize("folder", [".", "sub"])
@pytest.mark.parametrize("command", ["doctor", "demo --print"])
def test_no_program_of_the_repository_is_started_that_path_leads_to(
    tmp_path: Path, canary: Path, command: str, folder: str, *, broken: bool
) -> None:
    root = make_repo(tmp_path / "work", {"sub/a.py": b"x = 1\n"})
    for name in ("git", "uname", "sh", "bwrap", "tmux", "env", "true", "ldconfig", "cc", "gcc"):
        program = root / "tools" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {name} >> {shlex.quote(str(canary))}\nexit 1\n")
        program.chmod(0o755)
    if broken:
        (root / ".git" / "config").unlink()
        os.mkfifo(root / ".git" / "config")
    variables = {
        "PATH": f"{root}/tools{os.pathsep}{root}/sub/../tools{os.pathsep}{os.environ['PATH']}",
        "SPARK_MODEL": str(write_model(tmp_path / "tiny")),
        "PYTHONPATH": str(HERE),
        "TMPDIR": str(tmp_path),
    }
    # In a process of its own: what another test has asked the system is remembered.
    done = subprocess.run(
        [sys.executable, "-m", "spark_tui", *command.split()],
        cwd=root / folder,
        env=os.environ | variables,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert b"repository" in done.stdout or b"demo project" in done.stderr
    assert not canary.exists()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace looks on")
def test_the_kernel_is_asked_to_start_git_and_nothing_else(
    tmp_path: Path, canary: Path, state: Path
) -> None:
    root = plant(tmp_path / "work", canary)
    (root / "m.py").write_text("def load(d):\n    total = d + 1\n    return total\n")
    asked = ["exec", "rename d to rows", "--at", "m.py:1-3", "--apply", "--unsure"]
    spark_itself = [sys.executable, "-m", "spark_tui", *asked]
    watched = [
        "strace",
        "-f",
        "--seccomp-bpf",  # without it, every call of every process waits for strace
        "-qq",
        "-e",
        "trace=execve",
        "-o",
        str(tmp_path / "trace"),
        *spark_itself,
    ]
    env = {**os.environ, "PYTHONPATH": str(Path.cwd()), "SPARK_KERNELS": "auto"}
    done = subprocess.run(watched, cwd=root, env=env, capture_output=True, check=False)
    if not (tmp_path / "trace").exists() or b"ptrace" in done.stderr:
        pytest.skip("strace may not look on here")
    started = set(
        re.findall(r'execve\("([^"]*)".*\) = 0$', (tmp_path / "trace").read_text(), re.MULTILINE)
    )

    assert b"+def load(rows):" in done.stdout
    assert {Path(program).resolve() for program in started} == {
        Path(sys.executable).resolve(),
        Path(find_git(root)).resolve(),
    }
    assert state.exists()
    assert sung(canary) == set()


def test_plain_git_is_heard_there(hostile: Path, canary: Path) -> None:
    """The control: it is spark that keeps them silent."""
    with suppress(subprocess.CalledProcessError):
        git(hostile, "status")

    assert sung(canary)
