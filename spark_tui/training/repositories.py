"""Clones of public repositories, read with git: histories, files, licences; nothing is run.

A folder holds a clone for every repository, bare or not, called `owner+name`.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from spark_tui.errors import UsageError

_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "core.quotePath=true", "core.alternateRefsCommand=", "diff.external=", "diff.renames=false",
    "log.showSignature=false", "log.mailmap=false", "log.showRoot=true",
    "i18n.logOutputEncoding=UTF-8", "protocol.allow=never",
)  # fmt: skip
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")
_ENVIRONMENT = {
    "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}  # fmt: skip
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
_FORMAT = "--format=%x01%H%x01%an <%ae>%x01%s"
_LICENCE_NAME = re.compile(r"(?i)(?:licen[cs]e|copying)(?:[-.][\w.-]*)?")
_PERMISSIVE = re.compile(
    r"(?i)Permission is hereby granted, free of charge"
    r"|Redistribution and use in source and binary forms"
    r"|Apache License,? Version 2\.0|apache\.org/licenses/LICENSE-2\.0"
    r"|Permission to use, copy, modify,? and(?:/or)? distribute this software"
)
_RECIPROCAL = re.compile(
    r"(?i)GNU (?:Lesser |Affero |Library )?General Public"
    r"|Mozilla Public|Server Side Public"
)


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository (`name`: owner/name) and the git directory of its clone."""

    name: str
    git_dir: Path


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a commit changes, with the names of its contents.

    `modified`: it is a regular file before and after, under the same path.
    """

    path: str
    old: str
    new: str
    modified: bool


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. `author`: name and address. `subject`: the first paragraph of the message."""

    id: str
    author: str
    subject: str
    changes: tuple[Change, ...]


def clones_in(folder: Path) -> list[Clone]:
    """List the clones in a folder, by name.

    Raises:
        UsageError: The folder cannot be read.
    """
    try:
        folders = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as e:
        raise UsageError(f"{folder} cannot be read ({e.strerror}); give a folder of clones") from e
    clones = (clone_in(folder, path.name.replace("+", "/", 1)) for path in folders)
    return [clone for clone in clones if clone is not None]


def clone_in(folder: Path, repository: str) -> Clone | None:
    """Find the clone of a repository in a folder of clones; None where it has none."""
    home = folder / repository.replace("/", "+", 1)
    for git_dir in (home / ".git", home):
        if (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir():
            return Clone(repository, git_dir)
    return None


def is_permissive(clone: Clone) -> bool:
    """Whether the newest commit's licence files hold an MIT, BSD, Apache or ISC licence alone."""
    with _git(clone, "ls-tree", "--name-only", "HEAD") as output:
        names = output.read().decode("utf-8", "replace").splitlines()
    licences = [f"HEAD:{name}" for name in names if _LICENCE_NAME.fullmatch(name)]
    files = b"\n".join(data for data in contents(clone, licences) if data)
    text = " ".join(files.decode("utf-8", "replace").split())
    return bool(_PERMISSIVE.search(text)) and not _RECIPROCAL.search(text)


def history(clone: Clone) -> Iterator[Commit]:
    """Read the commits that lead to the newest one, merges excepted, from the newest on."""
    arguments = ("log", "--no-merges", "--raw", "--no-abbrev", *_DIFF, _FORMAT, "HEAD", "--")
    with _git(clone, *arguments) as output:
        yield from _commits(output)


def subjects(clone: Clone, commits: Iterable[str]) -> dict[str, str]:
    """Read the subjects of commits, those excepted that the clone lacks."""
    arguments = ("log", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--no-patch")
    with _git(clone, *arguments, *_DIFF, _FORMAT, names=commits) as output:
        return {commit.id: commit.subject for commit in _commits(output)}


def contents(clone: Clone, names: Iterable[str]) -> Iterator[bytes | None]:
    """Read files, one after the other.

    Args:
        clone: What to read.
        names: What git calls each file: its hash, or COMMIT:PATH.

    Yields:
        What each file holds, in order; None where there is no such file.
    """
    names = list(names)
    with _git(clone, "cat-file", "--batch", names=names) as output:
        for _ in names:
            header = output.readline().split(b" ")
            if len(header) < 3 or not header[-1].strip().isdigit():  # NAME missing
                yield None
                continue
            data = output.read(int(header[-1]) + 1)[:-1]
            yield data if header[-2] == b"blob" else None


def _commits(output: IO[bytes]) -> Iterator[Commit]:
    header: list[str] = []
    changes: list[Change] = []
    for line in output:
        text = line.decode("utf-8", "replace").rstrip("\n")
        if text.startswith("\x01"):
            if header:
                yield Commit(header[0], header[1], header[2], tuple(changes))
            header, changes = text[1:].split("\x01", 2), []
        elif text.startswith(":"):
            changes.append(_change(text))
    if header:
        yield Commit(header[0], header[1], header[2], tuple(changes))


def _change(line: str) -> Change:
    """Parse a line of `--raw`: `:MODE MODE HASH HASH STATUS<TAB>PATH`, which may be quoted."""
    facts, _, path = line.partition("\t")
    old_mode, new_mode, old, new, status = facts[1:].split(" ")
    regular = old_mode.startswith("100") and new_mode.startswith("100")
    return Change(path, old, new, modified=status == "M" and regular and not path.startswith('"'))


@contextmanager
def _git(clone: Clone, *arguments: str, names: Iterable[str] = ()) -> Iterator[IO[bytes]]:
    """Run git and give what it writes; it ends with the block, however far it is.

    Args:
        clone: Where to run it.
        arguments: Of git.
        names: What it reads, line by line.
    """
    settings = (argument for setting in _SETTINGS for argument in ("-c", setting))
    command = ["git", f"--git-dir={clone.git_dir}", *_OPTIONS, *settings, *arguments]
    with tempfile.TemporaryFile() as file:
        file.writelines(f"{name}\n".encode() for name in names)
        file.seek(0)
        env = {"PATH": os.environ.get("PATH", os.defpath), **_ENVIRONMENT}
        with subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, env=env) as git:
            assert git.stdout
            try:
                yield git.stdout
            finally:
                git.kill()
