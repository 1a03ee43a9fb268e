"""What is in force of the journal, and what an undo would do.

What the journal's records amount to: which batches are in force, file by file.

Keeps a journal and its contents within a size: the oldest finished batches give way to newer ones.

What taking a batch back, or doing it again, would change: worked out in full before anything is
written.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

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
    """Whether a batch is in force: its files hold its result, unless edited since."""

    APPLIED = "applied"
    UNDONE = "undone"
    PARTLY = "partly"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class JournaledBatch:
    """An entry of the journal, whether it is in force, and for which files."""

    entry: JournalEntry
    state: BatchState
    in_force: tuple[str, ...]


class BatchHistory:
    """The batches that came to an end, and how they build on each other.

    Args:
        records: Of the journal, oldest first. Those that changed nothing are left out.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = [
            record
            for record in records
            if record.phase in {BatchPhase.DONE, BatchPhase.INTERRUPTED}
        ]
        self._entries = {record.entry.id: record.entry for record in self._records}
        self._last: dict[tuple[str, str], JournalEntry] = {}
        for record in self._records:
            for path in self._paths(record.entry):
                self._last[record.entry.subject, path] = record.entry

    @property
    def batches(self) -> tuple[JournaledBatch, ...]:
        """All of them, the newest first."""
        return tuple(self._batch(record) for record in reversed(self._records))

    def find(self, batch_id: str) -> JournaledBatch:
        """The one batch whose id begins so.

        Raises:
            UsageError: None, or several.
        """
        found = [record for record in self._records if record.entry.id.startswith(batch_id)]
        if len(found) != 1:
            raise UsageError(
                f"{'several batches begin' if found else 'no batch begins'} with {batch_id!r}; "
                f"see `spark log`"
            )
        return self._batch(found[0])

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
        """The accept an entry is about.

        Raises:
            SparkError: Its record is damaged.
        """
        subject = self._entries.get(entry.subject)
        if subject is None or not subject.is_accept:
            raise SparkError(
                f"the journal's line about batch {entry.subject} is damaged; change its files "
                f"by hand"
            )
        return subject

    def last(self, subject: JournalEntry, file: FileRecord) -> FileRecord:
        """What was last done to a file of an accept, or undone, or redone."""
        entry = self._last[subject.id, file.path]
        return next((each for each in entry.files if each.path == file.path), file)

    def not_in_force(self, subject: JournalEntry) -> tuple[str, ...]:
        """The files of an accept that were undone."""
        return tuple(
            file.path for file in subject.files if self._last[subject.id, file.path].undoes
        )

    def _paths(self, entry: JournalEntry) -> list[str]:
        files = self._entries.get(entry.subject, entry).files
        return [file.path for file in files if entry.covers(file.path)]

    def _batch(self, record: Record) -> JournaledBatch:
        entry = record.entry
        paths = self._paths(record.entry)
        in_force = tuple(path for path in paths if self._rules(entry, path))
        if record.phase is BatchPhase.INTERRUPTED and any(
            self._last[entry.subject, path] == entry for path in paths
        ):
            return JournaledBatch(entry, BatchState.INTERRUPTED, in_force)
        if len(in_force) == len(paths):
            return JournaledBatch(entry, BatchState.APPLIED, in_force)
        return JournaledBatch(entry, BatchState.PARTLY if in_force else BatchState.UNDONE, in_force)

    def _rules(self, entry: JournalEntry, path: str) -> bool:
        last = self._last[entry.subject, path]
        return last.undoes is None if entry.is_accept else last == entry


_LEFT = 0.75
"""Of the size allowed, what is left after something was dropped, so that this is rare."""


def keep_within(journal: Journal, store: Store, most_bytes: int, tell: Tell) -> None:
    """Drop what is needed, and tell of it.

    The caller holds the lock and has set damaged records aside.

    The shorter journal replaces the old one in one step; contents that nothing names any more go
    after that.

    Raises:
        OSError: The disk refused; nothing was lost.
    """
    if journal.size() + store.bytes() <= most_bytes:
        return
    records = journal.read()
    sizes = store.sizes()
    kept = _kept(records, sizes, journal.size() // max(1, len(records)), int(most_bytes * _LEFT))
    if len(kept) < len(records):
        dropped = _dropped(records, kept, journal.dropped())
        journal.rewrite(kept, dropped)
        tell(
            f"the journal outgrew {most_bytes >> 20} MB: its oldest batches, up to "
            f"{dropped.until:%Y-%m-%d %H:%M} UTC, "
            "were dropped and can no longer be undone; `journal_megabytes` in config.toml sets "
            "the limit"
        )
    store.remove(sizes.keys() - _named(kept, journal.aside(), sizes))


def _kept(
    records: Sequence[Record], sizes: Mapping[str, int], each: int, most: int
) -> list[Record]:
    """The records that stay; an accept goes with its undos and redos.

    `each`: the bytes a record takes.
    """
    last = {record.entry.subject: number for number, record in enumerate(records)}
    fixed = {
        subject
        for subject, number in last.items()
        if records[number].phase not in {BatchPhase.DONE, BatchPhase.ABORTED}
    }
    fixed.add(records[-1].entry.subject)
    uses = Counter(name for record in records for name in _contents(record.entry))
    total = sum(sizes.get(name, 0) for name in uses) + each * len(records)
    gone: set[str] = set()
    groups: dict[str, list[Record]] = {subject: [] for subject in last}
    for record in records:
        groups[record.entry.subject].append(record)
    for subject in sorted(last.keys() - fixed, key=last.__getitem__):
        if total <= most:
            break
        gone.add(subject)
        for record in groups[subject]:
            total -= each
            for name in _contents(record.entry):
                uses[name] -= 1
                total -= 0 if uses[name] else sizes.get(name, 0)
    return [record for record in records if record.entry.subject not in gone]


def _contents(entry: JournalEntry) -> Iterator[str]:
    yield from (
        name for file in entry.files for name in (file.before, file.after) if name is not None
    )


def _dropped(records: Sequence[Record], kept: Sequence[Record], before: Dropped) -> Dropped:
    stays = {record.entry.id for record in kept}
    gone = [record.entry for record in records if record.entry.id not in stays]
    return Dropped(before.count + len(gone), max(entry.time for entry in gone))


def _named(kept: Sequence[Record], aside: bytes, sizes: Mapping[str, int]) -> set[str]:
    """The contents that records name. Of a name in a damaged one, half may be legible."""
    named = {name for record in kept for name in _contents(record.entry)}
    text = aside.decode("latin-1")
    return named | {name for name in sizes if text and (name[:32] in text or name[32:] in text)}


_MOST_COMPARED = 2_000_000
"""Bytes of a file that may be the one that is gone, renamed."""


@dataclass(frozen=True, slots=True)
class Preview:
    """An undo, or a redo, that can be carried out.

    Args:
        subject: The accept it is about.
        back: Whether it is an undo.
        paths: The files it is about.
        changes: What becomes of them; those that are already as they should be are left out.
        warning: What it would break, or "".
    """

    subject: JournalEntry
    back: bool
    paths: tuple[str, ...]
    changes: tuple[FileChange, ...]
    warning: str = field(default="", compare=False)

    @property
    def only(self) -> tuple[str, ...] | None:
        """The files it is about, where these are not all of the accept's."""
        return None if len(self.paths) == len(self.subject.files) else self.paths

    @property
    def files(self) -> tuple[FileSummary, ...]:
        """How many lines it adds to and removes from each file."""
        return tuple(summarize(each.path, each.patch) for each in self.changes)

    @property
    def patch(self) -> bytes:
        """The same as a patch in git's format."""
        return b"".join(each.patch for each in self.changes)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the user chose of a conflict.

    Args:
        seen: Its detail, as they saw it.
        keep: What is there, or else not.
    """

    seen: str
    keep: bool


class _FileMerger:
    """Merges files, with what the user chose where they clash.

    Args:
        chosen: None: nothing.
    """

    def __init__(self, chosen: Chosen | None) -> None:
        self._chosen = chosen
        self.clashes: dict[str, Conflict] = {}
        """Those that were overcome so, by the paths of the files."""

    def merge(self, base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
        """Raises:
        Conflict: As `merge`, if nothing was chosen.
        """
        try:
            return merge(base, ours, theirs, path)
        except Conflict as e:
            if self._chosen is None or not e.choosable:
                raise
            self.clashes[path] = e
            return merge(base, ours, theirs, path, prefer="ours" if self._chosen.keep else "theirs")

    @property
    def as_seen(self) -> bool:
        """Whether what was overcome is what the user saw, and nothing else."""
        return not self.clashes or (
            self._chosen is not None and self._chosen.seen == _details(self.clashes.values())
        )


class Previewer:
    """Works out previews from the journal, the saved copies and the files as they are now."""

    def __init__(self, repo: Repository, store: Store) -> None:
        self._repo = repo
        self._store = store

    def turn(
        self,
        history: BatchHistory,
        batch: JournaledBatch,
        *,
        only: Collection[str] | None,
        chosen: Chosen | None = None,
    ) -> Preview:
        """What taking a batch back comes to; taking back an undo is a redo.

        Args:
            only: The files to turn; None: all for which the batch is in force.
            chosen: Of what clashes; None: it stands in the way.

        Raises:
            UsageError: It is not in force.
            Conflict: Files were edited since, both versions in its detail.
            SparkError: A saved copy is damaged.
        """
        if not batch.in_force:
            raise UsageError(f"batch {batch.entry.id} is not in force; `spark log` shows which are")
        subject = history.subject(batch.entry)
        paths = _paths(batch.in_force, only)
        back = batch.entry.undoes is None
        return self._preview(history, subject, paths, _FileMerger(chosen), back=back)

    def again(
        self, history: BatchHistory, subject: JournalEntry, chosen: Chosen | None = None
    ) -> Preview:
        """What doing an accept again comes to, for its files that were undone.

        Args, raises: as `turn`.
        """
        paths = history.not_in_force(subject)
        if not paths:
            raise UsageError(f"batch {subject.id} is in force; nothing to redo")
        return self._preview(history, subject, paths, _FileMerger(chosen), back=False)

    def _preview(
        self,
        history: BatchHistory,
        subject: JournalEntry,
        paths: Sequence[str],
        merging: "_FileMerger",
        *,
        back: bool,
    ) -> Preview:
        changes: list[FileChange] = []
        refused: dict[str, SparkError] = {}
        steps = [
            (file, history.last(subject, file)) for file in subject.files if file.path in paths
        ]
        for file, last in steps:
            try:
                changes += self._turned(file, last, merging, back=back)
            except SparkError as e:
                refused[file.path] = e
        if not merging.as_seen:
            refused |= merging.clashes
        if refused:
            raise _refusal(
                subject, refused, [path for path in paths if path not in refused], back=back
            )
        empty = all(
            last.before == last.after for _, last in steps
        )  # what was kept then is kept the other way, too
        if not (merging.clashes or empty) and all(
            change.before == change.after for change in changes
        ):
            what, verb = ("without", "undo") if back else ("with", "redo")
            raise UsageError(
                f"the files are {what} {subject.id} {' '.join(subject.description.split())!r} "
                f"already: there is "
                f"nothing to {verb}; `spark {verb} ID` takes another one, see `spark log`"
            )
        return Preview(subject, back, tuple(paths), tuple(changes))

    def _turned(
        self, file: FileRecord, last: FileRecord, merging: "_FileMerger", *, back: bool
    ) -> list[FileChange]:
        """What a file is to become.

        `file`: what the accept did to it; `last`: what was done or undone last.
        """
        source, target = (file.after, file.before) if back else (file.before, file.after)
        current = read_file(self._repo.root, file.path)
        name = None if current is None else content_hash(current)
        if name == target:
            return []
        if name == last.after:
            return [
                FileChange(file.path, current, self._content(file.path, last.before), file.mode)
            ]
        if name == source:
            return [FileChange(file.path, current, self._content(file.path, target), file.mode)]
        if current is None or source is None or target is None:
            raise self._moved_on(file.path, source, current)
        # Kept even where it changes nothing, so that taking it back changes nothing either.
        merged = merging.merge(
            self._saved(file.path, source), current, self._saved(file.path, target), file.path
        )
        return [FileChange(file.path, current, merged)]

    def _content(self, path: str, name: str | None) -> bytes | None:
        return None if name is None else self._saved(path, name)

    def _saved(self, path: str, name: str) -> bytes:
        try:
            return self._store.get(name)
        except SparkError as e:
            raise SparkError(
                f"{path} cannot be undone: {e}; nothing was written: `git log -p -- {path}` may "
                f"have what you need"
            ) from e

    def _holds(self, path: str, content: str | None) -> bool:
        """Whether a file that is not very large has some content now."""
        try:
            return (
                self._repo.size(path) <= _MOST_COMPARED
                and content_hash(self._repo.read(path)) == content
            )
        except FileError:
            return False

    def _moved_on(self, path: str, source: str | None, current: bytes | None) -> Conflict:
        if current is None:
            # One of the Python files that have its content now may be this one, renamed.
            places = [each for each in self._repo.files(".py") if self._holds(each, source)]
            moved = f"; {', '.join(places)} has what was in it" if places else ""
            return Conflict(
                f"{path} is gone{moved}; nothing was written: bring it back, or edit by hand"
            )
        written = self._content(path, source)
        return Conflict(
            f"{path} was edited since; nothing was written: remove it by hand",
            _patch(path, written, current),
        )


def _paths(in_force: tuple[str, ...], only: Collection[str] | None) -> tuple[str, ...]:
    if only is None:
        return in_force
    meant = {_meant(name, in_force) for name in only}
    return tuple(path for path in in_force if path in meant)


def _meant(name: str, in_force: tuple[str, ...]) -> str:
    """The file of a batch that a name means: its own, or how it is shown where only one is
    shown so.
    """
    meant = [path for path in in_force if path == name] or [
        path for path in in_force if visible(path) == name
    ]
    if len(meant) != 1:
        raise UsageError(f"{name} is not a file for which this batch is in force; see `spark log`")
    return meant[0]


def _refusal(
    subject: JournalEntry, refused: dict[str, SparkError], rest: Sequence[str], *, back: bool
) -> SparkError:
    """One error for all files that stand in the way, which says what can be done without them."""
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
    try:
        return encode_patch(path, before, after).decode("utf-8", "surrogateescape")
    except SparkError:
        return ""
