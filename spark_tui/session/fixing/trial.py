"""Trying edits out: the user's own command, in a copy of the tracked files, never in the work tree."""

import os
import re
import secrets
import selectors
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
from pathlib import Path

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.events import Trying
from spark_tui.session.fixing.outcome import Place, alike, last_lines, own_reason, wanted
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository

BUDGET_SECONDS = 60.0
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
_COMPARED = re.compile(r"^E .+$", re.MULTILINE)
"""What pytest says of why a test fails."""
_MOST_TESTS = 3
"""Of those that fail, that are run before all are."""
_USAGE = 4
"""What pytest ends with where it does not know an option."""
HANGING_SHARE = 0.025
"""How much of the budget a run may take where the one without an edit did not end: it may be what has to be mended."""
_POLL_SECONDS = 0.1
_TELLING_SECONDS = 1.0
"""How long a program that hangs may take to say where it was, when it is interrupted as by Ctrl+C."""
_LOOK_SECONDS = 5.0
_TAIL_BYTES = 1 << 15
_MARK = "SPARK_CHECK"
"""The variable by which everything that a run started is known."""
_MOST_ROUNDS = 5
_CANNOT_RUN = (126, 127)
"""What a shell ends with when a program is not executable, or not there."""
_SHELL = frozenset("\\|&;<>()$`*?[{}~!#'\"=\n")
"""What only the shell can make out."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: the exit status, None when it was stopped, the end of its output, and how long it took."""

    status: int | None
    output: str
    seconds: float

    @property
    def said(self) -> str:
        """The last line of output."""
        lines = self.output.strip().splitlines()
        return lines[-1].strip() if lines else ""


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
        if (program := _program(self.line)) and not _is_there(program, self.repo.root):
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
        self._spent, self._runs = 0.0, 0
        # Two runs at least must fit in: the file as it is, and what was answered.
        self._limit = min(max(LEAST_LIMIT_SECONDS, FIRST_SHARE * command.budget), command.budget / 2)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._tried: dict[Text, Check] = {}
        self._hung = set[Text]()
        self._moved = False
        self._bare: bool | None = None
        """Whether the tests that failed do so without plugins, too; None while it is not known."""
        self._quicker: list[str] = []
        """The options that may have the command fail sooner, the best first, where it is pytest, and slow."""
        self._stopped: Run | None = None
        """The first run that did."""
        if command.first:
            self._take_first(command.first)

    @property
    def left(self) -> float:
        """Seconds of the budget that no run has taken yet."""
        return max(0.0, self.command.budget - self._spent)

    def budget_for(self, runs: int) -> int:
        """A budget in seconds, a round one, that so many runs would fit in."""
        return max(10, -(-int(self.run_seconds * (runs + 1)) // 10) * 10)

    @property
    def run_seconds(self) -> float:
        """How long a run took on average."""
        return self._spent / max(self._runs, 1)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """What the command said last without an edit, where that did not pass."""
        return last_lines(self.first.output) if self.first and self.first.status != 0 else ()

    @property
    def tried(self) -> int:
        """How many versions were tried."""
        return len(self._tried)

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
        if self._quicker and self._bare is None:
            self._bare = yield from self._fails_bare(trying, limit)
        while self._quicker:
            run = yield from self._run(
                file, trying, min(limit, self.left), options=self._quicker[0], bare=bool(self._bare)
            )
            if run.status == _USAGE:
                self._bare, _ = False, self._quicker.pop(0)
                continue
            if run.status == 0:
                break
            self._stopped = self._stopped or run
            self._moved |= not _is_like(run, self._stopped)
            return run
        run = yield from self._run(file, trying, min(limit, self.left))
        self._moved |= not self._is_like_first(run)
        return run

    def _fails_bare(self, trying: Trying, limit: float) -> Generator[Trying, None, bool]:
        """Whether the tests that failed do so in the same way where pytest loads no plugin by itself."""
        run = yield from self._run(self.base, trying, min(limit, self.left), options=self._quicker[0], bare=True)
        now, before = (_COMPARED.findall(one.output) for one in (run, self.first or run))
        return run.status == 1 and bool(now) and now == before[: len(now)]

    @property
    def unmoved(self) -> int:
        """How many versions were tried, as long as the command did the same with each as without an edit."""
        return 0 if self._moved else len(self._tried)

    def same(self, file: Text, trying: Trying) -> Generator[Trying, None, bool]:
        """Whether the command does with a version of the file what it does without an edit."""
        run = yield from self._run(file, trying, min(self._limit, self.left))
        return self._is_like_first(run)

    def _is_like_first(self, run: Run) -> bool:
        return self.first is not None and _is_like(run, self.first)

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
                self._quicker = _quicker(run.output)
                self._bare = None if _COMPARED.search(run.output) else False

    def own_reason(self, first: int, last: int) -> str:
        """Why the command fails whatever is changed in some lines (1-based), or "" where that cannot be told."""
        run = self.first
        if run is None or not run.status:
            return ""
        reason = own_reason(run.status, run.output, Place(self._path, first, last))
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
        self, file: Text, trying: Trying, limit: float, *, asking: bool = False, options: str = "", bare: bool = False
    ) -> Generator[Trying, None, Run]:
        """Run the command. Args: asking: if it hangs, have it say where. options: for pytest. bare: without plugins."""
        folder = self._copy()
        if self._path:
            _write(folder / self._path, file.to_bytes())
        began = time.monotonic()
        with closing(_Output(self.command.line, folder, limit, options, bare=bare)) as output:
            for _ in output:
                yield trying
            if asking:
                output.interrupt()
        seconds = time.monotonic() - began
        self._spent, self._runs = self._spent + seconds, self._runs + 1
        run = Run(output.status, output.tail.decode("utf-8", "replace"), seconds)
        self.said = run.said
        return run

    def _copy(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="spark-check-", ignore_cleanup_errors=True)
            _copy_tracked(self.command.repo, Path(self._folder.name))
        return Path(self._folder.name)


def _quicker(output: str) -> list[str]:
    """The options that have pytest run what failed first, and, where the command tells no paths, nothing else."""
    tests = [shlex.quote(test) for test in _FAILED_TEST.findall(output)[:_MOST_TESTS]]
    return [" ".join([_FIRST_FAILING, *tests])] * bool(tests) + [_FIRST_FAILING]


def _patience(seconds: float) -> float:
    """How long a run may take where the one before took so long."""
    return max(QUICK_SECONDS, min(4 * seconds, seconds + _LONGER_SECONDS))


def _is_like(run: Run, other: Run) -> bool:
    return run.status == other.status and (run.status is None or alike(run.output, other.output))


class _Output:
    """A command line that runs: iterating waits for it and for what it says.

    `status` is the exit status, None as long as there is none or when the time was up; `tail` is the end of the output.
    After `close` nothing lives on of its process group, nor of what left that group, as daemons do.
    """

    def __init__(self, line: str, folder: Path, limit: float, options: str = "", *, bare: bool = False) -> None:
        self.tail = b""
        more = {"PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} {options}"} if options else {}
        more |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if bare else {}
        self._mark = secrets.token_hex(16)
        self.status: int | None = None
        self._process = subprocess.Popen(  # noqa: S602 - the command line is the user's own
            line, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", _MARK: self._mark} | more, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout
        self._pipe = self._process.stdout
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._pipe, selectors.EVENT_READ)
        self._end = time.monotonic() + limit

    def __iter__(self) -> Iterator[None]:
        while self._process.poll() is None and time.monotonic() < self._end:
            self._wait()
            yield
        self.status = self._process.returncode
        while self._read(0) and time.monotonic() < self._end:
            pass

    def interrupt(self) -> None:
        """Have what runs still end by itself, as Python programs do with a traceback that tells where they were."""
        if self.status is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGINT)
        end = time.monotonic() + _TELLING_SECONDS
        while time.monotonic() < end and self._ready.get_map():
            self._read(_POLL_SECONDS)

    def close(self) -> None:
        """Kill what is left of it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for _ in range(_MOST_ROUNDS):  # what is killed may have started something a moment before
            if not _kill_all(f"{_MARK}={self._mark}".encode()):
                break
        self._ready.close()
        self._pipe.close()

    def _wait(self) -> None:
        if self._ready.get_map():
            self._read(_POLL_SECONDS)
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_POLL_SECONDS)

    def _read(self, seconds: float) -> bytes:
        """Take what it says within so many seconds; nothing is waited for any more once it has closed its output."""
        if not self._ready.get_map() or not self._ready.select(seconds):
            return b""
        said = os.read(self._pipe.fileno(), 1 << 16)
        self.tail = (self.tail + said)[-_TAIL_BYTES:]
        if not said:
            self._ready.unregister(self._pipe)
        return said


def _kill_all(mark: bytes) -> int:
    """Kill the processes with an assignment in their environment, as far as the system tells. Returns: how many."""
    killed = 0
    for number in _processes():
        with suppress(OSError):  # it ended, or is somebody else's
            if mark in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                os.kill(int(number), signal.SIGKILL)
                killed += 1
    return killed


def _processes() -> list[str]:
    """The numbers of all processes, as far as the system tells."""
    try:
        return [one.name for one in Path("/proc").iterdir() if one.name.isdigit()]
    except OSError:
        return []


def _program(line: str) -> str:
    """The program that a command line begins with; "" where only the shell can tell."""
    first = line.split(maxsplit=1)[0]
    return "" if _SHELL & set(first) else first


def _is_there(program: str, folder: Path) -> bool:
    """Whether a shell finds a program, in a folder: on the path, by its own path, or built in."""
    if "/" in program:
        return os.access(folder / program, os.X_OK)
    asked = ["sh", "-c", 'command -v -- "$1"', "sh", program]
    try:
        return (
            subprocess.run(asked, cwd=folder, capture_output=True, timeout=_LOOK_SECONDS, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return True  # the first run will tell


def _write(target: Path, content: bytes) -> None:
    """Write the file under trial; what Python compiled from an earlier version must not be taken for this one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()  # it may lead out of the copy
    target.write_bytes(content)
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()


def _copy_tracked(repo: Repository, folder: Path) -> None:
    """Copy every tracked file as it is now; links stay links, what is gone or no file is left out."""
    listed = run_git(["ls-files", "-z", "--cached"], git_dir=repo.git_dir, work_tree=repo.root)
    for name in filter(None, listed.split(b"\0")):
        source, target = repo.root / os.fsdecode(name), folder / os.fsdecode(name)
        if source.is_file() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
