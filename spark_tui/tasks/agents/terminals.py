"""The commands that an agent runs through spark: by the rules of the task, in its sandbox."""

import shlex
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.session.repair.sandbox import RunningCommand
from spark_tui.tasks.agents.tool_calls import command_line, name_within
from spark_tui.tasks.tools import RUN_SECONDS, Tools
from spark_tui.vcs.safe_paths import has_folder

_MOST_OPEN = 8
"""Commands that an agent may have open at a time."""
MOST_OUTPUT = 1 << 20
"""Bytes of an output that are kept: its end."""


@dataclass(slots=True)
class _Terminal:
    """A command and what it has put out so far."""

    command: RunningCommand
    most: int
    end: float
    output: bytes = b""
    is_cut: bool = False

    def update(self) -> None:
        """Take the output that came, and end the command where its time is up."""
        self.output += self.command.take()
        if len(self.output) > self.most:
            self.output = self.output[len(self.output) - self.most :]
            self.is_cut = True
        if self.command.status is None and time.monotonic() > self.end:
            self.command.kill()


class Terminals:
    """The commands of one agent. Mutable.

    Args:
        tools: Say what may run, and run it.
        root: The work tree.
    """

    def __init__(self, tools: Tools, root: Path) -> None:
        self._tools = tools
        self._root = root
        self._open: dict[str, _Terminal] = {}
        self._count = 0

    @property
    def can_run(self) -> bool:
        """Whether there is a command that may run."""
        rules = self._tools.rules
        return not rules.refusal and bool(rules.allowed or rules.check)

    def create(
        self, command: str, args: Sequence[str], folder: str | None, most: int | None
    ) -> tuple[str, str]:
        """Start a command.

        Args:
            command: A program, or where there are no arguments a command line.
            folder: Where to run it, absolute; None: at the root of the work tree.
            most: Bytes of the output to keep.

        Returns:
            What the terminal is called, and the command line.

        Raises:
            UsageError: The command may not run, or not there.
            FileError: The disk refused.
        """
        if len(self._open) >= _MOST_OPEN:
            raise UsageError(f"{_MOST_OPEN} terminals are open; release one first")
        asked = command_line([command, *args]) if args else command
        line = self._tools.rules.line_for(asked)
        inner = self._folder_name(folder)
        shown = f"cd {shlex.quote(inner)} && {line}" if inner else line
        running = self._tools.sandbox.start(shown, RUN_SECONDS)
        self._count += 1
        name = f"terminal-{self._count}"
        bound = MOST_OUTPUT if most is None else min(most, MOST_OUTPUT)
        self._open[name] = _Terminal(running, bound, time.monotonic() + RUN_SECONDS)
        return name, line

    def output(self, name: str) -> dict[str, Any]:
        """What a command put out so far, and how it ended.

        Raises:
            UsageError: There is no such terminal.
        """
        terminal = self._find(name)
        terminal.update()
        text = terminal.output.decode("utf-8", "replace")
        body: dict[str, Any] = {"output": text, "truncated": terminal.is_cut}
        ended = self.exit_of(name)
        return body if ended is None else body | {"exitStatus": ended}

    def exit_of(self, name: str) -> dict[str, Any] | None:
        """How a command ended; None while it runs.

        Raises:
            UsageError: There is no such terminal.
        """
        terminal = self._find(name)
        terminal.update()
        status = terminal.command.status
        # The status may be known before the last output is read.
        if status is None or not terminal.command.ended:
            return None
        if status >= 0:
            return {"exitCode": status, "signal": None}
        return {"exitCode": None, "signal": signal.Signals(-status).name}

    def kill(self, name: str) -> None:
        """End a command; its output can still be read.

        Raises:
            UsageError: There is no such terminal.
        """
        self._find(name).command.stop()

    def release(self, name: str) -> None:
        """End a command and forget it.

        Raises:
            UsageError: There is no such terminal.
        """
        self._find(name).command.close()
        del self._open[name]

    def close(self) -> None:
        """End all commands."""
        for terminal in self._open.values():
            terminal.command.close()
        self._open.clear()

    def _find(self, name: str) -> _Terminal:
        if name not in self._open:
            raise UsageError(f"there is no terminal {name[:40]!r}")
        return self._open[name]

    def _folder_name(self, folder: str | None) -> str:
        """A folder of the work tree by its name; "" for the root.

        Raises:
            UsageError: The folder is not one of the work tree.
        """
        if folder is None or Path(folder) in {self._root, self._root.resolve()}:
            return ""
        name = name_within(self._root, folder)
        # `has_folder` asks for the folder that a path lies in.
        if not has_folder(self._root, f"{name}/file"):
            raise UsageError(f"{name} is no folder of the work tree")
        return name
