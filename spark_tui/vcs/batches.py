"""Accept, undo, redo and log: batches of file changes that are carried out whole and can be taken back."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from spark_tui.errors import Conflict, FileError, SparkError, UsageError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import FileRecord, Journal, JournalEntry, Phase, Record, Tell, tell_nobody
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.merge import merge
from spark_tui.vcs.patch import encode_patch
from spark_tui.vcs.paths import check_path, file_mode, read_file
from spark_tui.vcs.protocol import Protocol
from spark_tui.vcs.quarantine import apply_in_quarantine
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.store import Store, content_hash, sync_folder
from spark_tui.vcs.write import FileChange

_OPEN = {Phase.PREPARE, Phase.COMMITTING}


class State(StrEnum):
    """Whether a batch is in force: its files hold its result, unless edited since."""

    APPLIED = "applied"
    UNDONE = "undone"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Batch:
    """An entry of the journal and whether it is in force."""

    entry: JournalEntry
    state: State


class Batches:
    """What was and can be done to the files of one work tree. Each operation is all or nothing.

    Args: repo: where. state_dir: spark's state directory, outside the repository. disk: the system calls to use.
        tell: hears what the user must know and is no error, one plain sentence each.
    """

    def __init__(
        self, repo: Repository, state_dir: Path, *, disk: Disk | None = None, tell: Tell | None = None
    ) -> None:
        self._root = repo.root
        self._lock = state_dir / "locks" / repo.lock_key
        self._folder = state_dir / "journals" / repo.key
        self._disk = disk = disk or Disk()
        self._tell = tell or tell_nobody
        self._journal = Journal(self._folder, disk, tell=self._tell)
        self._store = Store(self._folder / "contents", disk)
        self._protocol = Protocol(repo.root, self._journal, self._store, disk, tell=self._tell)

    def accept(self, changes: Sequence[FileChange], description: str) -> JournalEntry:
        """Write changes to the work tree.

        Raises: Conflict: a file is not what its change takes it for, or git disagrees with us about the result.
            UsageError: a path spark does not write to. FileError: the disk refused. Transient: another spark is at
            it. In all cases nothing was written.
        """
        if not changes:
            raise UsageError("there is nothing to accept")
        _check(changes)
        with self._exclusive():
            return self._carry_out(changes, description)

    def undo(self, batch_id: str | None = None) -> JournalEntry:
        """Take a batch back; taking back an undo is a redo.

        Where a file was edited since, those edits stay and only the batch's own lines go back.

        Args: batch_id: its id, or the start of it; default the last accept that is in force.
        Raises: UsageError: no such batch, or it is not in force. Conflict: the same lines were edited since.
        """
        with self._exclusive():
            batches = self.log()
            batch = _find(batches, batch_id) if batch_id else _last_accept(batches)
            if batch.state is State.UNDONE:
                raise UsageError(f"batch {batch.entry.id} is not in force; `spark log` shows which are")
            return self._turn(batches, batch.entry.subject, back=batch.entry.undoes is None)

    def redo(self) -> JournalEntry:
        """Do again what was undone last, unless something was accepted since.

        Raises: UsageError: there is nothing to redo. Conflict: the same lines were edited since.
        """
        with self._exclusive():
            batches = self.log()
            return self._turn(batches, _last_undo(batches).entry.subject, back=False)

    def log(self) -> tuple[Batch, ...]:
        """All batches, the newest first. Those that changed nothing are left out."""
        records = [record for record in self._journal.read() if record.phase in {Phase.DONE, Phase.INTERRUPTED}]
        last = {record.entry.subject: record.entry for record in records}
        return tuple(Batch(record.entry, _state(record, last[record.entry.subject])) for record in reversed(records))

    def recover(self) -> tuple[Record, ...]:
        """Bring to an end what a crash cut short; every operation does this first.

        Returns: the entries concerned and how they ended: DONE, ABORTED or, where files were edited since,
            INTERRUPTED, with those files as they are.
        """
        with self._locked():
            return self._recover()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with exclusive(self._lock):
            self._make_folders()
            yield

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._locked():
            for record in self._recover():
                if record.phase is Phase.INTERRUPTED:
                    raise Conflict(_interruption(record.entry))
            yield

    def _recover(self) -> tuple[Record, ...]:
        cut_short = [record for record in self._journal.read() if record.phase in _OPEN]
        return tuple(Record(entry, self._protocol.recover(entry, phase)) for entry, phase in map(_pair, cut_short))

    def _make_folders(self) -> None:
        for folder in (self._folder.parent, self._folder, self._folder / "contents"):
            try:
                if not folder.exists():
                    folder.mkdir(mode=0o700)
                    sync_folder(folder.parent, self._disk)
            except OSError as e:
                raise FileError(
                    f"cannot write to {folder}: {e.strerror}; set XDG_STATE_HOME to a folder of yours"
                ) from e

    def _turn(self, batches: Sequence[Batch], subject_id: str, *, back: bool) -> JournalEntry:
        subject = _entry(batches, subject_id)
        last = next(batch.entry for batch in batches if batch.entry.subject == subject_id)
        latest = {file.path: file for file in last.files}
        changes = [
            change
            for file in subject.files
            if (change := self._turned(file, latest.get(file.path, file), back=back)) is not None
        ]
        if back:
            return self._carry_out(changes, f"undo {subject.description}", undoes=subject.id)
        return self._carry_out(changes, f"redo {subject.description}", redoes=subject.id)

    def _turned(self, file: FileRecord, latest: FileRecord, *, back: bool) -> FileChange | None:
        """What a file is to become. `file`: what the accept did to it; `latest`: what was done or undone last."""
        source, target = (file.after, file.before) if back else (file.before, file.after)
        current = read_file(self._root, file.path)
        if _name(current) == target:
            return None
        if _name(current) == latest.after:
            return FileChange(file.path, current, self._content(latest.before), file.mode)
        if _name(current) == source:
            return FileChange(file.path, current, self._content(target), file.mode)
        if current is None or source is None or target is None:
            raise Conflict(f"{file.path} {'is gone' if current is None else 'was edited since'}; nothing was written")
        # Kept even where it changes nothing, so that taking it back changes nothing either.
        return FileChange(
            file.path, current, merge(self._store.get(source), current, self._store.get(target), file.path)
        )

    def _content(self, name: str | None) -> bytes | None:
        return None if name is None else self._store.get(name)

    def _carry_out(
        self, changes: Sequence[FileChange], description: str, *, undoes: str | None = None, redoes: str | None = None
    ) -> JournalEntry:
        files = tuple(self._record(change) for change in changes)
        _ask_git(changes, files)
        entry = JournalEntry(secrets.token_hex(4), datetime.now(UTC), description, files, undoes, redoes)
        images = (image for change in changes for image in (change.before, change.after) if image is not None)
        self._protocol.carry_out(entry, images)
        return entry

    def _record(self, change: FileChange) -> FileRecord:
        mode = file_mode(self._root, change.path)
        return FileRecord(change.path, _name(change.before), _name(change.after), change.mode if mode is None else mode)


def _pair(record: Record) -> tuple[JournalEntry, Phase]:
    return record.entry, record.phase


def _name(data: bytes | None) -> str | None:
    return None if data is None else content_hash(data)


def _check(changes: Sequence[FileChange]) -> None:
    if len({change.path for change in changes}) < len(changes):
        raise UsageError("a file comes twice in one batch; join its changes first")
    for change in changes:
        check_path(change.path)
        if change.before == change.after:
            raise UsageError(f"{change.path}: there is no change to accept")


def _ask_git(changes: Sequence[FileChange], files: Sequence[FileRecord]) -> None:
    """Let git apply the changes as a patch, in quarantine: what comes out must be what we are about to write.

    Raises: SparkError: it is not.
    """
    patch = b"".join(
        encode_patch(change.path, change.before, change.after, mode=0o644 if file.mode is None else file.mode)
        for change, file in zip(changes, files, strict=True)
    )
    before = {change.path: change.before for change in changes if change.before is not None}
    after = {change.path: change.after for change in changes if change.after is not None}
    if patch and apply_in_quarantine(patch, before) != after:
        raise SparkError("git makes something else of this patch than spark; nothing was written. Please report it")


def _state(record: Record, last: JournalEntry) -> State:
    if record.phase is Phase.INTERRUPTED and record.entry == last:
        return State.INTERRUPTED
    in_force = last.undoes is None if record.entry.is_accept else record.entry == last
    return State.APPLIED if in_force else State.UNDONE


def _find(batches: Sequence[Batch], batch_id: str) -> Batch:
    found = [batch for batch in batches if batch.entry.id.startswith(batch_id)]
    if len(found) != 1:
        raise UsageError(
            f"{'several batches begin' if found else 'no batch begins'} with {batch_id!r}; see `spark log`"
        )
    return found[0]


def _entry(batches: Sequence[Batch], batch_id: str) -> JournalEntry:
    for batch in batches:
        if batch.entry.id == batch_id:
            return batch.entry
    raise SparkError(f"the journal's line about batch {batch_id} is damaged; change its files by hand")


def _last_accept(batches: Sequence[Batch]) -> Batch:
    for batch in batches:
        if batch.entry.is_accept and batch.state is not State.UNDONE:
            return batch
    raise UsageError("there is nothing to undo")


def _last_undo(batches: Sequence[Batch]) -> Batch:
    for batch in batches:
        if batch.entry.is_accept:
            break
        if batch.entry.undoes and batch.state is not State.UNDONE:
            return batch
    raise UsageError("there is nothing to redo")


def _interruption(entry: JournalEntry) -> str:
    return (
        f"a crash left {entry.description!r} half done and its files were edited since; they stay as they are now. "
        f"`spark undo {entry.id}` takes the rest back; nothing else was written"
    )
