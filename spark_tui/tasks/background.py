"""Tasks that run beside the user, each in a thread of its own, for a front end that never waits.

`BackgroundTasks` begins and resumes the tasks of a session and knows those at work.
`BackgroundTask` is one of them: what can be read of it is always the state of the moment, and
`pause`, `go_on`, `redirect`, `go_back` and `stop` return at once; the thread follows at the next
token. A task takes each token by leave (`session.precedence`): what the user asks for goes first.

An agent's task has no tokens to stand still at: Esc of its screen is `stop`, and it goes on in its
own session. `question` is what the agent asks before it goes on, and `answer` the user's answer.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from spark_tui.config import Agent, Settings
from spark_tui.crash_report import problem_of
from spark_tui.errors import UsageError
from spark_tui.mentions import names_place
from spark_tui.session.leftovers import few
from spark_tui.session.precedence import Precedence
from spark_tui.session.session import Session
from spark_tui.session.telemetry import TaskEnd
from spark_tui.tasks.agents.registry import (
    MARK,
    MOST_STEPS,
    find_agent,
    find_program,
    open_agent_task,
    split_agent,
)
from spark_tui.tasks.events import (
    AgentPlanned,
    AgentStarted,
    CommandStarted,
    PermissionAsked,
    PlanItem,
    StepEnded,
    StepStarted,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
    ToolProgress,
)
from spark_tui.tasks.log import REDIRECTED, Budget, TaskLog
from spark_tui.tasks.outcome import (
    applied_batch,
    changes_of,
    commit_to_branch,
    description_of,
    doubts,
    message_for,
    offered_branch,
    proposed,
)
from spark_tui.tasks.plan import propose_plan, write_plan
from spark_tui.tasks.preview import BLOCK, growing_step, words_of_question, working_agent
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import PURPOSE, STOPPED, Task, model_of, verdict
from spark_tui.tasks.tools import RunRules, files_shown, run_rules
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Committer
from spark_tui.vcs.worktree import Worktree

if TYPE_CHECKING:
    from spark_tui.tasks.agents.task import AgentTask

_PATIENCE_S = 1.0
"""How long the end waits for the tasks to stop."""
_PATIENCE_WITH_AGENTS_S = 5.0
"""The same for an agent, whose program has two seconds to end its turn."""
_ENDS_QUESTIONS = frozenset({REDIRECTED, "done", "stopped"})
"""Steps behind which an agent waits for no answer any more."""
NO_WAY_BACK = "an agent does not go back a step; say in words what it is to take back"
_MOST_NAMES = 3
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
        last_words: What the model said, or did, last, in a line.
        ticked: Items of the plan that are done.
        message: Why the task stands as it does, or "".
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


@dataclass(frozen=True, slots=True)
class BranchOffer:
    """What can be committed of a task.

    Attributes:
        branch: A name for the branch.
        message: A message for the commit.
        consents: Why files need a consent of their own, by path.
    """

    branch: str
    message: str
    consents: Mapping[str, tuple[str, ...]]


class BackgroundTask:
    """A task at work in a thread of its own. Mutable; safe to use from any thread.

    Args:
        log: What is settled of the task.
        open_task: Makes the task in its thread, and ends what the task needs.
        lane: What the model of the task computes on.
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
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=f"spark-{log.id}", daemon=True)
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
        """What the agent asks and is not answered, by number."""
        self.agent_plan: tuple[PlanItem, ...] = ()
        """The plan of the agent, as far as it has told of one."""
        self.news = ""
        """What the agent was told, or told, last beside its words."""
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
        """Counts up with whatever changes."""

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
        if self.agent_plan:
            ticked = sum(item.status == "completed" for item in self.agent_plan)
            plan = tuple(item.content for item in self.agent_plan)
            view = replace(view, plan=plan, ticked=ticked)
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

        self._want(back, goes_on=False)

    def stop(self) -> None:
        """End the work at the next token, an agent's turn at once; the task can be resumed."""
        with self._changed:
            self._is_stopped = True
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
        """Work until there is an end."""
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
                if not self.is_agent:  # the steps that no longer count have no number
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
            return not self._is_stopped

    def _take(self, event: TaskEvent, task: "Task | AgentTask") -> None:
        self._take_of_agent(event)
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

    def _take_of_agent(self, event: TaskEvent) -> None:
        """Take what an agent tells of its work."""
        with self._changed:
            match event:
                case AgentStarted():
                    self.news = words_of_start(event)
                case AgentPlanned(items=items):
                    self.agent_plan = items
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
        """Keep the tool calls alone that go on behind the step that is settled."""
        for name, call in tuple(self._calls.items()):
            if call.status in {"completed", "failed"}:
                del self._calls[name]


class BackgroundTasks:
    """The tasks of a session: those at work, and those that are kept.

    Everything but `begun`, `at_work`, `task`, `title` and `close` may wait for the disk and belongs
    in a worker.
    """

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings
        self._store = TaskStore(session.repo, session.tasks_folder)
        self._tasks: dict[str, BackgroundTask] = {}

    @property
    def begun(self) -> tuple[BackgroundTask, ...]:
        """The tasks that this process began or resumed, the oldest first."""
        return tuple(self._tasks.values())

    @property
    def at_work(self) -> tuple[BackgroundTask, ...]:
        """Those that are at work, or paused."""
        return tuple(task for task in self.begun if task.state in AT_WORK)

    def task(self, task_id: str) -> BackgroundTask | None:
        """The task of that name, if this process began or resumed it."""
        return self._tasks.get(task_id)

    def title(self, task_id: str) -> str:
        """The words of a task that this process knows, else its name."""
        task = self._tasks.get(task_id)
        return task.view.words if task else f"task {task_id}"

    def begin(self, words: str, plan: Sequence[str] = ()) -> BackgroundTask:
        """Begin a task on the files as they are now.

        Args:
            words: `@NAME WORDS` has an agent of the user's work on it.

        Raises:
            UsageError: There are no words, the model only edits, or there is no such agent.
            RepoError, FileError: The files cannot be kept.
        """
        session = self._session
        agent, rest = self._agent_and_words(words)
        if agent is not None:
            find_program(agent, session.repo.root)  # which refuses what cannot be started
            budget = Budget(steps=MOST_STEPS)
            log = self._store.begin(rest, f"{MARK}{agent.name}", plan=plan, budget=budget)
            return self._start_agent(log, agent)
        speaker = session.succession.speaker()
        session.succession.host(speaker).talker_for(PURPOSE)
        known = speaker in session.models.names() or speaker != session.host.in_use
        model = speaker if known else self._settings.model
        return self._start(self._store.begin(words, model, plan=plan), speaker)

    def resume(self, task_id: str, words: str = "", *, back: bool = False) -> BackgroundTask:
        """Go on with a task behind its last whole step; a budget that is used up is given anew.

        Args:
            words: What the user says to it, with which a task that is done goes on, too.
            back: Whether to go back a step first; the task then stands still.

        Raises:
            UsageError: There is no such task, it is done and nothing is said, its agent is not
                known any more, or an agent is to go back.
            Transient: Another process works on it.
            SparkError: Its model is not known any more.
        """
        running = self._tasks.get(task_id)
        if running is not None and running.is_stopping:
            running.wait(_PATIENCE_WITH_AGENTS_S)
        if running is not None and running.state in AT_WORK:
            _go_on(running, words, back=back)
            return running
        log = self._store.find(task_id)
        agent = self._agent_of(log)
        if agent is not None and back:
            raise UsageError(NO_WAY_BACK)
        ended = verdict(log)
        with log.held():
            if ended is not None and ended[0] == STOPPED:
                log.renew(log.spec.budget)
            elif ended is not None and not (words or back):
                raise UsageError(f"task {log.id} is done; Enter reviews what came of it")
        if agent is not None:
            return self._start_agent(log, agent, words)
        session = self._session
        speaker = session.succession.speaker()
        is_other = log.spec.model != self._settings.model
        if is_other and log.spec.model in session.models.names():
            speaker = log.spec.model
        return self._start(log, speaker, words, back=back)

    def views(self) -> tuple[TaskView, ...]:
        """All tasks, the newest first."""
        views = []
        for log in self._store.logs():
            running = self._tasks.get(log.id)
            if running is not None and running.state in AT_WORK | {TaskState.FAILED}:
                views.append(running.view)
            else:
                views.append(view_of(log, *self._state_of(log)))
        return tuple(views)

    def log(self, task_id: str) -> TaskLog:
        """What is settled of a task.

        Raises:
            UsageError, FileError: There is none, or it cannot be read.
        """
        return self._store.find(task_id)

    def worktree(self, log: TaskLog) -> Worktree:
        """The work tree of a task."""
        return self._store.worktree(log)

    def drop(self, task_id: str) -> None:
        """Remove a task with all that is kept of it; what was accepted stays.

        Raises:
            UsageError, Transient, FileError: As `TaskStore.drop`.
        """
        running = self._tasks.get(task_id)
        if running is not None:
            running.stop()
            running.wait(_PATIENCE_WITH_AGENTS_S if running.is_agent else _PATIENCE_S)
        self._store.drop(task_id)
        self._session.telemetry.note_end(task_id, TaskEnd.DROPPED)
        self._tasks.pop(task_id, None)

    def review(self, task_id: str) -> tuple[str, Sequence[FileChange], Sequence[str]]:
        """What comes of a task, fitted to the files as they are now.

        Returns:
            What the journal calls it, the changes, and what to say of them.

        Raises:
            SparkError: Git has the commits of the task no longer.
        """
        log = self.log(task_id)
        changes = changes_of(log, self.worktree(log))
        notes = list[str]()
        if changes.left_out:
            notes.append(f"left out, as no text: {few(changes.left_out, _MOST_NAMES)}")
        return description_of(log), proposed(self._session.repo, changes.files), notes

    def offer(self, task_id: str) -> BranchOffer:
        """What can be committed of a task, to a branch of its own.

        Raises:
            UsageError: The task has changed no file.
            SparkError: Git has the commits of the task no longer.
        """
        log = self.log(task_id)
        changes = changes_of(log, self.worktree(log)).files
        if not changes:
            raise UsageError(f"task {log.id} has changed no file; there is nothing to commit")
        consents = doubts(self._session.repo, changes)
        return BranchOffer(offered_branch(log), message_for(log, changes), consents)

    def commit(self, task_id: str, branch: str, message: str, allow: Collection[str]) -> str:
        """Commit what came of a task to a new branch.

        Args:
            allow: The files that the user consented to.

        Returns:
            What to say.

        Raises:
            As `commit_to_branch`.
        """
        session = self._session
        log = self.log(task_id)
        trust = Trust(session.repo, session.state_dir)
        committer = Committer(session.repo, trust, session.state_dir)
        made = commit_to_branch(
            log,
            session.repo,
            self.worktree(log),
            committer,
            branch=branch,
            message=message,
            allow=allow,
        )
        session.telemetry.note_end(log.id, TaskEnd.BRANCH)
        return f"committed {made.short} on the new branch {made.branch}"

    def require_model(self) -> None:
        """Refuse what a task needs a model for that answers in words, where there is none.

        Raises:
            UsageError: The model only edits.
            SparkError: The model cannot be used.
        """
        succession = self._session.succession
        succession.host(succession.speaker()).talker_for(PURPOSE)

    def close(self) -> None:
        """Stop all tasks, which can be resumed, and wait a moment for that."""
        for task in self.begun:
            task.stop()
        for task in self.begun:
            task.wait(_PATIENCE_WITH_AGENTS_S if task.is_agent else _PATIENCE_S)

    def _state_of(self, log: TaskLog) -> tuple[TaskState, str]:
        if log.is_held:
            return TaskState.ELSEWHERE, ""
        if applied_batch(log, self._session.past) is not None:
            return TaskState.APPLIED, ""
        ended = verdict(log)
        if ended is None:
            return TaskState.INTERRUPTED, ""
        return TaskState(ended[0]), ended[1]

    def _start(
        self, log: TaskLog, speaker: str, words: str = "", *, back: bool = False
    ) -> BackgroundTask:
        session = self._session

        @contextmanager
        def open_task() -> Iterator[Task]:
            host = session.succession.host_beside(speaker)
            around = session.mentions.map(log.spec.words, {}, host.answerer.map_room)
            rules, keys = self._rules_and_keys(log)
            with closing(host):
                model = model_of(host, around)
                yield self._store.open(log, model, rules, keys, session.telemetry)

        lane = session.succession.lane(speaker)
        precedence = session.precedence
        task = BackgroundTask(log, open_task, lane, precedence, words)
        self._tasks[log.id] = task
        if back:
            task.go_back()
        task.start()
        return task

    def _agent_and_words(self, words: str) -> tuple[Agent | None, str]:
        """The agent that a task is for, None for a model, and what is to be done.

        Raises:
            UsageError: There is no such agent, and no such place in the work tree.
        """
        name, rest = split_agent(words)
        if not name:
            return None, words
        agents = self._settings.agents
        file_named = self._session.mentions.file_named
        if name not in agents and names_place(f"{MARK}{name}", file_named):
            return None, words
        return find_agent(name, agents), rest

    def _agent_of(self, log: TaskLog) -> Agent | None:
        """The agent that works on a task; None for a model.

        Raises:
            UsageError: There is no such agent any more, or no such program.
        """
        if not is_for_agent(log):
            return None
        agent = find_agent(log.spec.model.removeprefix(MARK), self._settings.agents)
        find_program(agent, self._session.repo.root)
        return agent

    def _start_agent(self, log: TaskLog, agent: Agent, words: str = "") -> BackgroundTask:
        """Have an agent work on a task, in a thread of its own."""

        @contextmanager
        def open_task() -> "Iterator[AgentTask]":
            rules, keys = self._rules_and_keys(log)
            repo = self._session.repo
            telemetry = self._session.telemetry
            yield open_agent_task(
                self._store, repo, log, agent, rules, keys, asks=True, telemetry=telemetry
            )

        lane = f"{MARK}{agent.name}"
        task = BackgroundTask(log, open_task, lane, self._session.precedence, words)
        self._tasks[log.id] = task
        task.start()
        return task

    def _rules_and_keys(self, log: TaskLog) -> tuple[RunRules, list[str]]:
        """What a task may run, and the variables with keys, which no command sees."""
        settings = self._settings
        trust = Trust(self._session.repo, self._session.state_dir)
        rules = run_rules(trust, settings.allowed_commands, log.spec.check)
        return rules, [endpoint.key_env for endpoint in settings.models.values()]


def _go_on(task: BackgroundTask, words: str, *, back: bool) -> None:
    """Let a task at work go on, with words or without, or go back a step.

    Raises:
        UsageError: An agent is to go back.
    """
    if back and task.is_agent:
        raise UsageError(NO_WAY_BACK)
    if back:
        task.go_back()
    elif words:
        task.redirect(words)
    else:
        task.go_on()


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


def planning(session: Session, words: str) -> Generator[str, None, None]:
    """Have the model of a session propose a plan.

    Args:
        words: The task.

    Yields:
        The text so far; at the end the plan as `read_plan` reads it.

    Raises:
        UsageError: The words are too many, or the model only edits.
        SparkError: The model fails.
    """
    host = session.succession.host(session.succession.speaker())
    around = session.mentions.map(words, {}, host.answerer.map_room)
    text = ""
    with closing(propose_plan(words, model_of(host, around), files_shown(session.repo))) as work:
        while True:
            try:
                event = next(work)
            except StopIteration as end:
                yield write_plan(end.value) or text
                return
            if isinstance(event, StepText):
                text = event.text if event.anew else text + event.text
            yield text


def view_of(log: TaskLog, state: TaskState, message: str) -> TaskView:
    """A task as its log has it."""
    steps = tuple(log.steps)
    words = ""
    if steps:
        words = last_line(steps[-1].answer) or steps[-1].title
    return TaskView(
        id=log.id,
        words=" ".join(log.spec.words.split()),
        state=state,
        step=len(steps),
        tokens=log.tokens,
        cost=log.cost,
        last_words=words,
        plan=log.spec.plan,
        ticked=log.ticked,
        message=message,
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
