"""A small process beside the screen that restores the terminal if spark is killed.

The process is forked before anything large is imported. It learns through a pipe whether spark has
the terminal: if the pipe ends meanwhile, spark is dead, and the process restores the terminal. In
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
"""The modes that the screen sets: mouse, focus, bracketed paste, sizes reported in band."""

RESTORE = (
    "\x1b[?2026l"
    + "".join(f"\x1b[?{mode}l" for mode in MODES)
    + "\x1b[?7h\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h"
).encode()
"""Ends a frame that is half drawn, switches everything off, leaves the alternate screen and
shows the cursor.
"""

_NAME = b"terminal-guard"
"""At most 15 bytes: Linux keeps no more of a name."""
_TOOK = b"+"
_GAVE_BACK = b"-"
# The local flags that the screen switches off.
_RAW = termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG
_ARGUMENTS = slice(45, 47)
"""Where /proc/PID/stat, behind the name, has the bounds of the command line in memory."""
# Seconds for the terminal to take the restoring sequences; the largest descriptor to close.
_PATIENCE_S = 2
_MOST_OPEN = 4096


class Watchdog:
    """Watches over a terminal from now on.

    Args:
        terminal: The descriptor of the terminal, which has the settings to restore at the end.

    Raises:
        OSError: The process cannot be forked.
    """

    def __init__(self, terminal: int) -> None:
        settings = termios.tcgetattr(terminal)
        owners = {
            os.getpgrp(),
            os.getpgid(os.getppid()),
        }  # the shell may have taken it back already
        end, self._pipe = os.pipe()
        self._ready, ready = os.pipe()
        # Blocked across the fork, so that no signal reaches the child: Ctrl+C or a hang-up would
        # end it together with spark.
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
            os.read(self._ready, 1)  # returns, too, if the process is dead
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
        with suppress(OSError):  # somebody killed the process: spark goes on without it
            os.write(self._pipe, word)


def _watch(
    terminal: int, pipe: int, ready: int, settings: list[Any], owners: Collection[int]
) -> None:
    """The body of the watching process.

    The process was forked with every signal blocked, so only SIGKILL and SIGSTOP reach it.
    """
    # A group of its own: SIGKILL to the group of spark does not reach this process.
    os.setpgid(0, 0)
    with suppress(OSError, ValueError, ImportError):  # only Linux has /proc/self
        _rename()
    os.write(ready, b"+")
    # Keep the terminal and the pipe only. A copy of any other pipe, the writing end of this one
    # among them, would keep it from ending.
    os.dup2(terminal, 0)
    os.dup2(pipe, 1)
    os.closerange(2, _MOST_OPEN)
    taken = False
    # Blocks until spark says something; the empty answer means that spark is dead.
    while words := os.read(1, 64):
        taken = words.endswith(_TOOK)
    if taken and _owned_by(owners):
        # A terminal that takes nothing, stopped by Ctrl+S for example, must not keep this process.
        signal.alarm(_PATIENCE_S)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        _restore(settings)


def _rename() -> None:
    """Write another name over those that spark was started with, for `pkill` and `pkill -f`."""
    import ctypes  # noqa: PLC0415 - spark itself does not wait for it

    Path("/proc/self/comm").write_bytes(_NAME)
    # arg_start and arg_end of proc(5), fields 48 and 49; the first one behind the name is field 3.
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = map(int, fields[_ARGUMENTS])
    # `ps` and `pkill -f` read the command line from the memory of the process itself.
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

    If its settings are no longer those of the screen, another program has set them, and they stay.
    """
    # The screen has switched all of these flags off: with one of them on, the settings are another
    # program's.
    with suppress(termios.error, OSError):
        if not termios.tcgetattr(0)[3] & _RAW:
            termios.tcflush(0, termios.TCIFLUSH)
            termios.tcsetattr(0, termios.TCSANOW, settings)
        os.write(0, RESTORE)
