"""The write protocol: all files of a batch get their new content, or none does, come what may.

1. The caller holds the lock.
2. Old and new contents go to the store.
3. The journal says PREPARE.
4. Every file must still have its old content.
5. Full copies are written beside all files.
6. The journal says COMMITTING.
7. Every copy and its file change places, and what comes out must be the old content.
8. The journal says WRITTEN, which is what decides.
9. The copies are removed, and the journal says DONE.

After a crash, or where an error lasted, `recover` takes back every batch that is not WRITTEN. A
caller who was told that a batch failed is thus right, whatever the disk refused meanwhile. Only
where a file was edited since, `recover` leaves the files as they are.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from pathlib import Path

from spark_tui.errors import Conflict, DiskError, FileError, SparkError
from spark_tui.vcs.atomic_write import CopyWriter, Swapper, is_mixture, overwrite
from spark_tui.vcs.blob_store import Store, content_hash
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error, in_words
from spark_tui.vcs.journal import BatchPhase, FileRecord, Journal, JournalEntry, Tell, tell_nobody
from spark_tui.vcs.safe_paths import identity, read_file

_TRIES = 2
"""How often spark tries to put files back where the system refuses."""


class _FileState(Enum):
    """Which content a file has: that from before or after a batch, or another."""

    BEFORE = auto()
    AFTER = auto()
    KEPT = auto()  # both: an undo may keep a file as it is
    BETWEEN = auto()  # being written in place, cut short
    ELSEWHERE = auto()  # edited since, by another program


class Protocol:
    """Carries batches out on one work tree, and brings to an end what a crash cut short."""

    def __init__(
        self, root: Path, journal: Journal, store: Store, disk: Disk, *, tell: Tell = tell_nobody
    ) -> None:
        self._root = root
        self._tell = tell
        self._journal = journal
        self._store = store
        self._disk = disk
        self._writer = CopyWriter(root, disk)
        self._swapper = Swapper(root, disk, tell)

    def carry_out(self, entry: JournalEntry, images: Iterable[bytes]) -> None:
        """Write the files of an entry; the caller holds the lock.

        Args:
            images: The old and new contents, whose hashes the entry has.

        Raises:
            Conflict: A file does not have the content that the entry begins with.
            FileError: The disk refused. In both cases nothing was written.
        """
        with as_disk_error("nothing was changed, since the journal cannot be written"):
            # Contents first: a line of the journal must name nothing that recovery cannot read.
            self._store.put(images)
            self._journal.prepare(entry)
        try:
            # Before COMMITTING no file of the work tree has changed, so whatever fails here is
            # undone by removing the copies.
            self._expect_before(entry)
            entry = self._stage(entry)
            # From here on any file may have its new content; before, recovery need not look.
            self._mark(entry, BatchPhase.COMMITTING)
        except (SparkError, KeyboardInterrupt):
            self._abandon(entry)
            raise
        try:
            self._commit(entry)
        except KeyboardInterrupt:
            # Stopping here would leave some files old and some new. Committing again skips those
            # that are new already.
            self._commit(entry)
            raise

    def settle(self, entry: JournalEntry) -> None:
        """Remove the copies of an entry that was carried out, and mark the entry as done.

        Where that fails, the next recovery does it.
        """
        try:
            self._settle(entry)
        except FileError as e:
            self._tell(f"the change is written, but spark could not tidy up ({e})")
        except KeyboardInterrupt:
            self._settle(entry)
            raise

    def recover(self, entry: JournalEntry, phase: BatchPhase) -> BatchPhase:
        """Bring an entry that was cut short to an end: all of it or nothing.

        Recovering twice is harmless.

        Returns:
            DONE, ABORTED, or INTERRUPTED where files were edited since, so that neither is
            possible.

        Raises:
            FileError: The disk still refuses; the entry stays open.
        """
        if phase is BatchPhase.WRITTEN:
            self._settle(entry)
            return BatchPhase.DONE
        if phase is BatchPhase.COMMITTING:
            self._give_back(entry)
            states = self._states(entry)
            if _FileState.ELSEWHERE in states:
                return self._stop(entry, states)
            self._put_all_back(entry)
        elif _FileState.AFTER in (states := self._states(entry)):
            # PREPARE, and yet a file is new: the line COMMITTING is damaged, so nobody knows how
            # far the batch got.
            return self._stop(entry, states)
        self._discard(entry)
        self._mark(entry, BatchPhase.ABORTED)
        return BatchPhase.ABORTED

    def half_done(self, entry: JournalEntry) -> tuple[list[str], list[str]]:
        """The files of an entry that have their new content, at least in part, and the others.

        Raises:
            SparkError: A file or a saved copy cannot be read.
        """
        written: list[str] = []
        others: list[str] = []
        for file, state in zip(entry.files, self._states(entry), strict=True):
            if file.before == file.after:
                continue
            if state in {_FileState.AFTER, _FileState.BETWEEN}:
                written.append(file.path)
            else:
                others.append(file.path)
        return written, others

    def _expect_before(self, entry: JournalEntry) -> None:
        """Check that every file has its old content, and that no two paths are one file.

        Raises:
            Conflict: A file has other content, or two paths are one file.
        """
        # By content, never by time: an editor that saves twice within a tick of the clock leaves
        # the time as it was.
        names: dict[tuple[int, int], str] = {}
        for file in entry.files:
            data = read_file(self._root, file.path)
            current = None if data is None else content_hash(data)
            if current != file.before:
                raise Conflict(
                    f"{_difference(file, current)}; nothing was written: review it again"
                )
            # On a file system that ignores case two spellings are one file, and the second exchange
            # would take out what the first one put in.
            key = identity(self._root, file.path)
            if key in names:
                raise Conflict(
                    f"{names[key]} and {file.path} are one file; nothing was written: accept "
                    f"one of them"
                )
            if key is not None:
                names[key] = file.path

    def _states(self, entry: JournalEntry) -> list[_FileState]:
        return [self._state(file) for file in entry.files]

    def _state(self, file: FileRecord) -> _FileState:
        """Which content a file has now."""
        try:
            current = read_file(self._root, file.path)
        except DiskError:  # this says nothing about the file's content
            raise
        except FileError:  # someone put a link or a folder there
            return _FileState.ELSEWHERE
        name = None if current is None else content_hash(current)
        # Tested first: such a file needs no writing, and does not show that the batch wrote.
        if name == file.before == file.after:
            return _FileState.KEPT
        if name == file.after:
            return _FileState.AFTER
        if name == file.before:
            return _FileState.BEFORE
        if file.in_place and current is not None and is_mixture(current, *self._read_both(file)):
            return _FileState.BETWEEN
        return _FileState.ELSEWHERE

    def _read_both(self, file: FileRecord) -> tuple[bytes, bytes]:
        assert file.before is not None
        assert file.after is not None
        return self._store.get(file.before), self._store.get(file.after)

    def _stage(self, entry: JournalEntry) -> JournalEntry:
        """Write the copies.

        Returns:
            The entry as it is journalled: files that no copy can stand for are marked.
        """
        reasons = self._write_copies(entry)
        if not reasons:
            return entry
        # Journalled before the first byte is overwritten: only of a file marked as in place does
        # recovery take a mixture of old and new bytes for spark's own doing, and not for an edit.
        files = tuple(replace(file, in_place=file.path in reasons) for file in entry.files)
        entry = replace(entry, files=files)
        with as_disk_error("nothing was changed, since the journal cannot be written"):
            self._journal.prepare(entry)
        for path, reason in reasons.items():
            self._tell(f"{path} is written in place, since {reason}")
        return entry

    def _write_copies(self, entry: JournalEntry) -> dict[str, str]:
        """Write a copy beside each file to change.

        Returns:
            Why no copy can stand for a file, by the paths of such files.
        """
        reasons = {}
        for number, (file, state) in enumerate(zip(entry.files, self._states(entry), strict=True)):
            # A file that goes needs no copy: it is moved to the copy's name.
            if state is _FileState.BEFORE and file.after is not None and not file.in_place:
                data = self._store.get(file.after)
                reason = self._writer.stage(file.path, _copy_name(entry, number), data, file.mode)
                if reason is not None:
                    reasons[file.path] = reason
        return reasons

    def _commit(self, entry: JournalEntry) -> None:
        """Replace all files.

        Raises:
            Conflict: A file was saved by another program.
            SparkError: The disk refused; all files were put back.
        """
        if self._finish(entry) is not BatchPhase.WRITTEN:
            raise Conflict(
                f"{entry.description!r}: a file was saved by another program meanwhile; review "
                f"it again"
            )

    def _finish(self, entry: JournalEntry) -> BatchPhase:
        """Replace all files that are not replaced yet.

        Returns:
            WRITTEN, or what `_stop` returns where a file was edited since.

        Raises:
            SparkError: Not possible; all files were put back.
        """
        try:
            # Ctrl+C may have come between an exchange and the look at what came out. Then an
            # editor's save lies under a copy's name when this runs a second time.
            self._give_back(entry)
            states = self._states(entry)
        except SparkError:
            self._roll_back(entry)
            raise
        if _FileState.ELSEWHERE in states:
            return self._stop(entry, states)
        try:
            for number, (file, state) in enumerate(zip(entry.files, states, strict=True)):
                if file.in_place and state is not _FileState.AFTER:
                    self._overwrite(file)
                elif state is _FileState.BEFORE:
                    self._swapper.swap(
                        file.path, _copy_name(entry, number), file.before, file.after
                    )
            # Before the line that decides: after a power failure, WRITTEN beside old files would
            # be taken for an edit by somebody else.
            self._sync_folders(entry)
            with as_disk_error("nothing was changed, since the journal cannot be written"):
                self._journal.mark(entry, BatchPhase.WRITTEN, sync=False)
        except SparkError:
            self._roll_back(entry)
            raise
        # The line decides as soon as it is in the journal, so an error from here on is none of
        # the batch.
        try:
            self._journal.sync()
        except OSError as e:
            self._tell(
                f"the change is written, but may be taken back if the machine fails now "
                f"({in_words(e)})"
            )
        return BatchPhase.WRITTEN

    def _settle(self, entry: JournalEntry) -> None:
        self._discard(entry)
        with as_disk_error("cannot write the journal; the next start of spark repairs this"):
            # Lost in a crash, this line is written again by the next recovery.
            self._journal.mark(entry, BatchPhase.DONE, sync=False)

    def _sync_folders(self, entry: JournalEntry) -> None:
        self._writer.sync_folders(file.path for file in entry.files)

    def _stop(self, entry: JournalEntry, states: list[_FileState]) -> BatchPhase:
        """Leave the files as they are, since one was edited; a file cut short gets its old bytes.

        Returns:
            INTERRUPTED where a file has its new content, else ABORTED.
        """
        for file, state in zip(entry.files, states, strict=True):
            # A mixture is of no use to anybody, and both of its versions are in the store.
            if state is _FileState.BETWEEN:
                self._overwrite(file, back=True)
        end = BatchPhase.INTERRUPTED if _FileState.AFTER in states else BatchPhase.ABORTED
        self._discard(entry)
        self._mark(entry, end)
        return end

    def _overwrite(self, file: FileRecord, *, back: bool = False) -> None:
        """Write a file's new content into the file itself; with `back`, the old content."""
        before, after = self._read_both(file)
        current = read_file(self._root, file.path)
        if current is not None and current not in {before, after}:
            # Kept first: should this be no mixture of ours after all, it is not lost.
            with as_disk_error(f"cannot keep what is in {file.path}"):
                self._store.put([current])
        new = before if back else after
        overwrite(self._root, self._disk, file.path, new, old=(before, after))

    def _roll_back(self, entry: JournalEntry) -> None:
        """Put every file back; where an error lasts beyond the second try, recovery does so."""
        for _ in range(_TRIES):
            with suppress(DiskError):
                self._put_all_back(entry)
                self._abandon(entry)
                return
        self._tell(
            "not every file could be put back; once the disk answers again, `spark log` does that"
        )

    def _put_all_back(self, entry: JournalEntry) -> None:
        """Give every file its old content, but for those saved by other programs."""
        # First, as an exchange below would bury what an editor saved under the copy's name.
        self._give_back(entry)
        for number, (file, state) in enumerate(zip(entry.files, self._states(entry), strict=True)):
            try:
                self._put_back(file, state, _copy_name(entry, number))
            except Conflict:
                self._tell(
                    f"{file.path} was saved by another program after spark wrote it; that "
                    f"version stays"
                )
        self._sync_folders(entry)

    def _put_back(self, file: FileRecord, state: _FileState, copy: str) -> None:
        """Give a file its old content, if spark has replaced it."""
        if file.in_place and state in {_FileState.AFTER, _FileState.BETWEEN}:
            self._overwrite(file, back=True)
        elif state is _FileState.AFTER:
            # The old content lies under the copy's name, unless another program removed that.
            if file.before is not None and not self._swapper.holds(file.path, copy, file.before):
                self._writer.discard(file.path, copy, file.folders)
                self._writer.stage(file.path, copy, self._store.get(file.before), file.mode)
            self._swapper.swap(file.path, copy, file.after, file.before, propose=False)

    def _give_back(self, entry: JournalEntry) -> None:
        """Put back what editors saved while files were exchanged."""
        for number, file in enumerate(entry.files):
            self._swapper.give_back(file.path, _copy_name(entry, number), {file.before, file.after})

    def _abandon(self, entry: JournalEntry) -> None:
        """Remove the copies and mark the entry as aborted, as far as the disk allows."""
        # Where this fails, the entry stays open and the next recovery tidies up.
        with suppress(FileError):
            self._discard(entry)
            self._mark(entry, BatchPhase.ABORTED)

    def _discard(self, entry: JournalEntry) -> None:
        """Remove the copies."""
        for number, file in enumerate(entry.files):
            # Nothing is lost with a copy: the store holds the old and the new content.
            self._writer.discard(file.path, _copy_name(entry, number), file.folders)

    def _mark(self, entry: JournalEntry, phase: BatchPhase) -> None:
        with as_disk_error("cannot write the journal; the next start of spark repairs this"):
            self._journal.mark(entry, phase)


def _copy_name(entry: JournalEntry, number: int) -> str:
    """The name of the copy beside a file; recovery finds it, since it follows from the entry."""
    return f".spark-{entry.id}-{number}.tmp"


def _difference(file: FileRecord, current: str | None) -> str:
    """How a file differs from its old content.

    Args:
        current: The hash of the content now; None: no file.
    """
    if file.before is None:
        return f"{file.path} exists already"
    if current is None:
        return f"{file.path} is gone"
    return f"{file.path} has changed on disk"
