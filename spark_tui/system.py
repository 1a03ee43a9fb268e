"""Names users, the machine, and the signals that spark sends and that end spark itself."""

import os
import signal
import sys

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

import pwd  # behind the guard: Windows has none


def own_id() -> int:
    """The number of the user in whose name this process runs."""
    return os.geteuid()


def describe_machine() -> str:
    """Name the system, its release and the machine, such as Linux-6.1-x86_64.

    Unlike `platform.platform`, this starts no `uname` that PATH may have from a repository.
    """
    facts = os.uname()
    return f"{facts.sysname}-{facts.release}-{facts.machine}"


def name_of(user: int) -> str:
    """Return the name of a user; the number itself where the system knows no name."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


ENDING: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end a program, beside Ctrl+C."""
KILL: signal.Signals = signal.SIGKILL


def send(group: int, number: int) -> None:
    """Send a signal to a process group; a group that has ended is no error."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS has the latter for what just ended
        return


def return_at_once(descriptor: int) -> None:
    """Have reads and writes of a pipe fail where they would wait."""
    os.set_blocking(descriptor, False)
