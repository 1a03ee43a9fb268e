"""Runs the user's own command in a copy of the tracked files, never in the work tree.

From the bottom up: `RunningCommand` runs a command line and leaves nothing behind; `copy_tracked`
and `write_version` make the copy; `own_reason` reads from the output whether any small change could
make the command pass at all; and `Trial` runs a `TrialCommand` on versions of a file.
"""

import os
import re  # noqa: TID251 - reads another program's output
import secrets
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path, PurePosixPath

from spark_tui import system
from spark_tui.context.fault_locations import FRAME
from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.line_diff import is_document
from spark_tui.editing.multi_file import apart
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import TrialProgress
from spark_tui.session.external import PLAIN_SHELL, ShellRun
from spark_tui.vcs.git import run_git
from spark_tui.vcs.processes import started_with
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.temporary_folder import TemporaryFolder

_POLL_SECONDS = 0.1  # between two looks at a run, at which a turn can be paused or closed
_TELLING_SECONDS = 1.0
"""How long a hanging program may take to report where it was, after SIGINT."""
_MARK = "SPARK_CHECK"
"""The variable that marks every process that a run started."""
_MOST_ROUNDS = 5
"""How often processes are killed that others started meanwhile."""
_LOOK_SECONDS = 5.0
"""How long the shell may take to find a program."""
_SHELL = frozenset("\\|&;<>()$`*?[{}~!#'\"=\n")
"""Characters that only the shell can interpret."""


class RunningCommand(ShellRun):
    """A running command line; iterating waits for its end, within a time limit.

    After `close` no process of its group lives on, nor any that left the group, as daemons do; on
    Linux nor after spark itself was killed.

    Attributes:
        result: The exit status once iterated; None when the time was up.
    """

    def __init__(
        self,
        line: str,
        folder: Path,
        limit: float,
        options: str = "",
        base: Mapping[str, str] | None = None,
        descriptors: Sequence[int] = (),
    ) -> None:
        self._mark = secrets.token_hex(16)
        env = {"PYTHONDONTWRITEBYTECODE": "1", _MARK: self._mark}
        if options:
            env["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} {options}"
        self.result: int | None = None
        self._end = time.monotonic() + limit
        super().__init__(line, folder, PLAIN_SHELL, env, base, descriptors, is_kept=True)

    def __iter__(self) -> Iterator[None]:
        while self.status is None and time.monotonic() < self._end:
            self.wait(_POLL_SECONDS)
            yield
        self.result = self.status
        # The process has ended, but the thread that reads its output may not have read the end.
        if self.result is not None:
            self.wait(_POLL_SECONDS)

    def interrupt(self) -> None:
        """Let a command that still runs end by itself.

        A Python program ends with a traceback that tells where it was.
        """
        if self.result is None:
            self._signal(signal.SIGINT)
            self.wait(_TELLING_SECONDS)

    def close(self) -> None:
        """Kill whatever is left of the command."""
        # The process group first, then whatever left the group: the mark in its environment tells
        # where there is no keeper.
        self.kill()
        system.send(self._process.pid, system.KILL)
        self._process.wait()
        # Several rounds, as a process may have started another one just before its end.
        for _ in range(_MOST_ROUNDS):
            if not _kill_all(self._mark):
                break
        self.wait(_POLL_SECONDS)


def _kill_all(mark: str) -> int:
    """Kill the processes that a run started, as far as the system tells.

    Returns:
        The number of them.
    """
    killed = 0
    for process in started_with(_MARK, mark):
        with suppress(OSError):  # it ended
            os.kill(process, system.KILL)
            killed += 1
    return killed


def write_version(target: Path, content: bytes) -> None:
    """Write the file under trial.

    Bytecode that Python compiled from an earlier version is removed: Python recognizes bytecode by
    the size of its source and the second of the last change, which two versions may share.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()  # the link may lead out of the copy
    target.write_bytes(content)
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()


def copy_tracked(repo: Repository, folder: Path) -> None:
    """Copy every tracked file as it is now.

    Links stay links; files that are gone, what is no file, and what lies behind a link in place of
    a folder are left out.
    """
    listed = run_git(["ls-files", "-z", "--cached"], git_dir=repo.git_dir, work_tree=repo.root)
    for name in filter(None, listed.split(b"\0")):
        source = repo.root / os.fsdecode(name)
        target = folder / os.fsdecode(name)
        is_own = source.parent.resolve() == source.parent
        if is_own and (source.is_file() or source.is_symlink()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def lacking_program(line: str, folder: Path) -> str:
    """The program of a command line, if a folder does not have it.

    "" where the program is there, or only the shell can tell.
    """
    program = line.split(maxsplit=1)[0]
    if _SHELL & set(program) or _is_there(program, folder):
        return ""
    return program


def _is_there(program: str, folder: Path) -> bool:
    """Whether a shell in a folder finds a program: by its path, on the PATH, or built in."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    asked = [PLAIN_SHELL, "-c", 'command -v -- "$1"', "sh", program]
    try:
        found = subprocess.run(
            asked, cwd=folder, capture_output=True, timeout=_LOOK_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return True  # the first run will tell
    return found.returncode == 0


MOST_LINES = 8
"""Lines of the output that are shown."""
TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]+")
"""A token of code, or of what a command says about code."""
# pytest, and unittest, which says NO TESTS RAN since Python 3.12.
_NO_TESTS = re.compile(
    r"^no tests ran in\b|\bcollected 0 items\b|^(?:NO TESTS RAN|Ran 0 tests)\b", re.MULTILINE
)
# pytest, argparse, Python itself, make, and the shells.
_USAGE_TEXT = re.compile(
    r"^(?:ERROR: )?(?P<why>(?:file or directory not found|not found): .+|.*\berror: "
    r"(?:unrecognized|the following) .+"
    r"|.*(?:can't open file|cannot open|No rule to make target|No module named).*"
    r"|.*(?:No such file or directory|command not found|: not found))$",
    re.MULTILINE,
)
_BEFORE_WORK = (2, 4)
"""Exit statuses of pytest, argparse, Python and make that never got to the work."""
# pytest collecting tests, unittest, and pytest reading a conftest.py.
_LOADING = re.compile(
    r"\berrors? during collection\b|\bFailed to import test module\b|\berror while loading "
    r"conftest\b"
)
# An error that keeps Python from loading code, as Python prints it or, behind an "E", pytest.
_ERROR = re.compile(
    r"^(?:E +)?(?P<why>(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|TabError): "
    r"(?!Failed to import test module).+)$",
    re.MULTILINE,
)
_WANTED = re.compile(
    r"(?:No module named|from) ['\"]?(?P<module>[\w.]+)|not found: (?P<path>[^\s:]+)|open file "
    r"'(?P<file>[^']+)'"
)
# Any error, printed in these two ways.
_RAISED = re.compile(
    r"^(?:E +)?(?P<error>(?:\w+\.)*\w+(?:Error|Exception|Iteration|Warning): .+)$", re.MULTILINE
)
_MOST_ERRORS = 2
"""Errors that are read from one output."""
# The copy's own folder (see `Trial._copy`), which is cut out of what is read and shown.
_COPY = re.compile(r"(?:/\S*)?/spark-tui-check-[^/\s]+/")
# A line of one repeated sign, as pytest draws them, with or without a title; or a blank line.
_RULE = re.compile(r"(?P<rule>[=_.!-])(?P=rule)*(?: .* (?P=rule)+)?|\s*")


def own_reason(status: int, output: str, place: Region | None = None) -> str:
    """Why a command fails whatever is changed in a place, or anywhere, as a clause.

    "" where that cannot be told.
    """
    output = _COPY.sub("", output).rstrip().lstrip("\n")
    lines = output.splitlines()
    # A wrong option or a missing file: no code has run. A traceback would mean that some has.
    if (status in _BEFORE_WORK or len(lines) == 1) and "Traceback" not in output:
        refusal = _USAGE_TEXT.search(output)
        if refusal:
            return refusal["why"].strip()
    if _NO_TESTS.search(output) and status:
        return "it finds no tests to run"
    # Code that cannot even be imported: unless the place itself is at fault, no edit there helps.
    if _LOADING.search(output) or (lines and _ERROR.fullmatch(lines[-1])):
        return _loading(output, place)
    return ""


def wanted(reason: str) -> tuple[str, ...]:
    """The paths that a reason says are missing, relative to where the command ran."""
    found = _WANTED.search(reason)
    if not found:
        return ()
    path = (found["path"] or found["file"] or "").partition("::")[0]
    inner = (found["module"] or "").replace(".", "/")
    return (path,) if path else (f"{inner}.py", f"{inner}/__init__.py")


def lines_named(output: str, place: Region) -> frozenset[int]:
    """The 1-based lines of a place that the tracebacks of an output name."""
    frames = map(_at, FRAME.finditer(_COPY.sub("", output)))
    return frozenset(line for path, line in frames if _holds(place, path, line))


def errors_said(output: str) -> tuple[str, ...]:
    """The errors that were raised, the last first, without the assertions of tests."""
    raised = [match["error"].strip() for match in _RAISED.finditer(output)]
    errors = [error for error in reversed(raised) if not error.startswith("AssertionError")]
    return tuple(dict.fromkeys(errors))[:_MOST_ERRORS]


def last_lines(output: str) -> tuple[str, ...]:
    """The last lines of an output, without blank lines and rules."""
    lines = [line.rstrip() for line in _COPY.sub("", output).splitlines()]
    return tuple([line for line in lines if not _RULE.fullmatch(line)][-MOST_LINES:])


def _loading(output: str, place: Region | None) -> str:
    """The first error that kept code from being loaded and did not come by way of a place."""
    begin = 0
    for error in _ERROR.finditer(output):
        frames = [_at(match) for match in FRAME.finditer(output, begin, error.start())]
        begin = error.end()
        if place and _leads_to(place, error["why"], frames):
            continue
        if not frames:
            return error["why"]
        path, line = frames[-1]
        return f"{error['why']} ({path}:{line})"
    return ""


def _leads_to(place: Region, why: str, frames: Iterable[tuple[str, int]]) -> bool:
    """Whether an error at some lines came about by way of a place."""
    if any(_holds(place, path, line) for path, line in frames):
        return True
    needed = re.search(r" from '([\w.]+)'", why)
    return needed is not None and _is_module(place.path, needed[1])


def _holds(place: Region, path: str, line: int) -> bool:
    """Whether a line named by an output is in a place."""
    own = PurePosixPath(place.path).parts
    is_same_file = PurePosixPath(path).parts[-len(own) :] == own
    return is_same_file and place.start_line <= line <= place.end_line


def _is_module(path: str, name: str) -> bool:
    """Whether a file is imported by a name."""
    own = ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")
    return f".{own}".endswith(f".{name}")


def _at(frame: re.Match[str]) -> tuple[str, int]:
    return frame["path"] or frame["short"], int(frame["line"] or frame["number"])


BUDGET_SECONDS = 60.0
"""How long a search for a repair takes by default."""
_TAIL_BYTES = 1 << 15
"""Bytes of the output that are read: its end."""
FIRST_SHARE = 0.25
"""The share of the budget that a first run may take."""
LEAST_LIMIT_SECONDS = 10.0
QUICK_SECONDS = 2.0
"""The least time limit of a small change's first run.

A change that takes far longer than the file as it is hangs.
"""
_LONGER_SECONDS = 6.0
"""How much longer than the file as it is a small change's first run may take."""
_SLOW_SECONDS = 0.4
"""How slow a run must be before pytest is made to stop at the first failing test."""
# The end of pytest's output: its summary, or with -q the counts alone.
_PYTEST = re.compile(r"(?m)^=+ short test summary info =+$|^(?:=+ )?\d+ failed\b.* in \d+\.\d+s")
_FIRST_FAILING = "-x --ff"
"""Options for pytest: first the tests that failed before, and stop at the first failure."""
_FAILED_TEST = re.compile(r"^FAILED (?P<test>\S+\.py::\S+)(?: - .*)?$", re.MULTILINE)
_MOST_TESTS = 3
"""Failing tests that are run before all are."""
_USAGE = 4
"""The exit status of pytest for an unknown option."""
HANGING_SHARE = 0.025
"""The share of the budget for a run where the command hangs without an edit.

The hanging may be what has to be mended.
"""
_CANNOT_RUN = (126, 127)
"""The exit statuses of a shell when a program is not executable, or not there."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended.

    Attributes:
        status: The exit status; None when the run was stopped.
        output: The end of the output.
    """

    status: int | None
    output: str
    seconds: float

    @property
    def last_line(self) -> str:
        """The last line of the output."""
        return next(reversed(self.output.strip().splitlines()), "").strip()


@dataclass(frozen=True, slots=True)
class TrialCommand:
    """A command of the user's own that answers must pass.

    Args:
        line: The command line for the shell.
        budget: Seconds to look for a repair; a first run may take FIRST_SHARE of them.
        first: The run without an edit, where that is known already.

    Raises:
        UsageError: The command is empty or cannot run, or the budget is no time.
    """

    repo: Repository
    line: str
    budget: float = BUDGET_SECONDS
    first: Run | None = None

    def __post_init__(self) -> None:
        if not self.line.strip():
            raise UsageError(
                "the command to check with is empty; write one that must pass, such as pytest"
            )
        if program := lacking_program(self.line, self.repo.root):
            raise UsageError(
                f"the command `{self.line}` cannot run: there is no program {program}; check "
                f"its name"
            )
        if not 0 < self.budget < inf:
            raise UsageError(f"budget is {self.budget:g}; choose a number of seconds above 0")


class Trial:
    """Runs a command on versions of one file, in one copy of the tracked files. Mutable.

    The copy is made when first needed and lasts until `close`. A run is a generator that yields the
    event it was given while it waits; closing it kills the command and all that it started.

    Args:
        path: Relative to the root; "" where only `run_unedited` matters.
        base: The file without an edit.
    """

    def __init__(self, command: TrialCommand, path: str, base: Text) -> None:
        self.command = command
        self.passed_before: bool | None = None
        """Whether the command passes without an edit; None: not known yet."""
        self.unfinished = 0.0
        """After how many seconds the command was stopped without an edit; 0: it ended."""
        self.last_line = ""
        """The last output line of the last run."""
        self.first: Run | None = None
        """The run without an edit, once there was one."""
        self._path = path
        self.base = base
        self._written = set(apart(base)) if is_document(base.raw) else set[str]()
        self._spent = 0.0
        self._runs = 0
        # At least two runs must fit in: of the file as it is, and of an answer.
        self._limit = min(
            max(LEAST_LIMIT_SECONDS, FIRST_SHARE * command.budget), command.budget / 2
        )
        self._folder: TemporaryFolder | None = None
        self._tried: dict[Text, Check] = {}
        self._hung = set[Text]()
        self._quicker = ""
        """Options that make a slow pytest fail sooner."""
        if command.first:
            self._take_first(command.first)

    @property
    def left(self) -> float:
        """Seconds of the budget that no run has used."""
        return max(0.0, self.command.budget - self._spent)

    @property
    def run_seconds(self) -> float:
        """How long a run took on average, in seconds."""
        return self._spent / max(self._runs, 1)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last output lines without an edit, where the command did not pass."""
        return last_lines(self.first.output) if self.first and self.first.status != 0 else ()

    def knows(self, file: Text) -> bool:
        """Whether a version was tried already."""
        return file in self._tried

    def hung(self, file: Text) -> bool:
        """Whether a version ran out of time and may be given more."""
        return file in self._hung

    def run(
        self, file: Text, trying: TrialProgress, most_seconds: float = inf, *, again: bool = False
    ) -> Generator[TrialProgress, None, Check]:
        """Try a version of the file; the first time, after the file as it is.

        Args:
            again: Whether a version that hung is given more time.

        Returns:
            The check "command"; its detail says how it failed, or that it passes without the edit,
                too.
        """
        yield from self.run_unedited(trying)
        if file not in self._tried or again:
            patience = max(self._limit, LEAST_LIMIT_SECONDS) if again else self._limit
            limit = min(patience, most_seconds, self.left)
            if limit <= 0:
                return Check(
                    "command", ok=False, detail=f"no time was left to run `{self.command.line}`"
                )
            run = yield from self._run_quickly(file, trying, limit)
            # The file as it is hangs, so only a version that ends tells how long a run takes.
            if run.status is not None and self.unfinished:
                self._limit = _patience(run.seconds)
            if run.status is None and not again:
                self._hung.add(file)
            else:
                self._hung.discard(file)
            self._tried[file] = Check(
                "command", ok=run.status == 0, detail=self._detail(run, limit)
            )
        return self._tried[file]

    def _run_quickly(
        self, file: Text, trying: TrialProgress, limit: float
    ) -> Generator[TrialProgress, None, Run]:
        """Run the command; with pytest, first only until a test fails.

        A version that passes has passed the command itself, too.
        """
        if self._quicker:
            run = yield from self._run(file, trying, min(limit, self.left), options=self._quicker)
            if run.status == _USAGE:
                self._quicker = ""
            elif run.status != 0:
                return run
        return (yield from self._run(file, trying, min(limit, self.left)))

    def run_unedited(self, trying: TrialProgress) -> Generator[TrialProgress, None, None]:
        """Find out, unless known, whether the command passes without an edit and how soon."""
        if self.passed_before is None:
            self._take_first((yield from self._run(self.base, trying, self._limit, asking=True)))

    def _take_first(self, run: Run) -> None:
        self.first = run
        if run.status in _CANNOT_RUN:
            raise UsageError(
                f"`{self.command.line}` cannot run in a copy of the tracked files: {run.last_line}"
            )
        self.passed_before = run.status == 0
        if run.status is None:
            # The bug itself may be the hang. A fix then ends soon, so each try gets little time.
            self.unfinished = self._limit
            self._limit = max(1.0, HANGING_SHARE * self.command.budget)
        else:
            self._limit = _patience(run.seconds)
            # A wrong change most likely fails a test that failed before: run these first, and
            # stop at the first failure.
            if run.seconds >= _SLOW_SECONDS and _PYTEST.search(run.output):
                tests = [
                    shlex.quote(test) for test in _FAILED_TEST.findall(run.output)[:_MOST_TESTS]
                ]
                self._quicker = " ".join([_FIRST_FAILING, *tests])

    def own_reason(self, region: Region) -> str:
        """Why the command fails whatever is changed in a place, or "" where unknown."""
        run = self.first
        if run is None or not run.status:
            return ""
        reason = own_reason(run.status, run.output, region)
        root = self.command.repo.root
        copy = self._copy()
        # The copy lacks untracked files, which looks like a missing module: say what to do.
        for path in wanted(reason):
            if (root / path).exists() and not (copy / path).exists():
                return (
                    f"{reason}; {path} is not tracked, and the copy has tracked files only: "
                    f"`git add {path}` first"
                )
        return reason

    def close(self) -> None:
        """Remove the copy."""
        if self._folder:
            self._folder.close()
        self._folder = None

    def _detail(self, run: Run, limit: float) -> str:
        line = self.command.line
        if run.status == 0:
            return f"`{line}` passes without the edit, too" if self.passed_before else ""
        if run.status is None:
            return f"`{line}` did not finish in {limit:.3g} s"
        last_line = f": {run.last_line}" if run.last_line else ""
        return f"`{line}` ended with {run.status}{last_line}"

    def _run(
        self,
        file: Text,
        trying: TrialProgress,
        limit: float,
        *,
        asking: bool = False,
        options: str = "",
    ) -> Generator[TrialProgress, None, Run]:
        """Run the command.

        Args:
            asking: Whether a command that hangs is asked where it was.
            options: Options for pytest.
        """
        folder = self._copy()
        # Without a path there is nothing to write: the copy holds the files as they are.
        if self._path:
            self._write(folder, file)
        began = time.monotonic()
        with closing(RunningCommand(self.command.line, folder, limit, options)) as output:
            for _ in output:
                yield trying
            if asking:
                output.interrupt()
        seconds = time.monotonic() - began
        self._spent += seconds
        self._runs += 1
        run = Run(output.result, output.take()[-_TAIL_BYTES:].decode("utf-8", "replace"), seconds)
        self.last_line = run.last_line
        return run

    def _write(self, folder: Path, file: Text) -> None:
        """Write a version into the copy; of several files, none of an earlier version stays."""
        versions = apart(file) if is_document(self.base.raw) else {self._path: file}
        for gone in self._written - versions.keys():
            (folder / gone).unlink(missing_ok=True)
        for path, version in versions.items():
            write_version(folder / path, version.to_bytes())
        self._written |= versions.keys()

    def _copy(self) -> Path:
        if self._folder is None:
            self._folder = TemporaryFolder("check")
            copy_tracked(self.command.repo, self._folder.path)
        return self._folder.path


def _patience(seconds: float) -> float:
    """The time limit of a run, in seconds, after one that took so many."""
    return max(QUICK_SECONDS, min(4 * seconds, seconds + _LONGER_SECONDS))
