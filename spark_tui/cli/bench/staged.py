"""Runs spark's own screen in a process on a pseudo-terminal, and presses the keys of a person.

`spark_tui.cli.bench.stage` is the program that runs there.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from spark_tui.cli.bench.endless_tasks import TASKS
from spark_tui.cli.bench.terminal import Terminal
from spark_tui.cli.open import PROJECT, make_copy
from spark_tui.errors import SparkError

_PACKAGE = Path(__file__).parents[3]
_F9 = "\x1b[20~"
_WRITTEN = b" tokens"
_KEY_EVERY_S = 0.02
# Between two keys, drawn at random, so that they do not fall in step with the frames.
_LEAST_S = 0.02
_MOST_S = 0.1


class StageProcess:
    """The stage in a process of its own."""

    def __init__(self, terminal: Terminal, notes: Path) -> None:
        self.terminal = terminal
        self._notes = notes

    def stream(self) -> None:
        """Send the instruction that stands in the prompt, and wait until tokens come."""
        self.terminal.press_until("\r", b"writing")

    def begin_tasks(self) -> None:
        """Have tasks write without end, and wait until each has written something."""
        before = self.terminal.size
        self.terminal.press(_F9)
        for number in range(TASKS):
            self.terminal.wait_for(f"write {number}".encode(), before)
        self.terminal.wait_for(_WRITTEN, before)

    def to_diff(self) -> None:
        """Give the diff the keys, and wait until the hints say so."""
        self.terminal.press_until("\t", b"keys")

    def pause(self) -> float:
        """Press Esc.

        Returns:
            Milliseconds to the painted frame that says so.
        """
        return self.terminal.press_until("\x1b", b"paused")

    def pauses(self, count: int) -> list[float]:
        """Pause at any moment of the stream and go on, again and again.

        Returns:
            Milliseconds of each.
        """
        rng = Random(0)
        waits = []
        for _ in range(count):
            time.sleep(rng.uniform(_LEAST_S, _MOST_S))
            waits.append(self.pause())
            self.stream()
        return waits

    def press_keys(self, count: int) -> list[float]:
        """Move down and up in turn.

        Returns:
            The moments of the keys.
        """
        pressed = []
        for number in range(count):
            pressed.append(self.terminal.press("jk"[number % 2]))
            time.sleep(_KEY_EVERY_S)
        return pressed

    def leave(self) -> dict[str, list[float]]:
        """Quit.

        Returns:
            The notes of the stage.

        Raises:
            SparkError: The stage did not end well.
        """
        self.terminal.press("\x1b")
        self.terminal.wait_until_quiet()
        self.terminal.press("\x03\x03\x03")
        self.terminal.wait()
        try:
            notes: dict[str, list[float]] = json.loads(self._notes.read_text("utf-8"))
        except (OSError, ValueError) as e:
            raise SparkError("the screen did not end as it should; try again") from e
        return notes


@contextmanager
def staged(model: Path, repo: Path, folder: Path) -> Iterator[StageProcess]:
    """Put the screen on the stage and wait until it is ready.

    Args:
        folder: The folder for the files of the stage.
    """
    notes = folder / "notes.json"
    notes.unlink(missing_ok=True)
    command = [sys.executable, "-m", "spark_tui.cli.bench.stage", str(model.resolve()), str(notes)]
    with Terminal(command, repo, environment(folder)) as terminal:
        terminal.wait_for(b"ready")
        yield StageProcess(terminal, notes)


@contextmanager
def demo_project(name: str = PROJECT) -> Iterator[Path]:
    """A copy of an example project in a repository of its own, gone at the end."""
    folder = make_copy(name)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a program: this very package, and a state folder of its own.

    The program keeps its bytecode, as an installed spark has it; else modules would be compiled
    beside what is measured.
    """
    path = os.pathsep.join(filter(None, (str(_PACKAGE), os.environ.get("PYTHONPATH", ""))))
    return {"PYTHONPATH": path, "XDG_STATE_HOME": str(folder), "PYTHONDONTWRITEBYTECODE": ""}


def waits(pressed: list[float], done: list[float]) -> list[float]:
    """Return the milliseconds from each key until it was carried out.

    Raises:
        SparkError: Some were not.
    """
    if len(done) < len(pressed):
        raise SparkError(
            f"{len(pressed) - len(done)} of {len(pressed)} keys were not carried out; try again"
        )
    return [(end - start) * 1000 for start, end in zip(pressed, done, strict=False)]
