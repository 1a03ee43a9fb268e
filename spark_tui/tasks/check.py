"""The check of a task: a command of the user's that must pass at the end."""

from collections.abc import Generator

from spark_tui.providers.chat_prompts import fenced
from spark_tui.tasks.events import CommandStarted, TaskEvent, TaskWaits
from spark_tui.tasks.log import CheckRun
from spark_tui.tasks.sandbox import Sandbox
from spark_tui.vcs.worktree import Worktree

MOST_SECONDS = 300.0
"""How long the check may run at most."""


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


def describe_check(check: CheckRun) -> str:
    """A run of the check, as a clause and its output."""
    end = "passes" if check.ok else "fails"
    if check.ok or not check.output:
        return f"`{check.command}` {end}."
    return f"`{check.command}` {end}:\n{fenced('', check.output.splitlines())}"
