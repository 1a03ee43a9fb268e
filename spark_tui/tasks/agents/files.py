"""The files that an agent reads and writes through spark: those of the work tree, no others."""

from spark_tui.errors import DiskError, FileError, UsageError
from spark_tui.tasks.agents.tool_calls import name_within
from spark_tui.vcs.file_commits import MOST_FILE_BYTES
from spark_tui.vcs.policy import holds_secrets, is_ignored
from spark_tui.vcs.safe_paths import read_file
from spark_tui.vcs.worktree import Worktree

_MOST_BYTES = 8 << 20
"""A larger file is not read."""
_MOST_SHOWN = 120


def read_text(worktree: Worktree, path: str, line: int | None, limit: int | None) -> str:
    """The text of a file, or some lines of it.

    Args:
        path: Absolute.
        line: The first line, 1-based; None or 0: all from the beginning on.
        limit: How many lines; None: all.

    Raises:
        UsageError, FileError: The file may not be read; the message says why.
    """
    name = name_within(worktree.root, path)
    if holds_secrets(name):
        raise UsageError(f"{name} may hold secrets and is not shown")
    try:
        # One byte more than is allowed shows that a file is too large.
        data = read_file(worktree.repo.root, name, _MOST_BYTES + 1)
    except DiskError as e:  # the agent may have named what no disk has
        raise FileError(f"{name[:_MOST_SHOWN]} cannot be read") from e
    if data is None:
        raise FileError(f"there is no file {name}")
    if len(data) > _MOST_BYTES:
        raise FileError(f"{name} is too large to be read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise FileError(f"{name} is not UTF-8") from e
    if not line and limit is None:
        return text
    lines = text.split("\n")
    first = max(0, (line or 1) - 1)
    stop = len(lines) if limit is None else first + limit
    shown = "\n".join(lines[first:stop])
    # The last line that is shown keeps its line end.
    return f"{shown}\n" if stop < len(lines) and shown else shown


def write_text(worktree: Worktree, path: str, text: str) -> None:
    """Create a file, or replace its text.

    Args:
        path: Absolute.

    Raises:
        UsageError, FileError: The file may not be written; the message says why.
        DiskError: The disk refused.
    """
    name = name_within(worktree.root, path)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as e:
        raise UsageError(f"the text for {name} holds half characters") from e
    if len(data) > MOST_FILE_BYTES:
        raise UsageError(f"the text for {name} is too large")
    if not worktree.holds(name) and is_ignored(worktree.repo, name):
        raise UsageError(f"{name} is ignored by git; choose another name")
    worktree.write(name, data)
