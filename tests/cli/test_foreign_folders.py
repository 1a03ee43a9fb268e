"""Folders of spark's own that belong to somebody else, as after `sudo spark`, or that lead
nowhere.
"""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Spark, UseScripts
from tests.fakes import edit_script, make_repo

AREA = "def area(w, h):\n    return w + h\n"
FIXED = AREA.replace("+", "*")
VARIABLES = {
    "XDG_STATE_HOME": "state",
    "XDG_CONFIG_HOME": "config",
    "XDG_CACHE_HOME": "cache",
    "XDG_DATA_HOME": "data",
    "HOME": "home",
}
SOMEBODY = 65534
_DROP_FROM_BOUNDS = 24
_CAPABILITIES = (0, 1, 2, 3)
"""To give files away, to pass over permissions to write and to read, and to pass over owners:
see capabilities(7).
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def _lose_powers() -> None:
    """Let what is executed next obey permissions, also where root runs the tests."""
    prctl = ctypes.CDLL(None).prctl
    for capability in _CAPABILITIES:
        prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0)


def close(folder: Path) -> None:
    """Make everything in a folder somebody else's; without the right to, make it unreadable."""
    places = [folder, *folder.rglob("*")]
    for place in reversed(places):
        place.chmod(0o700 if place.is_dir() else 0o600)
        if os.geteuid() == 0:
            os.chown(place, SOMEBODY, SOMEBODY)
        else:
            place.chmod(0)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", {"a.py": AREA})


@pytest.fixture
def run(tmp_path: Path, repo: Path) -> Iterator[Run]:
    """Runs spark as a user whom permissions hold."""
    environment = os.environ | {name: str(tmp_path / folder) for name, folder in VARIABLES.items()}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "spark_tui", *arguments, "-C", str(repo)]
        return subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=_lose_powers,
        )

    yield run
    for place in tmp_path.rglob("spark"):
        place.chmod(0o700)


def folders(tmp_path: Path, name: str) -> list[Path]:
    """A folder of spark's own with what is in it, and the folder in it that a command makes
    first.
    """
    own = tmp_path / name / "spark"
    for inner in ("journals", "locks", "sessions", "trust", "history", "themes"):
        (own / inner).mkdir(parents=True, exist_ok=True)
    (own / "config.toml").write_text('theme = "dark"\n')
    return [own, own / "journals", own / "locks"]


def test_what_writes_says_how_to_get_a_state_folder_back(run: Run, tmp_path: Path) -> None:
    own = folders(tmp_path, "state")[0]
    close(own)
    for command in (["undo"], ["redo"], ["log"]):
        done = run(*command)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) in {
            (1, "", 1),
            (0, "", 1),
        }, done
        assert "unexpected" not in done.stderr
    done = run("undo")
    assert done.returncode == 1
    assert "sudo chown -R" in done.stderr or "chmod -R u+rwX" in done.stderr
    assert str(own) in done.stderr


def test_the_doctor_runs_and_names_what_cannot_be_read(run: Run, tmp_path: Path) -> None:
    own, config = folders(tmp_path, "state")[0], folders(tmp_path, "config")[0]
    close(own / "journals")
    close(config)
    done = run("doctor", "--json")
    found = {each["name"]: each for each in json.loads(done.stdout)["findings"] if not each["ok"]}
    assert done.returncode == 1
    assert str(own) in found["state"]["value"]
    assert f"{own}` " in found["state"]["advice"]
    assert str(config) in found["settings"]["value"]
    assert "Permission denied" in found["settings"]["value"]


@pytest.mark.parametrize("which", ["spark", "journals", "locks"])
def test_what_only_proposes_needs_no_journal(
    spark: Spark,
    use_scripts: UseScripts,
    state: Path,
    repo: Path,
    monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:
    use_scripts({"multiply": edit_script(AREA, FIXED)})
    state.mkdir(parents=True)
    refused = state if which == "spark" else state / which
    lstat, stat, scandir, mkdir, open_ = os.lstat, os.stat, os.scandir, os.mkdir, os.open

    def refusing(call: Callable[..., object]) -> Callable[..., object]:
        def answer(path: object, *args: object, **options: object) -> object:
            if (
                isinstance(path, str | Path)
                and Path(path).is_relative_to(refused)
                and Path(path) != refused
            ):
                raise PermissionError(13, "Permission denied", str(path))
            return call(path, *args, **options)

        return answer

    refused.mkdir(exist_ok=True)
    for name, call in (
        ("lstat", lstat),
        ("stat", stat),
        ("scandir", scandir),
        ("mkdir", mkdir),
        ("open", open_),
    ):
        monkeypatch.setattr(os, name, refusing(call))
    done = spark("exec", "multiply", "--at", "a.py::area", "-C", repo)
    assert done.code == 0, done
    assert "w * h" in done.out
    refusal = spark("exec", "multiply", "--at", "a.py::area", "--apply", "-C", repo)
    refusal_is_plain = "unexpected" not in refusal.err and "XDG_STATE_HOME" in refusal.err
    assert (refusal.code, refusal_is_plain) == (1, True), refusal
    assert (repo / "a.py").read_text() == AREA
