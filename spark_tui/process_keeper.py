"""Has a program end together with all that it started, whatever becomes of spark.

A program may start others that leave its process group and drop their environment, and a spark that
is killed ends nothing itself. On Linux a small process (`keeper_process.py`) therefore stands
between spark and the program, and a pipe between spark and that process. Elsewhere the program runs
as it is.

Out of reach are programs of another user (setuid), and what a service starts on demand: a
container, a job of cron or of systemd.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

_PYTHON = sys.executable
_PROGRAM = Path(__file__).with_name("keeper_process.py")


class Keeper:
    """The pipe by which spark holds a program. Mutable; safe to use from any thread.

    Args:
        command: The program and its arguments.

    Attributes:
        command: What to start instead.
        descriptors: The open files that it inherits.
    """

    is_at_work = sys.platform == "linux"
    """Whether this system lets a small process stand in between."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = [*command]
        self.descriptors: tuple[int, ...] = ()
        self._lock = Lock()
        self._open = list[int]()
        if sys.platform == "linux":
            reads, writes = os.pipe()
            self._open = [reads, writes]
            self.descriptors = (reads,)
            # Isolated: no variable of the environment and no file of the folder adds code.
            self.command = [_PYTHON, "-I", "-S", str(_PROGRAM), str(reads), *command]

    def mark_started(self) -> None:
        """Let go of the end of the pipe that the program has inherited."""
        self._close(1)

    def end_program(self) -> bool:
        """Have the program and all that it started killed.

        Returns:
            Whether they are, in a moment; False: there is no small process that does it.
        """
        self._close(2)
        return self.is_at_work

    def _close(self, count: int) -> None:
        with self._lock:
            left = 2 - count
            while len(self._open) > left:
                os.close(self._open.pop(0))
