"""Runs a program on a pseudo-terminal and takes the time: keys go in, frames come out."""

import os
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from spark_tui import windows
from spark_tui.errors import SparkError

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

SIZE = (30, 100)
"""Rows and columns."""
# DEC private mode 2026, synchronized output: "l" ends a frame, "$p" asks for the mode.
FRAME_END: bytes = b"\x1b[?2026l"
_FRAMES_ASKED = b"\x1b[?2026$p"
_FRAMES_YES = b"\x1b[?2026;2$y"
"""A program asks whether the terminal can hold its picture until a frame is whole; this one
says yes.
"""
_PATIENCE_S = 60.0
_QUIET_S = 0.5
_LOOK_AGAIN_S = 0.1
"""Whether the program has ended: nothing else tells."""


class Terminal:
    """Starts a program on a terminal of its own; close it at the end.

    All moments are those of `time.perf_counter`.

    Attributes:
        started: The moment before the process started.
        process: The program.
    """

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self._master, self._slave = os.openpty()
        termios.tcsetwinsize(self._slave, SIZE)
        self._changed = threading.Condition()
        self._raw = bytearray()
        self._chunks: list[tuple[float, int]] = []
        self._said = TemporaryFile()  # noqa: SIM115 - closed with all the rest
        self.started: float = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._said,
            cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **env},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return len(self._raw)

    def press(self, keys: str) -> float:
        """Send keys, all at once.

        Returns:
            The moment.
        """
        began = time.perf_counter()
        os.write(self._master, keys.encode())
        return began

    def wait_for(self, words: bytes, since: int = 0) -> float:
        """Wait until bytes were written.

        Args:
            since: Ignore what came before.

        Returns:
            The moment.

        Raises:
            SparkError: The bytes do not come.
        """
        deadline = time.perf_counter() + _PATIENCE_S
        with self._changed:
            # The time of the bytes is taken by the reader when they arrive, not here, where a
            # waiting thread wakes up later.
            while (position := self._raw.find(words, since)) < 0:
                if self.process.poll() is not None or time.perf_counter() > deadline:
                    raise SparkError(
                        f"{words.decode()!r} did not appear on the screen{self._reason()}; "
                        f"try again"
                    )
                self._changed.wait(_LOOK_AGAIN_S)
            return next(moment for moment, size in self._chunks if size >= position + len(words))

    def press_until(self, keys: str, words: bytes) -> float:
        """Send keys, and wait until bytes were written since.

        Returns:
            Milliseconds.

        Raises:
            SparkError: The bytes do not come.
        """
        before = self.size
        pressed = self.press(keys)
        return (self.wait_for(words, before) - pressed) * 1000

    def wait_until_quiet(self) -> None:
        """Wait until nothing was written for a while: the program has nothing more to show."""
        deadline = time.perf_counter() + _PATIENCE_S
        size = -1
        while size != self.size and time.perf_counter() < deadline:
            size = self.size
            time.sleep(_QUIET_S)

    def frames(self, since: int = 0) -> list[float]:
        """The moments at which frames were whole.

        Args:
            since: Bytes to leave out.
        """
        with self._changed:
            raw = bytes(self._raw)
            chunks = list(self._chunks)
        moments = []
        position = raw.find(FRAME_END, since)
        number = 0
        while position >= 0:
            while chunks[number][1] < position + len(FRAME_END):
                number += 1
            moments.append(chunks[number][0])
            position = raw.find(FRAME_END, position + 1)
        return moments

    def wait(self) -> None:
        """Wait for the end of the program."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_PATIENCE_S)

    def close(self) -> None:
        """End the program if it has not ended."""
        self.process.kill()
        self.process.wait()
        # The reader ends once nobody has the other side open; only then may its own side be closed.
        os.close(self._slave)
        self._reader.join(_PATIENCE_S)
        os.close(self._master)
        self._said.close()

    def _reason(self) -> str:
        """Return what the program wrote to stderr last, as a clause; "" for nothing."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").split("\n")
        return next((f": {line}" for line in reversed(lines) if line.strip()), "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        """Take what is written until nobody can write any more."""
        answered = False
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""  # how Linux tells that the other side is closed: EIO
            moment = time.perf_counter()
            with self._changed:
                self._raw += data
                self._chunks.append((moment, len(self._raw)))
                self._changed.notify_all()
            if not data:
                return
            if not answered and _FRAMES_ASKED in self._raw:
                os.write(self._master, _FRAMES_YES)
                answered = True
