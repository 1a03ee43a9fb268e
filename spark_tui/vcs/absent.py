"""What a work tree of spark's own lacks of the user's.

Git ignores some of that, and keeps some in repositories of their own, such as submodules.
"""

import os
from pathlib import Path, PurePosixPath

from spark_tui.vcs.repository import Repository

_CACHES = frozenset(
    ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".DS_Store")
)
"""Names of what any program makes anew, so that nobody misses it."""


def absent_paths(users: Repository, root: Path) -> tuple[str, ...]:
    """The paths of the user's work tree that another one lacks; those of folders end with "/".

    Args:
        users: The user's work tree.
        root: The other one.

    Raises:
        RepoError: Git cannot list the files.
    """
    kept = (path.rstrip("/") for path in users.names())
    paths = [*kept, *(path.rstrip("/") for path in users.ignored())]
    return tuple(
        f"{path}/" if Path(users.root, path).is_dir() else path
        for path in dict.fromkeys(paths)
        if _is_missed(path) and _holds(users.root, path) and not _holds(root, path)
    )


def _is_missed(path: str) -> bool:
    return PurePosixPath(path).name not in _CACHES


def _holds(root: Path, path: str) -> bool:
    """Whether there is something at a path: a file, a link, or a folder with something in it."""
    place = f"{root}/{path}"
    # No Path, since this is asked about very many files.
    if not os.path.isdir(place) or os.path.islink(place):  # noqa: PTH112, PTH114
        return os.path.lexists(place)
    try:
        with os.scandir(place) as entries:
            return any(True for _ in entries)
    except OSError:
        return False
