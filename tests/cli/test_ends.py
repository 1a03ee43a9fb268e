"""How the process ends when it is cut short or cannot say what it has to."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fakes import make_repo

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")
INTERRUPTED_IMPORT = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from spark_tui.__main__ import main
sys.exit(main(["log"]))
"""
needs_full = pytest.mark.skipif(
    not FULL.exists(), reason="there is no device here that is always full"
)


def _python(
    *arguments: str,
    state: Path,
    stdout: Path | None = None,
    stderr: Path | None = None,
    unbuffered: str = "",
) -> subprocess.CompletedProcess[str]:
    folders = {f"XDG_{name}_HOME": str(state) for name in ("STATE", "CONFIG", "CACHE")}
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered, **folders}
    with ExitStack() as files:
        out, err = (
            files.enter_context(to.open("w")) if to else subprocess.PIPE for to in (stdout, stderr)
        )
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=env,
            stdout=out,
            stderr=err,
            text=True,
            check=False,
        )


@pytest.mark.parametrize(
    "name", ["spark_tui.cli.output", "spark_tui.errors", "argparse", "spark_tui.cli.journal"]
)
def test_an_interrupt_while_it_is_still_importing_leaves_no_traceback(
    name: str, tmp_path: Path
) -> None:
    done = _python("-c", INTERRUPTED_IMPORT.format(name=name), state=tmp_path)
    assert done.returncode in (130, -signal.SIGINT)
    assert done.stderr in ("", "spark: interrupted\n")


@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["log", "--help"], ["model", "list"]]
)
def test_output_that_finds_no_room_is_one_line_and_no_crash_report(
    arguments: list[str], unbuffered: str, tmp_path: Path
) -> None:
    done = _python(
        "-m", "spark_tui", *arguments, stdout=FULL, state=tmp_path, unbuffered=unbuffered
    )
    assert done.returncode == 1
    assert (
        done.stderr
        == "spark: cannot write: No space left on device; free some space or write elsewhere\n"
    )
    assert not list(tmp_path.rglob("crashes"))


@needs_full
def test_an_error_that_cannot_be_told_still_has_its_exit_code(tmp_path: Path) -> None:
    assert _python("-m", "spark_tui", "exec", stderr=FULL, state=tmp_path).returncode == 2


def _closed(shell: str, state: Path) -> subprocess.CompletedProcess[str]:
    """`spark log` in a new repository, with its streams as the shell is told."""
    folders = {f"XDG_{name}_HOME": str(state) for name in ("STATE", "CONFIG", "CACHE")}
    env = os.environ | {"PYTHONPATH": str(ROOT), **folders}
    repo = make_repo(state / "repo", {})
    command = f"cd {repo}; {sys.executable} -m spark_tui {shell}"
    return subprocess.run(
        ["bash", "-c", command], env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("shell", "code", "out", "err"),
    [
        (
            "model list >&-",
            1,
            "",
            "spark: cannot write: stdout is closed; free some space or write elsewhere\n",
        ),
        ("log >&-", 0, "", "spark: nothing accepted here yet\n"),
        ("log 2>&-", 0, "", ""),
        (
            "doctor --help 2>&- <&- | head -1",
            0,
            "usage: spark doctor [-h] [-C DIR] [--json] [-m MODEL] [--keys]\n",
            "",
        ),
        ("nonsense --flag >&- 2>&-", 2, "", ""),
        ("log --flag 2>&-", 2, "", ""),
        ("exec - <&-", 2, "", "spark: the instruction is empty; say what to change\n"),
        ("log --json | true; echo ${PIPESTATUS[0]}", 0, "0\n", ""),
        ("--help | true; echo ${PIPESTATUS[0]}", 0, "0\n", ""),
    ],
)
def test_streams_that_are_closed_cost_no_traceback(
    shell: str, code: int, out: str, err: str, tmp_path: Path
) -> None:
    done = _closed(shell, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)
    assert not list(tmp_path.rglob("crashes"))
