"""The write protocol: all files of a batch get their new content, or none does, whatever happens on the way.

1. The caller holds the lock. 2. Old and new contents go to the store. 3. The journal says PREPARE. 4. Every file
must still have its old content. 5. Full copies are written beside all files. 6. The journal says COMMITTING.
7. Every copy takes its file's place. 8. The journal says DONE.
"""

from collections.abc import Iterable
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path

from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import FileRecord, Journal, JournalEntry, Phase, Tell, tell_nobody
from spark_tui.vcs.paths import read_file
from spark_tui.vcs.store import Store, content_hash
from spark_tui.vcs.write import Writer


class _Place(Enum):
    """Where a file stands between its content before and after a batch."""

    BEFORE = auto()
    AFTER = auto()
    ELSEWHERE = auto()


class Protocol:
    """Carries batches out on one work tree, and brings to an end what a crash cut short."""

    def __init__(self, root: Path, journal: Journal, store: Store, disk: Disk, *, tell: Tell = tell_nobody) -> None:
        self._root = root
        self._tell = tell
        self._journal = journal
        self._store = store
        self._writer = Writer(root, disk)

    def carry_out(self, entry: JournalEntry, images: Iterable[bytes]) -> None:
        """Do what an entry says; the caller holds the lock.

        Args: images: the contents the entry's hashes stand for.
        Raises: Conflict: a file is not what the entry takes it for. FileError: the disk refused. Nothing was written.
        """
        try:
            self._store.put(images)
            self._journal.prepare(entry)
        except OSError as e:
            raise FileError(f"cannot write the journal: {e.strerror}; nothing was changed") from e
        try:
            for file in entry.files:
                self._expect_before(file)
            self._stage(entry)
            self._mark(entry, Phase.COMMITTING)
        except (SparkError, KeyboardInterrupt):
            self._abandon(entry)
            raise
        try:
            self._commit(entry)
        except KeyboardInterrupt:
            self._commit(entry)
            raise

    def recover(self, entry: JournalEntry, phase: Phase) -> Phase:
        """Bring an entry that a crash cut short to an end: all of it or nothing. Doing so twice is harmless.

        Returns: DONE, ABORTED, or INTERRUPTED where files were edited since, so that neither is possible.
        """
        self._discard(entry)
        if phase is Phase.COMMITTING:
            self._stage(entry)
            return self._finish(entry)
        self._mark(entry, Phase.ABORTED)
        return Phase.ABORTED

    def _expect_before(self, file: FileRecord) -> None:
        current = self._current(file)
        if current != file.before:
            raise Conflict(f"{_difference(file, current)}; nothing was written: review it again")

    def _current(self, file: FileRecord) -> str | None:
        data = read_file(self._root, file.path)
        return None if data is None else content_hash(data)

    def _places(self, entry: JournalEntry) -> list[_Place]:
        return [self._place(file) for file in entry.files]

    def _place(self, file: FileRecord) -> _Place:
        try:
            current = self._current(file)
        except FileError:  # a link or a folder by now: someone else's doing
            return _Place.ELSEWHERE
        if current == file.after:
            return _Place.AFTER
        return _Place.BEFORE if current == file.before else _Place.ELSEWHERE

    def _stage(self, entry: JournalEntry) -> None:
        for number, (file, place) in enumerate(zip(entry.files, self._places(entry), strict=True)):
            if place is _Place.BEFORE and file.after is not None:
                self._writer.stage(file.path, _temporary(entry, number), self._store.get(file.after), file.mode)

    def _commit(self, entry: JournalEntry) -> None:
        if self._finish(entry) is not Phase.DONE:
            raise Conflict(f"{entry.description!r}: a file was saved by another program meanwhile; review it again")

    def _finish(self, entry: JournalEntry) -> Phase:
        places = self._places(entry)
        if _Place.ELSEWHERE in places:
            end = Phase.INTERRUPTED if _Place.AFTER in places else Phase.ABORTED
            self._discard(entry)
        else:
            end = Phase.DONE
            self._replace_all(entry, places)
        self._mark(entry, end)
        return end

    def _replace_all(self, entry: JournalEntry, places: list[_Place]) -> None:
        try:
            for number, (file, place) in enumerate(zip(entry.files, places, strict=True)):
                if place is _Place.BEFORE:
                    self._expect_before(file)
                    self._move(file.path, file.after, _temporary(entry, number))
        except (FileError, Conflict):
            self._roll_back(entry)
            raise

    def _move(self, path: str, target: str | None, temporary: str) -> None:
        if target is None:
            self._writer.remove(path)
        else:
            self._writer.publish(path, temporary)

    def _roll_back(self, entry: JournalEntry) -> None:
        for number, (file, place) in enumerate(zip(entry.files, self._places(entry), strict=True)):
            if place is not _Place.AFTER:
                continue
            if file.before is not None:
                self._writer.stage(file.path, _temporary(entry, number), self._store.get(file.before), file.mode)
            self._move(file.path, file.before, _temporary(entry, number))
        self._abandon(entry)

    def _abandon(self, entry: JournalEntry) -> None:
        # What cannot be tidied up now is tidied up by the next recovery, since the entry then stays open.
        with suppress(FileError):
            self._discard(entry)
            self._mark(entry, Phase.ABORTED)

    def _discard(self, entry: JournalEntry) -> None:
        for number, file in enumerate(entry.files):
            self._writer.discard(file.path, _temporary(entry, number))

    def _mark(self, entry: JournalEntry, phase: Phase) -> None:
        try:
            self._journal.mark(entry, phase)
        except OSError as e:
            raise FileError(f"cannot write the journal: {e.strerror}; the next start of spark sets this right") from e


def _temporary(entry: JournalEntry, number: int) -> str:
    """The name of the copy beside an entry's file; it follows from the journal, so that recovery finds it."""
    return f".spark-{entry.id}-{number}.tmp"


def _difference(file: FileRecord, current: str | None) -> str:
    if file.before is None:
        return f"{file.path} exists already"
    return f"{file.path} is gone" if current is None else f"{file.path} has changed on disk"
