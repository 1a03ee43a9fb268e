"""The one place that starts git, with everything a repository could have run switched off.

Knows nothing of spark's work: callers name the git directory, the arguments and the bytes to feed in.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from spark_tui.errors import RepoError, SparkError

MINIMUM_VERSION = (2, 39, 3)
"""The oldest git whose behaviour was measured; `spark doctor` warns below it."""

_TIMEOUT_SECONDS = 60.0

_GLOBAL_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "diff.external=",
    "interactive.diffFilter=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "apply.whitespace=nowarn",
    "apply.ignoreWhitespace=no",
    "color.ui=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.renames=false",
    # Git's ownership check keeps a stranger's configuration from running programs; here none of it can.
    "safe.directory=*",
)

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}


class GitFailure(SparkError):
    """Git ended with a status the caller did not allow.

    Args: args: git's arguments. status: its exit status. detail: the last line it wrote to stderr.
    """

    def __init__(self, args: Sequence[str], status: int, detail: str) -> None:
        super().__init__(f"git {args[0]} failed: {detail or f'exit status {status}'}")
        self.status = status
        self.detail = detail


def run_git(
    args: Sequence[str],
    *,
    git_dir: Path | None = None,
    work_tree: Path | None = None,
    cwd: Path | None = None,
    index: Path | None = None,
    stdin: bytes = b"",
    most_seconds: float = _TIMEOUT_SECONDS,
) -> bytes:
    """Run git, hardened, and give what it wrote to stdout.

    Args: args: the subcommand and its arguments. git_dir: the repository; without it git looks in `cwd` only,
        not in the folders above. work_tree: passed on when given. cwd: where to run; default the work tree,
        else the git directory. index: instead of the git directory's own. stdin: what git reads. most_seconds:
        how long it may take.
    Raises: GitFailure: exit status other than 0. RepoError: no git outside the repository, or it hangs.
    """
    folder = cwd or work_tree or git_dir or Path.cwd()
    command = [find_git(folder), *_GLOBAL_OPTIONS, *(part for setting in _SETTINGS for part in ("-c", setting)), *args]
    environment = _environment(git_dir, work_tree, folder)
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        done = subprocess.run(
            command,
            input=stdin,
            env=environment,
            cwd=folder,
            capture_output=True,
            timeout=most_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as e:
        raise RepoError(f"git {args[0]} gave no answer within {most_seconds:.0f} s; try it by hand") from e
    except OSError as e:
        raise RepoError(f"cannot run git in {folder}: {e.strerror}") from e
    if done.returncode:
        raise GitFailure(args, done.returncode, _last_line(done.stderr))
    return done.stdout


def git_version() -> tuple[int, ...]:
    """The version of the git that spark runs, such as (2, 39, 5)."""
    words = run_git(["version"], cwd=Path("/")).decode("ascii", "replace").split()
    return tuple(int(part) for part in words[2].split(".") if part.isdigit()) if len(words) > 2 else ()


def find_git(folder: Path) -> str:
    """The absolute path of the first git on PATH that does not lie in `folder`.

    Raises: RepoError: there is none.
    """
    binary = shutil.which("git", path=_search_path(os.environ.get("PATH", os.defpath), folder))
    if binary is None:
        raise RepoError("git was not found on PATH; install git 2.39.3 or newer")
    return binary


@cache
def _search_path(entries: str, folder: Path) -> str:
    """PATH without relative folders and without those of the repository, which must not bring programs along."""
    inside = folder.resolve()
    absolute = (Path(entry) for entry in entries.split(os.pathsep) if entry.startswith("/"))
    outside = (entry for entry in absolute if inside == Path("/") or not entry.resolve().is_relative_to(inside))
    return os.pathsep.join(map(str, outside))


def _environment(git_dir: Path | None, work_tree: Path | None, folder: Path) -> dict[str, str]:
    environment = dict(_ENVIRONMENT)
    environment["PATH"] = _search_path(os.environ.get("PATH", os.defpath), folder)
    environment["HOME"] = os.environ.get("HOME", "/")
    environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    if git_dir is not None:
        environment["GIT_DIR"] = str(git_dir)
    if work_tree is not None:
        environment["GIT_WORK_TREE"] = str(work_tree)
    return environment


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
