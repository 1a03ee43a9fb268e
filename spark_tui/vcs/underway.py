"""What git is in the middle of in a work tree: a rebase, a merge and the like, and the conflicts that one left."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.repository import Repository

_BRANCHES = "refs/heads/"
_MOST_SECONDS = 2.0
_MARKED = ("-lIz", "-e", "^<<<<<<< ")


@dataclass(frozen=True, slots=True)
class _Work:
    """Args: mark: the file or folder in the git directory that is there meanwhile. name, verb: what it is called."""

    mark: str
    name: str
    verb: str


_KNOWN = (
    _Work("rebase-merge", "a rebase", "rebasing"),
    _Work("rebase-apply", "a rebase (or `git am`)", "rebasing"),
    _Work("MERGE_HEAD", "a merge", "merging"),
    _Work("CHERRY_PICK_HEAD", "a cherry-pick", "cherry-picking"),
    _Work("REVERT_HEAD", "a revert", "reverting"),
    _Work("sequencer", "a cherry-pick or revert", "picking or reverting"),
    _Work("BISECT_LOG", "a bisection", "bisecting"),
)


def under_way(repo: Repository) -> str:
    """What has to be finished before a commit, such as "a merge"; or ""."""
    work = _found(repo)
    return work.name if work else ""


def standing(repo: Repository) -> str:
    """Where a commit would go, for people: the branch, and what is under way there."""
    work, branch = _found(repo), repo.branch
    if work is None:
        return branch or "no branch"
    if branch is None and (rebased := _rebased(repo.git_dir / work.mark)):
        return f"{work.verb} {rebased}"
    return f"{work.verb} on {branch}" if branch else work.verb


def _found(repo: Repository) -> _Work | None:
    return next((work for work in _KNOWN if (repo.git_dir / work.mark).exists()), None)


def _rebased(folder: Path) -> str:
    """The branch that a rebase is about, which is checked out again at its end; "" where there is none."""
    try:
        name = (folder / "head-name").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    return name.removeprefix(_BRANCHES) if name.startswith(_BRANCHES) else ""


def conflicted(repo: Repository) -> tuple[str, ...]:
    """The files with markers of conflicts: of those that git tracks the unmerged ones, where there are such.

    Where no tracked file has any: those that git does not know yet.
    """
    marked = _names(repo, ["grep", *_MARKED]) or _names(repo, ["grep", "--untracked", *_MARKED])
    unmerged = unmerged_files(repo) if marked else ()
    return tuple(path for path in marked if path in unmerged) or tuple(marked)


def unmerged_files(repo: Repository) -> Collection[str]:
    """The files of which git waits to be told that their conflicts are settled."""
    return {name.rpartition("\t")[2] for name in _names(repo, ["ls-files", "-uz"])}


def _names(repo: Repository, args: list[str]) -> list[str]:
    try:
        listed = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, most_seconds=_MOST_SECONDS)
    except GitFailure:  # also where nothing is found
        return []
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})
