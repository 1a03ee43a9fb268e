"""A small process beside the screen that restores the terminal if spark is killed.

The process is forked before anything large is imported, and learns through a pipe whether spark has
the terminal: if the pipe ends while it has, spark is dead. Only then does the process write, and in
every case it ends with spark. It has a name of its own, so that killing spark by name does not kill
both.
"""

import os
import signal
import sys
import termios
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from spark_tui import windows

if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

MODES = (1000, 1003, 1015, 1006, 1016, 1004, 2004, 2048)
"""What the screen switches on: mouse, focus, bracketed paste, sizes told in band."""

RESTORE = (
    "\x1b[?2026l"
    + "".join(f"\x1b[?{mode}l" for mode in MODES)
    + "\x1b[?7h\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h"
).encode()
"""Ends a frame that is half drawn, switches everything off, leaves the alternate screen and
shows the cursor.
"""

_NAME = b"terminal-guard"
"""At most the 15 bytes that Linux keeps."""
_TOOK = b"+"
_GAVE_BACK = b"-"
_RAW = termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG
_ARGUMENTS = slice(45, 47)
"""Where /proc/PID/stat, behind the name, has the bounds of the command line in memory."""
_PATIENCE_S = 2
_MOST_OPEN = 4096


class Watchdog:
    """Watches over a terminal from now on.

    Args:
        terminal: Its descriptor, with the settings it shall have at the end.

    Raises:
        OSError: No process can be made.
    """

    def __init__(self, terminal: int) -> None:
        settings = termios.tcgetattr(terminal)
        owners = {
            os.getpgrp(),
            os.getpgid(os.getppid()),
        }  # the shell may have taken it back already
        end, self._pipe = os.pipe()
        self._ready, ready = os.pipe()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        if os.fork() == 0:
            try:
                _watch(terminal, end, ready, settings, owners)
            finally:
                os._exit(0)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(end)
        os.close(ready)

    def took(self) -> None:
        """Note that spark is about to take the terminal; wait until the process watches."""
        if self._ready >= 0:
            os.read(self._ready, 1)  # which ends, too, where the process is gone
            os.close(self._ready)
            self._ready = -1
        self._say(_TOOK)

    def gave_back(self) -> None:
        """Note that the terminal is as it was before."""
        self._say(_GAVE_BACK)

    def close(self) -> None:
        """Let the process go: it ends at once."""
        os.close(self._pipe)

    def _say(self, word: bytes) -> None:
        with suppress(OSError):  # somebody killed it: spark goes on without
            os.write(self._pipe, word)


def _watch(
    terminal: int, pipe: int, ready: int, settings: list[Any], owners: Collection[int]
) -> None:
    """The body of the watching process.

    The process was forked with every signal blocked, so only SIGKILL and SIGSTOP reach it.
    """
    os.setpgid(0, 0)
    with suppress(OSError, ValueError, ImportError):  # other systems show no names so
        _rename()
    os.write(ready, b"+")
    os.dup2(terminal, 0)
    os.dup2(pipe, 1)
    os.closerange(2, _MOST_OPEN)
    taken = False
    while words := os.read(1, 64):
        taken = words.endswith(_TOOK)
    if taken and _owned_by(owners):
        signal.alarm(_PATIENCE_S)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        _restore(settings)


def _rename() -> None:
    """Write another name over those that spark was started with, for `pkill` and `pkill -f`."""
    import ctypes  # noqa: PLC0415 - spark itself does not wait for it

    Path("/proc/self/comm").write_bytes(_NAME)
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = map(int, fields[_ARGUMENTS])
    if 0 < start < end:
        ctypes.memmove(start, _NAME.ljust(end - start, b"\0"), end - start)


def _owned_by(groups: Collection[int]) -> bool:
    """Whether the terminal belongs to one of these process groups, or to nobody."""
    try:
        return os.tcgetpgrp(0) in groups
    except OSError:
        return True


def _restore(settings: list[Any]) -> None:
    """Put the terminal right.

    Settings that are no longer those of the screen are somebody else's by now, and stay.
    """
    with suppress(termios.error, OSError):
        if not termios.tcgetattr(0)[3] & _RAW:
            termios.tcflush(0, termios.TCIFLUSH)
            termios.tcsetattr(0, termios.TCSANOW, settings)
        os.write(0, RESTORE)
