"""The files in which a merge or the like left conflicts."""

import os
from collections.abc import Collection

from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.repository import Repository

_MOST_SECONDS = 2.0
_MARKED = ("-lIz", "-e", "^<<<<<<< ")


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
