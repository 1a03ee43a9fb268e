"""The whole program on a real terminal: bytes in, a picture out, and everything as it was at the end."""

import base64
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import AFTER, BEFORE, HUSH, SPLIT, STORE, TWO_HUNKS

DOWN, ESC, TAB, ENTER, CTRL_C, CTRL_R, CTRL_L = "\x1b[B", "\x1b", "\t", "\r", "\x03", "\x12", "\x0c"
_STYLES = re.compile(rb"\x1b\[([0-9;]*)m")
_WITHOUT_COLOUR = {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}
"""Weights, underlines, reverse, and the terminal's own two colours."""


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "EDITING"\nread line\necho "    $line" > "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    monkeypatch.setenv("SHELL", "/bin/sh")
    with closing(Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))) as terminal:
        yield terminal


def colours(raw: bytes) -> set[int]:
    """The parameters of styles that name a colour."""
    sent = {int(each or b"0") for found in _STYLES.findall(raw) for each in found.split(b";")}
    return sent - _WITHOUT_COLOUR


def test_a_whole_visit_leaves_the_edit_on_disk_and_the_terminal_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("writing"))
    terminal.press("\x1bno")  # in one piece
    terminal.until(terminal.says("paused"))
    terminal.until(terminal.shows("› no"))
    terminal.press("\x03")
    terminal.until(lambda: "› no" not in terminal.text)
    terminal.press("\r")
    terminal.until(terminal.says("review"))
    terminal.until(lambda: terminal.raw.count(b"\a") == 1)
    file = tmp_path / "repo" / "store.py"
    assert file.read_text() == STORE
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.press("A")
    terminal.until(terminal.shows("accepted"))
    assert file.read_text() == BEFORE + TWO_HUNKS + AFTER
    terminal.press("u")
    terminal.until(terminal.shows("Take back"))
    terminal.until(terminal.shows("took back"), press="\r")
    assert file.read_text() == STORE
    terminal.until(terminal.ended, press="\x03")  # in the prompt or in the diff: an Enter too many changes between them
    terminal.until(lambda: b"\x1b[?1049l" in terminal.raw)
    assert terminal.process.returncode == 0
    assert terminal.after == terminal.before
    terminal.until(lambda: terminal.cursor_shows)
    assert colours(terminal.raw)


def test_a_huge_paste_a_storm_of_sizes_and_being_stopped_leave_it_answering_and_no_threads_behind(
    terminal: Terminal,
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.send(b"\x1b[200~" + b"some words here\r" * 62_500 + b"\x1b[201~")
    for columns in [*range(20, 140, 3), 80]:
        terminal.resize(24, columns)
    terminal.forget()
    terminal.press("zq")
    terminal.until(terminal.shows("zq"))
    terminal.until(lambda: "zq" not in terminal.text, press="\x03")
    tasks = Path(f"/proc/{terminal.process.pid}/task")
    if not tasks.exists():
        pytest.skip("the system does not show the threads of a process")
    threads = len(list(tasks.iterdir()))
    for digit in "456789":
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(terminal.shows(digit), press=digit)
    terminal.until(lambda: len(list(tasks.iterdir())) < threads + 6)  # a pool of threads may have grown, too
    terminal.until(terminal.ended, press="\x03")  # what is typed while it takes the terminal again is lost
    assert terminal.after == terminal.before


def test_with_no_color_nothing_is_coloured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    with closing(terminal):
        terminal.until(terminal.says("ready"))
        terminal.press(HUSH + "\r")
        terminal.until(terminal.says("review"))
        terminal.until_quiet(0.3)  # what comes at once is text
        terminal.press("?")
        terminal.until(terminal.shows("Paused"))
        terminal.press("\x1b")
        terminal.until(lambda: "Paused" not in terminal.text)
        terminal.press("\x10")
        terminal.until(terminal.shows("Search for commands"))
    assert not colours(terminal.raw)


def test_places_are_completed_commands_are_carried_out_and_all_is_found_again(
    terminal: Terminal, tmp_path: Path
) -> None:
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
    terminal.press(CTRL_C)
    terminal.until(terminal.shows("say what to change"))
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
    terminal.until(terminal.ended, press=CTRL_C)
    assert terminal.after == terminal.before


def test_keys_in_one_piece_act_in_their_order_long_pastes_are_folded_and_pasted_commands_asked_about(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press("teh\x7f\x7fhe \x1b[D\x1b[Dx")
    terminal.until(terminal.shows("› thxe "))
    terminal.press("\n")
    terminal.send(b"\x1b[200~" + b"some words here\r" * 300 + b"\x1b[201~")
    terminal.until(terminal.shows("[pasted 300 lines]"))
    terminal.press("\x7f")
    terminal.until(lambda: "pasted" not in terminal.text)
    terminal.press(CTRL_C)
    terminal.until(terminal.shows("say what to change"))
    terminal.send(b"\x1b[200~!touch owned\r\x1b[201~")
    terminal.until(terminal.shows("› !touch owned"))
    terminal.press(ENTER)
    terminal.until(terminal.shows("it was pasted, not typed"))
    terminal.press(ESC)
    terminal.until(terminal.shows("› !touch owned"))
    assert not (tmp_path / "repo" / "owned").exists()


def test_a_patch_is_copied_whole_and_what_is_typed_right_before_it_is_kept_is_kept(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.press("Y")
    terminal.until(terminal.shows("sent a patch"))
    (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x1b\\", terminal.raw)
    assert base64.b64decode(copied).startswith(b"diff --git a/store.py b/store.py\n")
    terminal.press("e")
    terminal.until(terminal.shows("what this hunk proposes"))
    terminal.press("\x1b[F")
    terminal.until_quiet()
    terminal.press(" # seen\x13")
    terminal.until(terminal.shows("your text is proposed"))
    terminal.until(terminal.shows("expenses = list() # seen"))
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    in_the_editor(terminal)


def in_the_editor(terminal: Terminal) -> None:
    """It has the terminal until it ends, and Ctrl+C is its own."""
    terminal.press("\x07")
    terminal.until(lambda: b"EDITING" in terminal.raw)
    assert terminal.after == terminal.before
    terminal.press("expenses = my_own()\n")
    terminal.until(terminal.shows("with your text names: undefined: my_own"))
    assert terminal.after != terminal.before
    terminal.until(terminal.ended, press="q")
    assert terminal.after == terminal.before


def test_back_and_on_while_it_writes_and_after_two_sides_folds_and_the_way_out(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.resize(30, 120)
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("writing"))
    terminal.press(",")
    terminal.until(terminal.shows("looking back"))
    terminal.press("\x1b")
    terminal.until(terminal.says("paused"))
    terminal.press("\r")
    terminal.until(terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.press("v")
    terminal.until(terminal.shows("│"))
    terminal.press("vz")
    terminal.until(terminal.shows("+1 −1 ok"))
    terminal.press("\r")
    terminal.until(lambda: "+1 −1 ok" not in terminal.text)
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
    assert terminal.raw.count(b"\x1b[?2026h") == terminal.raw.count(b"\x1b[?2026l")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    terminal.until(terminal.ended, press="q")
    assert terminal.after == terminal.before
