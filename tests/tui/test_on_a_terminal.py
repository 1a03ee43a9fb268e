"""The whole program on a real terminal: bytes in, a picture out, and everything as it was at the end."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import AFTER, BEFORE, EDIT, SPLIT, STORE, TWO_HUNKS


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    yield terminal
    terminal.close()


def test_a_whole_visit_leaves_the_edit_on_disk_and_the_terminal_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(SPLIT + "\r")
    terminal.until(terminal.says("writing"))
    terminal.press("\x1b")
    terminal.until(terminal.says("paused"))
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


def test_esc_and_a_letter_in_one_piece_pause_and_begin_the_redirect(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.press(EDIT + "\r")
    terminal.until(terminal.says("writing"))
    terminal.press("\x1bno")
    terminal.until(terminal.says("paused"))
    terminal.until(terminal.shows("› no"))
    terminal.press("\x03\x03\x03")
    terminal.until(terminal.ended)
    assert terminal.after == terminal.before


def test_a_paste_of_a_million_characters_and_a_storm_of_sizes_leave_it_answering(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
    terminal.send(b"\x1b[200~" + b"some words here\r" * 62_500 + b"\x1b[201~")
    for columns in [*range(20, 140, 3), 80]:
        terminal.resize(24, columns)
    terminal.forget()
    terminal.press("zq")
    terminal.until(terminal.shows("zq"))
    terminal.until(lambda: "zq" not in terminal.text, press="\x03")
    terminal.press("\x03\x03")
    terminal.until(terminal.ended)
    assert terminal.after == terminal.before


def test_being_stopped_and_continued_leaves_no_threads_behind_and_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until(terminal.says("ready"))
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
