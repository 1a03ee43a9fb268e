"""A program on a pseudo-terminal: keys in, a picture out, and every byte kept."""

import fcntl
import os
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from pty import openpty

import pyte

ROOT = Path(__file__).parents[2]
_NOT_KNOWN_TO_PYTE = re.compile(rb"\x1b\[[>?=<][0-9;]*(?:\$p|u)|\x1b\[<u")
PATIENCE_S = 60


class Terminal:
    """A program on a pseudo-terminal.

    Args:
        size: Rows and columns.
        shell: Whether it controls the terminal's jobs.
        fds: Files that it gets, too.
    """

    def __init__(
        self,
        *command: str,
        size: tuple[int, int] = (24, 80),
        shell: bool = False,
        fds: tuple[int, ...] = (),
    ) -> None:
        self._master, self.slave = openpty()
        termios.tcsetwinsize(self.slave, size)
        self.before = termios.tcgetattr(self.slave)
        self.raw = b""
        self._text: str | None = None
        self._picture = pyte.Screen(size[1], size[0])
        self._stream = pyte.ByteStream(self._picture)
        env = {
            name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}
        }  # it has a size
        env |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONPATH": str(ROOT),
            "TMUX": "",
        }
        self.process = subprocess.Popen(
            command,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave if shell else subprocess.PIPE,
            cwd=ROOT,
            env=env,
            pass_fds=fds,
            start_new_session=True,
            preexec_fn=_control if shell else None,  # noqa: PLW1509 - a shell's tests run no threads
        )

    @property
    def after(self) -> list[object]:
        """The terminal's settings now."""
        return list(termios.tcgetattr(self.slave))

    @property
    def text(self) -> str:
        """The picture as text."""
        if self._text is None:
            self._text = "\n".join(self._picture.display)
        return self._text

    @property
    def cursor_shows(self) -> bool:
        """Whether the cursor can be seen."""
        return not self._picture.cursor.hidden

    def press(self, keys: str, until: Callable[[], bool] = lambda: True) -> None:
        """Send keys, all at once, and read what is drawn until something is so."""
        self.send(keys.encode())
        self.until(until)

    def do(self, keys: str, shown: str) -> None:
        """Press keys, and read until the picture has these words in it."""
        self.press(keys, self.shows(shown))

    def send(self, data: bytes) -> None:
        """Send bytes, and read what is drawn while they do not fit in."""
        rest = data
        while rest:
            if select.select([], [self._master], [], 0.1)[1]:
                rest = rest[os.write(self._master, rest[:1024]) :]
            self._read(0)

    def resize(self, rows: int, columns: int) -> None:
        """Change the size, as a window manager does."""
        termios.tcsetwinsize(self.slave, (rows, columns))
        self._picture.resize(rows, columns)
        self._text = None

    def forget(self) -> None:
        """Begin with an empty picture."""
        self._picture.reset()
        self._text = None

    def until(self, reached: Callable[[], bool], *, press: str = "", after: str = "") -> None:
        """Read what is drawn until something is so; meanwhile press a key again and again, if one
        is given.

        Args:
            after: What led there, for whoever reads of the failure.
        """
        deadline = time.monotonic() + PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline, f"{after}\n{self.text}"
            if press:
                self.press(press)
            self._read(0.1 if press else 0.02)

    def until_quiet(self, seconds: float = 0.1) -> None:
        """Read until nothing came for so long."""
        while self._read(seconds):
            pass

    def shows(self, words: str) -> Callable[[], bool]:
        """Whether the picture has these words in it."""
        return lambda: words in self.text

    def says(self, phase: str) -> Callable[[], bool]:
        """Whether the footer has this word; what else it has room for differs with what was
        measured.
        """
        return lambda: phase in self.text.splitlines()[-1].split()

    def ended(self) -> bool:
        """Whether the program is over."""
        return self.process.poll() is not None

    def is_stopped(self) -> bool:
        """Whether the program is suspended."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "T"

    def go_on(self) -> None:
        """Resume the program, as a shell does."""
        self.process.send_signal(signal.SIGCONT)

    def error(self) -> str:
        """What went to stderr, once the program is over."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def hang_up(self) -> None:
        """Close the terminal under the program."""
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        """End the program if it has not ended, and give the terminal back."""
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        os.close(self.slave)
        if self._master >= 0:
            os.close(self._master)

    def _read(self, patience: float) -> bool:
        if not select.select([self._master], [], [], patience)[0]:
            return False
        data = os.read(self._master, 65536)
        self.raw += data
        self._text = None
        self._stream.feed(_NOT_KNOWN_TO_PYTE.sub(b"", data))
        return True


def _control() -> None:
    """Make stdin the terminal that controls this session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
