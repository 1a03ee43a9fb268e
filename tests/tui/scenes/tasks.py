"""Scenes of tasks in the background."""

from pathlib import Path

from textual.pilot import Pilot

from spark_tui.tui.screens.plan import PlanScreen, PlanText
from tests.providers.scripted_server import says
from tests.tasks.scripts import DONE, MAKE, MEND, READ, stepwise
from tests.tui.scenes.stage import scene
from tests.tui.support import Stage, until
from tests.tui.task_stage import HeldTasks, TaskStage, by_task

_PLAN = says("- use math.prod in shapes/area.py\n- say so in docs/area.md\n")


def task_scene(folder: Path) -> Stage:
    """The stage of these scenes: one task is held while it writes, others go to their end."""
    held = HeldTasks(folder)
    held.answers = by_task(
        {
            "mend the area": held.steps([READ, MEND, MAKE, DONE]),
            "a page about it": stepwise([MAKE, DONE]),
            "plan it": _PLAN,
        }
    )
    return held.open()


async def _begin(stage: Stage, pilot: Pilot[None]) -> TaskStage:
    """Begin the task that is held, and let it come to the middle of an edit."""
    assert isinstance(stage, TaskStage)
    stage.gate.open()
    await stage.begin(pilot, "mend the area of a rectangle")
    task = stage.tasks[0]
    while "w * h" not in task.text:  # one piece at a time, or it would write on
        seen = task.step, task.pieces
        stage.go.release()
        await until(pilot, lambda seen=seen: (task.step, task.pieces) != seen)  # type: ignore[misc]
    await until(pilot, lambda: "shapes/area.py" in stage.lines and "step 2" in stage.lines)
    return stage


@scene
async def task_lines(stage: Stage, pilot: Pilot[None]) -> None:
    """A task at work, and one that has ended, while the user writes."""
    stage = await _begin(stage, pilot)
    stage.prompt.set_text("say hello ")
    await stage.begin_beside(pilot, "write a page about it")
    await until(pilot, lambda: "done in 2 steps" in stage.lines)


@scene
async def tasks(stage: Stage, pilot: Pilot[None]) -> None:
    """The list of the tasks."""
    stage = await _begin(stage, pilot)
    await stage.list(pilot)
    await until(pilot, lambda: "read shapes/area.py" in stage.shown)


@scene
async def plan(stage: Stage, pilot: Pilot[None]) -> None:
    """A plan that the user may change."""
    await stage.ready(pilot)
    stage.prompt.set_text("/plan plan it with math.prod")
    screen = await stage.opens(pilot, PlanScreen, "enter")
    await until(pilot, lambda: not screen.is_writing)
    await until(pilot, lambda: "docs/area.md" in screen.query_one(PlanText).text)
    await until(pilot, lambda: "as you want them" in stage.painted)


@scene
async def one_task(stage: Stage, pilot: Pilot[None]) -> None:
    """A task at work: its steps, and the edit that is being written."""
    stage = await _begin(stage, pilot)
    await stage.open_task(pilot)
    await until(pilot, lambda: "+    return w * h" in stage.shown)


@scene
async def agent_asks(stage: Stage, pilot: Pilot[None]) -> None:
    """The task of an agent that asks for leave to run a command."""
    assert isinstance(stage, TaskStage)
    await stage.ready(pilot)
    await stage.begin(pilot, "@scripted mend the area of a rectangle")
    await until(pilot, lambda: stage.lines.startswith("asks"))
    await stage.open_task(pilot)
    await until(pilot, lambda: "It asks: rm -rf build" in stage.shown)
