"""The events of a task, in the order in which a front end gets them.

`TaskStarted`; `FilesAbsent` where the check fails for want of files; for each step `StepStarted`,
`StepText` piece by piece, `CommandStarted` where something runs, `StepEnded`; at the end
`TaskEnded`. `TaskWaits` may come at any time, so that whoever iterates gets a chance to stop.

Where an agent works on the task, `AgentStarted` comes first; `AgentPlanned`, `ToolProgress` and
`PermissionAsked` come among the text of a step.
"""

import re  # noqa: TID251 - reads names and settings
from dataclasses import asdict, dataclass
from typing import Any

from spark_tui.tasks.log import CheckRun, PlanItem


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """The task begins, or goes on after `steps` whole steps.

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
    """A piece of what the model writes; `anew`: the text starts again from nothing."""

    text: str
    anew: bool = False


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """A command of the model, or the check, runs from now on."""

    line: str


@dataclass(frozen=True, slots=True)
class FilesAbsent:
    """The check fails before any edit, perhaps for want of files.

    Attributes:
        check: The command line.
        paths: What the task's work tree lacks of the user's, the likeliest first; folders end with
            "/".
    """

    check: str
    paths: tuple[str, ...]


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
        problem: Why the step was refused, or not carried out in full; "" where all went well.
        tokens: Tokens that the task has taken so far.
        cost: What the task has cost so far.
        ticked: Items of the plan that are done.
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


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The program of an agent is ready.

    Attributes:
        name: As the user calls it.
        program: What the program calls itself, with its version; "" where it does not say.
        remembers: Whether the agent takes up its earlier session; None where there is none.
    """

    name: str
    program: str
    remembers: bool | None


@dataclass(frozen=True, slots=True)
class AgentPlanned:
    """The agent has a plan, which replaces any plan before."""

    items: tuple[PlanItem, ...]


@dataclass(frozen=True, slots=True)
class AgentDiff:
    """What a tool call does to a file; `old` is None where the file is new."""

    path: str
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """How a tool call of an agent stands now.

    Attributes:
        id: As the agent calls it.
        kind: "read", "edit", "delete", "move", "search", "execute", "think", "fetch",
            "switch_mode" or "other".
        status: "pending", "in_progress", "completed" or "failed".
        paths: The files that the agent names, relative to the work tree where they lie in it.
        diffs: The changes so far; sent again as they grow.
    """

    id: str
    title: str
    kind: str
    status: str
    paths: tuple[str, ...]
    diffs: tuple[AgentDiff, ...]


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """The agent asks before it goes on with a tool call.

    Attributes:
        number: The number, from 1, by which the question is answered.
        tool: What the agent wants to do.
        command: The command line that it wants to run; "" for none.
        allowed: The answer; None: the user is to give it.
        reason: Why the rules do not allow it; "" where they do.
    """

    number: int
    tool: ToolProgress
    command: str
    allowed: bool | None
    reason: str


AgentEvent = AgentStarted | AgentPlanned | ToolProgress | PermissionAsked
TaskEvent = (
    TaskStarted
    | StepStarted
    | StepText
    | CommandStarted
    | FilesAbsent
    | TaskWaits
    | StepEnded
    | TaskEnded
    | AgentEvent
)


def to_json(event: TaskEvent) -> dict[str, Any]:
    """An event as one object of `--format stream-json`."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name} | asdict(event)
