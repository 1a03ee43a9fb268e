"""Trying edits out: the user's own command, in a copy of the tracked files, never in the work tree."""

import re
import shlex
import tempfile
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from math import inf
from pathlib import Path

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.documents import apart
from spark_tui.editing.headings import is_document
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import Trying
from spark_tui.session.fixing.outcome import last_lines, own_reason, wanted
from spark_tui.session.fixing.sandbox import Running, copy_tracked, lacking_program, write_version
from spark_tui.vcs.repository import Repository

BUDGET_SECONDS = 60.0
_TAIL_BYTES = 1 << 15
FIRST_SHARE = 0.25
"""How much of the budget a first run may take."""
LEAST_LIMIT_SECONDS = 10.0
QUICK_SECONDS = 2.0
"""What a run may take at least the first time: a small change that takes far longer than the file as it is hangs."""
_LONGER_SECONDS = 6.0
"""How much longer than the file as it is a small change may take at most the first time."""
_SLOW_SECONDS = 0.4
"""From how long a run takes on it is worth while to have a runner of tests stop at the first that fails."""
_PYTEST = re.compile(r"(?m)^=+ short test summary info =+$|^(?:=+ )?\d+ failed\b.* in \d+\.\d+s")
_FIRST_FAILING = "-x --ff"
"""What has pytest begin with the tests that failed before, and stop at the first that does."""
_FAILED_TEST = re.compile(r"^FAILED (?P<test>\S+\.py::\S+)(?: - .*)?$", re.MULTILINE)
_MOST_TESTS = 3
"""Of those that fail, that are run before all are."""
_USAGE = 4
"""What pytest ends with where it does not know an option."""
HANGING_SHARE = 0.025
"""How much of the budget a run may take where the one without an edit did not end: it may be what has to be mended."""
_CANNOT_RUN = (126, 127)
"""What a shell ends with when a program is not executable, or not there."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: the exit status, None when it was stopped, the end of its output, and how long it took."""

    status: int | None
    output: str
    seconds: float

    @property
    def said(self) -> str:
        """The last line of output."""
        return next(reversed(self.output.strip().splitlines()), "").strip()


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the user's own that answers must pass.

    Args: line: for the shell. budget: seconds to look for a repair; a first run may take FIRST_SHARE of them. first:
        how it ended without an edit, where that is known already.
    Raises: UsageError: no budget.
    """

    repo: Repository
    line: str
    budget: float = BUDGET_SECONDS
    first: Run | None = None

    def __post_init__(self) -> None:
        if not self.line.strip():
            raise UsageError("the command to check with is empty; write one that must pass, such as --check pytest")
        if program := lacking_program(self.line, self.repo.root):
            raise UsageError(f"the command `{self.line}` cannot run: there is no program {program}; check its name")
        if not 0 < self.budget < inf:
            raise UsageError(f"budget is {self.budget:g}; choose a number of seconds above 0")


class Trial:
    """Runs a command on versions of one file, in one copy of the tracked files. Mutable.

    The copy is made when first needed and lasts until `close`. What runs is a generator that yields the event it was
    given while it waits; closing it kills the command and all that it started.

    Args: path: relative to the root; "" where only `run_unedited` is of interest. base: the file without an edit.
    """

    def __init__(self, command: Command, path: str, base: Text) -> None:
        self.command = command
        self.passed_before: bool | None = None
        """Whether the command passes without an edit; None while it is not known."""
        self.unfinished = 0.0
        """After how many seconds the command was stopped without an edit; 0 when it ended."""
        self.said = ""
        """The last line that the command put out, of all its runs."""
        self.first: Run | None = None
        """The run without an edit, once there was one."""
        self._path, self.base = path, base
        self._written = set(apart(base)) if is_document(base.raw) else set[str]()
        self._spent, self._runs = 0.0, 0
        # Two runs at least must fit in: the file as it is, and what was answered.
        self._limit = min(max(LEAST_LIMIT_SECONDS, FIRST_SHARE * command.budget), command.budget / 2)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._tried: dict[Text, Check] = {}
        self._hung = set[Text]()
        self._quicker = ""
        """The options that may have the command fail sooner, where it is pytest, and slow."""
        if command.first:
            self._take_first(command.first)

    @property
    def left(self) -> float:
        """Seconds of the budget that no run has taken yet."""
        return max(0.0, self.command.budget - self._spent)

    @property
    def run_seconds(self) -> float:
        """How long a run took on average."""
        return self._spent / max(self._runs, 1)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """What the command said last without an edit, where that did not pass."""
        return last_lines(self.first.output) if self.first and self.first.status != 0 else ()

    def knows(self, file: Text) -> bool:
        """Whether a version was tried already."""
        return file in self._tried

    def hung(self, file: Text) -> bool:
        """Whether a version did not end in the time that it was given, and may be given more."""
        return file in self._hung

    def run(
        self, file: Text, trying: Trying, most_seconds: float = inf, *, again: bool = False
    ) -> Generator[Trying, None, Check]:
        """Try a version of the file; the first time, after the file as it is.

        Args: again: one that hung is given more time.
        Returns: the check "command"; its detail says how it failed, or that it passes without the edit, too.
        """
        yield from self.run_unedited(trying)
        if file not in self._tried or again:
            limit = min(max(self._limit, LEAST_LIMIT_SECONDS) if again else self._limit, most_seconds, self.left)
            if limit <= 0:
                return Check("command", ok=False, detail=f"no time was left to run `{self.command.line}`")
            run = yield from self._run_quickly(file, trying, limit)
            if run.status is not None and self.unfinished:
                self._limit = _patience(run.seconds)
            if run.status is None and not again:
                self._hung.add(file)
            else:
                self._hung.discard(file)
            self._tried[file] = Check("command", ok=run.status == 0, detail=self._detail(run, limit))
        return self._tried[file]

    def _run_quickly(self, file: Text, trying: Trying, limit: float) -> Generator[Trying, None, Run]:
        """Run the command; with pytest, only until a test fails. What passes so has passed the command itself, too."""
        if self._quicker:
            run = yield from self._run(file, trying, min(limit, self.left), options=self._quicker)
            if run.status == _USAGE:
                self._quicker = ""
            elif run.status != 0:
                return run
        return (yield from self._run(file, trying, min(limit, self.left)))

    def run_unedited(self, trying: Trying) -> Generator[Trying, None, None]:
        """Find out whether the command passes without an edit, and how long it takes, unless that is known."""
        if self.passed_before is None:
            self._take_first((yield from self._run(self.base, trying, self._limit, asking=True)))

    def _take_first(self, run: Run) -> None:
        self.first = run
        if run.status in _CANNOT_RUN:
            raise UsageError(f"`{self.command.line}` cannot run in a copy of the tracked files: {run.said}")
        self.passed_before = run.status == 0
        if run.status is None:
            self.unfinished = self._limit
            self._limit = max(1.0, HANGING_SHARE * self.command.budget)
        else:
            self._limit = _patience(run.seconds)
            if run.seconds >= _SLOW_SECONDS and _PYTEST.search(run.output):
                tests = [shlex.quote(test) for test in _FAILED_TEST.findall(run.output)[:_MOST_TESTS]]
                self._quicker = " ".join([_FIRST_FAILING, *tests])

    def own_reason(self, region: Region) -> str:
        """Why the command fails whatever is changed in a place, or "" where that cannot be told."""
        run = self.first
        if run is None or not run.status:
            return ""
        reason = own_reason(run.status, run.output, region)
        root, copy = self.command.repo.root, self._copy()
        for path in wanted(reason):
            if (root / path).exists() and not (copy / path).exists():
                return f"{reason}; {path} is not tracked, and the copy has tracked files only: `git add {path}` first"
        return reason

    def close(self) -> None:
        """Remove the copy."""
        if self._folder:
            self._folder.cleanup()
        self._folder = None

    def _detail(self, run: Run, limit: float) -> str:
        line = self.command.line
        if run.status == 0:
            return f"`{line}` passes without the edit, too" if self.passed_before else ""
        if run.status is None:
            return f"`{line}` did not finish in {limit:.3g} s"
        return f"`{line}` ended with {run.status}" + (f": {run.said}" if run.said else "")

    def _run(
        self, file: Text, trying: Trying, limit: float, *, asking: bool = False, options: str = ""
    ) -> Generator[Trying, None, Run]:
        """Run the command. Args: asking: if it hangs, have it say where. options: for pytest."""
        folder = self._copy()
        if self._path:
            self._write(folder, file)
        began = time.monotonic()
        with closing(Running(self.command.line, folder, limit, options)) as output:
            for _ in output:
                yield trying
            if asking:
                output.interrupt()
        seconds = time.monotonic() - began
        self._spent, self._runs = self._spent + seconds, self._runs + 1
        run = Run(output.result, output.take()[-_TAIL_BYTES:].decode("utf-8", "replace"), seconds)
        self.said = run.said
        return run

    def _write(self, folder: Path, file: Text) -> None:
        """Have the copy be as a version is: every file of several, so that nothing of an earlier one is left."""
        versions = apart(file) if is_document(self.base.raw) else {self._path: file}
        for gone in self._written - versions.keys():
            (folder / gone).unlink(missing_ok=True)
        for path, version in versions.items():
            write_version(folder / path, version.to_bytes())
        self._written |= versions.keys()

    def _copy(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="spark-check-", ignore_cleanup_errors=True)
            copy_tracked(self.command.repo, Path(self._folder.name))
        return Path(self._folder.name)


def _patience(seconds: float) -> float:
    """How long a run may take where the one before took so long."""
    return max(QUICK_SECONDS, min(4 * seconds, seconds + _LONGER_SECONDS))
