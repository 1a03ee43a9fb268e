"""Stage accepted changes: bring them into the index's own versions of their files.

The work tree is not touched, and whatever else differs between index and work tree stays so.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.index import Entry, GitIndex
from spark_tui.vcs.index_changes import apply_changes, changed_files
from spark_tui.vcs.index_steps import IndexStep, StagedSteps
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository

LastStep = Callable[[Sequence[str]], tuple[str, ...]]
"""Stages what `Stager.ready` has prepared.

Takes the id of each change's batch, or no ids; returns and raises as `Stager.stage`.
"""


class Stager:
    """Puts changes into the index of one work tree.

    Args:
        state_dir: Where spark's lock on the repository is.
    """

    def __init__(
        self, repo: Repository, trust: Trust, state_dir: Path, *, disk: Disk | None = None
    ) -> None:
        self._repo = repo
        self._trust = trust
        self._lock = state_dir / "locks" / repo.lock_key
        self._index = GitIndex(repo, disk or Disk())
        self._staged = StagedSteps(repo, self._index)

    def stage(self, changes: Sequence[FileChange], batches: Sequence[str] = ()) -> tuple[str, ...]:
        """Bring changes into the index.

        A file that git does not have yet is added as a whole, as the changes leave it.

        Args:
            changes: In the order in which they were made; a file may come several times.
            batches: The batch of each change, so that an undo can take the change out again.

        Returns:
            The paths whose entries changed; a change that is staged already changes nothing.

        Raises:
            Conflict: Git has other lines there.
            RepoError: The repository is not trusted, or spark must not change an entry.
            Transient: The index, or the repository, is locked. In all cases the index stays as it
                was.
        """
        with self.ready(changes) as put:
            return put(batches)

    @contextmanager
    def ready(self, changes: Sequence[FileChange]) -> Iterator[LastStep]:
        """Do all of `stage` but the last step; git waits until the end of the `with`.

        Yields:
            The last step, for the caller to take.

        Raises:
            Conflict, RepoError, Transient: As `stage`.
        """
        self._trust.require("staging")
        if not changes:
            raise UsageError("nothing to stage")
        with ExitStack() as held:
            with exclusive(self._lock):
                copy = held.enter_context(self._index.held())
                steps = self._steps(copy, changes)
                entries = {path: after for path, (_, after) in _end_entries(steps).items()}
                self._index.change(copy, entries)
            # The caller accepts the change within the `with`, and an accept takes spark's own lock,
            # so that lock is free here. Git's lock stays held, so nobody else changes the index.
            yield partial(self._put, copy, steps)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """Work out what staging changes would make of the index's files.

        Raises:
            Conflict, RepoError, Transient: As `stage`.
        """
        with exclusive(self._lock), self._index.copied() as copy:
            return changed_files(self._repo, self._index, copy, changes, whole=True)

    @property
    def staged(self) -> tuple[str, ...]:
        """The files whose version in the index differs from that of the last commit.

        Raises:
            RepoError: Git cannot compare them.
        """
        return tuple(self._index.differing(()))

    def _steps(self, copy: Path, changes: Sequence[FileChange]) -> list[tuple[int, IndexStep]]:
        """The step of each change in the index, with the number of the change."""
        present, results = apply_changes(self._repo, self._index, copy, changes, whole=True)
        now: dict[str, Entry | None] = {**present}
        steps = []
        for result in results:
            before = now.get(result.path)
            after = result.write(self._index)
            now[result.path] = after
            steps.append((result.number, IndexStep("", result.path, before, after)))
        return steps

    def _put(
        self, copy: Path, steps: Sequence[tuple[int, IndexStep]], batches: Sequence[str]
    ) -> tuple[str, ...]:
        """Take the last step of `stage`: the copy becomes the index."""
        with exclusive(self._lock):
            # Noted first: a step that was never taken does no harm, since an undo compares it with
            # the index; one that is missing could not be taken back.
            if batches:
                self._staged.note([replace(step, batch=batches[number]) for number, step in steps])
            self._index.publish(copy)
        ends = _end_entries(steps)
        return tuple(path for path, (before, after) in ends.items() if before != after)

    def tidy(self) -> None:
        """Remove what a killed spark left, its lock on the index above all: git waits for that."""
        if self._index.is_littered():
            with suppress(SparkError), exclusive(self._lock):
                self._index.tidy()


def _end_entries(
    steps: Sequence[tuple[int, IndexStep]],
) -> dict[str, tuple[Entry | None, Entry | None]]:
    """The entry of each path before its first step and after its last one."""
    ends: dict[str, tuple[Entry | None, Entry | None]] = {}
    for _, step in steps:
        first, _ = ends.get(step.path, (step.before, None))
        ends[step.path] = (first, step.after)
    return ends
