"""A copy of the tracked files, a command in it, and its output.

A copy of the tracked files, and a command of the user's own that runs in it and leaves nothing
behind.

What a command that fails says for itself: whether a change of some lines could make it pass at all.

Trying edits out: the user's own command, in a copy of the tracked files, never in the work tree.
"""

import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
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
from spark_tui.session.events import Trying
from spark_tui.session.external import PLAIN_SHELL, ShellRun
from spark_tui.vcs.git import run_git
from spark_tui.vcs.processes import started_with
from spark_tui.vcs.repository import Repository

_POLL_SECONDS = 0.1
_TELLING_SECONDS = 1.0
"""How long a program that hangs may take to say where it was, when it is interrupted as by
Ctrl+C.
"""
_MARK = "SPARK_CHECK"
"""The variable by which everything that a run started is known."""
_MOST_ROUNDS = 5
_LOOK_SECONDS = 5.0
_SHELL = frozenset("\\|&;<>()$`*?[{}~!#'\"=\n")
"""What only the shell can make out."""


class RunningCommand(ShellRun):
    """A command line that runs: iterating waits for it, within a time.

    `result` is the exit status then, None when the time was up. After `close` nothing lives on of
    its process group, nor of what left that group, as daemons do.
    """

    def __init__(self, line: str, folder: Path, limit: float, options: str = "") -> None:
        if options:
            more = {"PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} {options}"}
        else:
            more = {}
        self._mark = secrets.token_hex(16)
        self.result: int | None = None
        self._end = time.monotonic() + limit
        super().__init__(
            line, folder, PLAIN_SHELL, {"PYTHONDONTWRITEBYTECODE": "1", _MARK: self._mark} | more
        )

    def __iter__(self) -> Iterator[None]:
        while self.status is None and time.monotonic() < self._end:
            self.wait(_POLL_SECONDS)
            yield
        self.result = self.status
        if self.result is not None:  # what it said last may not be read yet
            self.wait(_POLL_SECONDS)

    def interrupt(self) -> None:
        """Have what runs still end by itself, as Python programs do with a traceback that tells
        where they were.
        """
        if self.result is None:
            self._signal(signal.SIGINT)
            self.wait(_TELLING_SECONDS)

    def close(self) -> None:
        """Kill what is left of it."""
        system.send(self._process.pid, system.KILL)
        self._process.wait()
        for _ in range(_MOST_ROUNDS):  # what is killed may have started something a moment before
            if not _kill_all(self._mark):
                break
        self.wait(_POLL_SECONDS)


def _kill_all(mark: str) -> int:
    """Kill the processes that a run started, as far as the system tells.

    Returns:
        How many.
    """
    killed = 0
    for process in started_with(_MARK, mark):
        with suppress(OSError):  # it ended
            os.kill(process, system.KILL)
            killed += 1
    return killed


def write_version(target: Path, content: bytes) -> None:
    """Write the file under trial; what Python compiled from an earlier version must not be
    taken for this one.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()  # it may lead out of the copy
    target.write_bytes(content)
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()


def copy_tracked(repo: Repository, folder: Path) -> None:
    """Copy every tracked file as it is now; links stay links, what is gone or no file is left
    out.
    """
    listed = run_git(["ls-files", "-z", "--cached"], git_dir=repo.git_dir, work_tree=repo.root)
    for name in filter(None, listed.split(b"\0")):
        source = repo.root / os.fsdecode(name)
        target = folder / os.fsdecode(name)
        if source.is_file() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def lacking_program(line: str, folder: Path) -> str:
    """The program that a command line begins with, if a folder has none such; "" where only the
    shell can tell.
    """
    program = line.split(maxsplit=1)[0]
    return "" if _SHELL & set(program) or _is_there(program, folder) else program


def _is_there(program: str, folder: Path) -> bool:
    """Whether a shell finds a program, in a folder: on the path, by its own path, or built in."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    asked = ["sh", "-c", 'command -v -- "$1"', "sh", program]
    try:
        found = subprocess.run(
            asked, cwd=folder, capture_output=True, timeout=_LOOK_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return True  # the first run will tell
    return found.returncode == 0


MOST_LINES = 8
"""Of the output, that are shown."""
TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]+")
"""What code is made of, and what a command says of it."""
_NO_TESTS = re.compile(
    r"^no tests ran in\b|\bcollected 0 items\b|^(?:NO TESTS RAN|Ran 0 tests)\b", re.MULTILINE
)
_USAGE_TEXT = re.compile(
    r"^(?:ERROR: )?(?P<why>(?:file or directory not found|not found): .+|.*\berror: "
    r"(?:unrecognized|the following) .+"
    r"|.*(?:can't open file|cannot open|No rule to make target|No module named).*"
    r"|.*(?:No such file or directory|command not found|: not found))$",
    re.MULTILINE,
)
_BEFORE_WORK = (2, 4)
"""What pytest, argparse, Python and make end with when they do not get to the work itself."""
_LOADING = re.compile(
    r"\berrors? during collection\b|\bFailed to import test module\b|\berror while loading "
    r"conftest\b"
)
_ERROR = re.compile(
    r"^(?:E +)?(?P<why>(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|TabError): "
    r"(?!Failed to import test module).+)$",
    re.MULTILINE,
)
_WANTED = re.compile(
    r"(?:No module named|from) ['\"]?(?P<module>[\w.]+)|not found: (?P<path>[^\s:]+)|open file "
    r"'(?P<file>[^']+)'"
)
_RAISED = re.compile(
    r"^(?:E +)?(?P<error>(?:\w+\.)*\w+(?:Error|Exception|Iteration|Warning): .+)$", re.MULTILINE
)
_MOST_ERRORS = 2
_COPY = re.compile(r"(?:/\S*)?/spark-check-[^/\s]+/")
_RULE = re.compile(r"(?P<rule>[=_.!-])(?P=rule)*(?: .* (?P=rule)+)?|\s*")


def own_reason(status: int, output: str, place: Region | None = None) -> str:
    """Why a command fails whatever is changed in a place, or anywhere, as a clause; "" where
    that cannot be told.
    """
    output = _COPY.sub("", output).rstrip().lstrip("\n")
    lines = output.splitlines()
    if (
        (status in _BEFORE_WORK or len(lines) == 1)
        and "Traceback" not in output
        and (found := _USAGE_TEXT.search(output))
    ):
        return found["why"].strip()
    if _NO_TESTS.search(output) and status:
        return "it finds no tests to run"
    if _LOADING.search(output) or (lines and _ERROR.fullmatch(lines[-1])):
        return _loading(output, place)
    return ""


def wanted(reason: str) -> tuple[str, ...]:
    """The paths that a reason says are not there, relative to where the command ran."""
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
    """The errors that were raised, but for what tests themselves raise, the last first."""
    found = (match["error"].strip() for match in _RAISED.finditer(output))
    return tuple(
        dict.fromkeys([one for one in found if not one.startswith("AssertionError")][::-1])
    )[:_MOST_ERRORS]


def last_lines(output: str) -> tuple[str, ...]:
    """The last lines of an output that say something."""
    lines = [line.rstrip() for line in _COPY.sub("", output).splitlines()]
    return tuple([line for line in lines if not _RULE.fullmatch(line)][-MOST_LINES:])


def _loading(output: str, place: Region | None) -> str:
    """The first error that kept the code from being loaded and that did not come about by way
    of a place.
    """
    begin = 0
    for found in _ERROR.finditer(output):
        frames = [_at(match) for match in FRAME.finditer(output, begin, found.start())]
        begin = found.end()
        needs = re.search(r" from '([\w.]+)'", found["why"])
        if place and (
            any(_holds(place, *at) for at in frames) or (needs and _is_module(place.path, needs[1]))
        ):
            continue
        return found["why"] + (f" ({frames[-1][0]}:{frames[-1][1]})" if frames else "")
    return ""


def _holds(place: Region, path: str, line: int) -> bool:
    """Whether a line that an output speaks of is in a place."""
    own = PurePosixPath(place.path).parts
    return (
        PurePosixPath(path).parts[-len(own) :] == own and place.start_line <= line <= place.end_line
    )


def _is_module(path: str, name: str) -> bool:
    """Whether a file is imported by a name."""
    own = ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")
    return f".{own}".endswith(f".{name}")


def _at(frame: re.Match[str]) -> tuple[str, int]:
    return frame["path"] or frame["short"], int(frame["line"] or frame["number"])


BUDGET_SECONDS = 60.0
_TAIL_BYTES = 1 << 15
FIRST_SHARE = 0.25
"""How much of the budget a first run may take."""
LEAST_LIMIT_SECONDS = 10.0
QUICK_SECONDS = 2.0
"""What a run may take at least the first time: a small change that takes far longer than the
file as it is hangs.
"""
_LONGER_SECONDS = 6.0
"""How much longer than the file as it is a small change may take at most the first time."""
_SLOW_SECONDS = 0.4
"""From how long a run takes on it is worth while to have a runner of tests stop at the first
that fails.
"""
_PYTEST = re.compile(r"(?m)^=+ short test summary info =+$|^(?:=+ )?\d+ failed\b.* in \d+\.\d+s")
_FIRST_FAILING = "-x --ff"
"""What has pytest begin with the tests that failed before, and stop at the first that does."""
_FAILED_TEST = re.compile(r"^FAILED (?P<test>\S+\.py::\S+)(?: - .*)?$", re.MULTILINE)
_MOST_TESTS = 3
"""Of those that fail, that are run before all are."""
_USAGE = 4
"""What pytest ends with where it does not know an option."""
HANGING_SHARE = 0.025
"""How much of the budget a run may take where the one without an edit did not end: it may be
what has to be mended.
"""
_CANNOT_RUN = (126, 127)
"""What a shell ends with when a program is not executable, or not there."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: the exit status, None when it was stopped, the end of its output, and
    how long it took.
    """

    status: int | None
    output: str
    seconds: float

    @property
    def said(self) -> str:
        """The last line of output."""
        return next(reversed(self.output.strip().splitlines()), "").strip()


@dataclass(frozen=True, slots=True)
class TrialCommand:
    """A command of the user's own that answers must pass.

    Args:
        line: For the shell.
        budget: Seconds to look for a repair; a first run may take FIRST_SHARE of them.
        first: How it ended without an edit, where that is known already.

    Raises:
        UsageError: No budget.
    """

    repo: Repository
    line: str
    budget: float = BUDGET_SECONDS
    first: Run | None = None

    def __post_init__(self) -> None:
        if not self.line.strip():
            raise UsageError(
                "the command to check with is empty; write one that must pass, such as "
                "--check pytest"
            )
        if program := lacking_program(self.line, self.repo.root):
            raise UsageError(
                f"the command `{self.line}` cannot run: there is no program {program}; check "
                f"its name"
            )
        if not 0 < self.budget < inf:
            raise UsageError(f"budget is {self.budget:g}; choose a number of seconds above 0")


class Trial:
    """Runs a command on versions of one file, in one copy of the tracked files.

    Mutable.

    The copy is made when first needed and lasts until `close`. What runs is a generator that yields
    the event it was given while it waits; closing it kills the command and all that it started.

    Args:
        path: Relative to the root; "" where only `run_unedited` is of interest.
        base: The file without an edit.
    """

    def __init__(self, command: TrialCommand, path: str, base: Text) -> None:
        self.command = command
        self.passed_before: bool | None = None
        """Whether the command passes without an edit; None while it is not known."""
        self.unfinished = 0.0
        """After how many seconds the command was stopped without an edit; 0 when it ended."""
        self.said = ""
        """The last line that the command put out, of all its runs."""
        self.first: Run | None = None
        """The run without an edit, once there was one."""
        self._path = path
        self.base = base
        self._written = set(apart(base)) if is_document(base.raw) else set[str]()
        self._spent = 0.0
        self._runs = 0
        # Two runs at least must fit in: the file as it is, and what was answered.
        self._limit = min(
            max(LEAST_LIMIT_SECONDS, FIRST_SHARE * command.budget), command.budget / 2
        )
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

        Args:
            again: One that hung is given more time.

        Returns:
            The check "command"; its detail says how it failed, or that it passes without the edit,
            too.
        """
        yield from self.run_unedited(trying)
        if file not in self._tried or again:
            limit = min(
                max(self._limit, LEAST_LIMIT_SECONDS) if again else self._limit,
                most_seconds,
                self.left,
            )
            if limit <= 0:
                return Check(
                    "command", ok=False, detail=f"no time was left to run `{self.command.line}`"
                )
            run = yield from self._run_quickly(file, trying, limit)
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
        self, file: Text, trying: Trying, limit: float
    ) -> Generator[Trying, None, Run]:
        """Run the command; with pytest, only until a test fails.

        What passes so has passed the command itself, too.
        """
        if self._quicker:
            run = yield from self._run(file, trying, min(limit, self.left), options=self._quicker)
            if run.status == _USAGE:
                self._quicker = ""
            elif run.status != 0:
                return run
        return (yield from self._run(file, trying, min(limit, self.left)))

    def run_unedited(self, trying: Trying) -> Generator[Trying, None, None]:
        """Find out whether the command passes without an edit, and how long it takes, unless
        that is known.
        """
        if self.passed_before is None:
            self._take_first((yield from self._run(self.base, trying, self._limit, asking=True)))

    def _take_first(self, run: Run) -> None:
        self.first = run
        if run.status in _CANNOT_RUN:
            raise UsageError(
                f"`{self.command.line}` cannot run in a copy of the tracked files: {run.said}"
            )
        self.passed_before = run.status == 0
        if run.status is None:
            self.unfinished = self._limit
            self._limit = max(1.0, HANGING_SHARE * self.command.budget)
        else:
            self._limit = _patience(run.seconds)
            if run.seconds >= _SLOW_SECONDS and _PYTEST.search(run.output):
                tests = [
                    shlex.quote(test) for test in _FAILED_TEST.findall(run.output)[:_MOST_TESTS]
                ]
                self._quicker = " ".join([_FIRST_FAILING, *tests])

    def own_reason(self, region: Region) -> str:
        """Why the command fails whatever is changed in a place, or "" where that cannot be told."""
        run = self.first
        if run is None or not run.status:
            return ""
        reason = own_reason(run.status, run.output, region)
        root = self.command.repo.root
        copy = self._copy()
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
        """Run the command.

        Args:
            asking: If it hangs, have it say where.
            options: For pytest.
        """
        folder = self._copy()
        if self._path:
            self._write(folder, file)
        began = time.monotonic()
        with closing(RunningCommand(self.command.line, folder, limit, options)) as output:
            for _ in output:
                yield trying
            if asking:
                output.interrupt()
        seconds = time.monotonic() - began
        self._spent = self._spent + seconds
        self._runs = self._runs + 1
        run = Run(output.result, output.take()[-_TAIL_BYTES:].decode("utf-8", "replace"), seconds)
        self.said = run.said
        return run

    def _write(self, folder: Path, file: Text) -> None:
        """Have the copy be as a version is: every file of several, so that nothing of an
        earlier one is left.
        """
        versions = apart(file) if is_document(self.base.raw) else {self._path: file}
        for gone in self._written - versions.keys():
            (folder / gone).unlink(missing_ok=True)
        for path, version in versions.items():
            write_version(folder / path, version.to_bytes())
        self._written |= versions.keys()

    def _copy(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(
                prefix="spark-check-", ignore_cleanup_errors=True
            )
            copy_tracked(self.command.repo, Path(self._folder.name))
        return Path(self._folder.name)


def _patience(seconds: float) -> float:
    """How long a run may take where the one before took so long."""
    return max(QUICK_SECONDS, min(4 * seconds, seconds + _LONGER_SECONDS))
