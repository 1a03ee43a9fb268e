"""How a task goes on: lines on stderr for people, or its events on stdout for programs."""

import sys

from spark_tui.cli import output
from spark_tui.cli.common import notice
from spark_tui.tasks.events import (
    CommandStarted,
    StepEnded,
    StepStarted,
    StepText,
    TaskEvent,
    TaskStarted,
    TaskWaits,
    to_json,
)

_UNCONFINED = (
    "there is no bubblewrap (bwrap) that works here: the commands of the task run unconfined"
)


class TaskProgress:
    """Shows the events of a task.

    Args:
        form: "text", "json" or "stream-json".
        quiet: Show people nothing.
    """

    def __init__(self, form: str, *, quiet: bool) -> None:
        self._streams = form == "stream-json"
        self._warns = not quiet
        self._quiet = quiet or form != "text"
        self._live = sys.stderr.isatty() and not self._quiet
        self._number = 0
        self._pieces = 0

    def show(self, event: TaskEvent) -> None:
        """Take one event."""
        if self._streams and not isinstance(event, TaskWaits):
            output.show_json(to_json(event))
        match event:
            case TaskStarted(confined=False) if self._warns:
                notice(_UNCONFINED)
            case StepStarted(number=number):
                self._number = number
                self._pieces = 0
            case StepText():
                self._pieces += 1
                what = f"step {self._number}" if self._number else "the plan"
                self._say(f"{what}: writing, {self._pieces} tokens")
            case CommandStarted(line=line):
                when = f"step {self._number}" if self._number else "before step 1"
                self._say(f"{when}: running {line}")
            case TaskWaits(line=line) if line:
                self._say(line)
            case StepEnded():
                self._tell(event)

    def end(self) -> None:
        """Clear the line that changes."""
        self._say("")

    def _tell(self, step: StepEnded) -> None:
        """Say in a line what a step was."""
        if self._quiet:
            return
        self._say("")
        words = f"step {step.number}: {step.title}"
        if step.problem and not step.problem.startswith(step.title):
            words = f"{words} ({step.problem})"
        if step.check is not None:
            words = f"{words}; the check {'passes' if step.check.ok else 'fails'}"
        output.say(f"spark: {words}")

    def _say(self, line: str) -> None:
        if self._live:
            output.rewrite(line)
