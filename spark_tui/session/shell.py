"""A shell command of the user's own, run in the repository's folder, and what it says.

It comes from the prompt only: no configuration and no repository names one.
"""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from spark_tui import signals
from spark_tui.errors import SparkError

MOST_BYTES = 1 << 20
"""What is kept of the output: its end."""
_AT_ONCE = 1 << 16
_GRACE_S = 0.3
_REAP_S = 5.0
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}
"""What tells programs that they draw for a page, not for a terminal."""
PLAIN_SHELL = "/bin/sh"


def shell_of(root: Path) -> str:
    """The user's shell, as an absolute path; another one where theirs lies in the repository or is not there."""
    shell = os.environ.get("SHELL", "")
    place = Path(shell)
    good = place.is_absolute() and os.access(place, os.X_OK) and not place.resolve().is_relative_to(root.resolve())
    return shell if good else PLAIN_SHELL


class ShellRun:
    """A command that runs. It has a process group of its own, no terminal, and nothing to read.

    `status` is the exit status, negative for a signal, None while it runs; `stopped`: the user ended it. What it says
    is read by a thread of its own, the end of it kept.

    Args: line: for the shell. root: the folder to run it in. shell: by default the user's own. env: what the
        environment has besides. Raises: SparkError: the shell cannot be started.
    """

    def __init__(self, line: str, root: Path, shell: str = "", env: Mapping[str, str] = _PLAIN) -> None:
        self.status: int | None = None
        self.stopped = False
        self.dropped = False
        """Whether the beginning of the output was given up."""
        self._said: deque[bytes] = deque()
        self._held = 0
        self._lock = Lock()
        shell = shell or shell_of(root)
        try:
            self._process = subprocess.Popen(
                [shell, "-c", line], cwd=root, env={**os.environ, **env}, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except (OSError, ValueError) as e:
            raise SparkError(f"cannot start {shell}: {e}") from e
        self._reader = Thread(target=self._read, name="spark-shell", daemon=True)
        self._reader.start()

    def take(self) -> bytes:
        """What it said since the last time."""
        with self._lock:
            said, self._held = b"".join(self._said), 0
            self._said.clear()
        return said

    @property
    def ended(self) -> bool:
        """Whether nothing more comes; one that was stopped is not waited for, whoever holds its output."""
        return not self._reader.is_alive() or (self.stopped and self.status is not None)

    def wait(self, seconds: float) -> None:
        """Wait until nothing more comes, but no longer than this."""
        self._reader.join(seconds)

    def stop(self) -> None:
        """End it and all that it started: asked first, made to a moment later. It may take that moment."""
        self._signal(signal.SIGTERM)
        self.wait(_GRACE_S)
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_S)
        self.stopped = True

    def kill(self) -> None:
        """End it and all that it started, at once."""
        self._signal(signals.KILL)

    def _signal(self, number: int) -> None:
        """Tell all of its group, as long as there may be one."""
        if self._reader.is_alive():
            signals.send(self._process.pid, number)

    def _read(self) -> None:
        """Until its output is closed, or it has ended and left others behind with the output in their hands."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        Thread(target=self._wait, name="spark-shell-wait", daemon=True).start()
        while said := os.read(descriptor, _AT_ONCE):
            with self._lock:
                self._said.append(said)
                self._held += len(said)
                while self._held > MOST_BYTES:
                    self._held -= len(self._said.popleft())
                    self.dropped = True
        self._wait()
        self._process.stdout.close()

    def _wait(self) -> None:
        self.status = self._process.wait()
