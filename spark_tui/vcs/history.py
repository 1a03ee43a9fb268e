"""Which batches of the journal are in force, and what an undo or a redo would change.

- `BatchHistory` works out from the journal's records which batches are in force, file by file.
- `Previewer` works out what taking a batch back, or doing it again, would change: in full, before
  anything is written.
- `keep_within` keeps the journal and its contents within a size: the oldest finished batches give
  way to newer ones.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from spark_tui.errors import Conflict, FileError, SparkError, UsageError
from spark_tui.safe_text import visible
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.blob_store import Store, content_hash
from spark_tui.vcs.journal import (
    BatchPhase,
    Dropped,
    FileRecord,
    Journal,
    JournalEntry,
    Record,
    Tell,
)
from spark_tui.vcs.patch import FileSummary, encode_patch, merge, summarize
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import read_file


class BatchState(StrEnum):
    """Whether a batch is in force: its files hold its result, unless they were edited since."""

    APPLIED = "applied"
    UNDONE = "undone"
    PARTLY = "partly"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class JournaledBatch:
    """An entry of the journal, its state, and the files for which it is in force."""

    entry: JournalEntry
    state: BatchState
    in_force: tuple[str, ...]


class BatchHistory:
    """The batches that came to an end, and how they build on each other.

    Args:
        records: The records of the journal, oldest first; those that changed nothing do not count.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = [
            record
            for record in records
            if record.phase in {BatchPhase.WRITTEN, BatchPhase.DONE, BatchPhase.INTERRUPTED}
        ]
        self._entries = {record.entry.id: record.entry for record in self._records}
        # The last entry about a file of an accept, by the accept's id and the file's path.
        self._last: dict[tuple[str, str], JournalEntry] = {}
        for record in self._records:
            for path in self._paths(record.entry):
                self._last[record.entry.subject, path] = record.entry

    @property
    def batches(self) -> tuple[JournaledBatch, ...]:
        """All these batches, the newest first."""
        return tuple(self._batch(record) for record in reversed(self._records))

    def find(self, batch_id: str) -> JournaledBatch:
        """The one batch whose id begins with `batch_id`.

        Raises:
            UsageError: There is none, or there are several.
        """
        matches = [record for record in self._records if record.entry.id.startswith(batch_id)]
        if len(matches) != 1:
            beginning = "several batches begin" if matches else "no batch begins"
            raise UsageError(f"{beginning} with {batch_id!r}; see `spark log`")
        return self._batch(matches[0])

    def last_accept(self) -> JournaledBatch:
        """The newest accept that is in force.

        Raises:
            UsageError: There is none.
        """
        for batch in self.batches:
            if batch.entry.is_accept and batch.in_force:
                return batch
        raise UsageError("nothing to undo")

    def last_undo(self) -> JournaledBatch:
        """The newest undo that is in force, if nothing was accepted since.

        Raises:
            UsageError: There is none.
        """
        for batch in self.batches:
            if batch.entry.is_accept:
                break
            if batch.entry.undoes and batch.in_force:
                return batch
        raise UsageError("nothing to redo")

    def subject(self, entry: JournalEntry) -> JournalEntry:
        """The accept that an entry is about.

        Raises:
            SparkError: The accept's record is damaged.
        """
        subject = self._entries.get(entry.subject)
        if subject is None or not subject.is_accept:
            raise SparkError(
                f"the journal's line about batch {entry.subject} is damaged; change its files "
                f"by hand"
            )
        return subject

    def last(self, subject: JournalEntry, file: FileRecord) -> FileRecord:
        """What the last accept, undo or redo did to a file of an accept."""
        entry = self._last[subject.id, file.path]
        # An undo that found the file as it should be has no record of the file.
        return next((record for record in entry.files if record.path == file.path), file)

    def not_in_force(self, subject: JournalEntry) -> tuple[str, ...]:
        """The files of an accept that were undone."""
        return tuple(
            file.path for file in subject.files if self._last[subject.id, file.path].undoes
        )

    def _paths(self, entry: JournalEntry) -> list[str]:
        """The files of the accept that an entry is about."""
        files = self._entries.get(entry.subject, entry).files
        return [file.path for file in files if entry.covers(file.path)]

    def _batch(self, record: Record) -> JournaledBatch:
        """Work out the state of a record's batch."""
        entry = record.entry
        paths = self._paths(record.entry)
        in_force = tuple(path for path in paths if self._is_in_force(entry, path))
        is_last = any(self._last[entry.subject, path] == entry for path in paths)
        # A later undo or redo of the same files has settled what was interrupted.
        if record.phase is BatchPhase.INTERRUPTED and is_last:
            state = BatchState.INTERRUPTED
        elif len(in_force) == len(paths):
            state = BatchState.APPLIED
        elif in_force:
            state = BatchState.PARTLY
        else:
            state = BatchState.UNDONE
        return JournaledBatch(entry, state, in_force)

    def _is_in_force(self, entry: JournalEntry, path: str) -> bool:
        last = self._last[entry.subject, path]
        if entry.is_accept:
            return last.undoes is None
        return last == entry


_MOST_COMPARED_BYTES = 2_000_000
"""A file that is gone is looked for, by its content, in files no larger than this."""


@dataclass(frozen=True, slots=True)
class Preview:
    """An undo, or a redo, that can be carried out.

    Args:
        subject: The accept that is undone or redone.
        back: Whether this is an undo.
        paths: The files concerned.
        changes: What becomes of these files; those already as they should be are left out.
        warning: What the undo or redo would break, or "".
    """

    subject: JournalEntry
    back: bool
    paths: tuple[str, ...]
    changes: tuple[FileChange, ...]
    warning: str = field(default="", compare=False)

    @property
    def only(self) -> tuple[str, ...] | None:
        """The files concerned; None where these are all of the accept's."""
        return None if len(self.paths) == len(self.subject.files) else self.paths

    @property
    def files(self) -> tuple[FileSummary, ...]:
        """How many lines are added to and removed from each file."""
        return tuple(summarize(change.path, change.patch) for change in self.changes)

    @property
    def patch(self) -> bytes:
        """The changes as a patch in git's format."""
        return b"".join(change.patch for change in self.changes)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The side of a conflict that the user chose.

    Args:
        seen: The conflict's detail, as the user saw it.
        keep: Whether the edits stay; else the undo or redo takes their place.
    """

    seen: str
    keep: bool


class _FileMerger:
    """Merges files, and takes the side that the user chose where edits clash.

    Args:
        chosen: None: the user has not chosen.
    """

    def __init__(self, chosen: Chosen | None) -> None:
        self._chosen = chosen
        self.clashes: dict[str, Conflict] = {}
        """The conflicts that were settled by the choice, by the paths of the files."""

    def merge(self, base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
        """Merge a file as `patch.merge` does.

        Raises:
            Conflict: As `patch.merge`, where the user has not chosen a side.
        """
        try:
            return merge(base, ours, theirs, path)
        except Conflict as e:
            if self._chosen is None or not e.choosable:
                raise
            self.clashes[path] = e
            preferred: Literal["ours", "theirs"] = "ours" if self._chosen.keep else "theirs"
            return merge(base, ours, theirs, path, prefer=preferred)

    @property
    def as_seen(self) -> bool:
        """Whether the settled conflicts are those that the user saw, and no others."""
        if not self.clashes:
            return True
        return self._chosen is not None and self._chosen.seen == _details(self.clashes.values())


class Previewer:
    """Works out previews from the journal, the saved copies and the files as they are now."""

    def __init__(self, repo: Repository, store: Store) -> None:
        self._repo = repo
        self._store = store

    def preview(
        self,
        history: BatchHistory,
        batch: JournaledBatch,
        *,
        only: Collection[str] | None,
        chosen: Chosen | None = None,
    ) -> Preview:
        """Work out what taking a batch back comes to; taking back an undo is a redo.

        Args:
            only: The files to take back; None: all for which the batch is in force.
            chosen: The side to take where edits clash; None: a clash is a conflict.

        Raises:
            UsageError: The batch is not in force.
            Conflict: Files were edited since; the detail shows both versions.
            SparkError: A saved copy is damaged.
        """
        if not batch.in_force:
            raise UsageError(f"batch {batch.entry.id} is not in force; `spark log` shows which are")
        subject = history.subject(batch.entry)
        paths = _chosen_paths(batch.in_force, only)
        back = batch.entry.undoes is None
        return self._plan(history, subject, paths, _FileMerger(chosen), back=back)

    def again(
        self, history: BatchHistory, subject: JournalEntry, chosen: Chosen | None = None
    ) -> Preview:
        """Work out what doing an accept again comes to, for its files that were undone.

        Args:
            chosen: As for `turn`.

        Raises:
            UsageError, Conflict, SparkError: As `turn`.
        """
        paths = history.not_in_force(subject)
        if not paths:
            raise UsageError(f"batch {subject.id} is in force; nothing to redo")
        return self._plan(history, subject, paths, _FileMerger(chosen), back=False)

    def _plan(
        self,
        history: BatchHistory,
        subject: JournalEntry,
        paths: Sequence[str],
        merger: _FileMerger,
        *,
        back: bool,
    ) -> Preview:
        """Work out what becomes of some files where an accept is done again; with `back`, undone.

        Raises:
            UsageError: Nothing would change.
            SparkError: Files stand in the way; one error names all of them.
        """
        changes: list[FileChange] = []
        refused: dict[str, SparkError] = {}
        last_records: list[FileRecord] = []
        for file in subject.files:
            if file.path not in paths:
                continue
            last = history.last(subject, file)
            last_records.append(last)
            try:
                changes += self._plan_change(file, last, merger, back=back)
            except SparkError as e:
                refused[file.path] = e
        # The user chose a side for the conflicts that were shown. If others have come up since, the
        # choice does not count.
        if not merger.as_seen:
            refused |= merger.clashes
        if refused:
            rest = [path for path in paths if path not in refused]
            raise _describe_refusal(subject, refused, rest, back=back)
        # Where the last undo changed nothing, since the user kept the edits, neither does its redo.
        changed_nothing_last = all(last.before == last.after for last in last_records)
        changes_nothing = all(change.before == change.after for change in changes)
        if changes_nothing and not merger.clashes and not changed_nothing_last:
            raise _nothing_to_do(subject, back=back)
        return Preview(subject, back, tuple(paths), tuple(changes))

    def _plan_change(
        self, file: FileRecord, last: FileRecord, merger: _FileMerger, *, back: bool
    ) -> list[FileChange]:
        """The change of a file; empty where the file is already as it is to be.

        Args:
            file: What the accept did to the file.
            last: What the last accept, undo or redo did to the file.
        """
        path = file.path
        if back:
            source = file.after
            target = file.before
        else:
            source = file.before
            target = file.after
        current = read_file(self._repo.root, path)
        name = None if current is None else content_hash(current)
        if name == target:
            return []
        # A file that is untouched since the last accept, undo or redo gets back exactly what that
        # batch replaced, edits of the user included. A file that is as the accept found or left it
        # gets the other version. All others are merged.
        if name == last.after:
            return [FileChange(path, current, self._content(path, last.before), file.mode)]
        if name == source:
            return [FileChange(path, current, self._content(path, target), file.mode)]
        if current is None or source is None or target is None:
            raise self._describe_edit(path, source, current)
        merged = merger.merge(self._saved(path, source), current, self._saved(path, target), path)
        # Kept even where it changes nothing, so that taking it back changes nothing either.
        return [FileChange(path, current, merged)]

    def _content(self, path: str, name: str | None) -> bytes | None:
        """The content of a hash, as `_saved`; None, no file, stays None."""
        return None if name is None else self._saved(path, name)

    def _saved(self, path: str, name: str) -> bytes:
        """The content of a hash.

        Args:
            path: The file that the error names.

        Raises:
            SparkError: The saved copy is damaged, or cannot be read.
        """
        try:
            return self._store.get(name)
        except SparkError as e:
            raise SparkError(
                f"{path} cannot be undone: {e}; nothing was written: `git log -p -- {path}` may "
                f"have what you need"
            ) from e

    def _holds(self, path: str, content: str | None) -> bool:
        """Whether a file that is not very large has content of this hash now."""
        try:
            if self._repo.size(path) > _MOST_COMPARED_BYTES:
                return False
            return content_hash(self._repo.read(path)) == content
        except FileError:
            return False

    def _describe_edit(self, path: str, source: str | None, current: bytes | None) -> Conflict:
        """The conflict where a file was removed, or edited after it was created or deleted.

        Args:
            source: The hash of the content that was expected.
            current: The file's bytes; None: the file is gone.
        """
        if current is None:
            # One of the Python files that have its content now may be this one, renamed.
            copies = [other for other in self._repo.files(".py") if self._holds(other, source)]
            moved = f"; {', '.join(copies)} has what was in it" if copies else ""
            return Conflict(
                f"{path} is gone{moved}; nothing was written: bring it back, or edit by hand"
            )
        written = self._content(path, source)
        return Conflict(
            f"{path} was edited since; nothing was written: remove it by hand",
            _patch(path, written, current),
        )


def _chosen_paths(in_force: tuple[str, ...], only: Collection[str] | None) -> tuple[str, ...]:
    """The files of a batch that the user named; all where the user named none."""
    if only is None:
        return in_force
    named = {_path_of(name, in_force) for name in only}
    return tuple(path for path in in_force if path in named)


def _path_of(name: str, in_force: tuple[str, ...]) -> str:
    """The file of a batch that a name means: its path, or how the path is shown.

    Raises:
        UsageError: No file is called so, or several are shown so.
    """
    matches = [path for path in in_force if path == name]
    if not matches:
        matches = [path for path in in_force if visible(path) == name]
    if len(matches) != 1:
        raise UsageError(f"{name} is not a file for which this batch is in force; see `spark log`")
    return matches[0]


def _nothing_to_do(subject: JournalEntry, *, back: bool) -> UsageError:
    state = "without" if back else "with"
    verb = "undo" if back else "redo"
    description = " ".join(subject.description.split())
    return UsageError(
        f"the files are {state} {subject.id} {description!r} already: there is nothing to {verb}; "
        f"`spark {verb} ID` takes another one, see `spark log`"
    )


def _describe_refusal(
    subject: JournalEntry, refused: dict[str, SparkError], rest: Sequence[str], *, back: bool
) -> SparkError:
    """One error for all files that stand in the way, which says what can be done without them.

    Args:
        refused: The error of each file, by path.
        rest: The files without an error.
    """
    errors = list(refused.values())
    without = ""
    if rest and back:
        files = " ".join(f"--file {path}" for path in rest)
        without = f"; `spark undo {subject.id} {files}` takes back the rest"
    conflicts = [error for error in errors if isinstance(error, Conflict)]
    words = "; ".join(map(str, errors)) + without
    if len(conflicts) < len(errors):
        return SparkError(words)
    if all(error.choosable for error in conflicts):
        facts = "; ".join(error.fact for error in conflicts)
        other = "restores what was before" if back else "takes the edit"
        advice = f"`--keep` keeps what is there, `--take` {other}{without}"
        return Conflict(facts, _details(conflicts), advice, choosable=True)
    return Conflict(words, _details(conflicts))


def _details(conflicts: Iterable[Conflict]) -> str:
    return "\n".join(error.detail for error in conflicts if error.detail)


def _patch(path: str, before: bytes | None, after: bytes) -> str:
    """A patch to show; "" where the file is not text."""
    try:
        return encode_patch(path, before, after).decode("utf-8", "surrogateescape")
    except SparkError:
        return ""


_SHARE_KEPT = 0.75
"""The share of the allowed size that is left after batches were dropped, so that this is rare."""


def keep_within(journal: Journal, store: Store, most_bytes: int, tell: Tell) -> None:
    """Drop the oldest batches where journal and contents outgrew a size, and tell the user.

    The caller holds the lock and has set damaged records aside. The shorter journal replaces the
    old one in one step; contents that no record names any more go after that.

    Raises:
        OSError: The disk refused; nothing was lost.
    """
    if journal.size() + store.bytes() <= most_bytes:
        return
    records = journal.read()
    sizes = store.sizes()
    record_bytes = journal.size() // max(1, len(records))
    kept = _select_kept(records, sizes, record_bytes, int(most_bytes * _SHARE_KEPT))
    if len(kept) < len(records):
        dropped = _count_dropped(records, kept, journal.dropped())
        journal.rewrite(kept, dropped)
        tell(
            f"the journal outgrew {most_bytes >> 20} MB: its oldest batches, up to "
            f"{dropped.until:%Y-%m-%d %H:%M} UTC, "
            "were dropped and can no longer be undone; `journal_megabytes` in config.toml sets "
            "the limit"
        )
    store.remove(sizes.keys() - _named_contents(kept, journal.aside(), sizes))


def _select_kept(
    records: Sequence[Record], sizes: Mapping[str, int], record_bytes: int, most_bytes: int
) -> list[Record]:
    """The records that stay; an accept goes with its undos and redos.

    Args:
        sizes: The bytes of each content, by name.
        record_bytes: What a record takes, on average.
    """
    # By accept, since an undo or a redo means nothing without its accept.
    groups: dict[str, list[Record]] = {}
    last: dict[str, int] = {}
    uses: Counter[str] = Counter()
    for number, record in enumerate(records):
        groups.setdefault(record.entry.subject, []).append(record)
        last[record.entry.subject] = number
        uses.update(_contents(record.entry))
    # Unfinished batches stay, and the newest one.
    fixed = {
        subject
        for subject, group in groups.items()
        if group[-1].phase not in {BatchPhase.DONE, BatchPhase.ABORTED}
    }
    fixed.add(records[-1].entry.subject)
    total = sum(sizes.get(name, 0) for name in uses) + record_bytes * len(records)
    dropped: set[str] = set()
    for subject in sorted(last.keys() - fixed, key=last.__getitem__):
        if total <= most_bytes:
            break
        dropped.add(subject)
        for record in groups[subject]:
            total -= record_bytes
            for name in _contents(record.entry):
                # Batches share contents: one goes with the last record that names it.
                uses[name] -= 1
                if not uses[name]:
                    total -= sizes.get(name, 0)
    return [record for record in records if record.entry.subject not in dropped]


def _contents(entry: JournalEntry) -> Iterator[str]:
    """The names of the contents that an entry's files had and got."""
    for file in entry.files:
        if file.before is not None:
            yield file.before
        if file.after is not None:
            yield file.after


def _count_dropped(records: Sequence[Record], kept: Sequence[Record], before: Dropped) -> Dropped:
    """All that was ever dropped: the records that are not kept now, and those before."""
    kept_ids = {record.entry.id for record in kept}
    gone = [record.entry for record in records if record.entry.id not in kept_ids]
    return Dropped(before.count + len(gone), max(entry.time for entry in gone))


def _named_contents(kept: Sequence[Record], aside: bytes, sizes: Mapping[str, int]) -> set[str]:
    """The contents that records name, damaged ones included.

    Args:
        aside: All damaged records, in which only half of a name may be legible.
    """
    named: set[str] = set()
    for record in kept:
        named.update(_contents(record.entry))
    text = aside.decode("latin-1")
    if not text:
        return named
    return named | {name for name in sizes if name[:32] in text or name[32:] in text}
