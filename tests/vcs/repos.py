"""Repositories for tests, and file contents that are easy to get wrong.

The processes that tests start import this: hypothesis, a fifth of their start, stays out of it.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

AWKWARD = {
    "empty": b"",
    "one newline": b"\n",
    "no newline at the end": b"a = 1\nb = 2",
    "one line without newline": b"alone",
    "crlf": b"a = 1\r\nb = 2\r\nc = 3\r\n",
    "crlf without newline at the end": b"a = 1\r\nb = 2",
    "mixed endings": b"a\r\nb\nc\r\nd\n",
    "lone carriage returns": b"a\rb\nc\r\rd\n\r",
    "byte order mark": b"\xef\xbb\xbfimport os\nprint(os)\n",
    "latin-1": b"name = 'caf\xe9'\nx = 1\ny = '\xff'\n",
    "control characters": b"a\x0cb\nc\x0bd\ne\x1cf\x1dg\x1eh\n",
    "unicode line separators": "a\x85b\nc\u2028d\ne\u2029f\n".encode(),
    "looks like a patch": b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
    "trailing blanks": b"a  \n\t\n  \n\n\nb\t\n",
    "conflict marks": b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
}

_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
}

COMMIT = ("-c", "maintenance.auto=false", "commit")
"""What commits, and starts no second git that looks for something to tidy."""


def git(folder: Path, *args: str, stdin: bytes = b"") -> bytes:
    """Plain git, as a user would run it; raises when it fails."""
    command = ["git", "-C", str(folder), *args]
    return subprocess.run(
        command, input=stdin, env=_ENVIRONMENT, capture_output=True, check=True
    ).stdout


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def make_repo(root: Path, files: Mapping[str, bytes]) -> Path:
    """A repository whose first commit holds these files, byte for byte."""
    root.mkdir(parents=True)
    begin_repo(root)
    write_files(root, files)
    git(root, "-c", "core.autocrlf=false", "add", "--all")
    git(root, *COMMIT, "--quiet", "--allow-empty", "--message=first")
    return root


def begin_repo(root: Path) -> None:
    """Make a folder a repository without a commit, as `git init` does, in a fifth of its time.

    What is a repository already stays as it is.
    """
    if (root / ".git").exists():
        return
    folders, files = _new_repo()
    for folder in folders:
        (root / folder).mkdir()
    write_files(root, files)


@cache
def _new_repo() -> tuple[Sequence[Path], Mapping[str, bytes]]:
    """The folders and files of a repository that is new, without the samples of hooks."""
    with TemporaryDirectory() as name:
        root = Path(name)
        git(root, "init", "--quiet", "--initial-branch=main")
        paths = [path for path in sorted(root.rglob("*")) if path.suffix != ".sample"]
        folders = [path.relative_to(root) for path in paths if path.is_dir()]
        files = {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}
    return folders, files


def name_somebody(root: Path) -> None:
    """Give whoever commits a name, whatever machine this is."""
    git(root, "config", "user.name", "Somebody")
    git(root, "config", "user.email", "somebody@example.org")


def hook(root: Path, name: str = "pre-commit", script: str = "") -> Path:
    """Put a hook into a repository.

    Args:
        script: What it does.
    """
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a work tree with its bytes, git's own left out."""
    paths = (
        path
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    )
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def unmerge(root: Path, path: str) -> None:
    """Have git take a file for one with a conflict."""
    blob = git(root, "rev-parse", f":{path}").decode().strip()
    entries = "".join(f"100644 {blob} {stage}\t{path}\n" for stage in (1, 2, 3))
    git(root, "update-index", "--index-info", stdin=f"0 {'0' * 40}\t{path}\n{entries}".encode())
