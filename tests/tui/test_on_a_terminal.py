"""The whole program on a real terminal: bytes in, a picture out, and everything as it was at the end."""

import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from pty import openpty

import pyte
import pytest

from tests.tui.support import AFTER, BEFORE, BETTER, EDIT, STORE

ROOT = Path(__file__).parents[2]
_NOT_KNOWN_TO_PYTE = re.compile(rb"\x1b\[[>?=<][0-9;]*(?:\$p|u)|\x1b\[<u")
PATIENCE_S = 60


class Terminal:
    """A program on a pseudo-terminal of 80x24."""

    def __init__(self, *command: str) -> None:
        self._master, slave = openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        self.raw = b""
        self._picture = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._picture)
        env = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, cwd=ROOT, env=env, start_new_session=True
        )

    @property
    def after(self) -> list[object]:
        """The terminal's settings now."""
        return list(termios.tcgetattr(self._slave))

    @property
    def text(self) -> str:
        """The picture as text."""
        return "\n".join(self._picture.display)

    def press(self, keys: str) -> None:
        """Send keys, all at once."""
        os.write(self._master, keys.encode())

    def until(self, reached: Callable[[], bool], *, press: str = "") -> None:
        """Read what is drawn until something is so; meanwhile press a key again and again, if one is given."""
        deadline = time.monotonic() + PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline, self.text
            if press:
                self.press(press)
            self._read(0.1)

    def shows(self, words: str) -> Callable[[], bool]:
        """Whether the picture has these words in it."""
        return lambda: words in self.text

    def ended(self) -> bool:
        """Whether the program is over."""
        return self.process.poll() is not None

    def error(self) -> str:
        """What went to stderr, once the program is over."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def close(self) -> None:
        """End the program if it has not ended, and give the terminal back."""
        self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
        os.close(self._master)
        os.close(self._slave)

    def _read(self, patience: float) -> None:
        if select.select([self._master], [], [], patience)[0]:
            data = os.read(self._master, 65536)
            self.raw += data
            self._stream.feed(_NOT_KNOWN_TO_PYTE.sub(b"", data))


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(tmp_path))
    yield terminal
    terminal.close()


def test_a_whole_visit_leaves_the_edit_on_disk_and_the_terminal_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(terminal.shows("model  ready"))
    terminal.press(EDIT + "\r")
    terminal.until(terminal.shows("model  writing"))
    terminal.press("\x1b")
    terminal.until(terminal.shows("model  paused"))
    terminal.press("\r")
    terminal.until(terminal.shows("model  review"))
    file = tmp_path / "repo" / "store.py"
    assert file.read_text() == STORE
    terminal.until(terminal.shows("accepted"), press="a")
    assert file.read_text() == BEFORE + BETTER + AFTER
    terminal.press("u")
    terminal.until(terminal.shows("took back"))
    assert file.read_text() == STORE
    terminal.until(terminal.ended, press="q")
    terminal.until(lambda: b"\x1b[?1049l" in terminal.raw)
    assert terminal.process.returncode == 0
    assert terminal.after == terminal.before
    assert b"\x1b[?25h" in terminal.raw.rpartition(b"\x1b[?1049l")[2] or not terminal._picture.cursor.hidden


def test_esc_and_a_letter_in_one_piece_pause_and_begin_the_redirect(terminal: Terminal) -> None:
    terminal.until(terminal.shows("model  ready"))
    terminal.press(EDIT + "\r")
    terminal.until(terminal.shows("model  writing"))
    terminal.press("\x1bno")
    terminal.until(terminal.shows("model  paused"))
    terminal.until(terminal.shows("› no"))
    terminal.press("\x03\x03\x03")
    terminal.until(terminal.ended)
    assert terminal.after == terminal.before


def test_when_told_to_end_it_gives_the_terminal_back(terminal: Terminal) -> None:
    terminal.until(terminal.shows("model  ready"))
    terminal.process.send_signal(signal.SIGTERM)
    terminal.until(terminal.ended)
    assert terminal.process.returncode == 128 + signal.SIGTERM
    assert terminal.after == terminal.before


def test_a_bug_gives_the_terminal_back_and_is_raised_to_whoever_called(tmp_path: Path) -> None:
    code = "from spark_tui.tui.app import run; from spark_tui.config import Settings; run(lambda: 1 / 0, Settings())"
    terminal = Terminal(sys.executable, "-c", code)
    terminal.until(terminal.ended)
    assert terminal.after == terminal.before
    assert terminal.error().rstrip().endswith("ZeroDivisionError: division by zero")
    terminal.close()


def test_being_stopped_and_continued_leaves_no_threads_behind_and_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until(terminal.shows("model  ready"))
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
