"""The main screen's part for tasks in the background: begin, list, report the end, review."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.screens.command_runner import CommandRunner
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.widgets.task_lines import TaskLines

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn
    from spark_tui.tasks.background import BackgroundTasks
    from spark_tui.tasks.background_task import BackgroundTask

_LOOK_S = 0.25
"""Seconds between two paints of the lines of the tasks."""


class TaskActions:
    """Begins and shows tasks. Whatever may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, dispatch: PromptDispatch, commands: CommandRunner) -> None:
        self._screen = screen
        self._dispatch = dispatch
        self._commands = commands
        self._tasks: BackgroundTasks | None = None
        self._timer: Timer | None = None
        self._waiting: list[tuple[str, Callable[[], None]]] = []
        """The commands that came before there was a session, in that order, each with its work."""
        self._told: set[str] = set()
        """The ids of the tasks whose end the user was told about."""
        self._asked: dict[str, int] = {}
        """By task, the number of the last question that the user was told about."""
        self._left_plan: tuple[str, tuple[str, ...]] = ("", ())
        """The words and the steps of a plan whose task could not begin."""
        self._gone: set[str] = set()
        """The ids of the tasks that have no line any more, as the user has seen their end."""

    @property
    def tasks(self) -> "BackgroundTasks | None":
        """The tasks of the session; None, with a message, as long as there is no session."""
        controller = self._screen.controller
        if controller is None:
            self._screen.say("the model is being loaded")
            return None
        if self._tasks is None:
            # The first paint waits for none of it.
            from spark_tui.tasks.background import BackgroundTasks  # noqa: PLC0415

            self._tasks = BackgroundTasks(controller.session, controller.settings)
        return self._tasks

    @property
    def at_work(self) -> int:
        """How many tasks are at work, or paused."""
        return len(self._tasks.at_work) if self._tasks else 0

    def open(self) -> None:
        """Once there is a session, do what waits for it."""
        waiting = self._waiting
        self._waiting = []
        for _, work in waiting:
            work()

    def withdraw(self) -> str:
        """Forget what waits for a session; the last command goes back into the prompt.

        Returns:
            What to say about that, or "" if nothing waits.
        """
        if not self._waiting:
            return ""
        command, _ = self._waiting[-1]
        self._waiting = []
        if not self._screen.prompt.text:
            self._screen.prompt.offer(command)
        return f"{command.split()[0]} is withdrawn; nothing was begun"

    async def tell_interrupted(self) -> None:
        """Say in a line that tasks were interrupted, once the session is there."""
        # Where there are no tasks, a look at a folder saves the import of everything about them.
        tasks = None
        if await asyncio.to_thread(self._has_some):
            tasks = self.tasks
        if tasks is None:
            return
        try:
            views = await asyncio.to_thread(tasks.views)
        except SparkError:
            return  # nobody asked; /tasks will say what is wrong
        count = sum(view.state == "interrupted" for view in views)
        if count and self._screen.is_attached:
            begun = "tasks are" if count > 1 else "task is"
            self._say_calmly(f"{count} {begun} interrupted; /tasks shows what can go on")

    def _has_some(self) -> bool:
        """Whether any task was ever saved here; reads the disk."""
        controller = self._screen.controller
        if controller is None:
            return False
        with suppress(OSError):
            return any(controller.session.tasks_folder.iterdir())
        return False

    def _say_calmly(self, words: str) -> None:
        """Say something, as a notification if the line of messages is needed for the turn."""
        screen = self._screen
        is_read = not screen.shows_message("") or screen.view.phase in IN_TURN or screen.busy
        if is_read:
            screen.notify(visible(words), markup=False)
        else:
            screen.say(words)

    def begin(self, words: str, plan: tuple[str, ...] = ()) -> None:
        """Begin a task.

        Args:
            words: The words behind the command, options among them.
            plan: The steps that the task follows; may be empty.
        """
        if not words.strip():
            self._screen.say(
                "/task WORDS has a model work by itself, in a work tree beside yours; "
                "/task @NAME WORDS an agent of yours; --check CMD and -m NAME go before WORDS"
            )
        elif self._screen.controller is None:
            self._waiting.append((f"/task {words}", partial(self.begin, words, plan)))
            self._screen.say("the task will start as soon as the model is loaded")
        elif (tasks := self.tasks) is not None:
            self._screen.run_worker(self._begin(tasks, words, plan), group="task")

    async def _begin(self, tasks: "BackgroundTasks", words: str, plan: tuple[str, ...]) -> None:
        from spark_tui.tasks.request import read_request  # noqa: PLC0415 - as in `tasks`

        screen = self._screen
        try:
            task = await asyncio.to_thread(tasks.begin, read_request(words), plan)
        except SparkError as e:
            self._give_back("plan" if plan else "task", words)
            # Sending the same /plan again then shows these steps, and asks no model.
            if plan:
                self._left_plan = (words, plan)
            screen.say(str(e), look="error")
            return
        if plan:
            self._left_plan = ("", ())
        screen.say(f"task {task.id} works in a work tree of its own; /tasks shows it")
        self.watch()

    def _give_back(self, command: str, words: str) -> None:
        """Put a command that was refused into the prompt, unless something stands there."""
        if not self._screen.prompt.text:
            self._screen.prompt.offer(f"/{command} {words}")

    def plan(self, words: str) -> None:
        """Have the model write a plan, which the user can change and a task then follows."""
        screen = self._screen
        if not words.strip():
            screen.say("/plan WORDS writes a list of steps that you can change, for a task")
        elif screen.controller is None:
            self._waiting.append((f"/plan {words}", partial(self.plan, words)))
            screen.say("the plan will be written as soon as the model is loaded")
        elif screen.busy or screen.view.phase in IN_TURN:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
            screen.prompt.offer(f"/plan {words}")
        elif (tasks := self.tasks) is not None:
            work = self._open_plan(tasks, screen.controller, words)
            screen.run_worker(work, group="task")

    async def _open_plan(
        self, tasks: "BackgroundTasks", controller: "Controller", words: str
    ) -> None:
        from spark_tui.tasks.request import read_request  # noqa: PLC0415 - as in `tasks`
        from spark_tui.tui.screens.plan import PlanScreen  # noqa: PLC0415 - as in `tasks`

        def closed(plan: tuple[str, ...] | None) -> None:
            if plan:
                self.begin(words, plan)

        try:
            request = read_request(words)
            speaker = await asyncio.to_thread(tasks.speaker, request.model)
        except SparkError as e:
            self._give_back("plan", words)
            self._screen.say(str(e), look="error")
            return
        left, steps = self._left_plan
        kept = steps if left == words else ()
        plan = PlanScreen(controller.session, request.words, speaker, kept)
        self._screen.app.push_screen(plan, closed)

    def show(self) -> None:
        """List the tasks."""
        if self._screen.controller is None:
            self._waiting.append(("/tasks", self._show_unless_typing))
            self._screen.say("the tasks are listed as soon as the model is loaded")
        elif (tasks := self.tasks) is not None:
            from spark_tui.tui.screens.tasks import TasksScreen  # noqa: PLC0415 - as in `tasks`

            self._screen.app.push_screen(TasksScreen(tasks, self))

    def _show_unless_typing(self) -> None:
        """List the tasks, but never over words that the user is writing by now."""
        if self._screen.prompt.text:
            self._screen.say("the model is loaded; /tasks lists the tasks")
        else:
            self.show()

    def watch(self) -> None:
        """Paint the lines of the tasks from now on, as long as any task is at work."""
        if self._timer is None:
            self._timer = self._screen.set_interval(_LOOK_S, self._look)
        self._timer.resume()
        self._look()

    def _look(self) -> None:
        tasks = self._tasks
        if tasks is None or self._timer is None or not self._screen.is_attached:
            return
        shown = [task for task in tasks.begun if task.id not in self._gone]
        self._screen.query_one(TaskLines).show([task.view for task in shown])
        for task in shown:
            self._tell_question(task)
            self._tell_end(tasks, task)
        if not tasks.at_work:
            self._timer.pause()

    def _tell_question(self, task: "BackgroundTask") -> None:
        """Tell the user about a question of an agent, once for each question."""
        question = task.question
        if question is None or self._asked.get(task.id) == question.number:
            return
        self._asked[task.id] = question.number
        asks = f"task {task.id} asks: {task.view.last_words}"
        self._notify(asks)
        if self._screen.is_current and not self._screen.prompt.text:
            self._screen.say(f"{asks}; /tasks Enter answers it", look="warning")

    def _tell_end(self, tasks: "BackgroundTasks", task: "BackgroundTask") -> None:
        """Tell that a task has ended, and open its review if the user does nothing else."""
        if task in tasks.at_work:
            self._told.discard(task.id)  # resumed: its next end is news again
            return
        if task.id in self._told:
            return
        self._told.add(task.id)
        view = task.view
        if view.state == "interrupted":  # by the user, who knows
            return
        outcome = view.message or view.state.value
        self._notify(f"task {task.id}: {outcome} ({view.words})")
        if view.state == "done" and self._is_free:
            self.review(task.id, by_itself=True)
        elif self._screen.is_current and not self._screen.prompt.text:
            self._screen.say(f"task {task.id}: {outcome}; /tasks shows what came of it")

    @property
    def _is_free(self) -> bool:
        """Whether a review would take nothing from the user."""
        screen = self._screen
        is_open = bool(screen.view.hunks) or screen.view.phase in IN_TURN
        return screen.is_current and not (is_open or screen.busy or screen.prompt.text)

    def _notify(self, words: str) -> None:
        """Ring, and have the terminal notify the user, who may look at another window."""
        alert = getattr(self._screen.app._driver, "alert", None)
        if alert is None:
            self._screen.app.bell()
        else:
            alert(words)

    def review(self, task_id: str, *, by_itself: bool = False) -> None:
        """Put the outcome of a task on the screen, as the hunks of a turn.

        Args:
            by_itself: Whether the end of the task opens the review; the focus then stays in the
                prompt, as the next letter may begin a word.
        """
        controller = self._screen.controller
        tasks = self._tasks
        screen = self._screen
        if controller is None or tasks is None:
            return
        if screen.busy or screen.view.phase in IN_TURN:
            screen.say(f"a turn is running; {screen.keys.key('turn.stop')} stops it")
            return
        self._gone.add(task_id)  # under review, the task needs no line
        make = partial(self._propose, controller, tasks, task_id)
        words = self._words_of_end if by_itself else self._words_of_review
        title = tasks.title(task_id)
        self._dispatch.begin(controller, title, make, words, by_itself=by_itself)
        self._look_soon()

    def _words_of_review(self, turn: "Turn") -> str:
        """The message for a review that the user has opened."""
        key = self._screen.keys.key("files.accept")
        return f"{turn.request.instruction}; {key} accepts all files at once"

    def _words_of_end(self, turn: "Turn") -> str:
        """The message for a review that the end of a task has opened."""
        key = self._screen.keys.key("focus.diff")
        return f"{turn.request.instruction}; {key} goes to the hunks"

    @staticmethod
    def _propose(
        controller: "Controller", tasks: "BackgroundTasks", task_id: str, _: str
    ) -> "Turn":
        return controller.session.propose(*tasks.review(task_id), task=task_id)

    def forget(self, task_id: str) -> None:
        """Show no line of a task any more, until it is at work again."""
        self._gone.add(task_id)
        self._look_soon()

    def command(self, text: str, *, by_hand: bool) -> None:
        """Carry out a command that was sent from a task; see `TaskHost`."""
        prompt = self._screen.prompt
        if prompt.full.strip():
            prompt.remember(prompt.full)  # carrying out the command empties the prompt
        self._commands.sent(text, by_hand=by_hand)

    def resumed(self, task_id: str) -> None:
        """Show the line of a task that is at work again."""
        self._gone.discard(task_id)
        self._told.discard(task_id)
        self._asked.pop(task_id, None)
        self.watch()

    def _look_soon(self) -> None:
        if self._timer is not None:
            self._look()

    def close(self) -> None:
        """Stop the tasks, which can be resumed."""
        if self._tasks is not None:
            self._tasks.close()

    @property
    def last_words(self) -> list[str]:
        """The message about each task that the end of spark has stopped."""
        if self._tasks is None:
            return []
        lines = []
        for task in self._tasks.begun:
            if task.state in {"working", "paused", "interrupted"}:
                lines.append(
                    f"task {task.id} is interrupted: `spark task resume {task.id}` goes on"
                )
        return lines
