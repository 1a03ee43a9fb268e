"""Editing and copying on a real terminal: nothing typed is lost, and the terminal is handed over and taken back."""

import base64
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import HUSH, SPLIT, STORE


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "EDITING"\nread line\necho "    $line" > "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    yield terminal
    terminal.close()


def reviewed(terminal: Terminal, instruction: str) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(instruction + "\r")
    terminal.until(terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text


def test_what_is_typed_right_before_it_is_kept_is_kept(terminal: Terminal, tmp_path: Path) -> None:
    reviewed(terminal, SPLIT)
    terminal.press("e")
    terminal.until(terminal.shows("what this hunk proposes"))
    terminal.press("\x1b[F")
    terminal.until_quiet()
    terminal.press(" # seen\x13")
    terminal.until(terminal.shows("your text is proposed"))
    terminal.until(terminal.shows("expenses = list() # seen"))
    assert (tmp_path / "repo" / "store.py").read_text() == STORE


def test_the_editor_has_the_terminal_until_it_ends_and_ctrl_c_is_its_own(terminal: Terminal) -> None:
    reviewed(terminal, SPLIT)
    terminal.press("\x07")
    terminal.until(lambda: b"EDITING" in terminal.raw)
    assert terminal.after == terminal.before
    terminal.press("expenses = my_own()\n")
    terminal.until(terminal.shows("with your text names: undefined: my_own"))
    assert terminal.after != terminal.before
    terminal.until(terminal.ended, press="q")
    assert terminal.after == terminal.before


def test_a_copy_of_the_patch_reaches_the_clipboard_whole(terminal: Terminal) -> None:
    reviewed(terminal, HUSH)
    terminal.press("Y")
    terminal.until(terminal.shows("sent a patch"))
    (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x1b\\", terminal.raw)
    assert base64.b64decode(copied).startswith(b"diff --git a/store.py b/store.py\n")
