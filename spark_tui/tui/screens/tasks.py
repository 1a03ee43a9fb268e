"""The list of the tasks of a work tree, to open, pause, commit and drop them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from spark_tui.errors import FilesLost, SparkError
from spark_tui.tasks.background import BackgroundTasks, BranchOffer
from spark_tui.tasks.views import TaskState, TaskView
from spark_tui.tui.screens.history import Browser, Words, beside
from spark_tui.tui.screens.modals import AskScreen, ConsentScreen, TextQuestion, every
from spark_tui.tui.screens.task import TaskHost, TaskScreen, lines_of_plan, step_line
from spark_tui.tui.widgets.task_lines import LOOKS, figures

_LIST_S = 0.5
"""Seconds between two reads of the list while a task is at work."""


class TasksScreen(Browser[TaskView, None]):
    """Enter opens a task, `p` pauses it or lets it go on, `b` commits it, `x` drops it.

    Args:
        tasks: The tasks of the session.
        actions: The main screen.
    """

    HEADLINE = "Tasks of this work tree"
    NOTHING = "No tasks yet: /task WORDS begins one."
    KEYS: ClassVar[tuple[Words, ...]] = (
        ("Enter", "open"),
        ("p", "pause, go on"),
        ("b", "to a branch"),
        ("x", "drop"),
        ("Up Down", "choose"),
        ("Esc", "close"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pause", "pause, or go on", show=False),
        Binding("b", "branch", "commit it to a branch", show=False),
        Binding("x", "drop", "drop the task", show=False),
    ]

    def __init__(self, tasks: BackgroundTasks, actions: TaskHost) -> None:
        super().__init__()
        self._tasks = tasks
        self._actions = actions
        self._dropped = ""
        """The id of the task that the next `x` drops."""
        self._is_lost = False
        """Whether that loses files for good, of which the user was told."""
        self._was_at_work = True
        """Whether a task was at work when the list was last read; if so, one more read shows its
        end.
        """

    def on_mount(self) -> None:
        """Read the list, and read it anew while tasks are at work."""
        super().on_mount()
        every(_LIST_S, self, self._look)

    def read(self) -> Sequence[TaskView]:
        """See `Browser`."""
        return self._tasks.views()

    def describe(self, item: TaskView) -> Sequence[Words]:
        """See `Browser`."""
        state = item.state.value
        missed = ""
        if item.missed:
            missed = f"  edits did not apply: {', '.join(item.missed)}"
        return (
            (f"{state:<11} ", LOOKS.get(state, "muted")),
            (item.words, "text"),
            (f"  {', '.join(figures(item))}", "muted"),
            (missed, "warning"),
            (f"  {item.last_words}", "faint"),
        )

    def patch(self, item: TaskView) -> str:
        """See `Browser`: the plan and the steps."""
        log = self._tasks.log(item.id)
        lines = [f"task {item.id}, by {log.spec.model}: {item.words}"]
        if item.message:
            lines.append(item.message)
        if item.plan:
            lines.append("")
            lines += lines_of_plan(log, item)
        lines.append("")
        lines += [step_line(step) for step in log.steps]
        return "\n".join(lines)

    def action_pause(self) -> None:
        """Pause the chosen task, or let it go on."""
        item = self.chosen
        if item is None:
            return
        task = self._tasks.task(item.id)
        if task is not None and task.state is TaskState.WORKING:
            task.interrupt()
            self._look()
        else:
            beside(self, partial(self._resume, item.id), "resume")

    async def _resume(self, task_id: str) -> None:
        try:
            await asyncio.to_thread(self._tasks.resume, task_id)
        except SparkError as e:
            self.say(str(e), look="error")
            return
        self._actions.resumed(task_id)
        self.reload()

    def action_branch(self) -> None:
        """Commit the outcome of the chosen task to a branch of its own."""
        if self.chosen is not None:
            beside(self, partial(self._branch, self.chosen.id), "branch")

    async def _branch(self, task_id: str) -> None:
        """Ask for the branch and the message, and for every consent that is needed."""
        try:
            offer = await asyncio.to_thread(self._tasks.offer, task_id)
            # Three questions, each of which Esc leaves; nothing is written before the last answer.
            branch = await self._ask(f"The new branch for task {task_id}", "next", offer.branch)
            message = branch and await self._ask("The message", "commit", offer.message)
            if not (branch and message and await self._consents(offer)):
                return
            commit = self._tasks.commit
            allow = tuple(offer.consents)
            words = await asyncio.to_thread(commit, task_id, branch, message, allow)
        except SparkError as e:
            self.say(str(e), look="error")
        else:
            self.say(words)

    async def _ask(self, words: str, does: str, text: str) -> str | None:
        return await self.app.push_screen_wait(AskScreen(TextQuestion(words, does, text)))

    async def _consents(self, offer: BranchOffer) -> bool:
        """Whether the user consents to every file that needs a consent."""
        for path, why in offer.consents.items():
            consent = ConsentScreen(path, why, time.monotonic)
            if not await self.app.push_screen_wait(consent):
                return False
        return True

    def action_drop(self) -> None:
        """Drop the chosen task; the first press only says what the second will do."""
        item = self.chosen
        if item is None:
            return
        if self._dropped != item.id:
            self._dropped = item.id
            self._is_lost = False
            self.say(f"x again drops task {item.id} with its work tree; what was accepted stays")
            return
        beside(self, partial(self._drop, item.id), "drop")

    async def _drop(self, task_id: str) -> None:
        try:
            await asyncio.to_thread(self._tasks.drop, task_id, anyway=self._is_lost)
        except FilesLost as e:
            self._is_lost = True
            self.say(f"{e}; x again drops them, too", look="warning")
            return
        except SparkError as e:
            self.say(str(e), look="error")
            return
        self._actions.forget(task_id)
        self.say(f"task {task_id} is dropped")
        self.reload()

    @on(OptionList.OptionHighlighted)
    def _on_moved(self) -> None:
        # The warning was about one task: for another one, `x` has to be pressed twice again.
        if self.chosen is not None and self.chosen.id != self._dropped:
            self._dropped = ""

    @on(OptionList.OptionSelected)
    def _on_selected(self) -> None:
        if self.chosen is not None:
            task = self.chosen.id
            self.app.push_screen(TaskScreen(self._tasks, self._actions, task), self._after_task)

    def _after_task(self, go_on: Callable[[], None] | None) -> None:
        """Close the list and do what the user asked for in the task, or read the list anew."""
        if go_on is not None:
            self.dismiss(None)
            go_on()
        else:
            self.reload()

    def _look(self) -> None:
        is_at_work = bool(self._tasks.at_work)
        if (is_at_work or self._was_at_work) and self.is_current:
            self._was_at_work = is_at_work
            beside(self, self._renew, "renew")

    async def _renew(self) -> None:
        """Write the lines anew, without moving the highlighted one."""
        try:
            items = await asyncio.to_thread(self.read)
        except SparkError:
            return  # said when the list was first read
        # A task more, or less, would move the lines; that waits for the next full read.
        if not self.is_attached or [item.id for item in items] != [item.id for item in self.items]:
            return
        self.items = items
        for index, item in enumerate(items):
            self.picker.replace_option_prompt_at_index(index, self._line(item))
