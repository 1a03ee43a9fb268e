"""HEAD and branches, read by GitPython, which is kept from starting git.

GitPython takes a tenth of a second to import, which is long for a command that needs neither HEAD
nor a branch. So `repository` imports this module only on demand.
"""

import os
from collections.abc import Iterator, Mapping
from configparser import Error as ConfigError
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from spark_tui.errors import RepoError

_LEADING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")
"""Variables that lead git to another repository."""


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Hide the variables that would lead GitPython to another repository, for a `with`.

    All others stay: other threads may start programs meanwhile.

    Args:
        changes: Variables to set meanwhile.
    """
    hidden = {name: os.environ[name] for name in (*_LEADING, *changes) if name in os.environ}
    for name in hidden:
        del os.environ[name]
    os.environ.update(changes)
    try:
        yield
    finally:
        for name in changes:
            os.environ.pop(name, None)
        os.environ.update(hidden)


# GitPython starts git when it is imported. Where there seems to be no git, it stays silent.
with _environment({"GIT_PYTHON_REFRESH": "quiet", "GIT_PYTHON_GIT_EXECUTABLE": os.devnull}):
    import git
    from git.exc import GitError


class _NoGit(git.Git):
    """GitPython's way to start git, closed."""

    def execute(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: only `spark_tui.vcs.git` starts git."""
        raise RepoError("GitPython wanted to start git; spark does not let it")


class _Repo(git.Repo):
    """GitPython's view of a repository, without the files that the configuration includes."""

    GitCommandWrapperType = _NoGit

    def _config_reader(self, config_level: Any = None, git_dir: Any = None) -> git.GitConfigParser:
        files = [self._get_config_path(config_level or "repository", git_dir)]
        return git.GitConfigParser(files, read_only=True, repo=self, merge_includes=False)


def open_handle(root: Path) -> git.Repo:
    """Open GitPython's view of a repository.

    Args:
        root: The top of the work tree.

    Raises:
        ValueError: GitPython cannot read the repository.
    """
    try:
        with _environment({}):
            return _Repo(root, search_parent_directories=False, expand_vars=False)
    except (GitError, ConfigError, OSError) as e:
        raise ValueError(f"GitPython cannot read {root}") from e


def checked_out_branch(root: Path) -> str:
    """Return the name of the checked-out branch.

    Raises:
        TypeError, ValueError, OSError: There is none, or GitPython cannot read it.
    """
    handle = open_handle(root)
    return handle.active_branch.name


def checked_out_commit(root: Path) -> str:
    """Return the checked-out commit, in hexadecimal.

    Raises:
        ValueError, OSError: There is none, or GitPython cannot read it.
    """
    return git.SymbolicReference.dereference_recursive(open_handle(root), "HEAD")
