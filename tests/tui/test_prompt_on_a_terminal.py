"""The prompt on a real terminal: completion, commands, shell commands and history by the bytes of real keys."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import EDIT

UP, DOWN, ESC, TAB, ENTER, CTRL_R, CTRL_L = "\x1b[A", "\x1b[B", "\x1b", "\t", "\r", "\x12", "\x0c"


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("SHELL", "/bin/sh")
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    yield terminal
    terminal.close()


def test_a_place_is_completed_chosen_and_shown(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press("fix @sto")
    terminal.until(terminal.shows("▎ store.py"))
    terminal.press(TAB + "::")
    terminal.until(terminal.shows("▎ load"))
    terminal.press(DOWN + TAB)
    terminal.until(terminal.shows("› fix @store.py::save"))
    terminal.until(terminal.shows("edits store.py:21-23  save"))
    terminal.press(CTRL_L)
    terminal.until(terminal.shows("▎ store.py:"))
    terminal.press(ESC)
    terminal.until(lambda: "▎" not in terminal.text)
    terminal.until(terminal.ended, press="\x03")
    assert terminal.after == terminal.before


def test_commands_and_shell_commands_are_carried_out_and_found_again(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press("/hel")
    terminal.until(terminal.shows("▎ /help"))
    terminal.press(ENTER)
    terminal.until(terminal.shows("While it writes"))
    terminal.press(ESC)
    terminal.until(lambda: "While it writes" not in terminal.text)
    terminal.press("!")
    terminal.until(terminal.shows("› !"))
    terminal.press("echo done > made; printf 'one\\033[2Jtwo'; sleep 60")
    terminal.until(terminal.shows("sleep 60"))
    terminal.press(ENTER)
    terminal.until(terminal.shows("onetwo"))
    terminal.press(ESC)
    terminal.until(terminal.shows("was stopped"))
    assert (tmp_path / "repo" / "made").read_text() == "done\n"
    terminal.press(ESC)
    terminal.until(terminal.shows("say what to change"))
    terminal.press(CTRL_R)
    terminal.until(terminal.shows("▎ !echo"))
    terminal.press("echo")
    terminal.until(terminal.shows("› echo"))
    terminal.press(ENTER)
    terminal.until(terminal.shows("› !echo done"))
    terminal.until(terminal.ended, press="\x03")
    assert terminal.after == terminal.before


def test_a_pasted_command_runs_only_when_it_was_agreed_to(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.says("ready"))
    terminal.send(b"\x1b[200~!touch owned\r\x1b[201~")
    terminal.until(terminal.shows("› !touch owned"))
    terminal.press(ENTER)
    terminal.until(terminal.shows("it was pasted, not typed"))
    terminal.press(ESC)
    terminal.until(terminal.shows("› !touch owned"))
    assert not (tmp_path / "repo" / "owned").exists()
    terminal.until(terminal.ended, press="\x03")


def test_long_pastes_are_folded_and_lines_are_broken_by_ctrl_j(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press("see")
    terminal.until(terminal.shows("› see"))
    terminal.press("\n")
    terminal.send(b"\x1b[200~" + b"some words here\r" * 300 + b"\x1b[201~")
    terminal.until(terminal.shows("[pasted 300 lines]"))
    terminal.press("\x7f")
    terminal.until(lambda: "pasted" not in terminal.text)
    terminal.press(EDIT)
    terminal.until(terminal.shows(EDIT))
    terminal.until(terminal.ended, press="\x03")


def test_keys_that_come_in_one_piece_act_in_their_order(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press("teh\x7f\x7fhe \x1b[D\x1b[Dx")
    terminal.until(terminal.shows("› thxe "))
    terminal.until(terminal.ended, press="\x03")
