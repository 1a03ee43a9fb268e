"""A step as people read it: while it is written, as a diff that grows, and once it is settled."""

from collections.abc import Sequence
from itertools import pairwise

from spark_tui.editing.formats.search_replace import BlocksDraft
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.tasks.edits import named_files
from spark_tui.tasks.events import AgentDiff, PermissionAsked, ToolProgress
from spark_tui.tasks.log import TaskLog
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.worktree import Worktree

BLOCK = "<<<<<"
"""Begins the first line of a block."""


def growing_step(text: str, repo: Repository) -> str:
    """Show a step as far as it is written: its words, then its edit as a patch.

    Args:
        text: What the model wrote so far.
        repo: The work tree of the task.

    Returns:
        The words alone where there is no edit yet; the text as it is where the edit fits nowhere.

    Raises:
        RepoError: The work tree is gone.
    """
    if BLOCK not in text:
        return text
    files = named_files(text, repo)
    draft = BlocksDraft({path: before.lines for path, before in files.items()})
    draft.take(text.encode("utf-8", "replace"))
    patches = []
    for path, lines in draft.files().items():
        before = files.get(path)
        try:
            patches.append(_patch(path, before, lines))
        except SparkError:
            continue  # the step itself will tell the model
    if not any(patches):
        return text
    return "\n".join([*_words(text, [*files, *draft.files()]), "", *patches])


def _patch(path: str, before: Text | None, lines: tuple[str, ...] | None) -> str:
    """The patch of a file.

    Args:
        lines: None: the file is deleted.
    """
    old = None if before is None else before.to_bytes()
    new = None
    if lines is not None and before is not None:
        new = before.replace_lines(0, len(before.lines), lines).to_bytes()
    elif lines is not None:
        new = Text(tuple(f"{line}\n" for line in lines)).to_bytes()
    return FileChange(path, old, new).patch.decode("utf-8", "surrogateescape").rstrip("\n")


def _words(text: str, paths: list[str]) -> list[str]:
    """The words above the first block, without the path of its file."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith(BLOCK):
            break
        words.append(line)
    # Models decorate the path, as in **`report.py`**:
    while words and (not words[-1].strip() or words[-1].strip(" `*#:") in paths):
        del words[-1]
    return words


def settled_step(log: TaskLog, index: int, worktree: Worktree) -> str:
    """Show a whole step: its words, what it changed as a patch, and what the model read of it.

    Args:
        index: The place of the step among those that count.

    Raises:
        RepoError: Git has the commits of the task no longer.
    """
    step = log.steps[index]
    before = log.spec.base if index == 0 else log.steps[index - 1].commit
    patches = []
    if step.commit != before:
        for change in worktree.changes(before, step.commit).files:
            patches.append(change.patch.decode("utf-8", "surrogateescape").rstrip("\n"))
    words = step.answer
    if patches:
        words = "\n".join(_words(step.answer, [*_paths(step.answer)]))
    parts = [words.strip("\n"), "\n".join(patches), step.reply.strip("\n")]
    return "\n\n".join(filter(None, parts))


def _paths(text: str) -> list[str]:
    """The lines that stand right above blocks, which name files."""
    lines = text.splitlines()
    return [line.strip(" `*#:") for line, block in pairwise(lines) if block.startswith(BLOCK)]


def working_agent(
    text: str, calls: Sequence[ToolProgress], questions: Sequence[PermissionAsked]
) -> str:
    """Show what an agent does: its words, its tool calls with their diffs, what it asks.

    Args:
        text: What the agent said so far in the present step.
    """
    asked = {question.tool.id for question in questions}
    parts = [text.strip("\n")]
    for call in calls:
        if call.id not in asked:
            parts.append(_tool_call(call, call.status.replace("_", " ")))
    for question in questions:
        parts.append(_tool_call(question.tool, "asks"))
        parts.append(f"It asks: {words_of_question(question)}")
    return "\n\n".join(filter(None, parts))


def words_of_question(question: PermissionAsked) -> str:
    """What an agent asks, and why the rules do not allow it, in a line."""
    call = question.tool
    what = question.command or call.title or call.kind
    return " ".join(f"{what} ({question.reason})".split())


def _tool_call(call: ToolProgress, status: str) -> str:
    """A tool call: what it is and how it stands, its files, its diffs."""
    title = call.title or call.kind
    lines = [f"{title} ({status})"]
    names = [path for path in call.paths if path not in title]
    if names and not call.diffs:
        lines.append(", ".join(names))
    lines += filter(None, map(_patch_of, call.diffs))
    return "\n".join(lines)


def _patch_of(diff: AgentDiff) -> str:
    """What a tool call does to a file, as a patch; its name alone where that cannot be shown."""
    old = None if diff.old is None else diff.old.encode("utf-8", "replace")
    try:
        patch = FileChange(diff.path, old, diff.new.encode("utf-8", "replace")).patch
    except SparkError:
        return diff.path
    return patch.decode("utf-8", "surrogateescape").rstrip("\n")
