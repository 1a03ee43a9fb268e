"""The whole program on a real terminal: bytes in, a picture out, and everything as it was at
the end.
"""

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
_WITHOUT_COLOR = {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}
"""Weights, underlines, reverse, and the terminal's own two colors."""


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "EDITING"\nread line\necho "    $line" > "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    monkeypatch.setenv("SHELL", "/bin/sh")
    with closing(
        Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    ) as terminal:
        yield terminal


def colors(raw: bytes) -> set[int]:
    """The parameters of styles that name a color."""
    sent = {int(each or b"0") for found in _STYLES.findall(raw) for each in found.split(b";")}
    return sent - _WITHOUT_COLOR


def test_a_whole_visit_leaves_the_edit_on_disk_and_the_terminal_as_it_was(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r", until=terminal.says("writing"))
    terminal.press("\x1bno", until=terminal.says("paused"))  # in one piece
    terminal.until(terminal.shows("› no"))
    terminal.press("\x03", until=lambda: "› no" not in terminal.text)
    terminal.press("\r", until=terminal.says("review"))
    terminal.until(lambda: terminal.raw.count(b"\a") == 1)
    file = tmp_path / "repo" / "store.py"
    assert file.read_text() == STORE
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.do("A", "accepted")
    assert file.read_text() == BEFORE + TWO_HUNKS + AFTER
    terminal.do(TAB, "letters are keys")
    terminal.do("u", "Take back")
    terminal.until(terminal.shows("took back"), press="\r")
    assert file.read_text() == STORE
    terminal.until(
        terminal.ended, press="\x03"
    )  # in the prompt or in the diff: an Enter too many changes between them
    terminal.until(lambda: b"\x1b[?1049l" in terminal.raw)
    assert terminal.process.returncode == 0
    assert terminal.after == terminal.before
    terminal.until(lambda: terminal.cursor_shows)
    assert colors(terminal.raw)


def test_a_huge_paste_a_storm_of_sizes_and_being_stopped_leave_it_answering_and_no_threads_behind(
    terminal: Terminal,
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.send(b"\x1b[200~" + b"some words here\r" * 62_500 + b"\x1b[201~")
    for columns in [*range(20, 140, 3), 80]:
        terminal.resize(24, columns)
    terminal.forget()
    terminal.do("zq", "zq")
    terminal.press("\x03", until=lambda: "zq" not in terminal.text)
    tasks = Path(f"/proc/{terminal.process.pid}/task")
    if not tasks.exists():
        pytest.skip("the system does not show the threads of a process")
    threads = len(list(tasks.iterdir()))
    for digit in "456789":
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(terminal.shows(digit), press=digit)
    terminal.until(
        lambda: len(list(tasks.iterdir())) < threads + 6
    )  # a pool of threads may have grown, too
    terminal.until(
        terminal.ended, press="\x03"
    )  # what is typed while it takes the terminal again is lost
    assert terminal.after == terminal.before


def test_with_no_color_nothing_is_colored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    with closing(terminal):
        terminal.until(terminal.says("ready"))
        terminal.press(HUSH + "\r", until=terminal.says("review"))
        terminal.until_quiet(0.3)  # what comes at once is text
        terminal.do("?", "Paused")
        terminal.press("\x1b", until=lambda: "Paused" not in terminal.text)
        terminal.do("\x10", "Search for commands")
    assert not colors(terminal.raw)


def test_places_are_completed_commands_are_carried_out_and_all_is_found_again(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.do("fix @sto", "▎ store.py")
    terminal.do(TAB + "::", "▎ load")
    terminal.do(DOWN + TAB, "› fix @store.py::save")
    terminal.until(terminal.shows("edits store.py:21-23  save"))
    terminal.do(CTRL_L, "▎ store.py:")
    terminal.press(ESC, until=lambda: "▎" not in terminal.text)
    terminal.do(CTRL_C, "say what to change")
    terminal.do("/hel", "▎ /help")
    terminal.do(ENTER, "While it writes")
    terminal.press(ESC, until=lambda: "While it writes" not in terminal.text)
    terminal.do("!", "› !")
    terminal.do("echo done > made; printf 'one\\033[2Jtwo'; sleep 60", "sleep 60")
    terminal.do(ENTER, "onetwo")
    terminal.do(ESC, "was stopped")
    assert (tmp_path / "repo" / "made").read_text() == "done\n"
    terminal.do(ESC, "say what to change")
    terminal.do(CTRL_R, "▎ !echo")
    terminal.do("echo", "› echo")
    terminal.do(ENTER, "› !echo done")
    terminal.until(terminal.ended, press=CTRL_C)
    assert terminal.after == terminal.before


def test_keys_in_one_piece_act_in_their_order_long_pastes_are_folded(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.do("teh\x7f\x7fhe \x1b[D\x1b[Dx", "› thxe ")
    terminal.press("\n")
    terminal.send(b"\x1b[200~" + b"some words here\r" * 300 + b"\x1b[201~")
    terminal.until(terminal.shows("[pasted 300 lines]"))
    terminal.press("\x7f", until=lambda: "pasted" not in terminal.text)
    terminal.do(CTRL_C, "say what to change")
    terminal.send(b"\x1b[200~!touch owned\r\x1b[201~")
    terminal.until(terminal.shows("› !touch owned"))
    terminal.do(ENTER, "it was pasted, not typed")
    terminal.do(ESC, "› !touch owned")
    assert not (tmp_path / "repo" / "owned").exists()


def test_a_patch_is_copied_whole_and_what_is_typed_right_before_it_is_kept_is_kept(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r", until=terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.do("Y", "sent a patch")
    (copied,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x1b\\", terminal.raw)
    assert base64.b64decode(copied).startswith(b"diff --git a/store.py b/store.py\n")
    terminal.do("e", "what this hunk proposes")
    terminal.press("\x1b[F")
    terminal.until_quiet()
    terminal.do(" # seen\x13", "your text is proposed")
    terminal.until(terminal.shows("expenses = list() # seen"))
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    in_the_editor(terminal)


def in_the_editor(terminal: Terminal) -> None:
    """It has the terminal until it ends, and Ctrl+C is its own."""
    terminal.press("\x07", until=lambda: b"EDITING" in terminal.raw)
    assert terminal.after == terminal.before
    terminal.do("expenses = my_own()\n", "with your text names: undefined: my_own")
    assert terminal.after != terminal.before
    terminal.until(terminal.ended, press="\x03")
    assert terminal.after == terminal.before


def test_back_and_on_while_it_writes_and_after_two_sides_folds_and_the_way_out(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.resize(30, 120)
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r", until=terminal.says("writing"))
    terminal.do(",", "looking back")
    terminal.press("\x1b", until=terminal.says("paused"))
    terminal.press("\r", until=terminal.says("review"))
    terminal.until_quiet(0.3)  # a letter that comes at once is text
    terminal.do("v", "│")
    terminal.press("v", until=lambda: "│" not in terminal.text)
    terminal.do("z", "+1 −1 ok")
    terminal.press("\r", until=lambda: "+1 −1 ok" not in terminal.text)
    terminal.do(",", "token 49 of 50")
    terminal.do(",<.", "token 39 of 50")
    terminal.do("\x1b[H", "token 1 of 50")
    terminal.do("w", "no line is being written")
    terminal.press("\x1b", until=terminal.says("review"))
    assert terminal.raw.count(b"\x1b[?2026h") == terminal.raw.count(b"\x1b[?2026l")
    assert (tmp_path / "repo" / "store.py").read_text() == STORE
    terminal.until(terminal.ended, press="\x03")
    assert terminal.after == terminal.before
