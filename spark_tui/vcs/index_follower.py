"""The index follows an undo or a redo of the files.

Where an entry of the index still is the one that spark staged for the batch (`index_steps`), the
entry is set back. In all other cases the index stays as it is, and spark tells the user what it
holds.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from spark_tui.editing.rebase import transplant
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import Preview
from spark_tui.vcs.index import Entry, GitIndex
from spark_tui.vcs.index_steps import IndexStep, StagedSteps
from spark_tui.vcs.journal import JournalEntry, Tell
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.repository import Repository


class IndexFollower:
    """Brings the index along where a batch is taken back, or done again, in the files.

    The caller holds spark's lock on the repository.
    """

    def __init__(self, repo: Repository, disk: Disk, tell: Tell) -> None:
        self._index = GitIndex(repo, disk)
        self._staged = StagedSteps(repo, self._index)
        self._tell = tell

    def tidy(self) -> None:
        """Remove what a killed spark left in the git directory, its lock on the index above all."""
        if self._index.is_littered():
            self._index.tidy()

    def tidy_alone(self, lock: Path) -> None:
        """Tidy, where no other spark is at work.

        Args:
            lock: The path of spark's lock on the repository.
        """
        if self._index.is_littered():
            with suppress(SparkError), exclusive(lock, patience=0.0):
                self._index.tidy()

    def unstaged(self, entry: JournalEntry) -> list[str]:
        """The files of a batch whose edit spark has not staged.

        Raises:
            SparkError: The index cannot be read.
        """
        steps = self._staged.last(entry.id)
        paths = [file.path for file in entry.files]
        now = self._index.entries(paths)
        return [path for path in paths if path not in steps or now.get(path) != steps[path].after]

    def follow(self, done: Preview) -> None:
        """Bring the index along, or tell the user what it still holds.

        Args:
            done: The undo or redo that was just carried out.

        Raises:
            SparkError: The index cannot be read, or not be changed.
        """
        steps = self._staged.last(done.subject.id)
        steps = {path: step for path, step in steps.items() if path in done.paths}
        if done.back:
            self._follow_undo(done, steps)
        else:
            self._follow_redo(steps)

    def _follow_undo(self, done: Preview, steps: Mapping[str, IndexStep]) -> None:
        """Set entries back, and tell which others still hold the edit."""
        self._forget_untaken(done.subject.id, steps)
        set_back = self._set_back(steps)
        # What could not be set back may still hold the edit: committed on the branch, or staged
        # only.
        left = {change.path: change for change in done.changes if change.path not in set_back}
        staged = self._index.differing(left) if left else {}
        held = [path for path, entry in staged.items() if self._holds(entry, left[path])]
        branch = self._index.committed(held) if held else {}
        committed = [
            path for path in held if path in branch and self._holds(branch[path], left[path])
        ]
        if committed:
            self._tell(
                f"git's branch still has this edit of {', '.join(committed)}; `git diff` shows "
                f"what you took back"
            )
        only_staged = [path for path in held if path not in committed]
        if only_staged:
            self._tell(
                f"git's index still holds this edit of {', '.join(only_staged)}; `git diff "
                f"--staged` shows it"
            )

    def _forget_untaken(self, batch: str, steps: Mapping[str, IndexStep]) -> None:
        """Forget the steps that a killed spark noted and did not take."""
        if not steps:
            return
        # The entries of the index: those of the branch, except where the index differs from it.
        now: dict[str, Entry | None] = {**self._index.committed(steps)}
        now |= self._index.differing(steps)
        untaken = [path for path, step in steps.items() if now.get(path) == step.before]
        # Where the index is locked, these steps stay, and a later redo says of a file that it was
        # staged though it was not. That is no reason to fail here.
        if untaken:
            with suppress(SparkError), self._index.held():
                self._staged.forget(batch, untaken)

    def _follow_redo(self, steps: Mapping[str, IndexStep]) -> None:
        """Tell which files were staged before the undo and are not staged again."""
        entries = self._index.entries(steps) if steps else {}
        out = [path for path, step in steps.items() if entries.get(path) == step.before]
        if out:
            self._tell(
                f"this was staged in {', '.join(out)} before it was taken back, not now; `git "
                f"add` stages it"
            )

    def _set_back(self, steps: Mapping[str, IndexStep]) -> Collection[str]:
        """Set back the entries that nobody changed since spark staged into them.

        Returns:
            The paths of these entries.
        """
        if not self._to_set_back(steps):
            return ()
        with self._index.replacing() as copy:
            # Looked at once more, now that the index is locked.
            entries = self._to_set_back(steps)
            self._index.change(copy, entries)
        return entries.keys()

    def _to_set_back(self, steps: Mapping[str, IndexStep]) -> dict[str, Entry | None]:
        """What the entries that nobody changed since were before spark staged into them."""
        now = self._index.differing(steps) if steps else {}
        return {
            path: steps[path].before for path, entry in now.items() if entry == steps[path].after
        }

    def _holds(self, entry: Entry | None, change: FileChange) -> bool:
        """Whether an entry still has what a change took away."""
        data = None if entry is None else self._index.read(entry, change.path)
        if data is None or change.before is None or change.after is None:
            return data == change.before
        try:
            target = Text.from_bytes(data, change.path)
            return transplant(*change.texts, target) != target
        except SparkError:
            return False
