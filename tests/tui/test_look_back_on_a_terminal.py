"""The keys of the stream on a real terminal, as bytes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import EDIT, SPLIT, STORE


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    yield terminal
    terminal.close()


def test_tokens_back_and_on_a_branch_and_the_way_out(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("review"))
    terminal.until_quiet(0.3)
    terminal.press(",")
    terminal.until(terminal.shows("token 49 of 50"))
    terminal.press(",<.")
    terminal.until(terminal.shows("token 39 of 50"))
    terminal.press("\x1b[H")
    terminal.until(terminal.shows("token 1 of 50"))
    terminal.press("w")
    terminal.until(terminal.shows("no line is being written"))
    terminal.press("\x1b")
    terminal.until(terminal.says("review"))
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    terminal.until(terminal.ended, press="q")
    assert terminal.after == terminal.before


def test_a_comma_while_it_writes_pauses_and_enter_goes_on_after_esc(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(EDIT + "\r")
    terminal.until(terminal.says("writing"))
    terminal.press(",")
    terminal.until(terminal.shows("looking back"))
    terminal.press("\x1b")
    terminal.until(terminal.says("paused"))
    terminal.press("\r")
    terminal.until(terminal.says("writing"))
    terminal.press("\x03\x03\x03")
    terminal.until(terminal.ended)


def test_two_sides_and_folds_and_every_frame_is_whole(terminal: Terminal) -> None:
    terminal.resize(30, 120)
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.press("v")
    terminal.until(terminal.shows("│"))
    terminal.press("vz")
    terminal.until(terminal.shows("+1 −1 ok"))
    terminal.press("\r")
    terminal.until(lambda: "+1 −1 ok" not in terminal.text)
    assert terminal.raw.count(b"\x1b[?2026h") == terminal.raw.count(b"\x1b[?2026l")
    terminal.until(terminal.ended, press="q")
