"""`spark review` on a real terminal, without a model, and with a patch that came by stdin."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.fakes import git, make_repo
from tests.tui.pseudo import Terminal

BEFORE = "def f(x):\n    return x+1\n\n\ndef g(y):\n    return y\n"
AFTER = BEFORE.replace("x+1", "x + 2").replace("return y", "return 2 * y")
PART = BEFORE.replace("x+1", "x + 2")
_QUIET_S = 0.4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A work tree with an edit that is not committed."""
    folder = make_repo(tmp_path / "repo", {"a.py": BEFORE})
    (folder / "a.py").write_text(AFTER)
    return folder


def started(folder: Path, arguments: str, stdin: str = "") -> Terminal:
    """`spark review` in a folder, without a model, once hunks can be decided."""
    spark = f"{shlex.quote(sys.executable)} -m spark_tui -C {shlex.quote(str(folder))}"
    command = f"{stdin}{spark} review {arguments} -m no-such-model"
    terminal = Terminal("/bin/sh", "-c", command, shell=True)
    terminal.until(terminal.shows("no model 'no-such-model'"))
    terminal.until(terminal.says("review"))
    terminal.until_quiet(_QUIET_S)  # what has just appeared is not decided about
    return terminal


def test_the_work_tree_is_reviewed_without_a_model(folder: Path) -> None:
    terminal = started(folder, "")
    try:
        terminal.do("r", "took the hunk back in a.py")
        assert (folder / "a.py").read_text() == AFTER.replace("x + 2", "x+1")
        terminal.until_quiet(_QUIET_S)
        terminal.do("a", "kept the hunk")
        terminal.press("\x03", terminal.shows("again quits"))
        terminal.press("\x03", terminal.ended)
    finally:
        terminal.close()
    assert (folder / "a.py").read_text() == AFTER.replace("x + 2", "x+1")


def test_a_patch_from_stdin_is_applied_with_keys_from_the_terminal(folder: Path) -> None:
    (folder.parent / "fix.patch").write_bytes(git(folder, "diff"))
    git(folder, "checkout", "--quiet", "--", ".")
    patch = shlex.quote(str(folder.parent / "fix.patch"))
    terminal = started(folder, "-", f"cat {patch} | ")
    try:
        terminal.do("a", "accepted the hunk and wrote a.py")
        assert (folder / "a.py").read_text() == PART
        terminal.until_quiet(_QUIET_S)
        terminal.do("r", "rejected the hunk")
        terminal.press("\x03", terminal.shows("again quits"))
        terminal.press("\x03", terminal.ended)
    finally:
        terminal.close()
    assert (folder / "a.py").read_text() == PART
