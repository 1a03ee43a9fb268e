"""What taking a batch back, or doing it again, would change: worked out in full before anything is written."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from spark_tui.errors import Conflict, FileError, SparkError, UsageError
from spark_tui.marks import visible
from spark_tui.vcs.history import Batch, History
from spark_tui.vcs.journal import FileRecord, JournalEntry
from spark_tui.vcs.merge import merge
from spark_tui.vcs.patch import FileSummary, encode_patch, summarize
from spark_tui.vcs.paths import read_file
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.store import Store, content_hash
from spark_tui.vcs.write import FileChange

_MOST_COMPARED = 2_000_000
"""Bytes of a file that may be the one that is gone, renamed."""


@dataclass(frozen=True, slots=True)
class Preview:
    """An undo, or a redo, that can be carried out.

    Args: subject: the accept it is about. back: whether it is an undo. paths: the files it is about. changes: what
        becomes of them; those that are already as they should be are left out. warning: what it would break, or "".
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
    """What the user chose of a conflict. Args: seen: its detail, as they saw it. keep: what is there, or else not."""

    seen: str
    keep: bool


class _Merging:
    """Merges files, with what the user chose where they clash. Args: chosen: None: nothing."""

    def __init__(self, chosen: Chosen | None) -> None:
        self._chosen = chosen
        self.clashes: dict[str, Conflict] = {}
        """Those that were overcome so, by the paths of the files."""

    def merge(self, base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
        """Raises: Conflict: as `merge`, if nothing was chosen."""
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
        return not self.clashes or (self._chosen is not None and self._chosen.seen == _details(self.clashes.values()))


class Previewer:
    """Works out previews from the journal, the saved copies and the files as they are now."""

    def __init__(self, repo: Repository, store: Store) -> None:
        self._repo = repo
        self._store = store

    def turn(
        self, history: History, batch: Batch, *, only: Collection[str] | None, chosen: Chosen | None = None
    ) -> Preview:
        """What taking a batch back comes to; taking back an undo is a redo.

        Args: only: the files to turn; None: all for which the batch is in force. chosen: of what clashes; None: it
            stands in the way.
        Raises: UsageError: it is not in force. Conflict: files were edited since, both versions in its detail.
            SparkError: a saved copy is damaged.
        """
        if not batch.in_force:
            raise UsageError(f"batch {batch.entry.id} is not in force; `spark log` shows which are")
        subject = history.subject(batch.entry)
        paths, back = _paths(batch.in_force, only), batch.entry.undoes is None
        return self._preview(history, subject, paths, _Merging(chosen), back=back)

    def again(self, history: History, subject: JournalEntry, chosen: Chosen | None = None) -> Preview:
        """What doing an accept again comes to, for its files that were undone. Args, raises: as `turn`."""
        paths = history.not_in_force(subject)
        if not paths:
            raise UsageError(f"batch {subject.id} is in force; nothing to redo")
        return self._preview(history, subject, paths, _Merging(chosen), back=False)

    def _preview(
        self, history: History, subject: JournalEntry, paths: Sequence[str], merging: "_Merging", *, back: bool
    ) -> Preview:
        changes: list[FileChange] = []
        refused: dict[str, SparkError] = {}
        steps = [(file, history.last(subject, file)) for file in subject.files if file.path in paths]
        for file, last in steps:
            try:
                changes += self._turned(file, last, merging, back=back)
            except SparkError as e:
                refused[file.path] = e
        if not merging.as_seen:
            refused |= merging.clashes
        if refused:
            raise _refusal(subject, refused, [path for path in paths if path not in refused], back=back)
        empty = all(last.before == last.after for _, last in steps)  # what was kept then is kept the other way, too
        if not (merging.clashes or empty) and all(change.before == change.after for change in changes):
            what, verb = ("without", "undo") if back else ("with", "redo")
            raise UsageError(
                f"the files are {what} {subject.id} {' '.join(subject.description.split())!r} already: there is "
                f"nothing to {verb}; `spark {verb} ID` takes another one, see `spark log`"
            )
        return Preview(subject, back, tuple(paths), tuple(changes))

    def _turned(self, file: FileRecord, last: FileRecord, merging: "_Merging", *, back: bool) -> list[FileChange]:
        """What a file is to become. `file`: what the accept did to it; `last`: what was done or undone last."""
        source, target = (file.after, file.before) if back else (file.before, file.after)
        current = read_file(self._repo.root, file.path)
        name = None if current is None else content_hash(current)
        if name == target:
            return []
        if name == last.after:
            return [FileChange(file.path, current, self._content(file.path, last.before), file.mode)]
        if name == source:
            return [FileChange(file.path, current, self._content(file.path, target), file.mode)]
        if current is None or source is None or target is None:
            raise self._moved_on(file.path, source, current)
        # Kept even where it changes nothing, so that taking it back changes nothing either.
        merged = merging.merge(self._saved(file.path, source), current, self._saved(file.path, target), file.path)
        return [FileChange(file.path, current, merged)]

    def _content(self, path: str, name: str | None) -> bytes | None:
        return None if name is None else self._saved(path, name)

    def _saved(self, path: str, name: str) -> bytes:
        try:
            return self._store.get(name)
        except SparkError as e:
            raise SparkError(
                f"{path} cannot be undone: {e}; nothing was written: `git log -p -- {path}` may have what you need"
            ) from e

    def _holds(self, path: str, content: str | None) -> bool:
        """Whether a file that is not very large has some content now."""
        try:
            return self._repo.size(path) <= _MOST_COMPARED and content_hash(self._repo.read(path)) == content
        except FileError:
            return False

    def _moved_on(self, path: str, source: str | None, current: bytes | None) -> Conflict:
        if current is None:
            # One of the Python files that have its content now may be this one, renamed.
            places = [each for each in self._repo.files(".py") if self._holds(each, source)]
            moved = f"; {', '.join(places)} has what was in it" if places else ""
            return Conflict(f"{path} is gone{moved}; nothing was written: bring it back, or edit by hand")
        written = self._content(path, source)
        return Conflict(
            f"{path} was edited since; nothing was written: remove it by hand", _patch(path, written, current)
        )


def _paths(in_force: tuple[str, ...], only: Collection[str] | None) -> tuple[str, ...]:
    if only is None:
        return in_force
    meant = {_meant(name, in_force) for name in only}
    return tuple(path for path in in_force if path in meant)


def _meant(name: str, in_force: tuple[str, ...]) -> str:
    """The file of a batch that a name means: its own, or how it is shown where only one is shown so."""
    meant = [path for path in in_force if path == name] or [path for path in in_force if visible(path) == name]
    if len(meant) != 1:
        raise UsageError(f"{name} is not a file for which this batch is in force; see `spark log`")
    return meant[0]


def _refusal(subject: JournalEntry, refused: dict[str, SparkError], rest: Sequence[str], *, back: bool) -> SparkError:
    """One error for all files that stand in the way, which says what can be done without them."""
    errors, without = list(refused.values()), ""
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
