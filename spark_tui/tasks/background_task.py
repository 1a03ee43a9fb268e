"""A task at work in a thread of its own, which obeys the user at the next token.

All attributes show the state of the moment, and `pause`, `go_on`, `redirect`, `go_back` and `stop`
return at once. The thread asks for leave before each token (`session.precedence`), so that what the
user waits for goes first.

An agent's task has no tokens to stand still at: Esc on its screen is `stop`, and a resumed task
goes on in the agent's own session. `question` is what the agent asks before it goes on, and
`answer` takes the user's answer.
"""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from typing import TYPE_CHECKING

from spark_tui.crash_report import problem_of
from spark_tui.errors import UsageError
from spark_tui.session.precedence import Precedence
from spark_tui.stop_signal import StopSignal, current_signal
from spark_tui.tasks.check import describe_absent
from spark_tui.tasks.events import (
    AgentStarted,
    CommandStarted,
    FilesAbsent,
    PermissionAsked,
    StepEnded,
    StepStarted,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
    ToolProgress,
)
from spark_tui.tasks.log import REDIRECTED, TaskLog
from spark_tui.tasks.preview import growing_step, words_of_question, working_agent
from spark_tui.tasks.sandbox import UNCONFINED
from spark_tui.tasks.task import Task
from spark_tui.tasks.views import (
    AT_WORK,
    TaskState,
    TaskView,
    is_for_agent,
    last_line,
    view_of,
    words_of_start,
)
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from spark_tui.tasks.agents.task import AgentTask

_ENDS_QUESTIONS = frozenset({REDIRECTED, "done", "stopped"})
"""The kinds of steps after which no question of the agent still waits for an answer."""
NO_WAY_BACK = "an agent does not go back a step; say in words what it is to take back"


class BackgroundTask:
    """A task at work in a thread of its own. Mutable; safe to use from any thread.

    Args:
        log: What is settled of the task.
        open_task: Makes the task in its thread, and ends what the task needs.
        lane: Where the model of the task computes, see `Precedence`.
        precedence: Gives leave to take the next token.
        words: What the user says before the task goes on, or "".
    """

    def __init__(
        self,
        log: TaskLog,
        open_task: "Callable[[], AbstractContextManager[Task | AgentTask]]",
        lane: str,
        precedence: Precedence,
        words: str = "",
    ) -> None:
        self.log = log
        self._open = open_task
        self._lane = lane
        self._precedence = precedence
        self._changed = threading.Condition()  # reentrant: methods that hold it call each other
        self._thread = threading.Thread(target=self._work, name=f"spark-{log.id}", daemon=True)
        self._signal = StopSignal()
        self._is_paused = False
        self._is_stopped = False
        self._stands = False
        """Whether the thread waits for the end of a pause."""
        self._wanted: deque[Callable[[Task | AgentTask], object]] = deque()
        """What to do with the task before it goes on: redirects, and steps back."""
        if words:
            self._wanted.append(lambda task: task.redirect(words))
        self._calls: dict[str, ToolProgress] = {}
        """The tool calls of the agent's present step, by their ids."""
        self._questions: dict[int, PermissionAsked] = {}
        """The agent's questions that are not answered, by number."""
        self.news = ""
        """The latest news beside the words of a step: a warning, or what an agent was refused."""
        self.warnings: tuple[str, ...] = ()
        """What the user has to know of the commands of the task."""
        self._tree: Repository | None = None
        self.state = TaskState.WORKING
        self.message = ""
        self.step = len(log.steps) + 1
        self.text = ""
        """What the model wrote so far of the present step."""
        self.waits = ""
        """What the task waits for, or runs, or ""."""
        self.pieces = 0
        """The tokens of the present step so far."""
        self.changes = 0
        """Counts every change of what can be read here, so that a screen knows when to draw."""

    @property
    def id(self) -> str:
        """The name of the task."""
        return self.log.id

    @property
    def is_agent(self) -> bool:
        """Whether an agent works on the task, instead of a model."""
        return is_for_agent(self.log)

    @property
    def question(self) -> PermissionAsked | None:
        """What the agent asks the user first; None for nothing."""
        # A copy, since the thread of the task may change the dictionary meanwhile.
        return next(iter(tuple(self._questions.values())), None)

    @property
    def is_still(self) -> bool:
        """Whether the thread stands still, or has ended."""
        return not self._thread.is_alive() or self._stands

    @property
    def view(self) -> TaskView:
        """The task as a list shows it."""
        view = view_of(self.log, self.state, self.message)
        words = self.waits or last_line(self.text) or view.last_words
        if self.state not in AT_WORK:
            return replace(view, last_words=words)
        question = self.question
        if question is not None:
            view = replace(view, state=TaskState.ASKS)
            words = words_of_question(question)
        pieces = 0 if self.is_agent else self.pieces
        return replace(view, step=self.step, tokens=view.tokens + pieces, last_words=words)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def pause(self) -> None:
        """Stand still at the next token."""
        with self._changed:
            if self.state is TaskState.WORKING:
                self._is_paused = True
                self._signal.set()
                self._become(TaskState.PAUSED)

    def interrupt(self) -> None:
        """Pause; an agent, whose work does not stand still, ends its turn instead."""
        if self.is_agent:
            self.stop()
        else:
            self.pause()

    def go_on(self) -> None:
        """Go on exactly where the task was paused."""
        with self._changed:
            if self.state is TaskState.PAUSED:
                self._is_paused = False
                self._become(TaskState.WORKING)

    def redirect(self, words: str) -> None:
        """Tell the model more, at the token where it is, and go on."""
        self._want(lambda task: task.redirect(words))

    def go_back(self) -> None:
        """Give up the present step and the one before; the task then stands still."""
        with self._changed:
            self._is_paused = True
            if self.state is TaskState.WORKING:
                self._become(TaskState.PAUSED)

        def back(task: "Task | AgentTask") -> None:
            if not isinstance(task, Task):
                raise UsageError(NO_WAY_BACK)
            task.back()
            self.text = ""
            self.pieces = 0

        self._want(back, goes_on=False)

    def stop(self) -> None:
        """End the work at the next token, an agent's turn at once; the task can be resumed."""
        with self._changed:
            self._is_stopped = True
            self._signal.set()
            self._questions.clear()
            self.waits = "stopping"
            self.changes += 1
            self._changed.notify_all()

    @property
    def is_stopping(self) -> bool:
        """Whether the work is to end and has not yet."""
        return self._is_stopped and self._thread.is_alive()

    def answer(self, number: int, *, allow: bool) -> None:
        """Answer a question of the agent; one that is answered already stays so.

        Args:
            number: That of the `PermissionAsked`.
        """

        def decide(task: "Task | AgentTask") -> None:
            if not isinstance(task, Task):
                task.decide(number, allow=allow)

        with self._changed:
            if self._questions.pop(number, None) is not None:
                self._want(decide, goes_on=False)
                self.changes += 1

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def wait_still(self, seconds: float) -> bool:
        """Wait for a task that is paused to stand still.

        Returns:
            Whether that happened in time.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self.is_still, seconds)

    def growing(self) -> str:
        """The step that is being written, its edit as a diff; reads files of the task.

        Raises:
            SparkError: The work tree is gone.
        """
        if self.is_agent:
            with self._changed:
                calls = tuple(self._calls.values())
                questions = tuple(self._questions.values())
            return working_agent(self.text, calls, questions)
        if self._tree is None:
            return self.text
        return growing_step(self.text, self._tree)

    def _want(
        self, change: "Callable[[Task | AgentTask], object]", *, goes_on: bool = True
    ) -> None:
        with self._changed:
            if self.state in AT_WORK:
                self._wanted.append(change)
                self._signal.set()
                if goes_on:
                    self._is_paused = False
                    self._become(TaskState.WORKING)
                self._changed.notify_all()

    def _become(self, state: TaskState, message: str = "") -> None:
        with self._changed:
            self.state = state
            self.message = message
            self.changes += 1
            self._changed.notify_all()

    def _work(self) -> None:
        """Work until the task ends, fails or is stopped."""
        current_signal.set(self._signal)
        try:
            with self._open() as task:
                self._run(task)
        except Exception as error:  # noqa: BLE001 - nobody above this thread could hear of it
            self._questions.clear()
            self._become(TaskState.FAILED, str(problem_of(error)))
        self._questions.clear()
        self.waits = ""
        if self.state in AT_WORK:
            self._become(TaskState.INTERRUPTED)

    def _run(self, task: "Task | AgentTask") -> None:
        """Take the events of the task, each by leave."""
        self._change(task)
        with closing(task.events()) as events:
            while self._may_go_on():
                self._change(task)
                with self._precedence.piece(self._lane, self._gives_up):
                    # `piece` also returns without leave where the user wants something else.
                    if self._gives_up():
                        continue
                    event = next(events, None)
                if event is None:
                    return
                self._take(event, task)

    def _change(self, task: "Task | AgentTask") -> None:
        """Do what the user asked for, while nothing is under way."""
        while self._wanted:
            try:
                self._wanted.popleft()(task)
                self.message = ""
                # Going back leaves fewer steps.
                if not self.is_agent:
                    self.step = len(self.log.steps) + 1
            except UsageError as e:
                self.message = str(e)
            self.changes += 1

    def _gives_up(self) -> bool:
        return self._is_paused or self._is_stopped or bool(self._wanted)

    def _may_go_on(self) -> bool:
        """Whether to take the next event; blocks while the task is paused."""
        with self._changed:
            while self._is_paused and not (self._is_stopped or self._wanted):
                self._stands = True
                self.changes += 1
                self._changed.notify_all()
                self._changed.wait()
            self._stands = False
            # The signal only cuts a pass short. That has happened once control is here again.
            self._signal.clear()
            return not self._is_stopped

    def _take(self, event: TaskEvent, task: "Task | AgentTask") -> None:
        self._take_of_agent(event)
        self._take_warning(event)
        match event:
            case TaskStarted(steps=steps):
                self.step = steps + 1
                self.text = ""
                if task.worktree.is_there:
                    self._tree = Repository.discover(task.worktree.root)
            case StepStarted(number=number):
                self.step = number
                self.text = ""
                self.pieces = 0
            case StepText(text=text, anew=anew):
                self.text = text if anew else self.text + text
                self.pieces += 1
            case CommandStarted(line=line):
                self.waits = f"running {line}"
            case TaskWaits(line=line) if line:
                self.waits = line
            case StepEnded():
                self.text = ""
                self.pieces = 0
            case TaskEnded(status=status, message=message):
                self._become(TaskState(status), message)
        if not isinstance(event, TaskWaits | CommandStarted | ToolProgress | PermissionAsked):
            self.waits = ""
        self.changes += 1

    def _take_warning(self, event: TaskEvent) -> None:
        """Take in what the user has to know of the commands of the task."""
        match event:
            case TaskStarted(confined=confined):
                self.warnings = (UNCONFINED,) if confined is False else ()
            case FilesAbsent():
                self.warnings += (describe_absent(event),)
            case _:
                return
        self.news = "; ".join(self.warnings)

    def _take_of_agent(self, event: TaskEvent) -> None:
        """Take in what an agent reports of its work."""
        with self._changed:
            match event:
                case AgentStarted():
                    self.news = words_of_start(event)
                case ToolProgress():
                    self._calls[event.id] = event
                    self.waits = event.title
                case PermissionAsked(allowed=None):
                    self._questions[event.number] = event
                case PermissionAsked(allowed=False):
                    self._calls[event.tool.id] = event.tool
                    self.news = f"refused: {words_of_question(event)}"
                case StepEnded(kind=kind):
                    self._forget_ended()
                    if kind in _ENDS_QUESTIONS:
                        self._questions.clear()

    def _forget_ended(self) -> None:
        """Forget the tool calls that have ended; the others go on in the next step."""
        for name, call in tuple(self._calls.items()):
            if call.status in {"completed", "failed"}:
                del self._calls[name]
