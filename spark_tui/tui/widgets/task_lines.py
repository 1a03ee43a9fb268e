"""The lines of the tasks in the background, below the prompt."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from spark_tui.tui.widgets.status_bars import Bar, BarPiece

if TYPE_CHECKING:
    from spark_tui.tasks.views import TaskView

MOST_LINES = 3
"""The most tasks that have a line; the last line counts the others."""
LOOKS = {
    "working": "muted",
    "asks": "warning",
    "paused": "accent",
    "done": "ok",
    "stopped": "warning",
    "failed": "error",
    "interrupted": "warning",
    "applied": "faint",
}
"""The color of each state."""
_LEAST = 12


class TaskLines(Vertical):
    """One line for each task; hidden while there are no tasks."""

    DEFAULT_CSS = """
    TaskLines {
        display: none; height: auto;
        &.-shown { display: block; }
        Bar { display: none; }
        Bar.-shown { display: block; }
    }
    """

    def compose(self) -> ComposeResult:
        """The lines, all of them empty."""
        for number in range(MOST_LINES):
            yield Bar(id=f"task-{number}")

    def show(self, tasks: "Sequence[TaskView]") -> None:
        """Show these tasks, the oldest first."""
        self.set_class(bool(tasks), "-shown")
        left = len(tasks) - MOST_LINES
        for number, bar in enumerate(self.query(Bar)):
            bar.set_class(number < len(tasks), "-shown")
            if number < len(tasks):
                more = left if number == MOST_LINES - 1 else 0
                bar.show(_left(tasks[number]), _right(tasks[number], more))

    @property
    def words(self) -> str:
        """All the text of the lines, for tests and screen readers."""
        return "\n".join(bar.words for bar in self.query(Bar) if bar.has_class("-shown"))


def in_tokens(count: int) -> str:
    """A number of tokens in words."""
    return f"{count:,} token{'s' * (count != 1)}"


def figures(task: "TaskView") -> list[str]:
    """The step, the tokens and, if the model has a price, the cost."""
    parts = [f"step {task.step}", in_tokens(task.tokens)]
    if task.cost:
        parts.append(f"{task.cost:.4g}")
    if task.plan:
        parts.insert(0, f"{task.ticked} of {len(task.plan)} done")
    return parts


def _left(task: "TaskView") -> list[BarPiece]:
    state = task.state.value
    pieces = [
        BarPiece(state, LOOKS.get(state, "muted"), 9),
        BarPiece(task.words, "text", 8, least=_LEAST),
    ]
    words = task.message or task.last_words
    if words:
        pieces.append(BarPiece(words, "faint", 2, least=_LEAST))
    return pieces


def _right(task: "TaskView", more: int) -> list[BarPiece]:
    """The figures of a task.

    Args:
        more: Tasks that have no line.
    """
    pieces = [BarPiece(words, "muted", 4) for words in figures(task)]
    if more > 0:
        pieces.append(BarPiece(f"and {more} more: /tasks", "accent", 7))
    return pieces
