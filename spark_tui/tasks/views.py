"""Tasks as lists and screens show them."""

from dataclasses import dataclass
from enum import StrEnum

from spark_tui.tasks.agents.registry import MARK
from spark_tui.tasks.events import AgentStarted
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.preview import BLOCK

_FENCE = "```"


class TaskState(StrEnum):
    """How a task stands."""

    WORKING = "working"
    ASKS = "asks"
    """At work, and an agent waits for the user's answer."""
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    ELSEWHERE = "at work in another process"
    APPLIED = "applied"


AT_WORK = frozenset({TaskState.WORKING, TaskState.ASKS, TaskState.PAUSED})
"""The states in which this process works on a task."""


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as a list shows it.

    Attributes:
        step: The number of the step that is being taken, or was taken last.
        tokens: Written so far.
        cost: In the money of the endpoint's prices; 0 without prices.
        last_words: What the model last said or did, in a line.
        ticked: Items of the plan that are done.
        message: Why the task stands as it does, or "".
        missed: The files with an edit that did not apply, and with no later one that did.
    """

    id: str
    words: str
    state: TaskState
    step: int
    tokens: int
    cost: float
    last_words: str
    plan: tuple[str, ...]
    ticked: int
    message: str
    missed: tuple[str, ...] = ()


def view_of(log: TaskLog, state: TaskState, message: str) -> TaskView:
    """A task as its log has it."""
    steps = tuple(log.steps)
    words = ""
    if steps:
        answer = steps[-1].answer
        if steps[-1].kind == "done":
            answer = answer.rstrip().rpartition("\n")[0]  # without the line `done`
        words = last_line(answer) or steps[-1].title
    plan = log.spec.plan
    ticked = log.ticked
    if log.agent_plan:
        plan = tuple(item.content for item in log.agent_plan)
        ticked = sum(item.status == "completed" for item in log.agent_plan)
    return TaskView(
        id=log.id,
        words=" ".join(log.spec.words.split()),
        state=state,
        step=len(steps),
        tokens=log.tokens,
        cost=log.cost,
        last_words=words,
        plan=plan,
        ticked=ticked,
        message=message,
        missed=log.missed,
    )


def last_line(text: str) -> str:
    """The last line that a model wrote above its edit, mostly a file; "" where there is none."""
    last = ""
    for line in text.splitlines():
        if line.startswith(BLOCK):
            break
        words = line.strip()
        if words and not words.startswith(_FENCE):
            last = words
    return last


def is_for_agent(log: TaskLog) -> bool:
    """Whether an agent works on a task, instead of a model."""
    return log.spec.model.startswith(MARK)


def words_of_start(event: AgentStarted) -> str:
    """What to say of an agent that begins."""
    words = f"@{event.name} works on it"
    if event.program:
        words = f"{words}: {event.program}"
    if event.remembers is not None:
        how = "takes up its session" if event.remembers else "begins anew, on the files as they are"
        words = f"{words}; it {how}"
    return words
