"""A copy of the tracked files, and a command of the user's own that runs in it and leaves nothing behind."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spark_tui import signals
from spark_tui.session.shell import PLAIN_SHELL, ShellRun
from spark_tui.vcs.git import run_git
from spark_tui.vcs.processes import started_with
from spark_tui.vcs.repository import Repository

_POLL_SECONDS = 0.1
_TELLING_SECONDS = 1.0
"""How long a program that hangs may take to say where it was, when it is interrupted as by Ctrl+C."""
_MARK = "SPARK_CHECK"
"""The variable by which everything that a run started is known."""
_MOST_ROUNDS = 5
_LOOK_SECONDS = 5.0
_SHELL = frozenset("\\|&;<>()$`*?[{}~!#'\"=\n")
"""What only the shell can make out."""


class Running(ShellRun):
    """A command line that runs: iterating waits for it, within a time.

    `result` is the exit status then, None when the time was up. After `close` nothing lives on of its process group,
    nor of what left that group, as daemons do.
    """

    def __init__(self, line: str, folder: Path, limit: float, options: str = "") -> None:
        more = {"PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} {options}"} if options else {}
        self._mark = secrets.token_hex(16)
        self.result: int | None = None
        self._end = time.monotonic() + limit
        super().__init__(line, folder, PLAIN_SHELL, {"PYTHONDONTWRITEBYTECODE": "1", _MARK: self._mark} | more)

    def __iter__(self) -> Iterator[None]:
        while self.status is None and time.monotonic() < self._end:
            self.wait(_POLL_SECONDS)
            yield
        self.result = self.status
        if self.result is not None:  # what it said last may not be read yet
            self.wait(_POLL_SECONDS)

    def interrupt(self) -> None:
        """Have what runs still end by itself, as Python programs do with a traceback that tells where they were."""
        if self.result is None:
            self._signal(signal.SIGINT)
            self.wait(_TELLING_SECONDS)

    def close(self) -> None:
        """Kill what is left of it."""
        signals.send(self._process.pid, signals.KILL)
        self._process.wait()
        for _ in range(_MOST_ROUNDS):  # what is killed may have started something a moment before
            if not _kill_all(self._mark):
                break
        self.wait(_POLL_SECONDS)


def _kill_all(mark: str) -> int:
    """Kill the processes that a run started, as far as the system tells. Returns: how many."""
    killed = 0
    for process in started_with(_MARK, mark):
        with suppress(OSError):  # it ended
            os.kill(process, signals.KILL)
            killed += 1
    return killed


def write_version(target: Path, content: bytes) -> None:
    """Write the file under trial; what Python compiled from an earlier version must not be taken for this one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()  # it may lead out of the copy
    target.write_bytes(content)
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()


def copy_tracked(repo: Repository, folder: Path) -> None:
    """Copy every tracked file as it is now; links stay links, what is gone or no file is left out."""
    listed = run_git(["ls-files", "-z", "--cached"], git_dir=repo.git_dir, work_tree=repo.root)
    for name in filter(None, listed.split(b"\0")):
        source, target = repo.root / os.fsdecode(name), folder / os.fsdecode(name)
        if source.is_file() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def lacking_program(line: str, folder: Path) -> str:
    """The program that a command line begins with, if a folder has none such; "" where only the shell can tell."""
    program = line.split(maxsplit=1)[0]
    return "" if _SHELL & set(program) or _is_there(program, folder) else program


def _is_there(program: str, folder: Path) -> bool:
    """Whether a shell finds a program, in a folder: on the path, by its own path, or built in."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    asked = ["sh", "-c", 'command -v -- "$1"', "sh", program]
    try:
        found = subprocess.run(asked, cwd=folder, capture_output=True, timeout=_LOOK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return True  # the first run will tell
    return found.returncode == 0
