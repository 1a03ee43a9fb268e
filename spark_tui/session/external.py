"""Programs beside spark: commands, the editor, tmux.

A shell command of the user's own, run in the repository's folder, and what it says.

It comes from the prompt only: no configuration and no repository names one.

The user's own editor, on a few lines in a file of its own. Which one it is only the user's
environment says.

tmux, where spark runs in it, to hold what the user copies: it drops what a program in it asks of
the clipboard.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread

from spark_tui import system
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.git import path_outside

MOST_BYTES = 1 << 20
"""What is kept of the output: its end."""
_AT_ONCE = 1 << 16
_GRACE_S = 0.3
_REAP_S = 5.0
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}
"""What tells programs that they draw for a page, not for a terminal."""
PLAIN_SHELL = "/bin/sh"


def shell_of(root: Path) -> str:
    """The user's shell, as an absolute path; another one where theirs lies in the repository or
    is not there.
    """
    shell = os.environ.get("SHELL", "")
    place = Path(shell)
    good = (
        place.is_absolute()
        and os.access(place, os.X_OK)
        and not place.resolve().is_relative_to(root.resolve())
    )
    return shell if good else PLAIN_SHELL


class ShellRun:
    """A command that runs.

    It has a process group of its own, no terminal, and nothing to read.

    `status` is the exit status, negative for a signal, None while it runs; `stopped`: the user
    ended it. What it says is read by a thread of its own, the end of it kept.

    Args:
        line: For the shell.
        root: The folder to run it in.
        shell: By default the user's own.
        env: What the environment has besides.

    Raises:
        SparkError: The shell cannot be started.
    """

    def __init__(
        self, line: str, root: Path, shell: str = "", env: Mapping[str, str] = _PLAIN
    ) -> None:
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
                [shell, "-c", line],
                cwd=root,
                env={**os.environ, **env},
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except (OSError, ValueError) as e:
            raise SparkError(f"cannot start {shell}: {e}") from e
        self._reader = Thread(target=self._read, name="spark-shell", daemon=True)
        self._reader.start()

    def take(self) -> bytes:
        """What it said since the last time."""
        with self._lock:
            said = b"".join(self._said)
            self._held = 0
            self._said.clear()
        return said

    @property
    def ended(self) -> bool:
        """Whether nothing more comes; one that was stopped is not waited for, whoever holds its
        output.
        """
        return not self._reader.is_alive() or (self.stopped and self.status is not None)

    def wait(self, seconds: float) -> None:
        """Wait until nothing more comes, but no longer than this."""
        self._reader.join(seconds)

    def stop(self) -> None:
        """End it and all that it started: asked first, made to a moment later.

        It may take that moment.
        """
        self._signal(signal.SIGTERM)
        self.wait(_GRACE_S)
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_S)
        self.stopped = True

    def kill(self) -> None:
        """End it and all that it started, at once."""
        self._signal(system.KILL)

    def _signal(self, number: int) -> None:
        """Tell all of its group, as long as there may be one."""
        if self._reader.is_alive():
            system.send(self._process.pid, number)

    def _read(self) -> None:
        """Until its output is closed, or it has ended and left others behind with the output in
        their hands.
        """
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


def editor_of(root: Path) -> list[str]:
    """The command that $VISUAL, else $EDITOR, names.

    Raises:
        UsageError: None is set, there is no such program, or it lies in the repository `root`.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        name, *options = shlex.split(command)
    except ValueError:
        raise UsageError("no editor is set; set EDITOR, for example: export EDITOR=nano") from None
    if (found := shutil.which(name)) is None:
        raise UsageError(f"there is no program {name!r}; set EDITOR to one that there is")
    program = Path(found).absolute()
    if any(place.is_relative_to(root.resolve()) for place in (program, program.resolve())):
        raise UsageError(
            f"{program} lies in this repository, so it is not started; set EDITOR to another one"
        )
    return [str(program), *options]


def edit_outside(lines: Sequence[str], path: str, root: Path) -> tuple[str, ...]:
    """Let the user edit lines in their editor, which has the terminal until it ends.

    Args:
        path: Of the file they are for: its ending tells the editor what they are.
        root: Of the repository.

    Returns:
        The lines as they were left.

    Raises:
        UsageError: No editor.
        SparkError: It failed; nothing was changed.
    """
    command = editor_of(root)
    ending = Path(path).suffix
    with TemporaryDirectory(prefix="spark-") as folder:
        file = (
            Path(folder)
            / f"hunk{ending if re.fullmatch(r'[.][A-Za-z0-9]{1,10}', ending) else '.txt'}"
        )
        file.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        try:
            status = subprocess.run([*command, str(file)], cwd=folder, check=False).returncode
            if status:
                raise SparkError(
                    f"{Path(command[0]).name} ended with {status}; nothing was changed"
                )
            return Text.from_bytes(file.read_bytes()).lines
        except OSError as e:
            raise SparkError(
                f"cannot edit with {command[0]}: {e.strerror}; nothing was changed"
            ) from e


_PATIENCE_S = 2.0
_WAYS = (["load-buffer", "-w", "-"], ["load-buffer", "-"])
"""Into the clipboard of the terminals that show it, too; before tmux 3.2 only into its buffer."""


def load_buffer(data: bytes, root: Path) -> bool:
    """Put data into tmux's newest buffer.

    Args:
        root: Of the repository; no program is taken from it.

    Returns:
        False: this is not in tmux, or it would not.
    """
    known = {name: os.environ[name] for name in ("TMUX", "TMUX_PANE") if os.environ.get(name)}
    program = shutil.which("tmux", path=path_outside(root)) if "TMUX" in known else None
    return program is not None and any(_took([program, *way], known, data) for way in _WAYS)


def _took(command: list[str], env: dict[str, str], data: bytes) -> bool:
    try:
        done = subprocess.run(
            command,
            input=data,
            cwd="/",
            env=env,
            timeout=_PATIENCE_S,
            check=False,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
