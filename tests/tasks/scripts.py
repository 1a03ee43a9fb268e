"""Models that write known steps, and a small repository for them to work in."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from spark_tui.providers.base import Message, Speech, TokenGenerated
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task, TaskModel
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from tests.providers.scripted_server import Handler, Turn, says

FILES = {
    "report.py": b"import os\n\n\ndef name(path):\n    return os.path.basename(path)\n",
    "shapes/area.py": b"def area(w, h):\n    return w + h\n",
    "test_area.py": (
        b"from shapes.area import area\n\nassert area(2, 5) == 10, 'the area is wrong'\n"
    ),
    "notes.txt": b"first\r\nsecond",
}
CHECK = "python3 test_area.py"
MEND = """I multiply.

shapes/area.py
<<<<<<< SEARCH
    return w + h
=======
    return w * h
>>>>>>> REPLACE
"""
WORSE = MEND.replace("w * h", "w - h").replace("I multiply", "I subtract")
FROM_WORSE = MEND.replace("w + h", "w - h")
MAKE = """docs/area.md
<<<<<<< SEARCH
=======
# Area
>>>>>>> REPLACE
"""
READ = "First I look.\n```\nread shapes/area.py\n```\n"
DONE = "All is well.\ndone\n"


def command(line: str) -> str:
    """The step of a command."""
    return f"```\n{line}\n```\n"


def edit(path: str, old: str, new: str) -> str:
    """The step that replaces lines."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


class ScriptedTalker:
    """Writes the step that comes behind those in the messages, in two pieces.

    The last step comes again and again.

    Args:
        steps: What it writes.
        before: Called before each piece.
    """

    def __init__(self, steps: Sequence[str], before: Callable[[], None] = lambda: None) -> None:
        self._steps = steps
        self._before = before
        self.read: list[list[Message]] = []
        """The messages of each request."""

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        self.read.append(list(messages))
        number = sum(message["role"] == "assistant" for message in messages)
        text = self._steps[min(number, len(self._steps) - 1)]
        half = len(text) // 2
        return self._say([text[:half], text[half:]])

    def _say(self, pieces: Sequence[str]) -> Speech:
        for piece in pieces:
            self._before()
            yield TokenGenerated(0, -1, piece.encode("utf-8", "surrogateescape"))
        return True

    @property
    def replies(self) -> list[str]:
        """What was told after each step but the last."""
        return [messages[-1]["content"] for messages in self.read[1:]]

    @property
    def last_reply(self) -> str:
        """What was told last."""
        return self.read[-1][-1]["content"]


def stepwise(steps: Sequence[str]) -> Turn:
    """The same for an endpoint."""

    def turn(handler: Handler) -> None:
        messages = handler.body["messages"]
        number = sum(message["role"] == "assistant" for message in messages)
        says(steps[min(number, len(steps) - 1)])(handler)

    return turn


def store_in(folder: Path, disk: Disk | None = None) -> TaskStore:
    """The tasks of the repository `folder/work`."""
    repo = Repository.discover(folder / "work")
    return TaskStore(repo, folder / "state" / "tasks", disk)


def open_task(
    store: TaskStore,
    log: TaskLog,
    talker: ScriptedTalker,
    rules: RunRules | None = None,
    context: int = 32_768,
) -> Task:
    model = TaskModel("scripted", talker, context)
    return store.open(log, model, rules or RunRules(check=log.spec.check), ())


def worked(task: Task) -> Task:
    """A task once it has come to its end."""
    for _ in task.events():
        pass
    return task


def break_bubblewrap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a bubblewrap that fails come first, as where user namespaces are not allowed."""
    folder.mkdir()
    broken = folder / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
