"""Hunks for a file that was edited while they were looked at go in beside the edits, as shown, or not at all.

And what a change breaks is said.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from spark_tui.editing.checks import run_checks
from spark_tui.editing.hunks import diff
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.rebase import transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, Conflict, UsageError
from spark_tui.session.events import Status
from spark_tui.session.turn import Turn
from spark_tui.vcs.merge import merge
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange


def chosen_of(turn: Turn, hunk_ids: Collection[str] | None) -> Collection[str]:
    """The hunks of a turn to accept; None: all. Raises: Abstained: it offers none. UsageError: as `Session.accept`."""
    if turn.status is Status.ABSTAINED:
        raise Abstained(turn.message)
    closed = {hunk.id for hunk in turn.closed_hunks}
    if hunk_ids is None:
        return closed
    if being_written := set(hunk_ids) & {part.hunk.id for part in turn.parts} - closed:
        raise UsageError(f"hunk {min(being_written)} is still being written; pause or wait for its end")
    if unknown := set(hunk_ids) - closed:
        raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
    return hunk_ids


def fitted(repo: Repository, change: FileChange, over: str = "") -> FileChange:
    """The same hunks for the file as it is on disk now; one that comes or goes does so as a whole.

    Args: over: the detail of a conflict that the user saw, and whose hunks are to take the place of what is there.
    Raises: Conflict: their lines or those beside them were edited, both versions in its detail. FileError: the file is
        gone, or no text any more.
    """
    if change.before is None or change.after is None or (now := repo.read(change.path)) == change.before:
        return change
    try:
        merged = merge(change.before, now, change.after, change.path)
    except Conflict as e:
        if not over or e.detail != over:
            raise
        return FileChange(change.path, now, merge(change.before, now, change.after, change.path, prefer="theirs"))
    if _hunks(fit := FileChange(change.path, now, merged)) != _hunks(change):
        raise Conflict(f"{change.path} has changed on disk, and the hunks do not fit as shown; nothing was written")
    return fit


def since(turn: Turn, change: FileChange) -> FileChange:
    """All that was accepted of a turn by now, and of those that it goes on from. Args: change: what was just now."""
    now = Text.from_bytes(change.after or b"", change.path)
    try:
        return replace(change, before=transplant(turn.review.base, turn.file.beginning, now, change.path).to_bytes())
    except Conflict:  # others edited those lines, too
        return change


def faults(change: FileChange) -> str:
    """What of a file is wrong with a change and was not before: it does not parse, or uses unknown names; or ""."""
    return "; ".join(check.fault for check in run_checks(*change.texts, change.path) if not check.ok)


def half_renamed(turn: Turn, after: Text) -> str:
    """Which names a renaming leaves in part, which in most languages no check sees; or "". Args: after: the file."""
    if turn.kind != "rename":
        return ""
    was, whole, now = (names_in("\n".join(text.lines)) for text in (turn.base, turn.file.proposal, after))
    left = (was - whole) & now if (whole - was) & now else ()
    return f"names: {', '.join(sorted(left))} only partly renamed" if left else ""


def broken(changes: Iterable[FileChange]) -> str:
    """Which files changes break, and how; or ""."""
    found = ((change.path, faults(change)) for change in changes if change.after is not None)
    return ", ".join(f"{path} ({words})" for path, words in found if words)


def _hunks(change: FileChange) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What is taken away and what takes its place, hunk by hunk, wherever that is in the file."""
    return [(hunk.old, hunk.new) for hunk in diff(*change.texts)]
