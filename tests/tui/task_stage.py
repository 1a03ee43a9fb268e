"""A stage whose session has a scripted model for tasks, beside the one that edits at once."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from textual.pilot import Pilot

from spark_tui.config import Agent, Settings
from spark_tui.providers.registry import Models
from spark_tui.session.session import Session
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tasks.background_task import BackgroundTask
from spark_tui.tasks.request import TaskRequest
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.task import TaskScreen
from spark_tui.tui.screens.tasks import TasksScreen
from spark_tui.tui.widgets.output_log import PatchView
from spark_tui.tui.widgets.task_lines import TaskLines
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, edit_script, make_repo, scripted
from tests.providers.scripted_server import Handler, ScriptedServer, Turn, drips, says, serving
from tests.tasks.scripts import FILES
from tests.tui.support import Stage, until

WORDS = "greet everybody in hello"
HELLO = "def hello(name):\n    return name\n"
BETTER = 'def hello(name):\n    return f"hello {name}"\n'
ALL_FILES: Mapping[str, str | bytes] = FILES | {"hello.py": HELLO}


class TaskStage(Stage):
    """A repository, an app on it, and shortcuts to its tasks.

    Attributes:
        go: Gives leave to tasks that are held.
    """

    go = threading.Semaphore(0)

    @property
    def lines(self) -> str:
        """The lines of the tasks below the prompt."""
        return self.main.query_one(TaskLines).words

    @property
    def tasks(self) -> tuple[BackgroundTask, ...]:
        """The tasks that were begun, the oldest first."""
        tasks = self.main.tasks.tasks
        return tasks.begun if tasks else ()

    @property
    def shown(self) -> str:
        """The text of the step, or of the list, that is on top."""
        return "\n".join(self.app.screen.query_one(PatchView).lines)

    async def begin(self, pilot: Pilot[None], words: str, *, count: int = 1) -> BackgroundTask:
        """Begin a task, the `count`th, and wait for it to be there."""
        await self.ask(pilot, f"/task {words}")
        await until(pilot, lambda: len(self.tasks) == count)
        return self.tasks[-1]

    async def begin_beside(self, pilot: Pilot[None], words: str) -> BackgroundTask:
        """Begin a task while something is written in the prompt, and wait for its end."""
        tasks = self.main.tasks.tasks
        assert tasks is not None
        task = tasks.begin(TaskRequest(words))
        await until(pilot, lambda: task.state == "done")
        self.main.tasks.watch()
        return task

    async def review_comes(self, pilot: Pilot[None], hunks: int) -> None:
        """Wait for the review that the end of a task brings, and go to its hunks."""
        await until(pilot, lambda: len(self.view.hunks) == hunks)
        await self.says(pilot, "goes to the hunks")
        await until(pilot, lambda: self.view.phase is TurnPhase.REVIEW)
        assert self.prompt.has_focus
        await self.to_diff(pilot)

    async def list(self, pilot: Pilot[None]) -> TasksScreen:
        """List the tasks."""
        self.prompt.focus()
        self.prompt.set_text("/tasks")
        screen = await self.opens(pilot, TasksScreen, "enter")
        await until(pilot, lambda: bool(screen.items))
        return screen

    async def open_task(self, pilot: Pilot[None]) -> TaskScreen:
        """List the tasks, and open the newest."""
        await self.list(pilot)
        return await self.opens(pilot, TaskScreen, "enter")


@contextmanager
def task_stage(
    folder: Path,
    *replies: Turn,
    files: Mapping[str, str | bytes] = ALL_FILES,
    before_step: Callable[[], None] | None = None,
    deep: str = "big",
    agents: Mapping[str, Agent] | None = None,
    ready: Callable[[], object] = bool,
) -> Iterator[tuple[TaskStage, ScriptedServer]]:
    """A stage on which a server works on tasks.

    Args:
        folder: Where all lies.
        replies: Of the server, one after the other, the last one again and again.
        before_step: Called before each token of the model that edits at once.
        deep: The model that works on tasks; "" for none.
        agents: Those of the user, by name.
        ready: Called before there is a session; it may wait.
    """

    def load() -> Session:
        ready()
        return stage.session

    with serving(*replies) as server:
        stage = TaskStage(folder / "unused")
        script = edit_script(HELLO, BETTER)
        loaded = scripted(folder / "model", {WORDS: script}, before_step or stage.gate)
        repo = Repository.discover(make_repo(folder / "repo", files))
        endpoints = {"big": server.endpoint(probe=False)}
        models = Models(endpoints=endpoints)
        stage.session = ScriptedSession(repo, loaded, folder / "state", models=models, deep=deep)
        settings = Settings(models=endpoints, agents=agents or {})
        stage.app = SparkApp(load, settings, clock=lambda: stage.now)
        stage.on_close = stage.main.tasks.close
        yield stage, server


def scripted_agents(*scene: str) -> Mapping[str, Agent]:
    """An agent that plays a scene; see `scripted_agent.py`.

    Args:
        scene: Its name, and its arguments.
    """
    script = Path(__file__).parents[1] / "tasks/agents/scripted_agent.py"
    agent = Agent("scripted", sys.executable, (str(script), *scene), confined=False)
    return {"scripted": agent}


def asking(*commands: str) -> Mapping[str, Agent]:
    """An agent that asks to run each of these commands, then does its work."""
    asked = [
        json.dumps({"title": f"run {line}", "kind": "execute", "rawInput": {"command": line}})
        for line in commands
    ]
    return scripted_agents("asks", *asked)


class HeldTasks:
    """A stage with tasks that stays until it is closed.

    Attributes:
        answers: What the server answers.

    Args:
        folder: Where all lies.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.answers: Turn = says("done\n")
        self.go = threading.Semaphore(0)

    def steps(self, steps: Sequence[str]) -> Turn:
        """Steps that are written by leave."""
        return held_steps(steps, self.go)

    def open(self) -> TaskStage:
        """The stage."""
        stack = ExitStack()
        agents = asking("rm -rf build")
        stage, _ = stack.enter_context(task_stage(self._folder, self.answers, agents=agents))
        stage.go = self.go
        stop = stage.on_close

        def close() -> None:
            stop()
            self.go.release(1000)
            stack.close()

        stage.on_close = close
        return stage


def held_steps(steps: Sequence[str], go: threading.Semaphore, size: int = 12) -> Turn:
    """Write the step that comes next in small pieces, each by leave.

    Args:
        go: Gives leave.
        size: Characters of a piece.
    """

    def turn(handler: Handler) -> None:
        messages = handler.body["messages"]
        number = sum(message["role"] == "assistant" for message in messages)
        text = steps[min(number, len(steps) - 1)]
        drips([text[at : at + size] for at in range(0, len(text), size)], go)(handler)

    return turn


def by_task(turns: Mapping[str, Turn]) -> Turn:
    """Answer as the words say that stand in the first message of a task."""

    def turn(handler: Handler) -> None:
        first = handler.body["messages"][1]["content"]
        for words, answer in turns.items():
            if words in first:
                answer(handler)

    return turn
