"""Changes that no turn made, under review: those of the work tree, or those of a patch.

A `ReviewSource` says what is reviewed:

- `WorkTree`: the work tree against a commit, a branch or another work tree. The changes are in the
  files already. Accepting leaves them as they are; rejecting takes them back.
- `Patch`: a patch that is not applied yet. Accepting writes its hunks; rejecting leaves the files
  as they are.

`ChangeReview.open` reads a source. Its `files` are `ReviewedChange`s in git's order, each with a
`file` of the same kind as that of a turn (`ReviewedFile`): `file.hunks` and `file.parts` are what a
panel shows, and `file.split`, `file.toggle` and `file.edit` work on them as in a turn. Then
`accept` and `reject` decide, and write what that makes of the files as one batch of the journal;
after an undo or a redo `follow` opens again what was decided. To have a model write a hunk anew,
take a turn at the hunk's lines of `file.review.proposed` and give its answer to `file.renew` or
`file.edit`; then `write` brings the file on disk up to the review.

A file that cannot be reviewed by hunk (binary, link, submodule, too large, where a folder was) has
no `file`, but a `reason`. Ids name hunks across all files, the same ones at every start. The parts
of a cut hunk have its id, a dot and a name of their own. The `id` of a file stands for all of its
change, also its new name, or that it exists at all.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from spark_tui.editing.conflicts import torn
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, SparkError, UsageError
from spark_tui.session.accept import odd_in
from spark_tui.session.file_review import ReviewedFile
from spark_tui.session.leftovers import few
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.changes import ChangeStatus, FileVersions, changes_since
from spark_tui.vcs.exchanged_places import with_blocked_places, with_exchanged_places
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.patch_images import patched_files
from spark_tui.vcs.policy import concerns
from spark_tui.vcs.renames import renamed
from spark_tui.vcs.repository import Repository, unmerged_files
from spark_tui.vcs.safe_paths import read_file

STDIN = "-"
"""The name of a patch that came by stdin."""
_UNNAMED = "a patch"
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The work tree against a base.

    Args:
        base: A commit, a branch, or the folder of another work tree of the repository.
        start: Where that folder is looked for.
    """

    base: str = "HEAD"
    start: Path = Path()

    @property
    def name(self) -> str:
        """The name of the source."""
        return self.base


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch that is not applied yet.

    Args:
        name: What to call the patch.
        data: As `git diff` writes it.
    """

    name: str
    data: bytes


ReviewSource = WorkTree | Patch


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of a source.

    Args:
        name: What the source is called: the base of a work tree, or the name of a patch.
        files: The files that differ, in git's order.
        notes: What the user should know, one sentence each.
        in_place: Whether the changes are in the work tree already.
    """

    name: str
    files: tuple[FileVersions, ...]
    notes: tuple[str, ...]
    in_place: bool


def read_source(repo: Repository, source: ReviewSource) -> SourceFiles:
    """Read a source.

    Raises:
        UsageError: There is no such base, or git cannot read the patch.
        RepoError, FileError: Git cannot compare, or the disk refused.
        SparkError: The patch is too large.
    """
    if isinstance(source, WorkTree):
        found = changes_since(repo, source.base, source.start)
        files = with_blocked_places(repo.root, with_exchanged_places(found.files))
        return SourceFiles(source.base, files, found.notes, in_place=True)
    patched = patched_files(repo, source.data)
    notes: tuple[str, ...] = ()
    if patched.applied:
        notes = (f"already as the patch leaves it: {few(patched.applied, _MOST_NAMES)}",)
    files = with_exchanged_places(patched.files)
    return SourceFiles(source.name, files, notes, in_place=False)


def source_of(name: str, changes: Iterable[FileChange], notes: Sequence[str]) -> SourceFiles:
    """Changes that are known already, and not in the files yet, as a source.

    Args:
        name: What to call them.
        notes: What the user should know, one clause each.

    Raises:
        RepoError, FileError: Git cannot tell which files are renamed, or the disk refused.
    """
    changes = tuple(changes)
    former = renamed(changes)
    by_path = {change.path: change for change in changes}
    files: list[FileVersions] = []
    for change in changes:
        if change.path in former:
            files.append(_renamed_versions(by_path[former[change.path]], change))
        elif change.path not in former.values():
            files.append(_versions_of(change))
    return SourceFiles(name, tuple(files), tuple(notes), in_place=False)


def _renamed_versions(gone: FileChange, come: FileChange) -> FileVersions:
    """A deleted and a created file as one renamed file."""
    versions = _versions_of(come)
    return replace(
        versions,
        old_path=gone.path,
        status=ChangeStatus.RENAMED,
        before=gone.before,
        old_mode=versions.new_mode,
    )


def _versions_of(change: FileChange) -> FileVersions:
    status = ChangeStatus.MODIFIED
    if change.before is None:
        status = ChangeStatus.ADDED
    elif change.after is None:
        status = ChangeStatus.DELETED
    # Git knows two modes of a file only: executable or not.
    mode = 0o100755 if change.mode and change.mode & 0o100 else 0o100644
    return FileVersions(
        path=change.path,
        old_path=change.path,
        status=status,
        before=change.before,
        after=change.after,
        old_mode=0 if change.before is None else mode,
        new_mode=0 if change.after is None else mode,
    )


class _State(NamedTuple):
    """A file and its review at a moment."""

    review: Review
    proposal: Text
    place: str
    now: bytes | None
    decided: bool = False


class ReviewedChange:
    """A file that differs, and what was decided of it so far. Mutable.

    Attributes:
        versions: The file in both versions.
        file: Its review; None where it cannot be reviewed by hunk.
        place: The path under which the file is, or would be, in the work tree now.
        now: The file's bytes in the work tree; None: there is no file.
        decided: Whether a decision was made about all of it.

    Args:
        in_place: Whether the change is in the work tree already.
    """

    def __init__(self, versions: FileVersions, *, in_place: bool) -> None:
        self.versions = versions
        self.in_place = in_place
        self.decided = False
        self.file: ReviewedFile | None = None
        self.place = versions.old_path
        self.now = versions.before
        if in_place and versions.after is not None:
            self.place = versions.path
        if in_place:
            self.now = versions.after
        if not versions.reason:
            # No turn reports anything of this proposal, so there is nothing to save or restore.
            self.file = ReviewedFile(self._text(versions.before), lambda: lambda: None)
            self.file.propose(self._text(versions.after))

    @property
    def path(self) -> str:
        """The file's path in the later version; of a deleted file, in the earlier one."""
        return self.versions.path

    @property
    def reason(self) -> str:
        """Why the file cannot be reviewed by hunk, worded to follow its path, or ""."""
        return self.versions.reason

    @property
    def id(self) -> str:
        """The id that stands for the whole change of the file."""
        return self._id("file")

    def hunks(self) -> list[tuple[str, Hunk]]:
        """The open hunks, cut ones in their parts, each with its id."""
        if self.file is None:
            return []
        return [(self.id_of(part.hunk.id), part.hunk) for part in self.file.parts]

    def id_of(self, local_id: str) -> str:
        """The id across all files of a hunk, or a part, that `file` calls `local_id`."""
        hunk, dot, part = local_id.partition(".")
        return self._id(hunk) + dot + part

    def _id(self, name: str) -> str:
        key = f"{self.path}\0{name}".encode("utf-8", "surrogateescape")
        return sha256(key).hexdigest()[:8]

    def _text(self, data: bytes | None) -> Text:
        return Text.from_bytes(data or b"", self.path)

    def outcome(self, local_ids: Collection[str] | None, *, accept: bool) -> list[FileChange]:
        """The changes that a decision makes in the work tree; none where it writes nothing.

        Args:
            local_ids: The hunks; None: all of the change.

        Raises:
            UsageError: No such hunk is open.
            Conflict: The patch does not fit the file as it is now.
        """
        # Accepting what the work tree holds, or rejecting what it does not, writes nothing.
        if self.file is None or accept == self.in_place:
            return []
        if self.versions.clash is not None:
            raise self.versions.clash
        with self.file.lock:
            if self.in_place:
                place, after = self._taken_back(self.file.review, local_ids)
            else:
                place, after = self._applied(self.file.review, local_ids)
        return list(self._changes(place, after))

    def _taken_back(
        self, review: Review, local_ids: Collection[str] | None
    ) -> tuple[str, bytes | None]:
        """The path and the bytes of the file without hunks."""
        versions = self.versions
        # All of a change includes its new name, or that the file exists; once a part was accepted,
        # only the open lines go back, and the file stays.
        accepted = review.base != self._text(versions.before)
        if local_ids is None and not accepted:
            return versions.old_path, versions.before
        other = review.copy()
        other.reject(_ids_of(review) if local_ids is None else local_ids)
        return self.place, self._bytes(other.proposed, versions.before)

    def _applied(
        self, review: Review, local_ids: Collection[str] | None
    ) -> tuple[str, bytes | None]:
        """The path and the bytes of the file with hunks."""
        text = review.would_accept(_ids_of(review) if local_ids is None else local_ids)
        return self.versions.path, self._bytes(text, self.versions.after)

    def _bytes(self, text: Text, whole: bytes | None) -> bytes | None:
        """The bytes of the file once it has a text.

        Args:
            whole: The bytes once all of the change is decided; None: there is no file then.
        """
        # Without its last line, a file that the whole change deletes is gone, not empty.
        if whole is None and not text.raw:
            return None
        return text.to_bytes()

    def _changes(self, place: str, after: bytes | None) -> Iterator[FileChange]:
        """The changes that give the file a place and bytes."""
        versions = self.versions
        git_mode = versions.old_mode if self.in_place else versions.new_mode
        mode = 0o755 if git_mode == 0o100755 else None
        # A renaming is two changes: one file goes, the other comes.
        if place != self.place:
            if self.now is not None:
                yield FileChange(self.place, self.now, None)
            yield FileChange(place, None, after, mode)
        elif after != self.now:
            yield FileChange(place, self.now, after, mode)

    def settle(self, local_ids: Collection[str] | None, *, accept: bool) -> None:
        """Take note of a decision whose outcome is in the work tree now; as for `outcome`."""
        if self.file is None:
            return
        # Worked out before the review moves on: the outcome depends on what is open.
        changes = self.outcome(local_ids, accept=accept)
        with self.file.lock:
            chosen = _ids_of(self.file.review) if local_ids is None else local_ids
            if chosen and accept:
                self.file.accept(chosen)
            elif chosen:
                self.file.reject(chosen)
            self.decided = not self.file.parts
        for change in changes:
            # Of a renaming, the file that comes is the last change, and its place the one that
            # stays.
            if change.after is not None or change.path == self.place:
                self.place = change.path
                self.now = change.after

    def pending(self) -> list[FileChange]:
        """The changes from the file on disk to its review, as after an edit of a hunk."""
        if self.file is None or not self.in_place:
            return []
        with self.file.lock:
            text = self.file.review.proposed
        return list(self._changes(self.place, self._bytes(text, self.now)))

    def state(self) -> _State | None:
        """The file and its review now, to come back to."""
        if self.file is None:
            return None
        with self.file.lock:
            review = self.file.review.copy()
            return _State(review, self.file.proposal, self.place, self.now, self.decided)

    def restore(self, state: _State) -> None:
        """Come back to a state."""
        assert self.file is not None
        with self.file.lock:
            self.file.review = state.review.copy()
            self.file.proposal = state.proposal
        self.place = state.place
        self.now = state.now
        self.decided = state.decided


Decision = tuple[ReviewedChange, Collection[str] | None]
"""A change and those of its hunks that are decided; None: all of it."""


class _Made(NamedTuple):
    """The states of a change around a decision."""

    change: ReviewedChange
    before: _State
    after: _State


class ChangeReview:
    """The review of a source.

    Attributes:
        base: What the source is called: the base of a work tree, or the name of a patch.
        in_place: Whether the changes are in the work tree already.
        files: The files that differ.
        notes: What the user should know, one sentence each.
    """

    def __init__(
        self,
        repo: Repository,
        batches: Batches,
        base: str,
        files: Iterable[FileVersions],
        notes: Sequence[str] = (),
        *,
        in_place: bool,
    ) -> None:
        self._repo = repo
        self._batches = batches
        self.base = base
        self.in_place = in_place
        self.files = tuple(ReviewedChange(file, in_place=in_place) for file in files)
        self.notes = tuple(notes)
        self._made: dict[str, list[_Made]] = {}

    @classmethod
    def open(cls, repo: Repository, batches: Batches, source: ReviewSource) -> "ChangeReview":
        """Read a source; raises as `read_source`."""
        found = read_source(repo, source)
        return cls(repo, batches, found.name, found.files, found.notes, in_place=found.in_place)

    def concerns(
        self, ids: Collection[str] | None = None, *, accept: bool
    ) -> dict[str, tuple[str, ...]]:
        """Why files that a decision would write need a consent of their own, by path.

        The reasons are worded to follow the path.

        Args:
            ids: Of hunks and files; None: everything, which counts as not looked at.

        Raises:
            As `accept`.
        """
        changes = self._outcome(self._chosen(ids), accept=accept)
        return self._concerns(changes, unseen=ids is None)

    def accept(
        self, ids: Collection[str] | None = None, *, allow: Collection[str] = ()
    ) -> JournalEntry | None:
        """Accept hunks.

        Args:
            ids: Of hunks and files; None: everything but files that have no `file`.
            allow: The files whose own consent the user gave.

        Returns:
            The entry of the journal; None where nothing was to be written.

        Raises:
            UsageError: There is no such hunk.
            Conflict: A file is not as it was when the review was opened, or the patch does not fit.
            SparkError: A file needs a consent of its own. Whatever is raised, nothing was written.
        """
        return self._decide(ids, accept=True, allow=allow)

    def reject(
        self, ids: Collection[str] | None = None, *, allow: Collection[str] = ()
    ) -> JournalEntry | None:
        """Reject hunks; as `accept`."""
        return self._decide(ids, accept=False, allow=allow)

    def id_at(self, path: str) -> str | None:
        """The id of the file that has a path in either version; None where there is none.

        Raises:
            Conflict: The patch does not fit the file.
            SparkError: Spark does not write the file.
        """
        by_path = {change.versions.old_path: change for change in self.files}
        by_path |= {change.path: change for change in self.files}
        change = by_path.get(path)
        if change is None:
            return None
        if change.versions.clash is not None:
            raise change.versions.clash
        if change.file is None:
            raise SparkError(f"{change.path} {change.reason}; nothing was written")
        return change.id

    def write(self, *, allow: Collection[str] = ()) -> JournalEntry | None:
        """Bring the files on disk up to the review, after hunks of the work tree were edited.

        Raises:
            As `accept`.
        """
        edited = [change for change in self.files if change.pending()]
        changes = [item for change in edited for item in change.pending()]
        if not changes:
            return None
        self._refuse_without_consent(changes, allow, unseen=False)
        entry = self._batches.accept(changes, f"edit {_names(changes)}")
        made: list[_Made] = []
        # An edit does not rename, so each file has exactly one pending change.
        for change, item in zip(edited, changes, strict=True):
            before = _compared(change, item.path, item.before)
            change.now = item.after
            after = change.state()
            if after is not None:
                made.append(_Made(change, before, after))
        self._made[entry.id] = made
        return entry

    def follow(self, entry: JournalEntry) -> None:
        """Open again what was decided, after an undo or a redo of the journal.

        A file that is not as it was at that time is compared anew.

        Args:
            entry: What the journal did.
        """
        for made in self._made.get(entry.subject, []):
            wanted = made.before if entry.undoes else made.after
            now = self._read(wanted.place)
            state = wanted
            # Somebody edited the file since: the saved review would not fit its lines.
            if now != wanted.now:
                state = _compared(made.change, wanted.place, now)
            made.change.restore(state)

    def _decide(
        self, ids: Collection[str] | None, *, accept: bool, allow: Collection[str]
    ) -> JournalEntry | None:
        decisions = self._chosen(ids)
        changes = self._outcome(decisions, accept=accept)
        entry: JournalEntry | None = None
        if changes:
            self._refuse_without_consent(changes, allow, unseen=ids is None)
            entry = self._batches.accept(changes, self._describe(changes))
        # The files are written, or an error was raised; only now does the review take the decision.
        made: list[_Made] = []
        for change, local_ids in decisions:
            before = change.state()
            change.settle(local_ids, accept=accept)
            after = change.state()
            if before is not None and after is not None:
                made.append(_Made(change, before, after))
        if entry is not None:
            self._made[entry.id] = made
        return entry

    def _chosen(self, ids: Collection[str] | None) -> list[Decision]:
        """The changes, and the hunks of each, that ids name.

        Raises:
            UsageError: An id names nothing that is open.
        """
        if ids is None:
            return [(change, None) for change in self.files if not change.decided]
        wanted = set(ids)
        decisions: list[Decision] = []
        for change in self.files:
            if change.file is None:
                continue
            local = {change.id_of(name): name for name in _open_ids(change.file)}
            if change.id in wanted:
                decisions.append((change, None))
            elif hunks := [name for full_id, name in local.items() if full_id in wanted]:
                decisions.append((change, hunks))
            wanted -= {change.id, *local}
        if wanted:
            raise UsageError(
                f"{min(wanted)} is no open hunk of this review; see the ids of `spark review`"
            )
        return decisions

    def _outcome(self, decisions: Iterable[Decision], *, accept: bool) -> list[FileChange]:
        """What decisions write.

        Raises:
            Conflict, UsageError: As `ReviewedChange.outcome`; or a merge conflict is not resolved.
            SparkError: Git cannot list the conflicts.
        """
        changes: list[FileChange] = []
        takes_back = self.in_place and not accept
        unmerged = unmerged_files(self._repo) if takes_back else ()
        for change, local_ids in decisions:
            if accept and not self.in_place and change.versions.clash is not None:
                raise change.versions.clash
            if change.path in unmerged:
                _refuse_conflict(change, local_ids)
            changes += change.outcome(local_ids, accept=accept)
        return changes

    def _concerns(
        self, changes: Iterable[FileChange], *, unseen: bool
    ) -> dict[str, tuple[str, ...]]:
        """Why files need a consent of their own.

        Args:
            unseen: Whether the changes are written without being looked at one by one.
        """
        found: dict[str, tuple[str, ...]] = {}
        changes = list(changes)
        gone = [change.path for change in changes if change.after is None]
        for change in changes:
            reasons = concerns(self._repo, change.path, gone=gone)
            if unseen:
                odd = odd_in(change.texts[0], diff(*change.texts))
                reasons += tuple(
                    f"would hold text that is not what it looks like: {hunk.words}"
                    for hunk in odd.values()
                )
            if reasons:
                found[change.path] = reasons
        return found

    def _refuse_without_consent(
        self, changes: Iterable[FileChange], allow: Collection[str], *, unseen: bool
    ) -> None:
        for path, why in self._concerns(changes, unseen=unseen).items():
            if path not in allow:
                raise SparkError(
                    f"{path} {'; '.join(why)}; nothing was written: it needs its own approval"
                )

    def _describe(self, changes: Sequence[FileChange]) -> str:
        names = _names(changes)
        if self.in_place:
            return f"take back {names} to {self.base}"
        name = _UNNAMED if self.base == STDIN else self.base
        return f"accept {name}: {names}"

    def _read(self, path: str) -> bytes | None:
        try:
            return read_file(self._repo.root, path)
        except SparkError:
            return None


def _ids_of(review: Review) -> list[str]:
    """The ids of all open hunks, cut ones in their parts."""
    return [part.hunk.id for part in review.parts]


def _open_ids(file: ReviewedFile) -> set[str]:
    """The ids of all open hunks and their parts."""
    return {hunk.id for hunk in file.hunks} | {part.hunk.id for part in file.parts}


def _names(changes: Iterable[FileChange]) -> str:
    return few([change.path for change in changes], _MOST_NAMES)


def _refuse_conflict(change: ReviewedChange, local_ids: Collection[str] | None) -> None:
    """Refuse to take back a file with a merge conflict, which would drop one of its sides.

    Once the markers are gone, single hunks are taken back as in any file.

    Args:
        change: A file that git lists as unmerged.
        local_ids: The hunks; None: all of the change.

    Raises:
        Conflict: The whole file, or a file with markers, would be taken back.
    """
    if change.file is None:
        return
    if local_ids is None or torn(change.file.review.proposed.lines):
        raise _unresolved(change.path)


def refuse_torn(repo: Repository, changes: Iterable[FileChange]) -> None:
    """Refuse to take hunks back in a file with markers of a merge: one of its sides would be lost.

    Raises:
        Conflict: Git lists a file as unmerged, and the file has markers.
        RepoError: Git cannot list the conflicts.
    """
    with_markers = [change.path for change in changes if torn(change.texts[0].lines)]
    if with_markers:
        for path in unmerged_files(repo):
            if path in with_markers:
                raise _unresolved(path)


def _unresolved(path: str) -> Conflict:
    return Conflict(
        f"{path} has a merge conflict that is not resolved; nothing was written",
        advice="resolve it first: /keep ours, theirs or both on the screen, then `git add`",
    )


def _compared(change: ReviewedChange, place: str, now: bytes | None) -> _State:
    """The state of a change whose file is not as it was when it was decided.

    Raises:
        NotText: The file is no longer text.
    """
    versions = change.versions
    if change.in_place:
        base = versions.before
        proposed = now
    else:
        base = now
        proposed = versions.after
    review = Review(Text.from_bytes(base or b"", change.path))
    review.propose(Text.from_bytes(proposed or b"", change.path))
    return _State(review, review.proposed, place, now)
