"""What the journal's records amount to: which batches are in force, file by file."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.journal import FileRecord, JournalEntry, Phase, Record


class State(StrEnum):
    """Whether a batch is in force: its files hold its result, unless edited since."""

    APPLIED = "applied"
    UNDONE = "undone"
    PARTLY = "partly"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Batch:
    """An entry of the journal, whether it is in force, and for which files."""

    entry: JournalEntry
    state: State
    in_force: tuple[str, ...]


class History:
    """The batches that came to an end, and how they build on each other.

    Args: records: of the journal, oldest first. Those that changed nothing are left out.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = [record for record in records if record.phase in {Phase.DONE, Phase.INTERRUPTED}]
        self._entries = {record.entry.id: record.entry for record in self._records}
        self._last: dict[tuple[str, str], JournalEntry] = {}
        for record in self._records:
            for path in self._paths(record.entry):
                self._last[record.entry.subject, path] = record.entry

    @property
    def batches(self) -> tuple[Batch, ...]:
        """All of them, the newest first."""
        return tuple(self._batch(record) for record in reversed(self._records))

    def find(self, batch_id: str) -> Batch:
        """The one batch whose id begins so. Raises: UsageError: none, or several."""
        found = [record for record in self._records if record.entry.id.startswith(batch_id)]
        if len(found) != 1:
            raise UsageError(
                f"{'several batches begin' if found else 'no batch begins'} with {batch_id!r}; see `spark log`"
            )
        return self._batch(found[0])

    def last_accept(self) -> Batch:
        """The newest accept that is in force. Raises: UsageError: there is none."""
        for batch in self.batches:
            if batch.entry.is_accept and batch.in_force:
                return batch
        raise UsageError("nothing to undo")

    def last_undo(self) -> Batch:
        """The newest undo that is in force, if nothing was accepted since. Raises: UsageError: there is none."""
        for batch in self.batches:
            if batch.entry.is_accept:
                break
            if batch.entry.undoes and batch.in_force:
                return batch
        raise UsageError("nothing to redo")

    def subject(self, entry: JournalEntry) -> JournalEntry:
        """The accept an entry is about. Raises: SparkError: its record is damaged."""
        subject = self._entries.get(entry.subject)
        if subject is None or not subject.is_accept:
            raise SparkError(f"the journal's line about batch {entry.subject} is damaged; change its files by hand")
        return subject

    def last(self, subject: JournalEntry, file: FileRecord) -> FileRecord:
        """What was last done to a file of an accept, or undone, or redone."""
        entry = self._last[subject.id, file.path]
        return next((each for each in entry.files if each.path == file.path), file)

    def not_in_force(self, subject: JournalEntry) -> tuple[str, ...]:
        """The files of an accept that were undone."""
        return tuple(file.path for file in subject.files if self._last[subject.id, file.path].undoes)

    def _paths(self, entry: JournalEntry) -> list[str]:
        files = self._entries.get(entry.subject, entry).files
        return [file.path for file in files if entry.covers(file.path)]

    def _batch(self, record: Record) -> Batch:
        entry, paths = record.entry, self._paths(record.entry)
        in_force = tuple(path for path in paths if self._rules(entry, path))
        if record.phase is Phase.INTERRUPTED and any(self._last[entry.subject, path] == entry for path in paths):
            return Batch(entry, State.INTERRUPTED, in_force)
        if len(in_force) == len(paths):
            return Batch(entry, State.APPLIED, in_force)
        return Batch(entry, State.PARTLY if in_force else State.UNDONE, in_force)

    def _rules(self, entry: JournalEntry, path: str) -> bool:
        last = self._last[entry.subject, path]
        return last.undoes is None if entry.is_accept else last == entry
