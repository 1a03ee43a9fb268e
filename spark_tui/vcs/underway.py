"""What git is in the middle of in a work tree: a rebase, a merge and the like, which no commit should go into."""

from dataclasses import dataclass
from pathlib import Path

from spark_tui.vcs.repository import Repository

_BRANCHES = "refs/heads/"


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
