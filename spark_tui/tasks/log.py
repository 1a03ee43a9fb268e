"""What is kept of tasks: a log each, a line of JSON for whatever is settled.

The log is the truth. The first line says what the task is, the second what the model read first;
then comes a line for each whole step. Each line is on stable storage before the task goes on, so a
task that was killed at any moment goes on behind its last line. How a task stands follows from the
lines alone. No line is taken out again: to go back is a line that says how many steps still count.
"""

import json
import math
import os
import re  # noqa: TID251 - reads names and settings
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from spark_tui.errors import FileError, Transient, UsageError
from spark_tui.vcs.blob_store import append_line, sync_folder, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.safe_paths import read_regular

T = TypeVar("T")
FORMAT = 1
_MOST_BYTES = 256 << 20
"""Far more than the log of a long task has."""
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError)
"""What reading a damaged line raises."""
DROPPED = ".dropped"
"""The ending of a log whose task was dropped, as long as something of the task is left."""
REDIRECTED = "redirected"
"""The kind of a step that the user stopped with words."""
GIVEN_UP = "given up"
"""The kind of a step that was given up: only the tokens, seconds and cost that it took count."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a task may use.

    Attributes:
        steps: Messages of the model.
        tokens: Tokens that the model writes, its thoughts included.
        seconds: Seconds at work.
        cost: In the money of the endpoint's prices; 0: no bound.
    """

    steps: int = 40
    tokens: int = 100_000
    seconds: float = 3600.0
    cost: float = 0.0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: A bound is below what any task needs.
        """
        for name in ("steps", "tokens", "seconds"):
            if not getattr(self, name) > 0:
                raise UsageError(f"--{name} {getattr(self, name)}: choose a number above 0")
        if self.cost < 0:
            raise UsageError(f"--cost {self.cost:g}: choose a number from 0")


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What a task is.

    Attributes:
        words: As the user wrote them.
        base: The commit that holds the user's files as they were at the beginning.
        check: The command that must pass at the end; "" for none.
        plan: The items to do one after the other; may be empty.
        shared: What commands read of the user's work tree beside the files of the base.
        begun: When, in ISO 8601.
    """

    id: str
    words: str
    model: str
    base: str
    begun: str
    check: str = ""
    plan: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRun:
    """How the check ended.

    Attributes:
        output: The head and the tail.
    """

    command: str
    ok: bool
    output: str


@dataclass(frozen=True, slots=True)
class PlanItem:
    """An item of an agent's plan; `status` is "pending", "in_progress" or "completed"."""

    content: str
    status: str


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A whole step.

    Attributes:
        number: From 1.
        kind: "edit", "read", "search", "list", "run", "done", "malformed", `REDIRECTED` or
            `GIVEN_UP`; of an agent, the kind of a tool call (see `ToolProgress`), "done",
            "stopped", `REDIRECTED`, or "rest" for changes that no other step settled.
        title: What the step was, in a line.
        answer: What the model wrote; of a redirected step as much as there was, perhaps "".
        reply: What the model reads next; "" where the task ended.
        commit: The files after the step.
        same: A name for the step: steps of one name on the same files do the same.
        ticked: Items of the plan that are done.
        ends: Whether the task is done with this step.
        stops: Why the task does not go on by itself after this step; "" where it does.
        check: The last run of the check, if there was one in this step.
        setback: Why the step was not carried out in full, in a few words such as "refused" or "did
            not apply"; "" where it was.
        changed: The files that an edit changed.
        missed: The files whose edits did not apply, or only in part.
    """

    number: int
    kind: str
    title: str
    answer: str
    reply: str
    commit: str
    same: str
    tokens: int
    seconds: float
    cost: float = 0.0
    ticked: int = 0
    ends: bool = False
    check: CheckRun | None = None
    setback: str = ""
    stops: str = ""
    changed: Sequence[str] = ()
    missed: Sequence[str] = ()


class TaskLog:
    """The log of one task. Mutable.

    Args:
        path: The file of the log.
        disk: The system calls to use.

    Attributes:
        spec: What the task is.
        opening: What the model read first; "" as long as that is not settled.
        first_check: The check before the first step.
        steps: The whole steps that count, in order.
        taken: All steps in order, including those that the user went back over or that were given
            up, since these cost something, too.
        session: What an agent calls its session, where the work tree is as the agent left it; ""
            where it is not, or no agent works on the task.
        agent_plan: The plan that an agent reported last; empty where it reported none.
        skipped: How many whole lines could not be read.
        paid: How many of the steps taken belong to budgets that were used up before.
        heard: How many of the steps came before the user last spoke or renewed the budget.
    """

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path = path
        self._lock = path.with_suffix(".lock")
        self._dropped = path.with_suffix(DROPPED)
        self._disk = disk
        self.spec = TaskSpec("", "", "", "", "")
        self.opening = ""
        self.first_check: CheckRun | None = None
        self.steps: list[StepRecord] = []
        self.taken: list[StepRecord] = []
        self.skipped = 0
        self.paid = 0
        self.heard = 0
        self.session = ""
        self.agent_plan: tuple[PlanItem, ...] = ()

    @property
    def id(self) -> str:
        """The name of the task."""
        return self._path.stem

    @property
    def is_there(self) -> bool:
        """Whether there is a log, be it readable or not."""
        return os.path.lexists(self._path)

    @property
    def commit(self) -> str:
        """The files as the last whole step left them."""
        return self.steps[-1].commit if self.steps else self.spec.base

    @property
    def ticked(self) -> int:
        """How many items of the plan are done."""
        return self.steps[-1].ticked if self.steps else 0

    @property
    def tokens(self) -> int:
        """Tokens that the model wrote, including those of steps that no longer count."""
        return sum(step.tokens for step in self.taken)

    @property
    def cost(self) -> float:
        """What the task cost, steps that no longer count included."""
        return sum(step.cost for step in self.taken)

    @property
    def missed(self) -> tuple[str, ...]:
        """The files with an edit that did not apply, and with no later one that did."""
        left: dict[str, None] = {}
        for step in self.steps:
            for path in step.changed:
                left.pop(path, None)
            left |= dict.fromkeys(step.missed)
        return tuple(left)

    @property
    def check(self) -> CheckRun | None:
        """The last run of the check."""
        runs = [step.check for step in self.steps if step.check]
        return runs[-1] if runs else self.first_check

    def read(self) -> None:
        """Read the log anew, without lines that are damaged or were cut short by a crash.

        Raises:
            FileError: The log is gone, cannot be read, or its first line is damaged.
        """
        with as_disk_error(f"cannot read {self._path}"):
            data = read_regular(self._path, _MOST_BYTES)
        if data is None:
            raise FileError(f"there is no {self._path}; see `spark task list`")
        lines = data.split(b"\n")
        self.skipped = 0
        self.steps = []
        self.taken = []
        self.paid = 0
        self.heard = 0
        self.session = ""
        self.agent_plan = ()
        self.opening = ""
        try:
            self.spec = _read_spec(_object(lines[0]))
        except _DAMAGE as e:
            raise FileError(
                f"{self._path} is damaged; `spark task drop {self._path.stem}` removes it"
            ) from e
        for line in filter(None, lines[1:]):
            try:
                self._take(_object(line))
            except _DAMAGE:
                # The last line has no end where a crash cut it short: nothing is lost with it.
                self.skipped += line is not lines[-1]

    def _take(self, body: dict[str, Any]) -> None:
        """Take a line of the log."""
        kind = body.pop("line")
        if kind == "opening":
            check = _read_check(body["check"])
            self.opening = _typed(str, body["text"])
            self.first_check = check
        elif kind == "step":
            self._take_step(_read_step(body))
        elif kind == GIVEN_UP:
            self.taken.append(_read_step(body))
        elif kind == "session":
            self.session = _typed(str, body["id"])
        elif kind == "agent plan":
            self.agent_plan = tuple(_record(PlanItem, item) for item in body["items"])
        elif kind == "resumed":
            self._take_budget(_record(Budget, body["budget"]))
        elif kind == "back":
            self._take_back(_typed(int, body["steps"]))
        elif kind == "plan":
            self.spec = replace(self.spec, plan=_texts(body["plan"]))

    def _take_step(self, step: StepRecord) -> None:
        self.steps.append(step)
        self.taken.append(step)
        if step.kind == REDIRECTED:
            self.heard = len(self.steps)

    def _take_budget(self, budget: Budget) -> None:
        self.spec = replace(self.spec, budget=budget)
        self.paid = len(self.taken)
        self.heard = len(self.steps)

    def _take_back(self, count: int) -> None:
        del self.steps[count:]
        self.heard = min(self.heard, count)

    def begin(self, spec: TaskSpec) -> None:
        """Write the first line.

        Raises:
            FileError: The disk refused.
        """
        self.spec = spec
        body = {"line": "task", "format": FORMAT} | asdict(spec)
        if not spec.shared:
            del body["shared"]  # a spark that shares nothing reads the log, too
        with as_disk_error(f"cannot write {self._path}"):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path, _line(body), self._disk)
            sync_folder(self._path.parent, self._disk)

    def open(self, text: str, check: CheckRun | None) -> None:
        """Settle what the model reads first.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "opening", "text": text, "check": check and asdict(check)})
        self.opening = text
        self.first_check = check

    def enter(self, session: str) -> None:
        """Settle the session of an agent.

        Args:
            session: What the agent calls it; "": from now on the work tree is not the agent's.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "session", "id": session})
        self.session = session

    def follow(self, plan: Sequence[PlanItem]) -> None:
        """Settle the plan of an agent.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "agent plan", "items": [asdict(item) for item in plan]})
        self.agent_plan = tuple(plan)

    def add(self, step: StepRecord) -> None:
        """Settle a step.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "step"} | asdict(step))
        self._take_step(step)

    def give_up(self, tokens: int, seconds: float, cost: float) -> None:
        """Note what a step took that is given up; nothing else of the step counts.

        Raises:
            FileError: The disk refused.
        """
        step = StepRecord(
            number=len(self.steps) + 1,
            kind=GIVEN_UP,
            title="",
            answer="",
            reply="",
            commit=self.commit,
            same=GIVEN_UP,
            tokens=tokens,
            seconds=seconds,
            cost=cost,
        )
        self._append({"line": GIVEN_UP} | asdict(step))
        self.taken.append(step)

    def back(self, count: int) -> None:
        """Let only the first steps count from here on.

        Args:
            count: How many.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "back", "steps": count})
        self._take_back(count)

    def replan(self, plan: Sequence[str]) -> None:
        """Let the task have another plan from here on.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "plan", "plan": list(plan)})
        self.spec = replace(self.spec, plan=tuple(plan))

    def renew(self, budget: Budget) -> None:
        """Give the task a budget from here on, where it used up the one before.

        Raises:
            FileError: The disk refused.
        """
        self._append({"line": "resumed", "budget": asdict(budget)})
        self._take_budget(budget)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no other process work on the task for the length of a `with`.

        Raises:
            Transient: Another process does.
        """
        try:
            with exclusive(self._lock, patience=0.0):
                yield
        except Transient as e:
            # The body of the `with` may raise Transient, too, where an endpoint fails. Only the
            # lock's own has this cause.
            if isinstance(e.__cause__, BlockingIOError):
                raise Transient(f"task {self.id} is at work in another process") from e
            raise

    @property
    def is_held(self) -> bool:
        """Whether a process works on the task now."""
        try:
            with self.held():
                return False
        except Transient:
            return True

    def drop(self) -> None:
        """Take the log away from the logs of tasks, in one step; `remove` ends that.

        Raises:
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot remove {self._path}"):
            if self.is_there:
                self._disk.rename(str(self._path), str(self._dropped))
                sync_folder(self._path.parent, self._disk)

    def remove(self) -> None:
        """Remove what is left of a log that was dropped, the lock last.

        Raises:
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot remove {self._path}"):
            # Nothing says that a log is a file: it may be damaged in any way.
            if self._dropped.is_dir() and not self._dropped.is_symlink():
                shutil.rmtree(self._dropped)
            self._disk.remove(str(self._dropped))
            self._disk.remove(str(self._lock))

    def _append(self, body: Mapping[str, Any]) -> None:
        with as_disk_error(f"cannot write {self._path}"):
            append_line(self._path, _line(body), self._disk, sync=True)


def _line(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n"


def _read_spec(body: dict[str, Any]) -> TaskSpec:
    if body.pop("line") != "task" or body.pop("format") != FORMAT:
        raise ValueError
    budget = _record(Budget, body["budget"])
    lists = {"plan": _texts(body["plan"]), "shared": _texts(body.get("shared", ()))}
    return _record(TaskSpec, body | lists | {"budget": budget})


def _read_step(body: dict[str, Any]) -> StepRecord:
    lists = {name: _texts(body.get(name, ())) for name in ("changed", "missed")}
    step = _record(StepRecord, body | lists | {"check": _read_check(body.get("check"))})
    if not _COMMIT.fullmatch(step.commit):
        raise ValueError
    return step


def _read_check(body: dict[str, Any] | None) -> CheckRun | None:
    return _record(CheckRun, body) if body else None


def _object(line: bytes) -> dict[str, Any]:
    """A line as the object that it holds."""
    body: dict[str, Any] = _typed(dict, json.loads(line))
    return body


def _record(kind: type[T], body: Any) -> T:
    """A record, once its texts and numbers are of the types that they are to be.

    Raises:
        ValueError, TypeError, UsageError: They are not.
    """
    record = kind(**_typed(dict, body))
    for name, wanted in get_type_hints(kind).items():
        value = getattr(record, name)
        if wanted in {str, int, bool, float}:
            _typed((int, float) if wanted is float else wanted, value)
        # json reads numbers beyond all bounds, and those that are none.
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
    return record


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_typed(str, value) for value in values)


def _typed(wanted: Any, value: Any) -> Any:
    """A value of the type that it is to be.

    Raises:
        TypeError: It is of another one.
    """
    # True is an int to Python.
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise TypeError
    return value
