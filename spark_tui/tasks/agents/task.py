"""A task that an agent works on: its conversation with spark, cut into steps.

A step is a tool call that has ended, or the end of what the agent had to say. It is settled as a
commit and a line of the log, like any step of a task. The work tree stays as the agent left it. An
agent that was killed goes on in its own session if its program can load sessions, else anew.
"""

import math
import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from spark_tui.config import Agent
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.request import refuse_too_long
from spark_tui.session.telemetry import StepFigures, Telemetry
from spark_tui.tasks.agents.client import AgentClient
from spark_tui.tasks.agents.connection import Connection
from spark_tui.tasks.agents.later_words import TurnEnd
from spark_tui.tasks.agents.process import AgentProcess, end_marked, environment
from spark_tui.tasks.agents.terminals import Terminals
from spark_tui.tasks.agents.tool_calls import ENDED, plain
from spark_tui.tasks.check import describe_check, find_absent, run_check, warn_of_absent
from spark_tui.tasks.events import (
    AgentPlanned,
    AgentStarted,
    StepEnded,
    StepStarted,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
    ToolProgress,
)
from spark_tui.tasks.log import REDIRECTED, StepRecord, TaskLog, TaskSpec
from spark_tui.tasks.messages import describe_plan
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import verdict
from spark_tui.tasks.tools import RunRules, Tools
from spark_tui.vcs.repository import Repository

_MOST_TEXT = 200_000
"""Characters of a step that are kept."""
_MOST_TITLE = 80
_MOST_PATHS = 200
_STOPS = {
    "max_tokens": "the agent has used up its tokens",
    "max_turn_requests": "the agent has used up its requests",
    "refusal": "the agent refuses to go on",
    "cancelled": "the agent broke off",
}
_DONE = "end_turn"
_INTERRUPTED = "You were interrupted. Go on with the task."
_ANEW = (
    "An earlier attempt at this task was interrupted. What it changed stands in the files: look at "
    "them first."
)


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """How long to wait for an agent, in seconds.

    Attributes:
        start: For an answer before the agent begins to work.
        cancel: For the end of its turn, once it is told to stop.
    """

    start: float = 60.0
    cancel: float = 2.0


class AgentTask:
    """A task that an agent works on. Mutable; one thread iterates `events`.

    Args:
        store: Where the task is.
        repo: The user's work tree, which stays as it is.
        log: What is settled of the task.
        agent: The agent.
        program: The path of its program.
        rules: What may run.
        keys: The environment variables with keys, which no command sees.
        asks: Whether somebody answers with `decide` what the rules do not allow; else it is
            refused.
        patience: How long to wait for the agent.
        telemetry: Notes the figures of steps; None: nothing is noted.
    """

    def __init__(
        self,
        store: TaskStore,
        repo: Repository,
        log: TaskLog,
        agent: Agent,
        program: str,
        rules: RunRules,
        keys: Sequence[str] = (),
        *,
        asks: bool = False,
        patience: AgentLimits | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.log = log
        self.worktree = store.worktree(log)
        self._agent = agent
        self._command = [program, *agent.args]
        self._kept = (repo.root, repo.common_dir)
        self._tools: Tools = store.tools(log, rules, keys)
        self._notes = store.notes(log)
        self._asks = asks
        self._patience = patience or AgentLimits()
        self._telemetry = telemetry or Telemetry()
        self._client: AgentClient | None = None
        self._words = ""
        """What the user wants instead; "" for nothing."""
        self._since = time.monotonic()
        self._before = 0.0
        """Seconds at work before `_since`, without those of pauses."""
        self._began = 0.0
        """When the present step began, in seconds at work."""
        self._text = ""
        """What the agent has said in the present step."""
        self._paid = 0.0
        """What the session had cost when the last step was settled."""

    def decide(self, number: int, *, allow: bool) -> None:
        """Answer a `PermissionAsked`; any thread may call this.

        Args:
            number: The number of the question.
        """
        if self._client is not None:
            self._client.decide(number, allow=allow)

    def redirect(self, words: str) -> None:
        """Have the agent stop its turn, and go on with what the user says.

        What the agent has changed so far stays. The words reach it at the next event, or first of
        all where no turn runs; with them a task that is done goes on.

        Raises:
            UsageError: There are no words, or too many.
        """
        if not words.strip():
            raise UsageError("there are no words; say how the task is to go on")
        refuse_too_long(words)
        self._words = "\n\n".join(filter(None, (self._words, words.strip())))

    def events(self) -> Generator[TaskEvent, None, None]:
        """Have the agent work to the end of the task.

        While nobody asks for the next event, an agent that says much waits. Closing the generator
        cancels its turn, ends its program, and settles what it has changed so far.

        Raises:
            Transient: Another process works on the task.
            SparkError: The program ends, or does not keep to the protocol.
            RepoError: The work tree is gone, or git refuses.
            FileError: The disk refused. In all cases the task can be resumed.
        """
        with self.log.held(), closing(self._work()) as work:
            while True:
                self._since = time.monotonic()
                event = next(work, None)
                self._before = self._seconds
                if event is None:
                    return
                yield event

    @property
    def _seconds(self) -> float:
        """The seconds at work so far."""
        return self._before + time.monotonic() - self._since

    def _work(self) -> Generator[TaskEvent, None, None]:
        """Begin, or go on, and take steps to the end."""
        self.log.read()
        if self._words or verdict(self.log) is None:
            yield from self._work_with_agent()
        else:
            yield self._started(None)
        ended = verdict(self.log)
        assert ended is not None, "the agent works until the task has ended"
        yield TaskEnded(*ended)

    def _started(self, confined: bool | None) -> TaskStarted:
        return TaskStarted(self.log.id, str(self.worktree.root), len(self.log.steps), confined)

    def _work_with_agent(self) -> Generator[TaskEvent, None, None]:
        """Start the agent's program, and have it work to the end of the task."""
        end_marked(self.log.id)  # a kill of spark may have left something
        is_kept = self._restore()
        command = self._command
        confined: bool | None = None
        if self._agent.confined:
            confined = self._tools.sandbox.is_confined
        yield self._started(confined)
        if not self.log.opening:
            yield from self._open()
        if self._words:
            yield self._settle_words()
        if confined:
            command = self._tools.sandbox.around(command, self._kept)
        else:
            self._tools.sandbox.copy_shared()
        env = environment(self._agent.env, self.log.id)
        name = self._agent.name
        root = self.worktree.root
        try:
            with (
                closing(AgentProcess(name, command, root, env, self._notes)) as process,
                closing(Terminals(self._tools, root)) as terminals,
            ):
                client = AgentClient(
                    name,
                    Connection(process),
                    self.worktree,
                    terminals,
                    self._tools.rules,
                    asks=self._asks,
                )
                self._client = client
                try:
                    yield from self._converse(client, is_kept=is_kept)
                finally:
                    client.cancel(self._patience.cancel)
        finally:
            self._client = None
            with suppress(SparkError):  # the error that ended the work is raised instead
                # The program has ended, so the files no longer change.
                self._settle_rest("what was changed at the end")

    def _restore(self) -> bool:
        """Make the work tree, or go on with it as the agent left it.

        Returns:
            Whether the work tree is as the agent left it.
        """
        if self.log.session and self.worktree.is_there:
            self.worktree.adopt(self.log.commit)
            self._settle_rest("what was changed before a kill")
            return True
        if self.log.session:
            self.log.enter("")
        self.worktree.make(self.log.commit)
        return False

    def _converse(self, client: AgentClient, *, is_kept: bool) -> Generator[TaskEvent, None, None]:
        """Have the agent take turns until the task has ended."""
        text = yield from self._begin(client, is_kept=is_kept)
        self._began = self._seconds
        while verdict(self.log) is None:
            yield StepStarted(len(self.log.steps) + 1)
            response = yield from self._turn(client, text)
            # The turn was cut off, not answered: by words of the user, or as the budget is used up.
            if response is None:
                client.cancel(self._patience.cancel)
                text = self._words
                if text:
                    yield self._settle_words(client)
                elif verdict(self.log) is None:
                    yield self._stop(client)
            else:
                text = yield from self._finish(client, response)

    def _begin(self, client: AgentClient, *, is_kept: bool) -> Generator[TaskEvent, None, str]:
        """Begin a session, or take up the earlier one.

        Returns:
            What the agent is to be told first.
        """
        response = yield from client.initialize(self._start_limit())
        has_loaded = False
        earlier = self.log.session
        able = response.agent_capabilities
        if is_kept and able is not None and able.load_session:
            has_loaded = yield from client.load(earlier, self._start_limit())
        if not has_loaded:
            yield from client.begin(self._start_limit())
        is_first = not earlier and not self.log.steps
        if client.session != earlier:
            self.log.enter(client.session)
        self._paid = client.cost
        info = response.agent_info
        program = ""
        if info is not None:
            program = plain(f"{info.title or info.name} {info.version}")
        yield AgentStarted(self._agent.name, program, None if is_first else has_loaded)
        # What the agent is told depends on what it remembers. With its session it knows the task,
        # and needs the user's new words or a nudge. Without, it needs the task, and a hint where
        # files were changed before.
        parts = [self.log.opening]
        if has_loaded and self.log.steps and self.log.steps[-1].kind == REDIRECTED:
            parts = []
        elif has_loaded:
            parts = [_INTERRUPTED]
        elif not is_first:
            parts = [_ANEW, self.log.opening]
        if self.log.steps:
            parts.append(self.log.steps[-1].reply)
        return "\n\n".join(filter(None, parts))

    def _open(self) -> Generator[TaskEvent, None, None]:
        """Settle what the agent is told of the task."""
        spec = self.log.spec
        text = _instruction(spec)
        check = None
        if spec.check:
            limit = self._seconds_left()
            check = yield from run_check(spec.check, self.worktree, self._tools.sandbox, limit)
            absent = find_absent(check, self.worktree, spec.shared)
            if absent is not None:
                text = f"{text}\n\n{warn_of_absent(absent)}"
                yield absent
        self.log.open(text, check)

    def _start_limit(self) -> float:
        """Seconds to wait for an answer before the agent begins to work."""
        left = math.ceil(self._seconds_left() - self._seconds)
        return min(self._patience.start, max(1.0, left))

    def _turn(self, client: AgentClient, text: str) -> Generator[TaskEvent, None, TurnEnd | None]:
        """Send the agent a message, and settle the steps of its turn.

        Returns:
            The end of the turn; None where the budget is used up before the end of the
            turn, or the user wants something else.
        """
        end = self._began + self._seconds_left()
        ended = set[str]()
        with closing(client.prompt(text)) as work:
            while True:
                try:
                    event = next(work)
                except StopIteration as stop:
                    turn_end: TurnEnd = stop.value
                    return turn_end
                if isinstance(event, StepText):
                    event = self._bounded(event)
                if isinstance(event, AgentPlanned) and event.items != self.log.agent_plan:
                    self.log.follow(event.items)
                yield event
                if isinstance(event, ToolProgress) and event.status in ENDED:
                    # An agent may report the end of a call more than once; the call is one step.
                    if event.id in ended:
                        continue
                    ended.add(event.id)
                    problem = "it failed" if event.status == "failed" else ""
                    yield self._settle(event.kind, event.title, client=client, problem=problem)
                    if verdict(self.log) is not None:
                        return None
                    yield StepStarted(len(self.log.steps) + 1)
                if self._words or self._seconds > end:
                    return None

    def _settle_words(self, client: AgentClient | None = None) -> StepEnded:
        """Settle what the user said."""
        words = self._words
        self._words = ""
        return self._settle(REDIRECTED, words, client=client, reply=words)

    def _stop(self, client: AgentClient) -> StepEnded:
        """Settle that the time is up."""
        seconds = f"{self.log.spec.budget.seconds:g} seconds"
        resume = f"`spark task resume {self.log.id}` goes on"
        stops = f"its budget of {seconds} is used up; {resume}"
        return self._settle("stopped", "stopped: the time is up", client=client, stops=stops)

    def _bounded(self, event: StepText) -> TaskEvent:
        """A piece of text, as far as the step has room for it."""
        text = event.text[: _MOST_TEXT - len(self._text)]
        self._text += text
        if len(text) == len(event.text):
            return event
        return StepText(text) if text else TaskWaits("the agent says more than is kept of a step")

    def _finish(self, client: AgentClient, response: TurnEnd) -> Generator[TaskEvent, None, str]:
        """Settle the end of a turn, which may be the end of the task.

        Args:
            response: The end of the agent's turn.

        Returns:
            What the agent is to be told next, where the task goes on.
        """
        spec = self.log.spec
        commit = self.worktree.commit(f"Step {len(self.log.steps) + 1}: done")
        resume = f"`spark task resume {self.log.id}` goes on"
        tokens = 0
        if response.usage is not None:
            tokens = response.usage.output_tokens + (response.usage.thought_tokens or 0)
        stops = ""
        reply = ""
        check = None
        # The agent says itself that it is not done; else the check decides. Without a check, at
        # least some file must have changed.
        reason = response.reason
        if reason in _STOPS:
            stops = f"{_STOPS[reason]}; {resume}"
        elif reason != _DONE:
            shown = plain(reason)[:_MOST_TITLE]
            stops = f"the agent stopped for a reason that spark does not know ({shown}); {resume}"
        elif spec.check:
            limit = self._seconds_left()
            check = yield from run_check(spec.check, self.worktree, self._tools.sandbox, limit)
        elif commit == spec.base:
            stops = f"the agent changed no file; {resume}"
        if check is not None and not check.ok:
            reply = f"It is not done: {describe_check(check)}"
        ends = not stops and not reply
        problem = stops.partition(";")[0]
        yield self._settle(
            "done",
            "done",
            client=client,
            same="done",
            problem=f"`{spec.check}` fails" if reply else problem,
            reply=reply,
            tokens=tokens,
            ticked=len(spec.plan) if ends else 0,
            ends=ends,
            stops=stops,
            check=check,
        )
        return reply

    def _settle_rest(self, title: str) -> None:
        """Settle what was changed since the last step, if anything was."""
        before = self.log.commit
        if self.worktree.commit(f"Step {len(self.log.steps) + 1}: {title}") != before:
            self._settle("rest", title)

    def _settle(
        self,
        kind: str,
        title: str,
        *,
        client: AgentClient | None = None,
        problem: str = "",
        same: str = "",
        **facts: Any,
    ) -> StepEnded:
        """Settle a step.

        Args:
            same: As in `StepRecord`; "": no other step is the same.
            facts: The rest of the `StepRecord`.
        """
        number = len(self.log.steps) + 1
        before = self.log.commit
        title = " ".join(title.split())[:_MOST_TITLE] or kind
        commit = self.worktree.commit(f"Step {number}: {title}")
        cost = 0.0
        if client is not None:
            # The agent reports what its whole session has cost.
            cost = max(0.0, client.cost - self._paid)
            self._paid = client.cost
        ended = self._seconds
        record = StepRecord(
            number=number,
            kind=kind,
            title=title,
            answer=self._text,
            reply=facts.pop("reply", ""),
            commit=commit,
            same=same or f"{number}",
            tokens=facts.pop("tokens", 0),
            seconds=math.ceil((ended - self._began) * 1000) / 1000,
            cost=cost,
            **facts,
        )
        self.log.add(record)
        self._began = ended
        self._text = ""
        steps = self.log.steps
        paths = self.worktree.changed_names(before, commit)
        if kind != REDIRECTED:
            self._note(record, len(paths))
        return StepEnded(
            number,
            kind,
            title,
            paths[:_MOST_PATHS],
            problem,
            record.check,
            sum(step.tokens for step in steps),
            sum(step.cost for step in steps),
        )

    def _note(self, step: StepRecord, files: int) -> None:
        """Note the figures of a step.

        Args:
            files: How many files it changed.
        """
        self._telemetry.note_step(
            StepFigures(
                task=self.log.id,
                model=self.log.spec.model,
                time=datetime.now(UTC),
                kind=step.kind,
                seconds=step.seconds,
                tokens=step.tokens,
                files=files,
                ends=step.ends,
            )
        )

    def _seconds_left(self) -> float:
        """Seconds of the budget that are left; at least one, so that what runs can end."""
        spent = sum(step.seconds for step in self.log.steps[self.log.paid :])
        return max(1.0, self.log.spec.budget.seconds - spent)


def _instruction(spec: TaskSpec) -> str:
    """What an agent is told first."""
    parts = [spec.words]
    if spec.plan:
        parts.append(f"{describe_plan(spec.plan, 0)}\nDo the items one after the other.")
    if spec.check:
        parts.append(f"At the end `{spec.check}` must pass.")
    return "\n\n".join(parts)
