"""The loop of a task: ask the model, carry out its step, settle the step, until the task ends.

A step counts once its line is in the log. Whatever happens before, even a kill, leaves the task as
the previous line left it. Whether a task has ended follows from its log (`verdict`).

What the user says meanwhile (`redirect`, `replan`) is settled like a step, once the step that is
being carried out is settled. `back` gives up that step, and all steps after the place it leads to.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TypeVar

from spark_tui.errors import FileError, UsageError
from spark_tui.providers.base import Talker
from spark_tui.providers.registry import ProviderHost
from spark_tui.session.leftovers import few
from spark_tui.session.request import refuse_too_long
from spark_tui.session.telemetry import StepFigures, Telemetry
from spark_tui.tasks.answer import PAUSES, TOOL_CALL, Answer, hear_patiently
from spark_tui.tasks.check import describe_check, find_absent, run_check, warn_of_absent
from spark_tui.tasks.edits import carry_out
from spark_tui.tasks.events import (
    CommandStarted,
    StepEnded,
    StepStarted,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
)
from spark_tui.tasks.log import GIVEN_UP, REDIRECTED, Budget, CheckRun, StepRecord, TaskLog
from spark_tui.tasks.messages import (
    describe_plan,
    messages_of,
    opening,
    redirection,
    room_for_answer,
    rules,
)
from spark_tui.tasks.steps import Command, Done, Edit, Malformed, Step, parse_step
from spark_tui.tasks.tools import Tools, files_shown
from spark_tui.vcs.worktree import Worktree

T = TypeVar("T")
_MOST_REPEATS = 3
"""How often a model may take the same step on the same files."""
_MOST_TITLE = 80
_MOST_MISSED = 3
"""How many files with edits that did not apply the end of a task names."""
PURPOSE = "for a task"
"""The purpose that an error names where a model can only edit."""
_NOTHING = "an edit that changed nothing"
DONE = "done"
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class TaskModel:
    """The model that works on a task.

    Attributes:
        context: Tokens that the model reads and writes.
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
    talker = host.talker_for(PURPOSE)
    return TaskModel(
        host.in_use, talker, host.context, host.standing, around, lambda: host.answerer.cost
    )


@dataclass(slots=True)
class _Outcome:
    """The outcome of a step.

    Attributes:
        reply: What the model reads next.
        problem: Why the step was refused; "" where it was not.
        setback, missed: As in `StepRecord`.
        ticked: Items of the plan that are done.
    """

    kind: str
    title: str
    reply: str = ""
    paths: tuple[str, ...] = ()
    problem: str = ""
    setback: str = ""
    missed: tuple[str, ...] = ()
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


class _StoppedByUserError(Exception):
    """A command is ended while it runs, because the user has something to say."""


class Task:
    """A task at work. Mutable; one thread iterates `events`.

    `redirect`, `replan` and `back` may be called whenever nobody waits for an event.

    Args:
        log: What is settled of the task.
        worktree: Where its files are.
        model: Writes the steps.
        tools: Carry out the commands.
        telemetry: Notes the figures of steps; None: nothing is noted.
        pauses: Seconds before each further try of a server that fails; None: `PAUSES`.
    """

    def __init__(
        self,
        log: TaskLog,
        worktree: Worktree,
        model: TaskModel,
        tools: Tools,
        telemetry: Telemetry | None = None,
        pauses: Sequence[float] | None = None,
    ) -> None:
        self.log = log
        self._pauses = PAUSES if pauses is None else pauses
        self.worktree = worktree
        self._model = model
        self._tools = tools
        self._telemetry = telemetry or Telemetry()
        self._clock = _Clock()
        self._run: Generator[TaskEvent, None, None] | None = None
        """The generator that works on the task, while somebody iterates `events`."""
        self._words: str | None = None
        """What the user has said, as long as it is not settled."""
        self._is_amid_step = False
        """Whether a step has begun and is not settled."""
        self._is_in_place = False
        """Whether the work tree stands as the last step left it."""

    def events(self) -> Generator[TaskEvent, None, None]:
        """Work on the task to its end; not asking for the next event is a pause.

        Closing the generator gives up the step that is not settled. A task that has ended goes on
        in new events once the user says something or goes back.

        Raises:
            Transient: The endpoint fails, or another process works on the task.
            RepoError: The work tree is gone, or git refuses.
            FileError: The disk refused. In all cases the task can be resumed.
            UsageError: The messages are too long for the model.
        """
        with self.log.held():
            # Another process may have worked on the task since the log was read.
            self.log.read()
            self._is_in_place = False
            self._run = self._work()
            try:
                while True:
                    with self._clock.running():
                        event = next(self._run, None)
                    if event is None:
                        return
                    yield event
            finally:
                self._run.close()
                self._run = None
                self._is_amid_step = False

    def redirect(self, words: str) -> None:
        """Have the task go on with what the user says.

        What the model is writing stays as its message, and none of it is carried out. A step that
        is being carried out is settled first; the command that it runs is ended. All of that
        happens at the next event, and a `StepEnded` of the kind `REDIRECTED` reports it. A budget
        that is used up stays so: `TaskLog.renew` gives another.

        Raises:
            UsageError: There are no words, or too many.
        """
        if not words.strip():
            raise UsageError("there are no words; say how the task is to go on")
        refuse_too_long(words)
        self._words = "\n\n".join(filter(None, (self._words, words.strip())))

    def replan(self, plan: Sequence[str]) -> None:
        """Have the task follow another plan, which reaches the model like words of `redirect`.

        Args:
            plan: All items, with those that are done first.

        Raises:
            UsageError: All items are done, or there are too many.
            Transient: Another process works on the task.
            FileError: The disk refused.
        """
        with self._held():
            ticked = self.log.ticked
            if len(plan) <= ticked:
                raise UsageError("the plan has nothing left to do; write one step a line")
            words = f"{describe_plan(plan, ticked)}\nDo item {ticked + 1} now, then write done."
            refuse_too_long(words)
            self.log.replan(plan)
        self.redirect(words)

    def back(self, ends: int = 1) -> int:
        """Go back to the end of an earlier step, to go on differently from there.

        A step that is not settled is given up, and what it runs is ended; one end further back is
        that of the last step in the log. Later steps no longer count, though the log keeps them,
        and the work tree becomes exactly what it was. Words of `redirect` that are not settled are
        forgotten. The next event is `TaskStarted`.

        Args:
            ends: How many ends of steps to go back, from 1.

        Returns:
            How many steps still count.

        Raises:
            UsageError: The task has no step so far back.
            Transient: Another process works on the task.
            RepoError, FileError: As `events`; going back can be tried again.
        """
        with self._held():
            # A step under way is the first one to go back over.
            count = len(self.log.steps) + self._is_amid_step - ends
            if count < 0:
                raise UsageError("there is no such step; the task begins behind it")
            self._words = None
            # What the step runs is ended first, so that it writes no file afterwards. Then the log:
            # a kill before the files are put back leaves a log that says which belong there.
            if self._run is not None:
                self._run.close()
            if count < len(self.log.steps):
                self.log.back(count)
            self._is_amid_step = False
            self._is_in_place = False
            if self._run is not None:
                self._run = self._work()
            self._put_in_place()
        return count

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let no other process work on the task; read the log anew where one may have written it.

        Raises:
            Transient: Another process does.
        """
        if self._run is not None:
            yield
            return
        with self.log.held():
            self.log.read()
            yield

    def _put_in_place(self) -> None:
        """Have the work tree stand as the last step left it."""
        if not self._is_in_place:
            self.worktree.make(self.log.commit)
        self._is_in_place = True

    def _work(self) -> Generator[TaskEvent, None, None]:
        """Begin, or go on after the last step, and take steps to the end."""
        count = len(self.log.steps)
        redirected = None
        # Settled before anything is looked at, since words have a task go on that has ended;
        # reported once the task has started.
        if self._words is not None:
            redirected = self._settle_words(Answer())
        confined: bool | None = None
        if verdict(self.log) is None:
            self._put_in_place()
            if self.log.spec.check or _allowed(self._tools):
                confined = self._tools.sandbox.is_confined
        yield TaskStarted(self.log.id, str(self.worktree.root), count, confined)
        if redirected is not None:
            yield redirected
        if verdict(self.log) is None and not self.log.opening:
            yield from self._open()
        while self._words is not None or verdict(self.log) is None:
            if self._words is not None:
                yield self._settle_words(Answer())
            else:
                yield from self._step()
        if ended := verdict(self.log):
            yield TaskEnded(*ended)

    def _open(self) -> Generator[TaskEvent, None, None]:
        """Settle the first message that the model reads."""
        spec = self.log.spec
        check = yield from self._run_check()
        before = describe_check(check) if check else ""
        absent = find_absent(check, self.worktree, spec.shared) if check else None
        if absent is not None:
            before = f"{before}\n{warn_of_absent(absent)}"
            yield absent
        files = files_shown(self.worktree.repo)
        self.log.open(opening(spec, files, self._model.around, before), check)

    def _step(self) -> Generator[TaskEvent, None, None]:
        """Have the model take a step, carry it out and settle it."""
        number = len(self.log.steps) + 1
        self._is_amid_step = True
        yield StepStarted(number)
        answer = Answer()
        with self._counted(answer):
            yield from self._take(number, answer)

    def _take(self, number: int, answer: Answer) -> Generator[TaskEvent, None, None]:
        """See `_step`.

        Args:
            answer: Takes what the model writes.
        """
        began = self._clock.seconds
        yield from self._ask(answer, began + self._seconds_left())
        # The user spoke while the model was writing: what stands there is kept as a message, and
        # none of it is carried out.
        if self._words is not None and not answer.is_whole:
            yield self._settle_words(answer, round(self._clock.seconds - began, 3))
            return
        step: Step = parse_step(answer.text)
        if answer.text == TOOL_CALL:
            step = Malformed("you called a tool, and there are none here; write the step as text")
        # Cut off, an answer may end within a block, so none of it is carried out.
        if not answer.is_whole:
            step = Malformed(
                f"the message was cut off after {answer.tokens} tokens; take a smaller step"
            )
        outcome = yield from self._carry_out(step)
        title = " ".join(outcome.title.split())[:_MOST_TITLE]
        # The commit is made before the line that names it: the line makes the step count, so a kill
        # between the two leaves a commit that nobody misses.
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
                cost=self._cost_of(answer),
                ticked=outcome.ticked,
                ends=outcome.ends,
                check=outcome.check,
                setback=outcome.setback,
                changed=outcome.paths,
                missed=outcome.missed,
            )
        )
        self._is_amid_step = False
        self._note(answer, len(outcome.paths))
        yield StepEnded(
            number,
            outcome.kind,
            title,
            outcome.paths,
            outcome.problem,
            outcome.check,
            self.log.tokens,
            self.log.cost,
            outcome.ticked,
        )

    @contextmanager
    def _counted(self, answer: Answer) -> Iterator[None]:
        """Charge what the model wrote to the budget where the step is given up in the `with`."""
        began = self._clock.seconds
        taken = len(self.log.taken)
        try:
            yield
        except BaseException:
            if answer.tokens and len(self.log.taken) == taken:
                seconds = round(self._clock.seconds - began, 3)
                with suppress(FileError):  # the error that ended the step is raised instead
                    self.log.give_up(answer.tokens, seconds, self._cost_of(answer))
            raise

    def _cost_of(self, answer: Answer) -> float:
        """The cost of the latest answer, as far as the server has told it; 0.0 without prices."""
        cost = self._model.cost() if answer.tokens else None
        return cost or 0.0

    def _settle_words(self, answer: Answer, seconds: float = 0.0) -> StepEnded:
        """Settle what the user said.

        Args:
            answer: As much as the model had written.
            seconds: How long that took.
        """
        words = self._words or ""
        number = len(self.log.steps) + 1
        title = " ".join(words.split())[:_MOST_TITLE]
        self.log.add(
            StepRecord(
                number=number,
                kind=REDIRECTED,
                title=title,
                answer=answer.text,
                reply=redirection(words, answer.text),
                commit=self.log.commit,  # nothing was carried out
                same=REDIRECTED,
                tokens=answer.tokens,
                seconds=seconds,
                cost=self._cost_of(answer),
                ticked=self.log.ticked,
            )
        )
        self._words = None
        self._is_amid_step = False
        if answer.tokens:
            self._note(answer, 0)
        return StepEnded(
            number,
            REDIRECTED,
            title,
            (),
            "",
            None,
            self.log.tokens,
            self.log.cost,
            self.log.ticked,
        )

    def _note(self, answer: Answer, files: int) -> None:
        """Note the figures of the step that was settled last.

        Args:
            answer: What the model wrote in it.
            files: How many files it changed.
        """
        step = self.log.steps[-1]
        self._telemetry.note_step(
            StepFigures(
                task=self.log.id,
                model=self._model.name,
                time=datetime.now(UTC),
                kind=step.kind,
                seconds=step.seconds,
                ttft_ms=1000 * (answer.first_seconds or 0.0),
                tokens_per_second=answer.tokens_per_second,
                tokens=step.tokens,
                files=files,
                ends=step.ends,
            )
        )

    def _ask(self, answer: Answer, end: float) -> Generator[TaskEvent, None, None]:
        """Have the model write a step.

        Args:
            answer: Takes what comes.
            end: When to cut the model off, in seconds of the clock.
        """
        spec = self.log.spec
        system = rules(_allowed(self._tools), self._model.standing)
        context = self._model.context
        messages = messages_of(system, self.log.opening, self.log.steps, context)
        left = spec.budget.tokens - sum(step.tokens for step in _of_budget(self.log))
        most = min(room_for_answer(context), left)
        speak = partial(self._model.talker.talk, messages, most=most)
        began = self._clock.seconds
        with closing(hear_patiently(speak, answer, self._pauses)) as heard:
            while self._clock.seconds < end and self._words is None:
                event = next(heard, None)
                if event is None:
                    break
                if answer.text and answer.first_seconds is None:
                    answer.first_seconds = self._clock.seconds - began
                yield event
        answer.seconds = self._clock.seconds - began

    def _carry_out(self, step: Step) -> Generator[TaskEvent, None, _Outcome]:
        """Carry out a step; the model is told what is refused."""
        ticked = self.log.ticked
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
        title = f"edit {', '.join(done.paths)}" if done.paths else _NOTHING
        problem = "; ".join((*done.refused, *done.faults))
        outcome = _Outcome("edit", title, done.reply, done.paths, problem, missed=done.missed)
        if done.refused:
            outcome.setback = "did not apply as a whole" if done.paths else "did not apply"
        if done.paths:
            outcome.check = yield from self._run_check()
        if outcome.check:
            outcome.reply = f"{outcome.reply}\n\nNow {describe_check(outcome.check)}"
        return outcome

    def _command(self, step: Command) -> Generator[TaskEvent, None, _Outcome]:
        title = f"{step.name} {step.argument}"
        outcome = _Outcome(step.name, title)
        if step.name == "run":
            yield CommandStarted(step.argument)
        work = self._tools.answer(step, self.worktree.repo, self._seconds_left())
        try:
            with closing(work):
                answer = yield from self._waiting(work)
                outcome.reply = answer.text
                if answer.has_failed:
                    outcome.setback = "failed"
        except (FileError, UsageError) as e:
            outcome.problem = str(e)
            outcome.setback = "refused"
            outcome.reply = f"That was refused: {e}."
        except _StoppedByUserError:
            outcome.problem = "stopped by the user"
            outcome.setback = "stopped"
            outcome.reply = "The user stopped it."
        return outcome

    def _finish(self, ticked: int) -> Generator[TaskEvent, None, _Outcome]:
        """End the task, or its present item, unless the check fails at the end."""
        spec = self.log.spec
        outcome = _Outcome("done", "done", ticked=ticked)
        # With a plan, the model ends one item at a time; the check is for the last one.
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
            outcome.reply = f"It is not done: {describe_check(outcome.check)}"
        return outcome

    def _run_check(self) -> Generator[TaskEvent, None, CheckRun | None]:
        """Run the check on the files as they are; what it changes in them is taken back.

        Returns:
            None where the task has no check.
        """
        line = self.log.spec.check
        if not line:
            return None
        work = run_check(line, self.worktree, self._tools.sandbox, self._seconds_left())
        try:
            with closing(work):
                return (yield from self._waiting(work))
        except _StoppedByUserError:
            # The check was ended before it could take back what it changed.
            self.worktree.discard()
            return CheckRun(line, ok=False, output="[stopped by the user]")

    def _waiting(self, work: Generator[TaskEvent | None, None, T]) -> Generator[TaskEvent, None, T]:
        """Pass on the events of work that runs, and a `TaskWaits` where it waits.

        Returns:
            The result of the work.

        Raises:
            _StoppedByUserError: The user said something.
        """
        while True:
            try:
                event = next(work)
            except StopIteration as end:
                result: T = end.value
                return result
            yield event or TaskWaits()
            if self._words is not None:
                raise _StoppedByUserError

    def _seconds_left(self) -> float:
        """Seconds of the budget that are left; at least one, so that what runs can end."""
        spent = sum(step.seconds for step in _of_budget(self.log))
        return max(1.0, self.log.spec.budget.seconds - spent)


def verdict(log: TaskLog) -> tuple[str, str] | None:
    """Whether a task has ended: DONE or STOPPED, and why; None where it may go on."""
    if log.steps and log.steps[-1].ends:
        return DONE, _words_of_end(log)
    steps = log.steps[log.heard :]
    if steps and steps[-1].stops:
        return STOPPED, steps[-1].stops
    # A model in a loop: the same step leaves the same files, at the same item of the plan. Only
    # steps since the user last had a say count, as that may have broken the loop.
    takes = Counter((step.same, step.commit, step.ticked) for step in steps)
    for step in steps:
        if takes[step.same, step.commit, step.ticked] >= _MOST_REPEATS:
            return STOPPED, f"the model took the same step {_MOST_REPEATS} times: {step.title}"
    if used_up := _used_up(log.spec.budget, _of_budget(log)):
        return STOPPED, f"its budget of {used_up} is used up; `spark task resume {log.id}` goes on"
    return None


def _words_of_end(log: TaskLog) -> str:
    """How a task came to its end, and which edits of it are not in the files."""
    words = f"done in {len(log.steps)} steps"
    if not log.missed:
        return words
    return f"{words}; edits did not apply: {few(log.missed, _MOST_MISSED)}"


def _used_up(budget: Budget, steps: Sequence[StepRecord]) -> str:
    """The part of a budget that is used up; "" for none."""
    # Words of the user and steps that were given up are no steps of the model; the tokens, seconds
    # and cost below count them.
    if sum(step.kind not in {REDIRECTED, GIVEN_UP} for step in steps) >= budget.steps:
        return f"{budget.steps} steps"
    if sum(step.tokens for step in steps) >= budget.tokens:
        return f"{budget.tokens} tokens"
    if sum(step.seconds for step in steps) >= budget.seconds:
        return f"{budget.seconds:g} seconds"
    if 0 < budget.cost <= sum(step.cost for step in steps):
        return f"{budget.cost:g} in money"
    return ""


def _of_budget(log: TaskLog) -> Sequence[StepRecord]:
    """The steps that the present budget is for."""
    return log.taken[log.paid :]


def _name_of(outcome: _Outcome) -> str:
    """A name for a step that shows whether a model repeats itself."""
    if outcome.kind == "malformed":
        return outcome.kind
    # The title of an edit only names its files; the reply also says which parts did not fit, and
    # why.
    words = outcome.reply if outcome.kind == "edit" else outcome.title
    return sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def _allowed(tools: Tools) -> tuple[str, ...]:
    """What `run` may run, for the model."""
    rules_of_run = tools.rules
    if rules_of_run.refusal:
        return ()
    return tuple(filter(None, (*rules_of_run.allowed, rules_of_run.check)))
