"""The tasks of a session that run beside the user, for a front end that never waits.

`BackgroundTasks` begins and resumes tasks, each a `BackgroundTask` in a thread of its own, and
knows those at work. It lists, drops and reviews all that are kept.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_tui.config import Agent, Settings
from spark_tui.errors import UsageError
from spark_tui.mentions import names_place
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
from spark_tui.tasks.background_task import NO_WAY_BACK, BackgroundTask
from spark_tui.tasks.log import Budget, TaskLog
from spark_tui.tasks.outcome import (
    applied_batch,
    changes_of,
    commit_to_branch,
    description_of,
    doubts,
    message_for,
    notes_on,
    offered_branch,
    proposed,
)
from spark_tui.tasks.request import MODEL, TaskRequest
from spark_tui.tasks.shared import find_shared, find_those_shared
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import PURPOSE, STOPPED, Task, model_of, verdict
from spark_tui.tasks.tools import RunRules, run_rules
from spark_tui.tasks.views import AT_WORK, TaskState, TaskView, is_for_agent, view_of
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.commit import Committer
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.worktree import Worktree

if TYPE_CHECKING:
    from spark_tui.tasks.agents.task import AgentTask

_PATIENCE_S = 1.0
"""How long the end waits for the tasks to stop."""
_PATIENCE_WITH_AGENTS_S = 5.0
"""The same for an agent, whose program has two seconds to end its turn (`AgentLimits`)."""


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


class BackgroundTasks:
    """The tasks of a session: those at work, and those that are kept.

    All methods but `begun`, `at_work`, `task`, `title` and `close` may wait for the disk and belong
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

    def begin(self, request: TaskRequest, plan: Sequence[str] = ()) -> BackgroundTask:
        """Begin a task on the files as they are now.

        Raises:
            UsageError: There are no words, the model only edits, there is no such agent or model,
                or the check cannot run.
            RepoError, FileError: The files cannot be kept, or the repository is not trusted with a
                check.
        """
        session = self._session
        agent, words = self._agent_and_words(request.words)
        if request.check:
            session.command(request.check)  # which refuses what cannot run
        if agent is not None:
            return self._begin_with_agent(agent, words, request, plan)
        speaker = self.speaker(request.model)
        # A loaded model may go by a name of its own. The log keeps the one of the settings, by
        # which `resume` finds the model again.
        known = speaker in session.models.names() or speaker != session.host.in_use
        model = speaker if known else self._settings.model
        shared = self._shared(request)
        log = self._store.begin(words, model, check=request.check, plan=plan, shared=shared)
        return self._start(log, speaker)

    def speaker(self, name: str = "") -> str:
        """Name the model that works on a task or a plan.

        Args:
            name: The one that the user named; "": the one that answers questions.

        Raises:
            UsageError: There is no such model, or the model only edits.
            SparkError: The model cannot be used.
        """
        succession = self._session.succession
        known = self._session.models.names()
        if name and name not in {*known, self._session.host.in_use}:
            raise UsageError(f"there is no model {name!r}; choose from {', '.join(known)}")
        speaker = name or succession.speaker()
        succession.host(speaker).talker_for(PURPOSE)
        return speaker

    def _begin_with_agent(
        self, agent: Agent, words: str, request: TaskRequest, plan: Sequence[str]
    ) -> BackgroundTask:
        if request.model:
            raise UsageError(
                f"{MODEL} does not go with {MARK}{agent.name}; the agent has its own models"
            )
        find_program(agent, self._session.repo.root)  # which refuses what cannot be started
        name = f"{MARK}{agent.name}"
        budget = Budget(steps=MOST_STEPS)
        log = self._store.begin(
            words,
            name,
            check=request.check,
            plan=plan,
            budget=budget,
            shared=self._shared(request),
        )
        return self._start_agent(log, agent)

    def _shared(self, request: TaskRequest) -> tuple[str, ...]:
        """What a task shares of the work tree.

        Raises:
            UsageError, RepoError, FileError: As `find_shared`.
        """
        repo = self._session.repo
        named = [find_shared(repo, path, repo.root) for path in request.shared]
        usual = find_those_shared(repo, self._settings.shared_paths)
        return tuple(dict.fromkeys((*named, *usual)))

    def resume(self, task_id: str, words: str = "", *, back: bool = False) -> BackgroundTask:
        """Go on with a task after its last whole step, with a new budget if the last is used up.

        Args:
            words: What the user says; with words, a task that is done goes on, too.
            back: Whether to go back a step first; the task then stands still.

        Raises:
            UsageError: There is no such task, it is done and nothing is said, its agent is not
                known any more, or an agent is to go back.
            Transient: Another process works on it.
            SparkError: Its model is not known any more.
        """
        running = self._tasks.get(task_id)
        # The old thread holds the log until it has ended.
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
        """All tasks, the newest first, once what a kill left is removed."""
        self._store.sweep()
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

    def drop(self, task_id: str, *, anyway: bool = False) -> None:
        """Remove a task with all that is kept of it; what was accepted stays.

        Args:
            anyway: As for `TaskStore.drop`.

        Raises:
            UsageError, Transient, FilesLost, FileError: As `TaskStore.drop`.
        """
        running = self._tasks.get(task_id)
        if running is not None:
            running.stop()
            running.wait(_PATIENCE_WITH_AGENTS_S if running.is_agent else _PATIENCE_S)
        self._store.drop(task_id, anyway=anyway)
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
        fitted = proposed(self._session.repo, changes.files)
        return description_of(log), fitted, notes_on(changes)

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
        commands = settings.allowed_commands
        rules = run_rules(trust, commands, log.spec.check, settings.allowed_variables)
        return rules, [endpoint.key_env for endpoint in settings.models.values()]


def _go_on(task: BackgroundTask, words: str, *, back: bool) -> None:
    """Have a task at work go on, with words or without, or go back a step.

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
