"""The example programs run as they are, with the shipped model where they need one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _run(name: str, folder: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "XDG_STATE_HOME": str(folder)}
    command = [sys.executable, str(ROOT / "examples" / name)]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout


def test_the_engine_writes_a_script_from_python(tmp_path: Path) -> None:
    lines = _run("engine_from_python.py", tmp_path).splitlines()
    assert "<K:rename>" in lines[0]
    assert "<END>" in lines[-1]


def test_the_streaming_diff_ends_with_every_hunk(tmp_path: Path) -> None:
    assert _run("streaming_diff.py", tmp_path).splitlines()[-3:-1] == [
        "line 2: ['    if w < 0:'] -> ['    if w < 0 or h < 0:']",
        "line 4: ['    return w + h'] -> ['    # width by height', '    return w * h']",
    ]


def test_a_scripted_turn_is_accepted_and_taken_back(tmp_path: Path) -> None:
    said = _run("script_a_turn.py", tmp_path)
    assert "ok: rename: 3 hunks, checked (applies, parses, names)" in said
    assert "accepted as" in said
    assert "taken back as" in said


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_is_a_few_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 30
