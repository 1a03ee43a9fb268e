"""Shows how a task goes on: lines on stderr for people, or events on stdout for programs."""

import sys

from spark_tui.cli import output
from spark_tui.cli.common import notice
from spark_tui.tasks.check import describe_absent
from spark_tui.tasks.events import (
    AgentPlanned,
    AgentStarted,
    CommandStarted,
    FilesAbsent,
    PermissionAsked,
    StepEnded,
    StepStarted,
    StepText,
    TaskEvent,
    TaskStarted,
    TaskWaits,
    ToolProgress,
    to_json,
)
from spark_tui.tasks.log import REDIRECTED
from spark_tui.tasks.sandbox import UNCONFINED

_MOST_SPEECH = 4000
"""Characters that are shown of what an agent says in a step."""


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
        self._agent = ""
        """The name of the agent at work; "" for a model."""
        self._speech = ""
        """The words of the agent in the present step."""

    def show(self, event: TaskEvent) -> None:
        """Take one event."""
        if self._streams and not isinstance(event, TaskWaits):
            output.show_json(to_json(event))
        match event:
            case TaskStarted(confined=False) if self._warns:
                notice(UNCONFINED)
            case FilesAbsent() if self._warns:
                notice(describe_absent(event))
            case StepStarted(number=number):
                self._number = number
                self._pieces = 0
            case StepText(text=text):
                self._pieces += 1
                if self._agent:
                    self._speech = (self._speech + text)[:_MOST_SPEECH]
                what = f"step {self._number}" if self._number else "the plan"
                self._say(f"{what}: writing, {self._pieces} tokens")
            case CommandStarted(line=line):
                when = f"step {self._number}" if self._number else "before step 1"
                self._say(f"{when}: running {line}")
            case TaskWaits(line=line) if line:
                self._say(line)
            case StepEnded():
                self._tell_speech()
                self._tell(event)
            case _:
                self._show_agent(event)

    def _show_agent(self, event: TaskEvent) -> None:
        """Take an event that only an agent has."""
        match event:
            case AgentStarted():
                self._agent = event.name
                self._tell_start(event)
            case AgentPlanned():
                self._tell_plan(event)
            case ToolProgress(title=title, status=status):
                self._say(f"step {self._number}: {title} ({status.replace('_', ' ')})")
            case PermissionAsked(allowed=False):
                self._tell_refusal(event)

    def end(self) -> None:
        """Clear the line that changes."""
        self._say("")

    def _tell_start(self, event: AgentStarted) -> None:
        """Say which agent works, and whether it remembers an earlier session."""
        words = f"@{event.name} works on the task"
        if event.program:
            words = f"{words}: {event.program}"
        if event.remembers:
            words = f"{words}; it takes up its session"
        elif event.remembers is not None:
            words = f"{words}; it begins anew, on the files as they are"
        self._line(words)

    def _tell_plan(self, event: AgentPlanned) -> None:
        """Show the plan of an agent, an item a line."""
        for item in event.items:
            mark = {"completed": "x", "in_progress": ">"}.get(item.status, " ")
            self._line(f"[{mark}] {' '.join(item.content.split())}")

    def _tell_refusal(self, event: PermissionAsked) -> None:
        title = event.command or event.tool.title or event.tool.kind
        self._line(f"step {self._number}: refused: {' '.join(title.split())}: {event.reason}")

    def _tell_speech(self) -> None:
        """Show what an agent said in a step, without blank lines."""
        for line in filter(str.strip, self._speech.splitlines()):
            self._line(f"@{self._agent}: {line.rstrip()}")
        self._speech = ""

    def _line(self, words: str) -> None:
        """Show a line that stays."""
        if not self._quiet:
            self._say("")
            output.say(f"spark: {words}")

    def _tell(self, step: StepEnded) -> None:
        """Say in a line what a step was."""
        if self._quiet:
            return
        self._say("")
        title = step.title
        if step.kind == REDIRECTED:
            title = f"redirected: {title}"
        words = f"step {step.number}: {title}"
        if step.problem and not step.problem.startswith(step.title):
            words = f"{words} ({step.problem})"
        if step.check is not None:
            words = f"{words}; the check {'passes' if step.check.ok else 'fails'}"
        output.say(f"spark: {words}")

    def _say(self, line: str) -> None:
        if self._live:
            output.rewrite(line)
