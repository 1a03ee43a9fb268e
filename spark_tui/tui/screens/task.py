"""The screen of one task: its plan, its steps, and the step that is being written.

Esc pauses the task at the token, words redirect the task, and `,` goes back a step, where another
way can begin. Left closes the screen and leaves the task as it is. In the task of an agent, Esc
ends the turn of the agent, and two keys answer what the agent asks.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Protocol

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.tasks.background import BackgroundTasks
from spark_tui.tasks.background_task import BackgroundTask
from spark_tui.tasks.log import PlanItem, StepRecord, TaskLog
from spark_tui.tasks.preview import settled_step, words_of_question
from spark_tui.tasks.views import AT_WORK, TaskState, TaskView, is_for_agent
from spark_tui.tui.commands import is_command, typed_command
from spark_tui.tui.screens.history import Picker, Words, beside
from spark_tui.tui.screens.modals import every
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.output_log import PatchView
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys
from spark_tui.tui.widgets.task_lines import LOOKS, figures, in_tokens

_LOOK_S = 0.1
"""Seconds between two looks at the step that is being written."""
_SAY = "say how the task is to go on"
_LEAVE = ("Left", "leave it at work")
_ENDED = frozenset({TaskState.DONE, TaskState.STOPPED, TaskState.APPLIED})


Pieces = tuple[tuple[str, str], ...]
"""A line: words, each with the name of their color."""


class TaskHost(Protocol):
    """The main screen, as the screens of tasks use it."""

    def review(self, task_id: str) -> None:
        """Put the outcome of a task on the screen, for review."""

    def resumed(self, task_id: str) -> None:
        """Show the line of a task that is at work again."""

    def forget(self, task_id: str) -> None:
        """Show no line of a task any more."""

    def command(self, text: str, *, by_hand: bool) -> None:
        """Carry out a command, as if it was sent from the main prompt.

        Args:
            by_hand: Whether the first character was typed, and not pasted.
        """


class GrowingView(PatchView):
    """Shows a text that grows, and follows its end while nobody scrolls."""

    def grow(self, text: str) -> None:
        """Show a longer version of the text."""
        # Looked at before the text grows: afterwards the end is further down.
        is_at_end = self.scroll_offset.y >= self.max_scroll_y
        before = self.scroll_offset.y
        self.show(text)
        target = self.max_scroll_y if is_at_end else before
        self.scroll_to(y=target, animate=False, force=True, immediate=True)


class TaskScreen(Screen[Callable[[], None] | None]):
    """One task; words that are typed pause it, Enter sends them. Commands close the screen.

    Returns:
        What is to be done on the main screen: the review of the outcome, or a command.

    Args:
        tasks: The tasks of the session.
        actions: The main screen.
        task_id: The id of the task.
    """

    DEFAULT_CSS = """
    TaskScreen {
        background: $spark-background; layout: vertical;
        #title { background: $spark-surface; }
        #plan { height: auto; max-height: 25%; padding: 0 1; color: $spark-muted; display: none; }
        #plan.-shown { display: block; }
        Picker { height: auto; max-height: 30%; }
        GrowingView { height: 1fr; border-top: solid $spark-line; }
        Note { background: $spark-surface; }
        #writing { height: auto; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
        Prompt { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "pause; then close", show=False, priority=True),
        Binding("ctrl+y", "answer(True)", "allow it once", show=False, priority=True),
        Binding("ctrl+n", "answer(False)", "refuse it", show=False, priority=True),
        # These move the text of the step, though the prompt has the focus and page keys of its own.
        Binding("pagedown", "page(1)", "page down", show=False, priority=True),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True),
    ]

    def __init__(self, tasks: BackgroundTasks, actions: TaskHost, task_id: str) -> None:
        super().__init__()
        self._tasks = tasks
        self._actions = actions
        self._task_id = task_id
        self._log: TaskLog | None = None
        self._view: TaskView | None = None
        self._seen = -1
        """`changes` of the task at the last paint."""
        self._shown: list[Pieces] = []
        """The lines of the list of steps."""
        self._is_growing = False
        self._news = ""
        """The last news of the task that was said."""
        self._waits_for_words = False
        """Whether the task is paused only because the user began to type."""
        # Held, not looked up: a key, or the result of a worker, may come before the widgets are on
        # the screen, or after the screen has closed.
        self.head = Bar(id="title")
        self.plan = Static(id="plan")
        self.picker = Picker()
        self.view = GrowingView()
        self.note = Note()
        self.prompt = Prompt(placeholder=_SAY)
        self.hints = Bar(id="keys")

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield self.head
        yield self.plan
        yield self.picker
        yield self.view
        yield self.note
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield self.prompt
        yield self.hints

    def on_mount(self) -> None:
        """Read the task, and look at it while it works."""
        self.prompt.helper = self._takes
        self.prompt.focus()
        every(_LOOK_S, self, self._look)
        beside(self, self._read, "read")

    @property
    def _background(self) -> BackgroundTask | None:
        """The task, if this process works on it or has worked on it."""
        return self._tasks.task(self._task_id)

    @property
    def _state(self) -> TaskState | None:
        # A task at work knows best; the view is what was last read or painted.
        task = self._background
        if task is not None and task.state in AT_WORK:
            return task.state
        return self._view.state if self._view else None

    def say(self, words: str, *, look: str = "") -> None:
        """Show a message, or none; a screen that has closed shows nothing."""
        if self.is_attached:
            self.note.say(words, look=look)

    async def _read(self) -> None:
        """Read the saved state of the task, and paint it."""
        try:
            self._log = await asyncio.to_thread(self._tasks.log, self._task_id)
            views = await asyncio.to_thread(self._tasks.views)
        except SparkError as e:
            self.say(str(e), look="error")
            return
        self._view = next((view for view in views if view.id == self._task_id), None)
        if self.is_attached:
            self._paint()
            if self._view and self._view.message:
                has_failed = self._view.state is TaskState.FAILED
                self.say(self._view.message, look="error" if has_failed else "")

    def _look(self) -> None:
        """Paint a task at work, if anything has changed."""
        task = self._background
        if task is None or task.changes == self._seen or not self.is_attached:
            return
        self._seen = task.changes
        # A task at work has its state in memory; once it has ended, the saved state counts.
        if task.state in AT_WORK:
            self._log = task.log
            self._view = task.view
            self._paint()
            self._tell(task)
        else:
            beside(self, self._read, "read")

    def _tell(self, task: BackgroundTask) -> None:
        """Say what the task asks, or else what is new about it."""
        question = task.question
        if question is not None:
            self._news = f"it asks: {words_of_question(question)}"
            self.say(self._news, look="warning")
        elif task.message:
            self.say(task.message, look="warning")
        elif task.news != self._news:
            self._news = task.news
            self.say(task.news)

    def _paint(self) -> None:
        """Show title, plan, steps and keys as they are now."""
        view = self._view
        if view is None or self._log is None:
            return
        state = view.state.value
        right = [BarPiece(words, "muted", 4) for words in figures(view)]
        color = LOOKS.get(state, "muted")
        left = [BarPiece(view.words, "text", 8, least=12), BarPiece(state, color, 9)]
        self.head.show(left, right)
        self.plan.set_class(bool(view.plan), "-shown")
        if view.plan:
            lines = lines_of_plan(self._log, view)
            self.plan.update(Text(visible_lines(lines), look(self, "muted")))
        self._list(view)
        self._show_keys()
        if self._is_live:
            self._grow()

    @on(Prompt.Changed)
    def _show_keys(self) -> None:
        self.hints.show(keys(*self._keys()))

    def _list(self, view: TaskView) -> None:
        """Show the steps, and behind them the step under way; the end stays in view."""
        assert self._log is not None
        lines = [_step_pieces(step) for step in tuple(self._log.steps)]
        if view.state in AT_WORK:
            lines.append(((_live_line(view, self._background), "text"),))
        picker = self.picker
        if lines == self._shown:
            return
        # While a step is written only its line changes, up to ten times a second, so only this
        # line is replaced. A new list would move the cursor and the scroll bar.
        was_last = picker.highlighted is None or picker.highlighted >= len(self._shown) - 1
        if lines[:-1] == self._shown[:-1] and len(lines) == len(self._shown):
            picker.replace_option_prompt_at_index(len(lines) - 1, self._option(lines[-1]))
        else:
            before = picker.highlighted or 0
            picker.clear_options()
            picker.add_options([Option(self._option(line)) for line in lines])
            if lines:
                picker.highlighted = len(lines) - 1 if was_last else min(before, len(lines) - 1)
        self._shown = lines

    def _option(self, line: Pieces) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        for words, color in line:
            text.append(visible(words), look(self, color))
        return text

    @property
    def _is_live(self) -> bool:
        """Whether the step under way is chosen."""
        at = self.picker.highlighted
        settled = len(self._log.steps) if self._log else 0
        return self._state in AT_WORK and (at is None or at >= settled)

    def _grow(self) -> None:
        """Show the step that is being written, unless the last look at it is still under way."""
        task = self._background
        if task is not None and not self._is_growing:
            self._is_growing = True
            self.run_worker(self._show_growing(task), group="grow")

    async def _show_growing(self, task: BackgroundTask) -> None:
        try:
            text = await asyncio.to_thread(task.growing)
        except SparkError:
            text = task.text  # as it was written, where no diff can be made of it
        finally:
            self._is_growing = False
        if self.is_attached and self._is_live:
            self.view.grow(text or task.waits or "…")

    @on(OptionList.OptionHighlighted)
    def _on_chosen(self) -> None:
        if not self._is_live:
            beside(self, self._show_step, "step")
        elif self._background is not None:
            self._grow()

    async def _show_step(self) -> None:
        at = self.picker.highlighted
        log = self._log
        if log is None or at is None or at >= len(log.steps):
            return
        try:
            worktree = self._tasks.worktree(log)
            text = await asyncio.to_thread(settled_step, log, at, worktree)
        except SparkError as e:
            text = log.steps[at].answer
            self.say(str(e), look="error")
        # The user may have gone to the step under way, which has the view now.
        if self.is_attached and not self._is_live:
            self.view.show(text)

    def _keys(self) -> list[Words]:
        """The keys that mean something now."""
        state = self._state
        task = self._background
        if task is not None and task.question is not None:
            answers = [("Ctrl+Y", "allow it once"), ("Ctrl+N", "refuse it")]
            return [*answers, ("Esc", "stop it"), ("words", "redirect")]
        written = self.prompt.text
        if written:
            return _keys_of_text(written)
        if self._is_agent:
            return self._keys_of_agent(state)
        back = (",", "back a step")
        if state is TaskState.WORKING:
            return [("Esc", "pause"), ("words", "redirect"), back, _LEAVE]
        if state is TaskState.PAUSED:
            return [("Enter", "go on"), ("words", "redirect"), back, ("Esc", "close")]
        return self._keys_at_rest(back)

    def _keys_of_agent(self, state: TaskState | None) -> list[Words]:
        """The keys that mean something now in the task of an agent that asks nothing."""
        if state in AT_WORK:
            return [("Esc", "stop it"), ("words", "redirect"), ("Up Down", "steps"), _LEAVE]
        return self._keys_at_rest()

    def _keys_at_rest(self, *more: Words) -> list[Words]:
        """The keys of a task that is not at work, with `more` in their middle."""
        rest = [*more, ("Up Down", "steps"), ("Esc", "close")]
        if self._state in _ENDED:
            return [("Enter", "review it"), ("words", "go on with them"), *rest]
        return [("Enter", "resume"), ("words", "resume with them"), *rest]

    @property
    def _is_agent(self) -> bool:
        """Whether an agent works on the task."""
        return self._log is not None and is_for_agent(self._log)

    def _takes(self, key: str) -> bool:
        """Handle a key of the screen while the prompt is empty; tell whether it was handled."""
        if self.prompt.text:
            return False
        match key:
            case "comma" if not self._is_agent:
                self._go_back()
            case "left":
                self.dismiss(None)
            case "up":
                self.picker.action_cursor_up()
            case "down":
                self.picker.action_cursor_down()
            case _:
                return False
        return True

    def _go_back(self) -> None:
        beside(self, partial(self._go_on, "", back=True), "resume")

    def action_page(self, step: int) -> None:
        """Move through the text of the step."""
        rows = max(1, self.view.size.height - 2)
        self.view.scroll_relative(y=step * rows, animate=False)

    def action_escape(self) -> None:
        """Pause the task at the token, or end the turn of an agent.

        Where nothing is at work, empty the prompt; where nothing is written, close the screen.
        """
        task = self._background
        prompt = self.prompt
        # An agent works on while the user writes, and its turn cannot be resumed at the token: the
        # first Esc drops the words only. A model's task already stands still then.
        if prompt.text and self._is_agent:
            prompt.set_text("")
        elif task is not None and task.state is TaskState.WORKING and not task.is_stopping:
            task.interrupt()
            self.say("it stops" if task.is_agent else "")
            self._look()
        elif prompt.text:
            prompt.set_text("")
        else:
            self.dismiss(None)

    @on(Prompt.Typed)
    def _on_typed(self) -> None:
        """Pause the task for the words that the user begins; an agent cannot be paused."""
        task = self._background
        if task is None or task.is_agent:
            return
        if task.state is TaskState.WORKING:
            self._waits_for_words = True
        task.pause()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """See `DOMNode`; the keys that answer need a question."""
        if action == "answer":
            task = self._background
            return task is not None and task.question is not None
        return super().check_action(action, parameters)

    def action_answer(self, allow: bool) -> None:
        """Answer the first open question of the agent."""
        task = self._background
        question = task.question if task is not None else None
        if task is None or question is None:
            return
        task.answer(question.number, allow=allow)
        done = "allowed once" if allow else "refused"
        self.say(f"{done}: {words_of_question(question)}")
        self._look()

    @on(Prompt.HelpAsked)
    async def _on_help_asked(self) -> None:
        await self.app.run_action("app.help")

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        event.stop()
        if is_command(event.text):
            self._leave_for(event)
            return
        words = event.text.strip()
        state = self._state
        self._waits_for_words = False
        self.say("")
        if words:
            self.prompt.put_away(event.text)
        # Enter alone resumes a task, or opens the review of one that has ended.
        if state in AT_WORK or words or state not in _ENDED:
            beside(self, partial(self._go_on, words), "resume")
        else:
            self.dismiss(partial(self._actions.review, self._task_id))

    def _leave_for(self, command: Prompt.Sent) -> None:
        """Close the screen and carry out a command; text that is no command stays in the prompt."""
        typed = typed_command(command.text.strip())
        problem = typed.problem if typed else ""
        if not command.text.removeprefix("!").strip():
            problem = "write the command of the shell behind the !"
        if problem:
            self.say(problem, look="error")
            return
        # The command is not about the task, which paused only because the user began to type.
        task = self._background
        if task is not None and self._waits_for_words:
            task.go_on()
        self.dismiss(partial(self._actions.command, command.text, by_hand=command.by_hand))

    async def _go_on(self, words: str, *, back: bool = False) -> None:
        """Let the task go on, with words or without, or go back a step."""
        try:
            await asyncio.to_thread(self._tasks.resume, self._task_id, words, back=back)
        except SparkError as e:
            self.say(str(e), look="error")
            if words:
                self.prompt.offer(words)
            return
        if back:
            self.say("back a step: Enter goes on from there, words say how")
        self._actions.resumed(self._task_id)


def _keys_of_text(written: str) -> list[Words]:
    """The keys that mean something while there is text in the prompt."""
    if is_command(written):
        return [("Enter", "leave the task and carry it out"), ("Esc", "drop it")]
    return [("Enter", "go on with these words"), ("Esc", "drop them")]


def lines_of_plan(log: TaskLog, view: TaskView) -> list[str]:
    """The lines of a task's plan, or of the plan of its agent, with the finished steps marked."""
    if log.agent_plan:
        return _agent_plan_lines(log.agent_plan)
    return _plan_lines(view.plan, view.ticked)


def _plan_lines(plan: Sequence[str], ticked: int) -> list[str]:
    """The lines of a plan, of which the first `ticked` steps are finished."""
    return [
        f"[{'x' if number < ticked else ' '}] {' '.join(item.split())}"
        for number, item in enumerate(plan)
    ]


_MARKS = {"completed": "x", "in_progress": ">"}


def _agent_plan_lines(plan: Sequence[PlanItem]) -> list[str]:
    """The lines of an agent's plan, with marks for what is finished and what is under way."""
    return [f"[{_MARKS.get(item.status, ' ')}] {' '.join(item.content.split())}" for item in plan]


def visible_lines(lines: Sequence[str]) -> str:
    """Lines, with odd characters marked."""
    return "\n".join(map(visible, lines))


def step_line(step: StepRecord) -> str:
    """A whole step in a line."""
    return "".join(words for words, _ in _step_pieces(step))


def _step_pieces(step: StepRecord) -> Pieces:
    """A whole step in a line; what went wrong stands first, where no width cuts it off."""
    check = ""
    if step.check is not None:
        check = "  the check passes" if step.check.ok else "  the check fails"
    setback = f"{step.setback}: " if step.setback else ""
    title = f"{step.title}{check}"
    return (f"{step.number:>3}  ", "text"), (setback, "warning"), (title, "text")


def _live_line(view: TaskView, task: BackgroundTask | None) -> str:
    """The step under way, in a line."""
    if task is not None and task.is_agent:
        return f"{view.step:>3}  {view.last_words or 'working'}"
    if task is not None and task.waits:
        return f"{view.step:>3}  {task.waits}"
    count = task.pieces if task else 0
    does = "paused" if view.state is TaskState.PAUSED else "writing"
    return f"{view.step:>3}  {does}, {in_tokens(count)}"
