"""Programs beside spark: the user's shell commands, their editor, and tmux.

A shell command comes from the prompt only; no configuration and no repository names one. The editor
is the one that the user's environment names; it edits a few lines in a temporary file. tmux, where
spark runs in it, holds what the user copies, because it drops the clipboard requests of the
programs in it.
"""

import os
import re  # noqa: TID251 - reads names and settings
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
from spark_tui.process_keeper import Keeper
from spark_tui.vcs.git import path_outside

MOST_BYTES = 1 << 20
"""Bytes kept of the output: its end."""
_AT_ONCE = 1 << 16  # bytes of a read: what a pipe of Linux holds
_GRACE_S = 0.3  # between SIGTERM and SIGKILL
_REAP_S = 5.0  # for a killed shell to be gone
_KEEPER_S = 3.0  # for all that a command started to be gone
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}
"""The environment of programs whose output goes to a page, not to a terminal."""
PLAIN_SHELL = "/bin/sh"


def shell_of(root: Path) -> str:
    """The user's shell, as an absolute path.

    `/bin/sh` where that is not there or lies in the repository.
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
    """A command that runs, in a process group of its own, without a terminal or input.

    A thread of its own reads the output and keeps its end.

    Attributes:
        status: The exit status, negative for a signal; None while the command runs.
        stopped: Whether the user ended the command.

    Args:
        line: The command line for the shell.
        root: The folder to run it in.
        shell: By default the user's own.
        env: Additions to the environment.
        base: What the command sees of the environment besides; None: all of it.
        descriptors: Open files that the command inherits.
        is_kept: Whether all that the command started ends with it.

    Raises:
        SparkError: The shell cannot be started.
    """

    def __init__(
        self,
        line: str,
        root: Path,
        shell: str = "",
        env: Mapping[str, str] = _PLAIN,
        base: Mapping[str, str] | None = None,
        descriptors: Sequence[int] = (),
        *,
        is_kept: bool = False,
    ) -> None:
        self.status: int | None = None
        self.stopped = False
        self.dropped = False
        """Whether the beginning of the output was dropped."""
        self._said: deque[bytes] = deque()
        self._held = 0
        self._lock = Lock()
        shell = shell or shell_of(root)
        command = [shell, "-c", line]
        self._keeper = Keeper(command) if is_kept else None
        if self._keeper is not None:
            command = self._keeper.command
            descriptors = (*descriptors, *self._keeper.descriptors)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=root,
                env={**(os.environ if base is None else base), **env},
                pass_fds=descriptors,
                start_new_session=True,  # a group to end as a whole, without our terminal
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except (OSError, ValueError) as e:
            if self._keeper is not None:
                self._keeper.end_program()
            raise SparkError(f"cannot start {shell}: {e}") from e
        if self._keeper is not None:
            self._keeper.mark_started()
        self._reader = Thread(target=self._read, name="spark-shell", daemon=True)
        self._reader.start()

    def take(self) -> bytes:
        """The output since the last call."""
        with self._lock:
            output = b"".join(self._said)
            self._held = 0
            self._said.clear()
        return output

    @property
    def ended(self) -> bool:
        """Whether no more output comes.

        A command that was stopped is not waited for, even while others hold its output.
        """
        return not self._reader.is_alive() or (self.stopped and self.status is not None)

    def wait(self, seconds: float) -> None:
        """Wait until no more output comes, at most for this time."""
        self._reader.join(seconds)

    def stop(self) -> None:
        """End the command and all that it started: SIGTERM first, SIGKILL a moment later.

        Returns after that moment at the latest.
        """
        self._signal(signal.SIGTERM)
        self.wait(_GRACE_S)
        self.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_S)
        self.stopped = True

    def kill(self) -> None:
        """End the command and all that it started, at once."""
        if self._keeper is not None and self._keeper.end_program():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_KEEPER_S)
        self._signal(system.KILL)

    def _signal(self, number: int) -> None:
        """Send a signal to the whole process group while it may exist."""
        # Once nobody holds the output, the group may be gone and its number another group's.
        if self._reader.is_alive():
            system.send(self._process.pid, number)

    def _read(self) -> None:
        """Read the output until it is closed.

        A command may end and leave others behind that hold its output.
        """
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        # Tells the status as soon as the shell ends, even while others still hold the output.
        Thread(target=self._wait, name="spark-shell-wait", daemon=True).start()
        while output := os.read(descriptor, _AT_ONCE):
            with self._lock:
                self._said.append(output)
                self._held += len(output)
                # The end of an output says how it went, so the beginning goes.
                while self._held > MOST_BYTES:
                    self._held -= len(self._said.popleft())
                    self.dropped = True
        self._wait()
        self._process.stdout.close()

    def _wait(self) -> None:
        self.status = self._process.wait()


def editor_of(root: Path) -> list[str]:
    """The editor command that $VISUAL, else $EDITOR, names.

    Raises:
        UsageError: None is set, the program is not there, or it lies in the repository `root`.
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
        path: The path of the lines' file; its suffix tells the editor the language.
        root: The root of the repository.

    Returns:
        The lines as the user left them.

    Raises:
        UsageError: There is no editor.
        SparkError: The editor failed; nothing was changed.
    """
    command = editor_of(root)
    suffix = Path(path).suffix
    if not re.fullmatch(r"[.][A-Za-z0-9]{1,10}", suffix):
        suffix = ".txt"
    with TemporaryDirectory(prefix="spark-") as folder:
        file = Path(folder) / f"hunk{suffix}"
        file.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        try:
            # Not in the repository: some editors run what they find in the folder they start in.
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


_PATIENCE_S = 2.0  # for tmux to read and answer
_WAYS = (["load-buffer", "-w", "-"], ["load-buffer", "-"])
"""The ways to load a buffer.

The first one reaches the clipboard of the attached terminals, too; tmux before 3.2 knows only the
second one, which fills its own buffer.
"""


def load_buffer(data: bytes, root: Path) -> bool:
    """Put data into tmux's newest buffer.

    Args:
        root: The root of the repository; no program is taken from there.

    Returns:
        False where spark does not run in tmux, or tmux refuses.
    """
    known = {name: os.environ[name] for name in ("TMUX", "TMUX_PANE") if os.environ.get(name)}
    if "TMUX" not in known:
        return False
    program = shutil.which("tmux", path=path_outside(root))
    return program is not None and any(_took([program, *way], known, data) for way in _WAYS)


def _took(command: list[str], env: dict[str, str], data: bytes) -> bool:
    """Whether a tmux command read data and succeeded."""
    try:
        # Neither the folder nor the environment comes from the repository.
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
