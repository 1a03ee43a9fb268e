"""What happens in a task, as its front end hears of it, in order.

`TaskStarted`; for each step `StepStarted`, `StepText` piece by piece, `CommandStarted` where
something runs, `StepEnded`; at the end `TaskEnded`. `TaskWaits` may come at any time: the chance to
stop.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

from spark_tui.tasks.log import CheckRun


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """The task begins, or goes on behind `steps` whole steps.

    Attributes:
        folder: The work tree of the task.
        confined: Whether commands run in bubblewrap; None where none may run.
    """

    id: str
    folder: str
    steps: int
    confined: bool | None


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The model is asked for a step."""

    number: int


@dataclass(frozen=True, slots=True)
class StepText:
    """A piece of what the model writes; `anew`: what came before does not count."""

    text: str
    anew: bool = False


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """A command of the model, or the check, runs from now on."""

    line: str


@dataclass(frozen=True, slots=True)
class TaskWaits:
    """Nothing came for a moment; `line` says what is waited for, where that is known."""

    line: str = ""


@dataclass(frozen=True, slots=True)
class StepEnded:
    """A step is settled.

    Attributes:
        kind: As in `StepRecord`.
        title: What the step was, in a line.
        paths: The files that it changed.
        problem: Why it was refused, or not carried out as a whole; "" where all went well.
        tokens: Tokens that the task has taken so far.
        cost: What the task has cost so far.
        ticked: Items of the plan that are done by now.
    """

    number: int
    kind: str
    title: str
    paths: tuple[str, ...]
    problem: str
    check: CheckRun | None
    tokens: int
    cost: float
    ticked: int = 0


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """The task has ended: "done" or "stopped", and why."""

    status: str
    message: str


TaskEvent = (
    TaskStarted | StepStarted | StepText | CommandStarted | TaskWaits | StepEnded | TaskEnded
)


def to_json(event: TaskEvent) -> dict[str, Any]:
    """An event as one object of `--format stream-json`."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name} | asdict(event)
