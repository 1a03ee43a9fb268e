"""What staging did to the entries of the index, kept so that an undo can set entries back.

Where an entry still is the one that spark staged for a batch, `index_follower` sets the entry
back when the batch is undone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spark_tui.errors import DiskError, UsageError
from spark_tui.small_files import read_small
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.index import Entry, GitIndex
from spark_tui.vcs.journal import frame, unframe
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path

_STEPS_FILE = "spark-staged"
_MOST_STEPS = 200
"""How many steps are remembered; older ones are forgotten."""


@dataclass(frozen=True, slots=True)
class IndexStep:
    """What staging a change did to an entry of the index.

    Args:
        batch: The id of the batch that the change belongs to; "" where it belongs to none.
        path: The path of the entry.
        before, after: The entry; None: there is no entry.
    """

    batch: str
    path: str
    before: Entry | None
    after: Entry | None


class StagedSteps:
    """The steps taken in the index of one work tree, kept beside the index under its lock."""

    def __init__(self, repo: Repository, index: GitIndex) -> None:
        self._file = repo.git_dir / _STEPS_FILE
        self._index = index

    def note(self, steps: Sequence[IndexStep]) -> None:
        """Remember steps that are about to be taken.

        The caller holds the lock of the index.

        Raises:
            FileError: The disk refused.
        """
        kept = self._read()
        kept += [step for step in steps if step.before != step.after]
        lines = [frame(asdict(step)) for step in kept[-_MOST_STEPS:]]
        self._index.keep(_STEPS_FILE, b"".join(lines))

    def forget(self, batch: str, paths: Collection[str]) -> None:
        """Forget steps of a batch that were noted, but never taken.

        The caller holds the lock of the index.

        Raises:
            FileError: The disk refused.
        """
        steps = self._read()
        kept = [step for step in steps if step.batch != batch or step.path not in paths]
        if kept:
            self._index.keep(_STEPS_FILE, b"".join(frame(asdict(step)) for step in kept))
        elif steps:
            self._index.drop(_STEPS_FILE)

    def last(self, batch: str) -> dict[str, IndexStep]:
        """The last step that was taken for a batch, by path."""
        return {step.path: step for step in self._read() if step.batch == batch}

    def _read(self) -> list[IndexStep]:
        """The steps, without damaged ones.

        Where a step is missing, an undo leaves the entry as it is and tells the user of it.

        Raises:
            DiskError: The file cannot be read.
        """
        try:
            with as_disk_error(f"cannot read {self._file}"):
                lines = read_small(self._file).splitlines()
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return []
            raise
        steps = []
        for line in lines:
            body = unframe(line)
            step = None if body is None else _read_step(body)
            if step is not None:
                steps.append(step)
        return steps


def _read_step(body: Mapping[str, Any]) -> IndexStep | None:
    """The step of a line; None where spark cannot have written the line."""
    try:
        before = _read_entry(body["before"])
        after = _read_entry(body["after"])
        step = IndexStep(body["batch"], body["path"], before, after)
        entries = [entry for entry in (step.before, step.after) if entry is not None]
        texts = [step.batch, step.path]
        for entry in entries:
            texts += [entry.mode, entry.blob]
        if not all(isinstance(text, str) for text in texts):
            return None
        check_path(step.path)
    except (KeyError, TypeError, UsageError):
        return None
    return step


def _read_entry(body: Mapping[str, Any] | None) -> Entry | None:
    return None if body is None else Entry(body["mode"], body["blob"])
