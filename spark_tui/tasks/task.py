"""The loop of a task: ask the model, carry out its step, settle the step, until there is an end.

A step counts once its line is in the log. Whatever happens before, a kill among it, leaves the task
as the line before left it. Whether a task has ended follows from its log (`verdict`).
"""

import time
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from spark_tui.errors import FileError, UsageError
from spark_tui.providers.base import AnswerStarted, Talker, Thought, TokenGenerated, Waits
from spark_tui.providers.chat_model import fenced
from spark_tui.providers.registry import ProviderHost
from spark_tui.tasks.edits import carry_out
from spark_tui.tasks.events import (
    CommandStarted,
    StepEnded,
    StepStarted,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
)
from spark_tui.tasks.log import Budget, CheckRun, StepRecord, TaskLog
from spark_tui.tasks.messages import (
    describe_plan,
    messages_of,
    opening,
    room_for_answer,
    rules,
)
from spark_tui.tasks.sandbox import shortened
from spark_tui.tasks.steps import Command, Done, Edit, Malformed, Step, parse_step
from spark_tui.tasks.tools import Tools, list_files
from spark_tui.vcs.worktree import Worktree

T = TypeVar("T")
CHECK_SECONDS = 300.0
"""How long the check may run at most."""
_MOST_REPEATS = 3
"""How often a model may take the same step on the same files."""
_MOST_FILES = 4000
"""Characters of the list of files that a model reads first."""
_MOST_TITLE = 80
DONE = "done"
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class TaskModel:
    """The model that works on a task.

    Attributes:
        context: Tokens that it reads and writes.
        standing: What the user wants of every answer.
        around: A map of the repository; "" for none.
        cost: Tells the cost of the latest answer; None without prices.
    """

    name: str
    talker: Talker
    context: int
    standing: str = ""
    around: str = ""
    cost: Callable[[], float | None] = lambda: None


def model_of(host: ProviderHost, around: str = "") -> TaskModel:
    """The model of a host.

    Args:
        around: A map of the repository; "" for none.

    Raises:
        UsageError: The model only edits.
    """
    talker = host.talker
    return TaskModel(
        host.in_use, talker, host.context, host.standing, around, lambda: host.answerer.cost
    )


@dataclass(slots=True)
class _Outcome:
    """What a step came to.

    Attributes:
        reply: What the model reads next.
        problem: Why the step was refused; "" where it was not.
        ticked: Items of the plan that are done by now.
    """

    kind: str
    title: str
    reply: str = ""
    paths: tuple[str, ...] = ()
    problem: str = ""
    ticked: int = 0
    ends: bool = False
    check: CheckRun | None = None


class _Clock:
    """Counts the seconds at work, without those of pauses. Mutable."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        running = 0.0 if self._since is None else time.monotonic() - self._since
        return self._before + running

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count for the length of a `with`."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._before = self.seconds
            self._since = None


@dataclass(slots=True)
class _Answer:
    """What a model wrote.

    Attributes:
        is_whole: Whether the model ended by itself.
    """

    text: str = ""
    tokens: int = 0
    is_whole: bool = True


class Task:
    """A task at work. Mutable; one thread iterates `events`.

    Args:
        log: What is settled of the task.
        worktree: Where its files are.
        model: Writes the steps.
        tools: Carry out the commands.
    """

    def __init__(self, log: TaskLog, worktree: Worktree, model: TaskModel, tools: Tools) -> None:
        self.log = log
        self.worktree = worktree
        self._model = model
        self._tools = tools
        self._clock = _Clock()

    def events(self) -> Generator[TaskEvent, None, None]:
        """Work on the task to its end; not asking for the next event is a pause.

        Closing the generator gives up the step that is not settled.

        Raises:
            Transient: The endpoint fails, or another process works on the task.
            RepoError: The work tree is gone, or git refuses.
            FileError: The disk refused. In all cases the task can be resumed.
            UsageError: The messages are too long for the model.
        """
        with self.log.held(), closing(self._work()) as work:
            while True:
                with self._clock.running():
                    event = next(work, None)
                if event is None:
                    return
                yield event

    def _work(self) -> Generator[TaskEvent, None, None]:
        """Begin, or go on behind the last step, and take steps to the end."""
        self.log.read()
        confined: bool | None = None
        if verdict(self.log) is None:
            self.worktree.make(self.log.commit)
            if self.log.spec.check or _allowed(self._tools):
                confined = self._tools.sandbox.is_confined
        yield TaskStarted(self.log.id, str(self.worktree.root), len(self.log.steps), confined)
        if verdict(self.log) is None and not self.log.opening:
            yield from self._open()
        while (ended := verdict(self.log)) is None:
            yield from self._step()
        yield TaskEnded(*ended)

    def _open(self) -> Generator[TaskEvent, None, None]:
        """Settle what the model reads first."""
        spec = self.log.spec
        check = yield from self._run_check()
        files = shortened(list_files(self.worktree.repo), _MOST_FILES)
        before = _describe_check(check) if check else ""
        self.log.open(opening(spec, files, self._model.around, before), check)

    def _step(self) -> Generator[TaskEvent, None, None]:
        """Have the model take a step, carry it out and settle it."""
        number = len(self.log.steps) + 1
        yield StepStarted(number)
        began = self._clock.seconds
        answer = yield from self._ask(began + self._seconds_left())
        step: Step = parse_step(answer.text)
        if not answer.is_whole:
            step = Malformed(f"it was cut off after {answer.tokens} tokens; take a smaller step")
        outcome = yield from self._carry_out(step)
        title = " ".join(outcome.title.split())[:_MOST_TITLE]
        self.log.add(
            StepRecord(
                number=number,
                kind=outcome.kind,
                title=title,
                answer=answer.text,
                reply=outcome.reply,
                commit=self.worktree.commit(f"Step {number}: {title}"),
                same=_name_of(outcome),
                tokens=answer.tokens,
                seconds=round(self._clock.seconds - began, 3),
                cost=self._model.cost() or 0.0,
                ticked=outcome.ticked,
                ends=outcome.ends,
                check=outcome.check,
            )
        )
        steps = self.log.steps
        yield StepEnded(
            number,
            outcome.kind,
            title,
            outcome.paths,
            outcome.problem,
            outcome.check,
            sum(step.tokens for step in steps),
            sum(step.cost for step in steps),
        )

    def _ask(self, end: float) -> Generator[TaskEvent, None, _Answer]:
        """Have the model write a step.

        Args:
            end: When to cut the model off, in seconds of the clock.
        """
        spec = self.log.spec
        system = rules(_allowed(self._tools), self._model.standing)
        context = self._model.context
        messages = messages_of(system, self.log.opening, self.log.steps, context)
        left = spec.budget.tokens - sum(step.tokens for step in _of_budget(self.log))
        speech = self._model.talker.talk(messages, most=min(room_for_answer(context), left))
        answer = _Answer()
        decoder = getincrementaldecoder("utf-8")("replace")
        with closing(speech):
            while self._clock.seconds < end:
                try:
                    item = next(speech)
                except StopIteration as stop:
                    answer.is_whole = bool(stop.value)
                    return answer
                match item:
                    case TokenGenerated():
                        answer.tokens += 1
                        text = decoder.decode(item.piece).replace("\0", "\ufffd")
                        answer.text += text
                        yield StepText(text)
                    case Thought():
                        answer.tokens += item.tokens
                        yield TaskWaits("thinking")
                    case AnswerStarted():
                        answer.text = ""
                        yield StepText("", anew=True)
                    case Waits():
                        yield TaskWaits(item.line)
                    case _:
                        yield TaskWaits()
        answer.is_whole = False
        return answer

    def _carry_out(self, step: Step) -> Generator[TaskEvent, None, _Outcome]:
        """Carry out a step; what is refused is told to the model."""
        ticked = self.log.steps[-1].ticked if self.log.steps else 0
        match step:
            case Edit():
                outcome = yield from self._edit(step)
            case Command():
                outcome = yield from self._command(step)
            case Done():
                return (yield from self._finish(ticked))
            case Malformed():
                reply = f"That is no step: {step.why}. Write one of the three kinds of step."
                outcome = _Outcome("malformed", step.why, reply, problem=step.why)
        outcome.ticked = ticked
        return outcome

    def _edit(self, step: Edit) -> Generator[TaskEvent, None, _Outcome]:
        done = carry_out(step.text, self.worktree)
        title = f"edit {', '.join(done.paths)}" if done.paths else "edit nothing"
        problem = "; ".join((*done.refused, *done.faults))
        outcome = _Outcome("edit", title, done.reply, done.paths, problem)
        if done.paths:
            outcome.check = yield from self._run_check()
        if outcome.check:
            outcome.reply = f"{outcome.reply}\n\nNow {_describe_check(outcome.check)}"
        return outcome

    def _command(self, step: Command) -> Generator[TaskEvent, None, _Outcome]:
        title = f"{step.name} {step.argument}"
        outcome = _Outcome(step.name, title)
        if step.name == "run":
            yield CommandStarted(step.argument)
        work = self._tools.answer(step, self.worktree.repo, self._seconds_left())
        try:
            with closing(work):
                outcome.reply = yield from _waiting(work)
        except (FileError, UsageError) as e:
            outcome.problem = str(e)
            outcome.reply = f"That was refused: {e}."
        return outcome

    def _finish(self, ticked: int) -> Generator[TaskEvent, None, _Outcome]:
        """End the task, or its present item, unless the check fails at the end."""
        spec = self.log.spec
        outcome = _Outcome("done", "done", ticked=ticked)
        if ticked + 1 < len(spec.plan):
            outcome.ticked = ticked + 1
            outcome.title = f"done: {spec.plan[ticked]}"
            plan = describe_plan(spec.plan, outcome.ticked)
            outcome.reply = f"{plan}\nDo item {outcome.ticked + 1} now, then write done."
            return outcome
        outcome.check = yield from self._run_check()
        if outcome.check is None and self.log.commit == spec.base:
            outcome.problem = "no file was changed"
            outcome.reply = "It is not done: no file was changed. Make the edit first."
        elif outcome.check is None or outcome.check.ok:
            outcome.ticked = len(spec.plan)
            outcome.ends = True
        else:
            outcome.problem = f"`{spec.check}` fails"
            outcome.reply = f"It is not done: {_describe_check(outcome.check)}"
        return outcome

    def _run_check(self) -> Generator[TaskEvent, None, CheckRun | None]:
        """Run the check on the files as they are; what it changes in them is taken back.

        Returns:
            None where the task has no check.
        """
        line = self.log.spec.check
        if not line:
            return None
        self.worktree.commit("Before the check")
        yield CommandStarted(line)
        limit = min(CHECK_SECONDS, self._seconds_left())
        work = self._tools.sandbox.run(line, limit)
        with closing(work):
            run = yield from _waiting(work)
        self.worktree.discard()
        output = run.output
        if run.status is None:
            output = f"{output}\n[stopped after {limit:.0f} seconds]"
        return CheckRun(line, run.status == 0, output)

    def _seconds_left(self) -> float:
        """Seconds of the budget that are left; at least one, so that what runs can end."""
        spent = sum(step.seconds for step in _of_budget(self.log))
        return max(1.0, self.log.spec.budget.seconds - spent)


def verdict(log: TaskLog) -> tuple[str, str] | None:
    """Whether a task has ended: DONE or STOPPED, and why; None where it may go on."""
    if log.steps and log.steps[-1].ends:
        return DONE, f"done in {len(log.steps)} steps"
    steps = _of_budget(log)
    if steps and steps[-1].stops:
        return STOPPED, steps[-1].stops
    takes = Counter((step.same, step.commit, step.ticked) for step in steps)
    for step in steps:
        if takes[step.same, step.commit, step.ticked] >= _MOST_REPEATS:
            return STOPPED, f"the model took the same step {_MOST_REPEATS} times: {step.title}"
    if used_up := _used_up(log.spec.budget, steps):
        return STOPPED, f"its budget of {used_up} is used up; `spark task resume {log.id}` goes on"
    return None


def _used_up(budget: Budget, steps: Sequence[StepRecord]) -> str:
    """The part of a budget that is used up; "" for none."""
    if len(steps) >= budget.steps:
        return f"{budget.steps} steps"
    if sum(step.tokens for step in steps) >= budget.tokens:
        return f"{budget.tokens} tokens"
    if sum(step.seconds for step in steps) >= budget.seconds:
        return f"{budget.seconds:g} seconds"
    if 0 < budget.cost <= sum(step.cost for step in steps):
        return f"{budget.cost:g} in money"
    return ""


def _of_budget(log: TaskLog) -> Sequence[StepRecord]:
    """The steps that count for the present budget."""
    return log.steps[log.paid :]


def _name_of(outcome: _Outcome) -> str:
    """A name for a step by which a model is known to repeat itself."""
    if outcome.kind == "malformed":
        return outcome.kind
    words = outcome.reply if outcome.kind == "edit" else outcome.title
    return sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def _allowed(tools: Tools) -> tuple[str, ...]:
    """What `run` may run, for the model."""
    rules_of_run = tools.rules
    if rules_of_run.refusal:
        return ()
    return tuple(filter(None, (*rules_of_run.allowed, rules_of_run.check)))


def _describe_check(check: CheckRun) -> str:
    """A run of the check, as a clause and its output."""
    end = "passes" if check.ok else "fails"
    if check.ok or not check.output:
        return f"`{check.command}` {end}."
    return f"`{check.command}` {end}:\n{fenced('', check.output.splitlines())}"


def _waiting(work: Generator[None, None, T]) -> Generator[TaskEvent, None, T]:
    """Hand on the waiting of what runs, and return what comes of it."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        yield TaskWaits()
