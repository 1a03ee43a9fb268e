"""The one place that starts git, with everything a repository could have run switched off.

Knows nothing of spark's work: callers name the git directory, the arguments and the bytes to feed in.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from spark_tui import signals
from spark_tui.errors import RepoError, SparkError
from spark_tui.vcs.faults import in_words
from spark_tui.vcs.hardening import (
    Setting,
    command_of,
    environment_of,
    overriding,
    parse_settings,
    reading_users,
    trusting,
)

MINIMUM_VERSION = (2, 39, 3)
"""The oldest git whose behaviour was measured; `spark doctor` warns below it."""

_TIMEOUT_SECONDS = 60.0
_CONFIG_SECONDS = 5.0
_END_SECONDS = 2.0
"""How long a git that was killed may take to end."""
_MOST_CONFIG_BYTES = 4 << 20
_CONFIG_FILES = ("config", "config.worktree", "commondir")
_WORK_TREES: set[Path] = set()


class GitFailure(SparkError):
    """Git ended with a status the caller did not allow.

    Args: args: git's arguments. status: its exit status. output: all it wrote to stderr; the last line is the detail.
    """

    def __init__(self, args: Sequence[str], status: int, output: bytes = b"") -> None:
        self.status = status
        self.output = output
        self.detail = _last_line(output)
        name = next(each for each in args if not each.startswith("-") and "=" not in each)
        super().__init__(f"git {name} failed: {self.detail or f'exit status {status}'}")


def run_git(
    args: Sequence[str],
    *,
    git_dir: Path | None = None,
    work_tree: Path | None = None,
    cwd: Path | None = None,
    index: Path | None = None,
    stdin: bytes = b"",
    most_seconds: float = _TIMEOUT_SECONDS,
    hooks: bool = False,
) -> bytes:
    """Run git, hardened, and give what it wrote to stdout.

    Args: args: the subcommand and its arguments. git_dir: the repository; without it git looks in `cwd` only,
        not in the folders above. work_tree: passed on when given. cwd: where to run; default the work tree,
        else the git directory. index: instead of the git directory's own. stdin: what git reads.
        most_seconds: how long it may take. hooks: run what the repository and its user configured, as their own git
        would: only once `Trust.require` has passed.
    Raises: GitFailure: exit status other than 0. RepoError: no git outside the repository, or it hangs.
    """
    folder = cwd or work_tree or git_dir or Path.cwd()
    places = _places(git_dir, work_tree, index)
    with _told(folder):
        binary = find_git(folder)
        if hooks:
            environment = trusting(os.environ) | places
            command = [binary, "--no-pager", "--literal-pathspecs", *args]
        else:
            environment = environment_of(os.environ, path_outside(folder), str(folder.parent))
            environment |= places
            environment |= overriding(_settings(binary, environment, folder, git_dir))
            command = command_of(binary, args)
        return _run(command, args, environment, folder, stdin, most_seconds)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn what the system refuses within a `with` into a RepoError."""
    try:
        yield
    except OSError as e:
        raise RepoError(f"cannot run git in {folder}: {in_words(e)}") from e


def settings_of(git_dir: Path) -> tuple[Setting, ...]:
    """The configuration in force, the user's own included, in git's order; reading it runs nothing.

    Raises: RepoError: it cannot be read, or not in time.
    """
    with _told(git_dir):
        environment = environment_of(os.environ, path_outside(git_dir), str(git_dir.parent))
        environment |= _places(git_dir, None, None)
        return _settings(find_git(git_dir), environment, git_dir, git_dir)


def git_version() -> tuple[int, ...]:
    """The version of the git that spark runs, such as (2, 39, 5)."""
    words = run_git(["version"], cwd=Path("/")).decode("ascii", "replace").split()
    return tuple(int(part) for part in words[2].split(".") if part.isdigit()) if len(words) > 2 else ()


def take_no_programs_from(root: Path) -> None:
    """From now on no program is taken from this work tree, wherever git is run."""
    _WORK_TREES.add(root.resolve())


def find_git(folder: Path) -> str:
    """The absolute path of the first git on PATH that lies neither in `folder` nor in a work tree spark has opened.

    Raises: RepoError: there is none.
    """
    binary = shutil.which("git", path=path_outside(folder))
    if binary is None:
        raise RepoError("git was not found on PATH; install git 2.39.3 or newer")
    return binary


def path_outside(folder: Path) -> str:
    """PATH for whoever looks for a program: without `folder` and the work trees that spark has opened."""
    return _search_path(os.environ.get("PATH", os.defpath), frozenset({folder.resolve(), *_WORK_TREES} - {Path("/")}))


@cache
def _search_path(entries: str, shut: frozenset[Path]) -> str:
    """PATH without relative folders and without those of the repository, which must not bring programs along."""
    absolute = (Path(entry) for entry in entries.split(os.pathsep) if entry.startswith("/"))
    outside = (entry for entry in absolute if not any(entry.resolve().is_relative_to(each) for each in shut))
    return os.pathsep.join(map(str, outside))


def _places(git_dir: Path | None, work_tree: Path | None, index: Path | None) -> dict[str, str]:
    named = {"GIT_DIR": git_dir, "GIT_WORK_TREE": work_tree, "GIT_INDEX_FILE": index}
    return {name: str(path) for name, path in named.items() if path is not None}


def _settings(binary: str, environment: Mapping[str, str], folder: Path, git_dir: Path | None) -> tuple[Setting, ...]:
    """What is configured where git is about to run; nothing in a private repository, which has no configuration."""
    if git_dir is not None and not any((git_dir / name).exists() for name in _CONFIG_FILES):
        return ()
    args = ["config", "--list", "-z", "--show-scope", "--includes"]
    place = git_dir or folder
    try:
        shown = reading_users(environment, os.environ)
        listed = _run(command_of(binary, args), args, shown, folder, b"", _CONFIG_SECONDS)
    except GitFailure as e:
        raise RepoError(f"git cannot read the configuration of {place}: {e.detail}") from e
    except Late as e:
        raise RepoError(
            f"git's configuration of {place} cannot be read within {_CONFIG_SECONDS:.0f} s; check whether it includes "
            "something that is not a file"
        ) from e
    if len(listed) > _MOST_CONFIG_BYTES:
        raise RepoError(f"git's configuration of {place} has {len(listed) >> 20} MB; spark reads no more than 4")
    return parse_settings(listed)


class Late(RepoError):
    """Git gave no answer in time."""


def _run(
    command: Sequence[str],
    args: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    stdin: bytes,
    most_seconds: float,
) -> bytes:
    """Run it in a session of its own, without a terminal to ask on, and leave nothing of it behind."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe,
        start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(stdin, most_seconds)
    except subprocess.TimeoutExpired as e:
        words = f"git {args[0]} gave no answer within {most_seconds:.0f} s"
        raise Late(f"{words}; try it by hand") from e
    finally:
        if process.returncode is None:
            _end(process)
    if process.returncode:
        raise GitFailure(args, process.returncode, err)
    return out


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill it and all that it started, and close what leads there, even if it does not end."""
    signals.send(process.pid, signals.KILL)
    try:
        process.communicate(timeout=_END_SECONDS)
    except OSError:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:  # something waits for a file system that is gone
        process.poll()
    finally:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
