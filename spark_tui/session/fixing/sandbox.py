"""A copy of the tracked files, and a command of the user's own that runs in it and leaves nothing behind."""

import os
import secrets
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository

_POLL_SECONDS = 0.1
_TELLING_SECONDS = 1.0
"""How long a program that hangs may take to say where it was, when it is interrupted as by Ctrl+C."""
_TAIL_BYTES = 1 << 15
_MARK = "SPARK_CHECK"
"""The variable by which everything that a run started is known."""
_MOST_ROUNDS = 5
_LOOK_SECONDS = 5.0
_SHELL = frozenset("\\|&;<>()$`*?[{}~!#'\"=\n")
"""What only the shell can make out."""


class Running:
    """A command line that runs: iterating waits for it and for what it says.

    `status` is the exit status, None as long as there is none or when the time was up; `tail` is the end of the output.
    After `close` nothing lives on of its process group, nor of what left that group, as daemons do.
    """

    def __init__(self, line: str, folder: Path, limit: float, options: str = "") -> None:
        self.tail = b""
        more = {"PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} {options}"} if options else {}
        self._mark = secrets.token_hex(16)
        self.status: int | None = None
        self._process = subprocess.Popen(  # noqa: S602 - the command line is the user's own
            line, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", _MARK: self._mark} | more, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout
        self._pipe = self._process.stdout
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._pipe, selectors.EVENT_READ)
        self._end = time.monotonic() + limit

    def __iter__(self) -> Iterator[None]:
        while self._process.poll() is None and time.monotonic() < self._end:
            self._wait()
            yield
        self.status = self._process.returncode
        while self._read(0) and time.monotonic() < self._end:
            pass

    def interrupt(self) -> None:
        """Have what runs still end by itself, as Python programs do with a traceback that tells where they were."""
        if self.status is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGINT)
        end = time.monotonic() + _TELLING_SECONDS
        while time.monotonic() < end and self._ready.get_map():
            self._read(_POLL_SECONDS)

    def close(self) -> None:
        """Kill what is left of it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for _ in range(_MOST_ROUNDS):  # what is killed may have started something a moment before
            if not _kill_all(f"{_MARK}={self._mark}".encode()):
                break
        self._ready.close()
        self._pipe.close()

    def _wait(self) -> None:
        if self._ready.get_map():
            self._read(_POLL_SECONDS)
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_POLL_SECONDS)

    def _read(self, seconds: float) -> bytes:
        """Take what it says within so many seconds; nothing is waited for any more once it has closed its output."""
        if not self._ready.get_map() or not self._ready.select(seconds):
            return b""
        said = os.read(self._pipe.fileno(), 1 << 16)
        self.tail = (self.tail + said)[-_TAIL_BYTES:]
        if not said:
            self._ready.unregister(self._pipe)
        return said


def _kill_all(mark: bytes) -> int:
    """Kill the processes with an assignment in their environment, as far as the system tells. Returns: how many."""
    killed = 0
    for number in _processes():
        with suppress(OSError):  # it ended, or is somebody else's
            if mark in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                os.kill(int(number), signal.SIGKILL)
                killed += 1
    return killed


def _processes() -> list[str]:
    """The numbers of all processes, as far as the system tells."""
    try:
        return [one.name for one in Path("/proc").iterdir() if one.name.isdigit()]
    except OSError:
        return []


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
        return (
            subprocess.run(asked, cwd=folder, capture_output=True, timeout=_LOOK_SECONDS, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return True  # the first run will tell
