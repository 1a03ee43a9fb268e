"""Pipes and endless devices in the place of files that spark, or git, keeps: every command ends."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import MakeRepo, Spark

CODE = "def f(d):\n    return d\n"
COMMANDS = (
    ("log",),
    ("exec", "--rename", "h", "--at", "m.py::g", "--apply"),
    ("undo",),
    ("exec", "--rename", "h", "--at", "m.py::g", "--apply", "--stage"),
    ("review",),
)


@pytest.mark.parametrize("kind", ["pipe", "endless"])
@pytest.mark.parametrize(
    "name",
    ["spark-id", "spark-staged", "index.lock", "commondir", "info/exclude", "config.worktree"],
)
def test_no_command_waits_for_an_odd_file_of_a_git_directory(
    name: str, kind: str, spark: Spark, repo: MakeRepo
) -> None:
    folder = repo({"m.py": CODE})
    assert spark("exec", "--rename", "g", "--at", "m.py::f", "--apply", "-C", folder).code == 0
    place = folder / ".git" / name
    kept = place.read_bytes() if place.exists() else None
    put(place, kind)
    codes = [spark(*command, "-C", folder).code for command in COMMANDS]
    assert set(codes) <= {0, 1, 2, 3, 4, 75}
    place.unlink()
    if kept is not None:
        place.write_bytes(kept)
    assert "rename f to g" in spark("log", "-C", folder).out


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_no_command_waits_for_an_odd_file_of_its_own(
    kind: str, spark: Spark, repo: MakeRepo, state: Path
) -> None:
    folder = repo({"m.py": CODE})
    assert spark("exec", "--rename", "g", "--at", "m.py::f", "--apply", "-C", folder).code == 0
    for place in sorted(path for path in state.rglob("*") if path.is_file()):
        kept = place.read_bytes()
        put(place, kind)
        for command in COMMANDS:
            assert spark(*command, "-C", folder).code in {0, 1, 2, 3, 4, 75}, place
        place.unlink()
        place.write_bytes(kept)


def put(place: Path, kind: str) -> None:
    """Put a pipe, or a link to a device without an end, in the place of a file."""
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
