"""Every screen and state of the app as a scene: the steps that lead to it."""

from pathlib import Path

from tests.tui.scenes import overlays, tasks, turns
from tests.tui.scenes.stage import SCENES
from tests.tui.scenes.stage import stage_for as usual_stage
from tests.tui.support import Stage

__all__ = ["SCENES", "overlays", "stage_for", "tasks", "turns"]
_OF_TASKS = {"task_lines", "tasks", "one_task", "agent_asks", "plan"}


def stage_for(name: str, folder: Path, theme: str = "spark-dark") -> Stage:
    """The stage on which a scene can play."""
    if name in _OF_TASKS:
        return tasks.task_scene(folder)
    return usual_stage(name, folder, theme)
