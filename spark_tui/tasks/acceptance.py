"""How much of a task the user accepted, by what the journal says of its batches."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from spark_tui.editing.hunks import diff
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.outcome import applied_batches, changes_of
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.renames import renamed
from spark_tui.vcs.worktree import Worktree

_Hunk = tuple[str, tuple[str, ...], tuple[str, ...]]
"""The former name of a file, old lines, new lines; for a rename, the two names instead of lines."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How many hunks of a task are in the files, of how many."""

    applied: int
    total: int

    @property
    def is_whole(self) -> bool:
        """Whether all of the task was accepted."""
        return self.applied >= self.total

    @property
    def words(self) -> str:
        """The acceptance as a clause about the task."""
        if self.is_whole:
            return "applied"
        return (
            f"{self.applied} of {self.total} hunks applied, the others rejected or left undecided"
        )


def acceptance_of(log: TaskLog, worktree: Worktree, batches: Batches) -> Acceptance | None:
    """How much of a task is in force; None where nothing is.

    Raises:
        RepoError: Git has the commits of the task no longer.
        SparkError: A saved copy of the journal is damaged.
    """
    accepted: dict[str, FileChange] = {}
    # Several batches may hold hunks of one file: from before the first to after the last.
    for batch in reversed(applied_batches(log, batches)):
        for change in batches.changes(batch):
            first = accepted.setdefault(change.path, change)
            accepted[change.path] = replace(change, before=first.before)
    if not accepted:
        return None
    changes = changes_of(log, worktree).files
    former = renamed(changes)
    wanted = Counter(_hunks(changes, former))
    found = Counter(_hunks(accepted.values(), former))
    return Acceptance((wanted & found).total(), wanted.total())


def _hunks(changes: Iterable[FileChange], former: Mapping[str, str]) -> Iterator[_Hunk]:
    """The hunks of changes; a renamed file has one for its new name, and those of its lines.

    Args:
        former: The former names of renamed files, by their new names.
    """
    by_path = {change.path: change for change in changes}
    # A rename comes as one file that goes and one that comes. Its lines are compared under the
    # former name.
    for path, old_path in former.items():
        gone = by_path.get(old_path)
        come = by_path.get(path)
        if gone is not None and come is not None and gone.after is None and come.before is None:
            yield old_path, (old_path,), (path,)
            by_path[old_path] = replace(gone, after=come.after)
            del by_path[path]
    for path, change in by_path.items():
        hunks = diff(*change.texts)
        if not hunks:
            yield path, (), ()
        for hunk in hunks:
            yield path, hunk.old, hunk.new
