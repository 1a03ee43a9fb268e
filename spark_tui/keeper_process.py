"""The small process that ends a program together with all that the program started; for Linux.

`process_keeper` starts it in front of a program. Whatever the program started becomes the child of
this process once its own parent has ended (PR_SET_CHILD_SUBREAPER). All of it is killed when the
program has ended, or as soon as the pipe to spark is closed, as the system does for a spark that is
killed.

Source:
    prctl(2), PR_SET_CHILD_SUBREAPER; proc(5), /proc/PID/stat; signal(7).
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

assert sys.platform == "linux", "only Linux has PR_SET_CHILD_SUBREAPER"

_SET_CHILD_SUBREAPER = 36
_AT_ONCE = 1 << 12
"""Bytes read at once from a pipe whose bytes mean nothing."""
_MOST_SECONDS = 2.0
"""How long processes are killed; what is left then is another user's."""
_PAUSE_SECONDS = 0.002
_NOT_STARTED = 127
"""The exit status of a shell for a program that is not there."""


def keep_program(held: int, command: list[str]) -> NoReturn:
    """Run a program, and end with its exit status once all that it started has ended.

    Args:
        held: The end of a pipe whose other end spark holds.
        command: The program and its arguments.
    """
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(held, False)
    wakes, waker = os.pipe()
    os.set_blocking(wakes, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    # Signals to the group are for the program. A handler, unlike SIG_IGN, is not inherited.
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda *_: None)
    program = os.fork()
    if not program:
        _become(command)
    # The program alone holds its input and output, so that their ends are noticed.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    status: int | None = None
    while status is None:
        ready, _, _ = select.select([held, wakes], [], [])
        # Before looking, as a child that ends meanwhile writes once more.
        with suppress(BlockingIOError):
            os.read(wakes, _AT_ONCE)
        status = _reap(program)
        if held in ready:
            break
    _kill_children()
    _end_like(status)


def _become(command: list[str]) -> NoReturn:
    """Replace this process by a program."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these two
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - a list of words, as it was given
    except OSError as e:
        os.write(2, f"{command[0]}: {e.strerror}\n".encode())
    os._exit(_NOT_STARTED)


def _reap(program: int) -> int | None:
    """Take note of children that have ended.

    Returns:
        The status of the program where it is among them.
    """
    status = None
    with suppress(ChildProcessError):
        while True:
            child, how = os.waitpid(-1, os.WNOHANG)
            if child == program:
                status = os.waitstatus_to_exitcode(how)
            if not child:
                break
    return status


def _kill_children() -> None:
    """Kill children until there are none: those of a killed child become ours."""
    end = time.monotonic() + _MOST_SECONDS
    with suppress(ChildProcessError):
        while time.monotonic() < end:
            for child in _children():
                with suppress(OSError):  # it has ended, or is another user's
                    os.kill(child, signal.SIGKILL)
            time.sleep(_PAUSE_SECONDS)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _children() -> Iterator[int]:
    own = str(os.getpid()).encode()
    # Without pathlib, which takes as long to import as all else here.
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
        with suppress(OSError):
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                # Behind the name, which may itself have parentheses: state, then parent.
                parent = file.read().rpartition(b")")[2].split()[1]
            if parent == own:
                yield int(name)


def _end_like(status: int | None) -> NoReturn:
    """End as the program did, or as one that was killed."""
    if status is not None and status >= 0:
        os._exit(status)
    number = -status if status else signal.SIGKILL
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the program itself has left one if any
    with suppress(OSError):  # SIGKILL has no other effect anyway
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


if __name__ == "__main__":
    keep_program(int(sys.argv[1]), sys.argv[2:])
