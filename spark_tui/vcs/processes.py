"""Asks about other processes: alive, since when, what they hold open, what started them.

The index asks who holds a lock; the sandbox and agents ask which processes a command left behind.
The answers come from /proc on Linux and from psutil elsewhere.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

if sys.platform != "linux":
    import psutil


def is_alive(process: int) -> bool:
    """Whether there is a process with this number, whoever it belongs to."""
    if process <= 0:  # such numbers stand for groups
        return False
    try:
        # Signal 0 is not sent; only whether it could be is checked.
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def begun_at(process: int) -> str:
    """The time when a process began, in the system's own unit; "" where there is no such process.

    Source:
        proc(5), field 22 of /proc/PID/stat: clock ticks since the machine started.
    """
    if sys.platform == "linux":
        try:
            facts = Path(f"/proc/{process}/stat").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        # Field 2, the name in parentheses, may itself have blanks and parentheses: fields are
        # counted from the last one on, where field 3 follows.
        return facts.rpartition(b")")[2].split()[19].decode("ascii")
    else:  # noqa: RET505 - the types of each system are checked apart
        try:
            return str(int(1000 * psutil.Process(process).create_time()))
        except psutil.NoSuchProcess:
            return ""


def holder_of(path: Path) -> str | None:
    """Name and number of a process that has a file open.

    Returns:
        Words for people; None where no process has the file open, or the system does not tell.
    """
    if sys.platform == "linux":
        for file in Path("/proc").glob("[0-9]*/fd/*"):
            with suppress(OSError):
                if file.readlink() == path:
                    process = file.parent.parent
                    return f"{(process / 'comm').read_text().strip()} (process {process.name})"
    else:
        for process in psutil.process_iter():
            with suppress(OSError, psutil.Error):
                if any(Path(file.path) == path for file in process.open_files()):
                    return f"{process.name()} (process {process.pid})"
    return None


def started_with(variable: str, value: str) -> Iterator[int]:
    """The numbers of the user's processes whose environment has this value for a variable."""
    if sys.platform == "linux":
        assignment = os.fsencode(f"{variable}={value}")
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # the process ended, or is somebody else's
                if assignment in environment.read_bytes().split(b"\0"):
                    yield int(environment.parent.name)
    else:
        for process in psutil.process_iter():
            with suppress(OSError, psutil.Error):
                if process.environ().get(variable) == value:
                    yield process.pid
