"""Accepted edits on their way into git: staged, or committed with a message.

First come the accepts of earlier starts: `uncommitted` tells from the journal which of them are
still in the files and not yet in git's branch. Then the offered message, from what was asked for,
where, and what is left out. `Staging` ties both to the session.
"""

import re  # noqa: TID251 - reads what is typed, by its shape
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock

from spark_tui.editing.hunks import diff
from spark_tui.editing.rebase import same_words, transplant, without_reverted
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, RepoError, SparkError, UsageError
from spark_tui.session.accept import broken
from spark_tui.vcs.atomic_write import FileChange, follow_link
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.commit import Commit, Committer
from spark_tui.vcs.history import JournaledBatch
from spark_tui.vcs.journal import JournalEntry, Tell
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository, standing
from spark_tui.vcs.staging import Stager


@dataclass(frozen=True, slots=True)
class Earlier:
    """Accepts of earlier starts.

    Args:
        open: The accepts that a commit can take.
        changed: The accepts of which nobody can tell whether they are open.
    """

    open: tuple[JournaledBatch, ...] = ()
    changed: tuple[JournaledBatch, ...] = ()


class _Is(Enum):
    """What became of an edit: open, over (in git, or gone from the file), or unclear."""

    OPEN = auto()
    OVER = auto()
    UNCLEAR = auto()


class _File:
    """A file and git's version of it, both without the edits examined so far. Mutable.

    Args:
        edits: All edits of the file, the newest first.
    """

    def __init__(
        self, path: str, now: bytes, committed: bytes, edits: Sequence[FileChange]
    ) -> None:
        self._now = Text.from_bytes(now, path)
        self._committed = Text.from_bytes(committed, path)
        self._surely_open = self._all_there_is(now, edits)

    def _all_there_is(self, now: bytes | None, edits: Sequence[FileChange]) -> int:
        """How many of the newest edits, stacked, lead exactly from git's version to the file.

        0 where they do not.
        """
        for count, change in enumerate(edits, 1):
            if change.after != now or change.before is None:
                return 0
            now = change.before
            if same_words(Text.from_bytes(now, change.path), self._committed):
                return count
        return 0

    def without(self, change: FileChange) -> _Is:
        """Take an edit out of both versions; the newest edits must be taken out first.

        Returns:
            What became of the edit.
        """
        # The newest edits lead exactly from git's version to the file: all of them are open, and no
        # merge need guess. After the last of them both versions are the same.
        if self._surely_open:
            self._surely_open -= 1
            if not self._surely_open:
                self._now = self._committed
            return _Is.OPEN
        if same_words(self._now, self._committed):
            return _Is.OVER
        # Take the edit out of both versions. Where that changes a version, the version had the
        # edit; None means that other edits have overlaid it.
        now = _without_staged(self._now, change)
        committed = _without_staged(self._committed, change)
        in_git = committed is not None and committed != self._committed
        in_file = now is not None and now != self._now
        unclear = (in_file and committed is None) or (now is None and committed == self._committed)
        if now is not None:
            self._now = now
        if committed is not None:
            self._committed = committed
        if unclear:
            return _Is.UNCLEAR
        return _Is.OPEN if in_file and not in_git else _Is.OVER


def uncommitted(
    batches: Iterable[JournaledBatch],
    changes: Callable[[JournaledBatch], Sequence[FileChange]],
    files: Mapping[str, tuple[bytes, bytes]],
) -> Earlier:
    """Sort accepts into open and unclear ones, the newest first.

    Args:
        batches: The accepts, the newest first.
        changes: Gives the changes of an accept.
        files: The files that differ from git's branch: their bytes now, and in git.
    """
    edits: dict[str, list[FileChange]] = {path: [] for path in files}
    changes_of: list[tuple[JournaledBatch, list[FileChange]]] = []
    for batch in batches:
        relevant = [change for change in changes(batch) if change.path in files]
        changes_of.append((batch, relevant))
        for change in relevant:
            edits[change.path].append(change)
    texts = {path: _File(path, *data, edits[path]) for path, data in files.items()}
    still_open: list[JournaledBatch] = []
    unclear: list[JournaledBatch] = []
    # Edits come out in the opposite order of their going in, so the newest must be asked first.
    for batch, relevant in changes_of:
        outcomes = {texts[change.path].without(change) for change in relevant}
        if _Is.UNCLEAR in outcomes:
            unclear.append(batch)
        elif _Is.OPEN in outcomes:
            still_open.append(batch)
    return Earlier(tuple(still_open), tuple(unclear))


def holds(now: bytes, change: FileChange) -> bool:
    """Whether a file has every hunk of a change, as hunks of its own."""
    before, after = change.texts
    there = Text.from_bytes(now, change.path)
    known = {(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in diff(before, there)}
    expected = {(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in diff(before, after)}
    return expected <= known


def left_of(change: FileChange, now: bytes | None) -> FileChange:
    """What a file still has of a change.

    Args:
        now: The bytes of the file; None: the file is gone.
    """
    if now is None:
        return replace(change, after=change.before)
    if change.before is None or change.after is None:
        return change
    after = without_reverted(*change.texts, Text.from_bytes(now, change.path))
    return replace(change, after=after.to_bytes())


def _without_staged(text: Text, change: FileChange) -> Text | None:
    """A text without a change; unchanged where the text lacks the change already.

    None: the text has other lines there.
    """
    if change.before is None or change.after is None:
        return None
    try:
        before, after = change.texts
        return transplant(after, before, text)
    except Conflict:
        return None


_SUBJECT = 72
"""Characters of the first line of a message."""
_CODE = re.compile(r"\S*\w[./_(\d]\w*\S*|\S*_")
"""A file or a name at the start, whose letters keep their case."""


def left_out(paths: Collection[str]) -> str:
    """The note about accepted edits that somebody took out of the files by hand, or ""."""
    return f"what is no longer in {' and '.join(paths)} is left out" if paths else ""


def told_earlier(earlier: Earlier) -> str:
    """The note about what was accepted before this start, or ""."""
    count = len(earlier.open)
    changed = earlier.changed
    notes = []
    if count:
        notes.append(f"with {count} edit{'s' * (count > 1)} accepted before this start")
    if changed:
        edits = f"“{_sentence(changed[0].entry.asked)}”"
        if len(changed) > 1:
            edits += f" and {len(changed) - 1} more"
        where = " and ".join(dict.fromkeys(path for batch in changed for path in batch.in_force))
        notes.append(
            f"{edits}, accepted earlier, cannot be told from what changed since in {where}; use "
            f"`git add -p`"
        )
    return "; ".join(notes)


def offered_message(instructions: Sequence[str], paths: Sequence[str]) -> str:
    """A message that says what was asked for, and where.

    Args:
        instructions: At least one.
        paths: The files changed.
    """
    asked = list(dict.fromkeys(_sentence(each) for each in instructions))
    more = ""
    if len(asked) > 1:
        more = f" and {len(asked) - 1} more edit{'s' * (len(asked) > 2)}"
    subject = asked[0] + more + _where(asked[0], paths)
    short = textwrap.shorten(subject, _SUBJECT, placeholder="…")
    if more:
        return f"{short}\n\n" + "\n".join(f"- {each}" for each in asked)
    if short == subject:
        return short
    return f"{short}\n\n" + textwrap.fill(subject, _SUBJECT)


def _sentence(instruction: str) -> str:
    words = " ".join(instruction.split()).rstrip(" .!")
    begins_with_code = _CODE.match(words) is not None
    return words if begins_with_code else words[:1].upper() + words[1:]


def _where(asked: str, paths: Sequence[str]) -> str:
    names = [PurePosixPath(path).name for path in paths]
    if any(name in asked for name in names):
        return ""
    return f" in {' and '.join(names)}" if len(names) <= 2 else f" in {len(names)} files"


_MOST_EARLIER = 40
"""Accepts searched for what was never committed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be committed.

    Args:
        paths: The files.
        message: A plain message.
        where: The branch, or what is going on with it.
        hindrance: Why it can only be staged now, not committed; or "".
        warning: What such a commit would break; or "".
        note: What of it was accepted before this start, what of that must be left out, and which
            files have less; or "".
        stages: Whether it can at least be staged.
    """

    paths: tuple[str, ...]
    message: str
    where: str
    hindrance: str = ""
    warning: str = ""
    note: str = ""
    stages: bool = True


class Staging:
    """The accepted edits of a session on their way into git. Mutable.

    Args:
        tell: Called with what the user should know and is no error.
    """

    def __init__(self, repo: Repository, batches: Batches, state_dir: Path, tell: Tell) -> None:
        self._repo = repo
        self._batches = batches
        self._trust = Trust(repo, state_dir)
        self._stager = Stager(repo, self._trust, state_dir)
        self._committer = Committer(repo, self._trust, state_dir, tell=tell)
        self._accepted: list[str] = []
        self._earlier = Earlier()
        """What was accepted before this start, as of the last offer."""
        self._finding = Lock()
        self.may_wait = False
        """Whether anything waited when this session last accepted, undid or committed."""
        self._stager.tidy()

    def add(self, entry: JournalEntry) -> None:
        """Remember an accept."""
        self._accepted.append(entry.id)
        self.may_wait = True

    def look_again(self) -> None:
        """See what waits, after an undo or a redo."""
        self.may_wait = bool(self.waiting)

    def look_at_git(self) -> None:
        """See what waits, after the user may have used git or an editor."""
        changes = self._changes(self.waiting)[0]
        self.may_wait = bool(changes) and not self._is_committed(changes)

    def require_trust(self) -> None:
        """Refuse now what staging would refuse later.

        Raises:
            RepoError: The repository is not trusted.
        """
        self._trust.require("staging")

    @property
    def standing(self) -> str:
        """Where a commit would go, for people: the branch, or what is going on with it."""
        return standing(self._repo)

    @property
    def hindrance(self) -> str:
        """Why nothing can be committed whatever the message, as far as known early; or ""."""
        try:
            self._committer.require_ready()
        except RepoError as e:
            return str(e)
        return ""

    @property
    def waiting(self) -> tuple[JournaledBatch, ...]:
        """The accepts in force that this session has not committed, in their order.

        They include earlier accepts, as far as the last offer found them.
        """
        return self._in_force(
            [*self._accepted, *(batch.entry.subject for batch in self._earlier.open)]
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that wait."""
        return tuple(dict.fromkeys(path for batch in self.waiting for path in batch.in_force))

    @contextmanager
    def ready(self, change: FileChange) -> Iterator[Callable[[JournalEntry], object]]:
        """Prepare to stage a change, all but the last step, before the change is accepted.

        Yields:
            The last step, which takes the entry of the journal and raises as `stage` does.

        Raises:
            Conflict, RepoError, Transient: The change cannot be staged.
        """
        with self._stager.ready([follow_link(self._repo.root, change)]) as put:
            yield lambda entry: put([entry.id])

    def noted(self) -> AbstractContextManager[None]:
        """Note that what is accepted in a `with` is to be staged; see `Batches.staging`."""
        return self._batches.staging()

    def beside(self, change: FileChange) -> tuple[str, tuple[str, ...]]:
        """What to know before committing the index once a change is staged, too.

        Returns:
            What the change would break in such a commit, or ""; the files that are staged already.

        Raises:
            As `ready`.
        """
        wrong = broken(self._stager.preview([follow_link(self._repo.root, change)]))
        warning = f"a commit of what is staged now breaks {wrong}" if wrong else ""
        return warning, self._stager.staged

    def stage(self, batch_ids: Collection[str] | None = None) -> tuple[str, ...]:
        """Stage accepted edits.

        Args:
            batch_ids: The accepts; None: all that wait.

        Returns:
            The paths changed.

        Raises:
            UsageError: Nothing to stage.
            Conflict, RepoError, Transient: See `Stager.stage`; nothing was staged.
        """
        batches = self.waiting if batch_ids is None else self._in_force(batch_ids)
        changes, subjects = self._changes(batches)
        if batches and not changes:
            raise UsageError(f"nothing to stage; {left_out(self._gone(batches))}")
        return self._stager.stage(changes, subjects)

    def commit(self, message: str) -> Commit:
        """Commit everything that waits.

        Raises:
            As `Committer.commit`; nothing was committed.
        """
        batches = self.waiting
        if not batches:
            raise UsageError("nothing to commit; accept an edit first")
        if not (changes := self._changes(batches)[0]):
            raise UsageError(f"nothing to commit; {left_out(self._gone(batches))}")
        made = self._committer.commit(message, changes)
        # By the batches committed, not all: an accept may have come in meanwhile.
        committed = {batch.entry.subject for batch in batches}
        self._accepted = [subject for subject in self._accepted if subject not in committed]
        self._earlier = Earlier()
        self.look_again()
        return made

    def offer(self) -> Offer:
        """Everything that waits, for the user to decide.

        Raises:
            UsageError: Nothing waits.
            RepoError: It cannot be staged either.
        """
        self.find_earlier()
        gone = left_out(self._gone(self.waiting))
        note = "; ".join(filter(None, (told_earlier(self._earlier), gone)))
        changes = self._changes(self.waiting)[0]
        if not (paths := tuple(dict.fromkeys(change.path for change in changes))):
            raise UsageError(f"nothing to commit; {note or 'accept a hunk first'}")
        if self._is_committed(changes):
            raise UsageError("nothing to commit: what was accepted is committed already")
        return Offer(
            paths,
            self.offered_message(),
            self.standing,
            self.hindrance,
            self.broken,
            note,
            self._stages,
        )

    def _is_committed(self, changes: Sequence[FileChange]) -> bool:
        """Whether git's branch has changes already, as far as that can be told."""
        with suppress(SparkError):  # the commit itself reports the error
            return not self._committer.preview(changes)
        return False

    @property
    def _stages(self) -> bool:
        """Whether what waits can be staged.

        It cannot in a file whose conflict git does not know to be settled.
        """
        with suppress(SparkError):
            self._stager.preview(self._changes(self.waiting)[0])
            return True
        return False

    def find_earlier(self) -> int:
        """Find what was accepted before this start, for an offer to include.

        Returns:
            The number of edits.

        Raises:
            RepoError: The repository is not trusted.
        """
        self.require_trust()
        with self._finding:
            self._earlier = self._find_earlier()
            return len(self._earlier.open)

    def _find_earlier(self) -> Earlier:
        """What was accepted before this start and only the files have, where that is clear."""
        self._earlier = Earlier()
        newest = self._newest_in_force()[:_MOST_EARLIER]
        try:
            files = self._differing({path for batch in newest for path in batch.in_force})
            if not files:
                return Earlier()
            found = uncommitted(newest, self._batches.changes, files)
            known = [batch for batch in found.open if batch.entry.subject in self._accepted]
            others = [batch for batch in found.open if batch not in known]
            # Set early, as `waiting` includes it: the preview is that of a commit with these
            # accepts.
            self._earlier = Earlier(tuple(others))
            made = self._committer.preview(self._changes(self.waiting)[0]) if others else ()
        except Conflict:
            return Earlier((), (*found.changed, *others))
        except SparkError:
            return Earlier()
        # Where the commit would hold a hunk that merged with edits by others, the accept cannot be
        # told from them any more.
        mixed = {change.path for change in made if not holds(files[change.path][0], change)}
        return _without(Earlier(tuple(others), found.changed), mixed, self._accepted)

    def _differing(self, paths: Collection[str]) -> dict[str, tuple[bytes, bytes]]:
        """The files that differ from git's branch: their bytes now, and in git."""
        found = {}
        for path, committed in self._committer.committed(paths).items():
            with suppress(SparkError):
                if (now := self._repo.read(path)) != committed:
                    found[path] = now, committed
        return found

    @property
    def broken(self) -> str:
        """What a commit of everything that waits would break, as far as known early; or ""."""
        with suppress(SparkError):  # the commit itself reports the error
            if wrong := broken(self._committer.preview(self._changes(self.waiting)[0])):
                return f"this commit breaks {wrong}"
        return ""

    def offered_message(self) -> str:
        """A plain message for everything that waits; "" when nothing does."""
        batches = self.waiting
        gone = self._gone(batches)
        there = partial(self._is_there, gone=gone)
        held = [batch.entry for batch in batches if any(map(there, self._batches.changes(batch)))]
        reverted = {path for path, left in gone.items() if left.after == left.before}
        paths = [path for path in self.paths if path not in reverted]
        if not (held and paths):
            return ""
        return offered_message([entry.asked for entry in held], paths)

    def _changes(self, batches: Sequence[JournaledBatch]) -> tuple[list[FileChange], list[str]]:
        """What the files still have of batches, and the accept of each change."""
        recorded = self._recorded(batches)
        for path, left in self._gone(batches).items():
            # What is left of several accepts is one change, which goes on the account of the last
            # of them.
            last = [subject for change, subject in recorded if change.path == path][-1]
            recorded = [item for item in recorded if item[0].path != path]
            if left.after != left.before:
                recorded.append((left, last))
        return [change for change, _ in recorded], [subject for _, subject in recorded]

    def _recorded(self, batches: Sequence[JournaledBatch]) -> list[tuple[FileChange, str]]:
        recorded: list[tuple[FileChange, str]] = []
        for batch in batches:
            subject = batch.entry.subject
            recorded += [(change, subject) for change in self._batches.changes(batch)]
        return recorded

    def _gone(self, batches: Sequence[JournaledBatch]) -> dict[str, FileChange]:
        """The files that no longer have all that was accepted there.

        Returns:
            For each the change that is left of it, which git's branch lacks.
        """
        try:
            # The preview joins all accepts of a file into one change from git's version, which the
            # file on disk is held against.
            made = self._committer.preview([change for change, _ in self._recorded(batches)])
        except SparkError:  # the commit itself reports the error
            return {}
        gone = {}
        for change in made:
            left = left_of(change, self._now(change.path))
            if left != change:
                gone[change.path] = left
        return gone

    def _is_there(self, change: FileChange, gone: Collection[str]) -> bool:
        """Whether a file still has anything of a change.

        Args:
            gone: The files that no longer have everything.
        """
        if change.path not in gone:
            return True
        return left_of(change, self._now(change.path)).after != change.before

    def _now(self, path: str) -> bytes | None:
        try:
            return self._repo.read(path)
        except SparkError:
            return None

    def _in_force(self, subjects: Collection[str]) -> tuple[JournaledBatch, ...]:
        """The accepts in force, or their last redo, in their order."""
        return tuple(
            batch for batch in reversed(self._newest_in_force()) if batch.entry.subject in subjects
        )

    def _newest_in_force(self) -> list[JournaledBatch]:
        """All accepts in force, the newest first."""
        newest: dict[str, JournaledBatch] = {}
        for batch in self._batches.log():
            if batch.in_force and not batch.entry.undoes:
                # A redo stands for the accept that it repeats; the log begins with the newest.
                newest.setdefault(batch.entry.subject, batch)
        return list(newest.values())


def _without(earlier: Earlier, mixed: AbstractSet[str], here: Collection[str]) -> Earlier:
    """Earlier accepts without those of this start, and with those in mixed files as changed.

    Args:
        mixed: The files whose accepts cannot be told apart from other edits.
        here: The accepts of this start.
    """
    apart = [batch for batch in earlier.open if mixed.isdisjoint(batch.in_force)]
    changed = [*earlier.changed, *(batch for batch in earlier.open if batch not in apart)]
    others = [batch for batch in changed if batch.entry.subject not in here]
    return Earlier(tuple(apart), tuple(others))
