"""Accept, undo, redo and log: batches of file changes, carried out whole and taken back whole.

`Batches` is the door to this package for the rest of spark. Each operation takes the repository's
lock, brings to an end what a crash cut short, and lets `transaction` write.
"""

import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from spark_tui.errors import Conflict, FileError, SparkError, Transient, UsageError
from spark_tui.own_folders import remedy
from spark_tui.remedies import words_of
from spark_tui.vcs.atomic_write import FileChange, count_missing_folders, follow_link
from spark_tui.vcs.blob_store import Store, content_hash, remove_temporaries, sync_folder
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import (
    BatchHistory,
    Chosen,
    JournaledBatch,
    Preview,
    Previewer,
    keep_within,
)
from spark_tui.vcs.index_follower import IndexFollower
from spark_tui.vcs.journal import (
    BatchPhase,
    Dropped,
    FileRecord,
    Journal,
    JournalEntry,
    JournalName,
    Record,
    Tell,
    tell_nobody,
)
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.patch import apply_in_quarantine
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path, file_mode
from spark_tui.vcs.staging_note import StagingNote
from spark_tui.vcs.transaction import Protocol

MOST_BYTES = 500 << 20
"""The default limit for the journal and the saved copies of one work tree."""


class Batches:
    """The operations on the files of one work tree, each all or nothing.

    Args:
        repo: The work tree's repository.
        state_dir: spark's state directory, outside the repository.
        disk: The system calls to use.
        tell: Takes one plain sentence at a time that the user must know and that is no error.
        most_bytes: The limit for journal and saved copies; beyond it the oldest batches give way.
    """

    def __init__(
        self,
        repo: Repository,
        state_dir: Path,
        *,
        disk: Disk | None = None,
        tell: Tell | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._root = repo.root
        self._lock = state_dir / "locks" / repo.lock_key
        self._disk = disk = disk or Disk()
        self._naming = JournalName(repo, state_dir / "journals", disk)
        self._folder = state_dir / "journals" / self._naming.name
        self._tell = tell or tell_nobody
        self._most_bytes = most_bytes
        self._is_tidy = False
        self.index_lags = False
        """Whether git's index could not be brought along with the last undo or redo."""
        self.half_done = ""
        """Which batch is half done and what stands in the way of its recovery; "" for none."""
        self._journal = Journal(self._folder, disk, tell=self._tell)
        self._store = Store(self._folder / "contents", disk)
        self._previewer = Previewer(repo, self._store)
        self._index_follower = IndexFollower(repo, disk, self._tell)
        self._note = StagingNote(state_dir / "staging" / f"{self._naming.name}.line")
        self._protocol = Protocol(repo.root, self._journal, self._store, disk, tell=self._tell)

    def accept(self, changes: Sequence[FileChange], description: str) -> JournalEntry:
        """Write changes to the work tree.

        Raises:
            Conflict: A file does not have the content that its change begins with, or git refuses
                the patch.
            SparkError: Git makes something else of the patch.
            UsageError: Spark does not write to a path.
            FileError: The disk refused.
            Transient: Another spark is writing. In all cases nothing was written.
        """
        if not changes:
            raise UsageError("nothing to accept")
        changes = [follow_link(self._root, change) for change in changes]
        _check_changes(changes)
        with self._exclusive():
            entry = self._carry_out(changes, description)
            self._end(entry)
            return entry

    def undo(
        self, batch_id: str | None = None, *, only: Collection[str] | None = None
    ) -> JournalEntry:
        """Take a batch back; taking back an undo is a redo.

        Where a file was edited since, those edits stay and only the batch's own lines go back.

        Args:
            batch_id: The batch's id, or the start of it; default the last accept in force.
            only: The files to take back; None: all.

        Raises:
            UsageError: There is no such batch, or it is not in force.
            Conflict: The same lines were edited since; the detail shows both versions.
            SparkError: A saved copy is damaged.
        """
        with self._exclusive():
            return self._write_preview(self._preview_undo(batch_id, only))

    def redo(self, batch_id: str | None = None) -> JournalEntry:
        """Do again what was undone.

        Args:
            batch_id: The id of an accept, or of an undo; default the last undo, unless something
                was accepted since.

        Raises:
            UsageError: There is nothing to redo.
            Conflict, SparkError: As `undo`.
        """
        with self._exclusive():
            return self._write_preview(self._preview_redo(batch_id))

    def preview_undo(
        self,
        batch_id: str | None = None,
        *,
        only: Collection[str] | None = None,
        chosen: Chosen | None = None,
    ) -> Preview:
        """Work out what `undo` would change.

        Args:
            chosen: The side to take where edits clash.

        Raises:
            UsageError, Conflict, SparkError: As `undo`.
        """
        with self._exclusive():
            return self._preview_undo(batch_id, only, chosen)

    def preview_redo(self, batch_id: str | None = None, *, chosen: Chosen | None = None) -> Preview:
        """Work out what `redo` would change.

        Args:
            chosen: The side to take where edits clash.

        Raises:
            UsageError, Conflict, SparkError: As `redo`.
        """
        with self._exclusive():
            return self._preview_redo(batch_id, chosen)

    def apply(self, preview: Preview) -> JournalEntry:
        """Carry out what was previewed.

        Raises:
            Conflict: Files changed meanwhile; nothing was written.
        """
        with self._exclusive():
            return self._write_preview(preview)

    def log(self) -> tuple[JournaledBatch, ...]:
        """All batches, the newest first. Those that changed nothing are left out."""
        return self._history().batches

    def find(self, batch_id: str) -> JournaledBatch:
        """The batch whose id begins with `batch_id`.

        Raises:
            UsageError: There is none, or there are several.
        """
        return self._history().find(batch_id)

    def patch(self, entry: JournalEntry) -> bytes:
        """The patch of what a batch did, in git's format.

        Raises:
            SparkError: A saved copy is damaged.
        """
        return b"".join(self._restore_change(file).patch for file in entry.files)

    def changes(self, batch: JournaledBatch) -> tuple[FileChange, ...]:
        """The changes of a batch to the files for which it is in force.

        Raises:
            SparkError: A saved copy is damaged.
        """
        return tuple(
            self._restore_change(file) for file in batch.entry.files if file.path in batch.in_force
        )

    def missing(self) -> tuple[int, Dropped]:
        """How many damaged records the log leaves out, and which batches gave way to newer ones."""
        return len(self._journal.damaged()), self._journal.dropped()

    @property
    def name(self) -> str:
        """The name under which spark keeps what belongs to this work tree, wherever it is moved."""
        return self._naming.name

    @property
    def older(self) -> Path | None:
        """A journal that looks like this work tree's but is another's, say of its original.

        None where there is none, or this work tree has begun its own journal.
        """
        return self._naming.older if not os.path.lexists(self._folder) else None

    def recover_at_start(self) -> None:
        """Recover from a crash, if there was one, and tell the user.

        Where another spark is at work, that one recovers. Where nothing can be written, everything
        stays as it is; if files are half written then, the user is told, and `half_done` says so.
        """
        self.half_done = ""
        self._index_follower.tidy_alone(self._lock)
        self._end_batches()
        self._tell_of_unstaged()

    def _end_batches(self) -> None:
        """Bring the batches to an end that a crash cut short."""
        if self._journal.at_rest():
            return
        try:
            # Without waiting: a spark that holds the lock has itself recovered first.
            with self._locked(patience=0.0):
                for record in self._recover():
                    if record.phase is BatchPhase.INTERRUPTED:
                        self._tell(_interruption(record.entry))
        except Transient:
            return
        except SparkError as e:
            self.half_done = self._describe_half_done(e)
        if self.half_done:
            self._tell(self.half_done)

    def _tell_of_unstaged(self) -> None:
        """Tell the user, once, about an edit that was to be staged when spark was killed."""
        last = self._note.take()
        if last is None:
            return
        with suppress(SparkError):
            batches = self._history().batches
            entry = batches[0].entry if batches else None
            if entry is None or not entry.is_accept or entry.id == last:
                return
            if paths := self._index_follower.unstaged(entry):
                words = " ".join(entry.asked.split())
                self._tell(
                    f"“{words}” was applied, but spark was ended before it was staged; "
                    f"`git add` stages {', '.join(paths)}"
                )

    def staging(self) -> AbstractContextManager[None]:
        """Note, for the length of a `with`, that edits accepted there are to be staged, too."""
        batches = self._history().batches
        last = batches[0].entry.id if batches else ""
        return self._note.standing(last)

    def _describe_half_done(self, obstacle: SparkError) -> str:
        """Which batch is half done, and where; "" where no file is written.

        Args:
            obstacle: Why the batch could not be brought to an end.
        """
        try:
            records = self._journal.read()
        except SparkError:  # told where the journal is read next
            return ""
        for record in records:
            if record.phase not in {BatchPhase.PREPARE, BatchPhase.COMMITTING}:
                continue
            entry = record.entry
            try:
                written, others = self._protocol.half_done(entry)
            except SparkError:
                # In PREPARE no file was replaced, so what cannot be read does not matter.
                if record.phase is BatchPhase.PREPARE:
                    continue
                paths = ", ".join(file.path for file in entry.files)
                where = f"nobody can tell in which of {paths}"
            else:
                if not written:
                    continue
                where = f"written in {', '.join(written)}"
                if others:
                    where += f", not in {', '.join(others)}"
            return (
                f"{entry.description!r} ({entry.id}) is half done, {where}: {obstacle}; put that "
                f"right and run `spark log`; nothing else is written until then"
            )
        return ""

    def recover(self) -> tuple[Record, ...]:
        """Bring to an end what a crash cut short; every operation does this first.

        Returns:
            The batches concerned and how they ended: DONE, ABORTED or, where files were edited
            since, INTERRUPTED, with those files as they are.
        """
        with self._locked():
            return self._recover()

    @contextmanager
    def _locked(self, *, patience: float | None = None) -> Iterator[None]:
        """Hold the repository's lock, and make and clean up the folders of the journal."""
        with exclusive(self._lock, patience=patience):
            self._make_folders()
            self._clean_up()
            yield

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Hold the repository's lock for an operation, after recovery.

        Raises:
            Conflict: Recovery left a batch half done.
        """
        with self._locked():
            for record in self._recover():
                if record.phase is BatchPhase.INTERRUPTED:
                    raise Conflict(_interruption(record.entry))
            yield

    def _recover(self) -> tuple[Record, ...]:
        """Recover under the lock, and tell the user about all batches but interrupted ones."""
        recovered = []
        for record in self._journal.read():
            # Only the last batch can be open, since each one recovers those before it.
            if not record.open:
                continue
            entry = record.entry
            if record.phase is BatchPhase.WRITTEN:
                # While the entry is open: once it is DONE, nobody comes back for the index.
                self._follow_again(entry)
            phase = self._protocol.recover(entry, record.phase)
            recovered.append(Record(entry, phase))
            if phase is BatchPhase.DONE:
                self._tell(f"{entry.description!r} was cut short once written: it is complete now")
            elif phase is BatchPhase.ABORTED:
                self._tell(
                    f"{entry.description!r} was cut short: all of its files are as they were before"
                )
        return tuple(recovered)

    def _follow_again(self, entry: JournalEntry) -> None:
        """Bring git's index along with an undo or a redo that was cut short before."""
        if entry.is_accept:
            return
        with suppress(SparkError):  # damaged records and contents are told where they are read
            subject = self._history().subject(entry)
            paths = entry.only or tuple(file.path for file in subject.files)
            changes = tuple(self._restore_change(file) for file in entry.files)
            self._bring_index_along(Preview(subject, bool(entry.undoes), paths, changes))

    def _clean_up(self) -> None:
        """Remove what crashes left in the git directory and beside the journal."""
        self._index_follower.tidy()
        try:
            # Before anything may rewrite the journal, which would lose the damaged lines.
            self._journal.set_damaged_aside()
            # Once is enough: under the lock, only a spark that was killed leaves such files.
            if not self._is_tidy:
                for folder in (self._folder, self._folder / "contents"):
                    remove_temporaries(folder, self._disk)
                self._is_tidy = True
        except OSError as e:
            advice = remedy(e, self._folder, "XDG_STATE_HOME")
            raise FileError(
                f"cannot write to {self._folder}: {words_of(e)}; nothing was changed: {advice}"
            ) from e

    def _make_folders(self) -> None:
        """Make the folders of the journal, private to the user, where there are none."""
        for folder in (self._folder.parent, self._folder, self._folder / "contents"):
            try:
                if not folder.exists():
                    folder.mkdir(mode=0o700)
                    # A synced line is lost all the same where its folder is.
                    sync_folder(folder.parent, self._disk)
            except OSError as e:
                advice = remedy(e, folder, "XDG_STATE_HOME")
                raise FileError(f"cannot write to {folder}: {words_of(e)}; {advice}") from e

    def _history(self) -> BatchHistory:
        return BatchHistory(self._journal.read())

    def _preview_undo(
        self, batch_id: str | None, only: Collection[str] | None, chosen: Chosen | None = None
    ) -> Preview:
        history = self._history()
        batch = history.find(batch_id) if batch_id else history.last_accept()
        return self._previewer.preview(history, batch, only=only, chosen=chosen)

    def _preview_redo(self, batch_id: str | None, chosen: Chosen | None = None) -> Preview:
        history = self._history()
        batch = history.find(batch_id) if batch_id else history.last_undo()
        if batch.entry.undoes:
            return self._previewer.preview(history, batch, only=None, chosen=chosen)
        return self._previewer.again(history, history.subject(batch.entry), chosen)

    def _write_preview(self, preview: Preview) -> JournalEntry:
        """Write what was previewed, and bring git's index along."""
        subject = preview.subject
        only = preview.only
        if preview.back:
            history = self._history()
            # A folder that was there before the file came stays when the file goes.
            made = {file.path: history.last(subject, file).folders for file in subject.files}
            entry = self._carry_out(
                preview.changes,
                f"undo {subject.description}",
                undoes=subject.id,
                only=only,
                made=made,
            )
        else:
            entry = self._carry_out(
                preview.changes, f"redo {subject.description}", redoes=subject.id, only=only
            )
        # Where the index could not be brought along, the batch stays open (WRITTEN), and the next
        # operation tries again through recovery.
        self.index_lags = not self._bring_index_along(preview)
        if not self.index_lags:
            self._end(entry)
        return entry

    def _bring_index_along(self, preview: Preview) -> bool:
        """Bring git's index along.

        Returns:
            Whether that was possible; if not, the user has been told.
        """
        try:
            self._index_follower.follow(preview)
        except SparkError as e:
            self._tell(f"the files are as you want them, but git's index may not be: {e}")
            return False
        return True

    def _restore_change(self, file: FileRecord) -> FileChange:
        """The change that a record of the journal stands for."""
        before = self._saved_content(file.before)
        after = self._saved_content(file.after)
        return FileChange(file.path, before, after, file.mode)

    def _saved_content(self, name: str | None) -> bytes | None:
        return None if name is None else self._store.get(name)

    def _carry_out(
        self,
        changes: Sequence[FileChange],
        description: str,
        *,
        undoes: str | None = None,
        redoes: str | None = None,
        only: tuple[str, ...] | None = None,
        made: Mapping[str, int | None] = MappingProxyType({}),
    ) -> JournalEntry:
        """Write changes as a new batch of the journal.

        Args:
            made: How many folders around a file may go with it, by path; without a number, all.
        """
        files = tuple(self._make_record(change, made.get(change.path)) for change in changes)
        # Before anything is written: if git and spark get the same result from the patch, neither
        # has misread it.
        _ask_git(changes, files)
        entry = JournalEntry(
            secrets.token_hex(4), datetime.now(UTC), description, files, undoes, redoes, only
        )
        contents: list[bytes] = []
        for change in changes:
            contents += [data for data in (change.before, change.after) if data is not None]
        # Before the batch, or a work tree that is moved after a crash would not find its journal.
        self._naming.claim()
        self._protocol.carry_out(entry, contents)
        return entry

    def _end(self, entry: JournalEntry) -> None:
        """Bring a batch that was carried out to its end."""
        self._protocol.settle(entry)
        self._keep_within()

    def _keep_within(self) -> None:
        """Keep the journal within its limit; a disk that refuses does not fail the operation."""
        try:
            keep_within(self._journal, self._store, self._most_bytes, self._tell)
        except OSError as e:
            self._tell(
                f"cannot shorten the journal in {self._folder}: {words_of(e)}; nothing was lost"
            )

    def _make_record(self, change: FileChange, made: int | None) -> FileRecord:
        """The record of a change; a file that exists keeps its mode.

        Args:
            made: How many folders around a file may go with it; None: all.
        """
        mode = file_mode(self._root, change.path)
        if mode is None:
            mode = change.mode
        before = _content_name(change.before)
        after = _content_name(change.after)
        folders: int | None = 0
        if before is None:
            folders = count_missing_folders(self._root, change.path)
        elif after is None:
            folders = made
        return FileRecord(change.path, before, after, mode, folders=folders)


def _content_name(data: bytes | None) -> str | None:
    """The name of content in the store; None: no file."""
    return None if data is None else content_hash(data)


def _check_changes(changes: Sequence[FileChange]) -> None:
    """Refuse changes that cannot be one batch.

    Raises:
        UsageError: A file occurs twice, is not spark's to write, or does not change.
    """
    if len({change.path for change in changes}) < len(changes):
        raise UsageError("a file is in one batch twice; merge its changes first")
    for change in changes:
        check_path(change.path)
        if change.before == change.after:
            raise UsageError(f"{change.path}: no change to accept")


def _ask_git(changes: Sequence[FileChange], files: Sequence[FileRecord]) -> None:
    """Have git apply the changes as a patch, in quarantine, and compare the results.

    Raises:
        SparkError: Git's result is not what spark is about to write.
    """
    patch = b"".join(
        replace(change, mode=file.mode).patch for change, file in zip(changes, files, strict=True)
    )
    before = {change.path: change.before for change in changes if change.before is not None}
    after = {change.path: change.after for change in changes if change.after is not None}
    if patch and apply_in_quarantine(patch, before) != after:
        raise SparkError(
            "git and spark disagree about this patch; nothing was written. Please report it"
        )


def _interruption(entry: JournalEntry) -> str:
    return (
        f"{entry.description!r} was cut short, and its files were edited since or its record is "
        f"damaged; they stay as they are now. "
        f"`spark undo {entry.id}` takes the rest back; nothing else was written"
    )
