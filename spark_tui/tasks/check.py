"""The check of a task: a command of the user's that must pass at the end."""

import re  # noqa: TID251 - reads another program's output
from collections.abc import Collection, Generator
from pathlib import PurePosixPath

from spark_tui.errors import RepoError
from spark_tui.providers.chat_prompts import fenced
from spark_tui.session.leftovers import few
from spark_tui.tasks.events import CommandStarted, FilesAbsent, TaskEvent, TaskWaits
from spark_tui.tasks.log import CheckRun
from spark_tui.tasks.sandbox import Sandbox
from spark_tui.vcs.worktree import Worktree

MOST_SECONDS = 300.0
"""How long the check may run at most."""
_NAME = re.compile(r"[^\s/'\"`:;,()]+")
"""A name within a path."""
_MOST_NAMES = 8
"""How many of the files that a work tree lacks are named."""


def run_check(
    line: str, worktree: Worktree, sandbox: Sandbox, seconds: float
) -> Generator[TaskEvent, None, CheckRun]:
    """Run the check on the files as they are; what it changes in them is taken back.

    Args:
        seconds: How long the check may run, where that is less than `MOST_SECONDS`.

    Raises:
        RepoError: The work tree is gone, or git refuses.
        FileError: The disk refused.
    """
    # What the check leaves in the files is taken back to this commit.
    worktree.commit("Before the check")
    yield CommandStarted(line)
    limit = min(MOST_SECONDS, seconds)
    work = sandbox.run(line, limit)
    try:
        while True:
            try:
                next(work)
            except StopIteration as stop:
                run = stop.value
                break
            yield TaskWaits()
    finally:
        work.close()
    worktree.discard()
    output = run.output
    if run.status is None:
        output = f"{output}\n[stopped after {limit:.0f} seconds]"
    return CheckRun(line, run.status == 0, output)


def find_absent(check: CheckRun, worktree: Worktree, shared: Collection[str]) -> FilesAbsent | None:
    """Find out what a check may lack that fails before any edit.

    Args:
        shared: What the check reads of the user's work tree.

    Returns:
        None where the check passes, or the work tree lacks nothing.
    """
    if check.ok:
        return None
    try:
        paths = worktree.absent()
    except RepoError:  # a check that fails is told all the same
        return None
    paths = tuple(path for path in paths if path.rstrip("/") not in shared)
    said = set(_NAME.findall(f"{check.command}\n{check.output}"))
    paths = tuple(sorted(paths, key=lambda path: PurePosixPath(path).name not in said))
    return FilesAbsent(check.command, paths) if paths else None


def describe_absent(absent: FilesAbsent) -> str:
    """What a check may fail for want of, in a clause for people."""
    return (
        f"`{absent.check}` fails before any edit, and the task's copy of your files lacks what git "
        f"ignores or keeps in other repositories: {few(absent.paths, _MOST_NAMES)}; "
        f"--share PATH has the commands of a task read one of these"
    )


def warn_of_absent(absent: FilesAbsent) -> str:
    """The same for the model, as sentences."""
    return (
        f"This copy of the repository lacks files that the user has: "
        f"{few(absent.paths, _MOST_NAMES)}. Where the check fails for want of them, no edit makes "
        f"it pass: do not make up for them, do the task, and say so."
    )


def describe_check(check: CheckRun) -> str:
    """A run of the check, as a clause and its output."""
    end = "passes" if check.ok else "fails"
    if check.ok or not check.output:
        return f"`{check.command}` {end}."
    return f"`{check.command}` {end}:\n{fenced('', check.output.splitlines())}"
