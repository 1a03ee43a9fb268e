"""Accepted edits into git: staged and committed.

What was accepted, is in the files still and not in git's branch yet; of earlier starts found in the
journal.

The words that a commit is offered with: what was asked for, where, and what is left out of it.

What a session accepted and git has not yet: staged, or committed with a message that says what was
asked for.
"""

import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
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
from spark_tui.vcs.history import JournaledBatch
from spark_tui.vcs.journal import JournalEntry, Tell
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository, standing
from spark_tui.vcs.staging import Commit, Committer, Stager


@dataclass(frozen=True, slots=True)
class Earlier:
    """Accepts of earlier starts.

    Args:
        open: Those that a commit can take.
        changed: Of which that cannot be told.
    """

    open: tuple[JournaledBatch, ...] = ()
    changed: tuple[JournaledBatch, ...] = ()


class _Is(Enum):
    OPEN = auto()
    OVER = auto()
    UNCLEAR = auto()


class _File:
    """A file and what git has of it, both without the edits that were looked at.

    Mutable.

    Args:
        edits: All of its edits, the newest first.
    """

    def __init__(
        self, path: str, now: bytes, committed: bytes, edits: Sequence[FileChange]
    ) -> None:
        self._now = Text.from_bytes(now, path)
        self._committed = Text.from_bytes(committed, path)
        self._surely_open = self._all_there_is(now, edits)

    def _all_there_is(self, now: bytes | None, edits: Sequence[FileChange]) -> int:
        """How many of the newest edits, one upon the other, made of what git has exactly the
        file; 0 if none did.
        """
        for count, change in enumerate(edits, 1):
            if change.after != now or change.before is None:
                return 0
            now = change.before
            if same_words(Text.from_bytes(now, change.path), self._committed):
                return count
        return 0

    def without(self, change: FileChange) -> _Is:
        """Take an edit out, of both, that was made after all that are looked at later.

        Returns:
            What became of it.
        """
        if self._surely_open:
            self._surely_open -= 1
            self._now = self._now if self._surely_open else self._committed
            return _Is.OPEN
        if same_words(self._now, self._committed):
            return _Is.OVER
        now = _without_staged(self._now, change)
        committed = _without_staged(self._committed, change)
        in_git = committed is not None and committed != self._committed
        in_file = now is not None and now != self._now
        unclear = (in_file and committed is None) or (now is None and committed == self._committed)
        self._now = self._now if now is None else now
        self._committed = self._committed if committed is None else committed
        if unclear:
            return _Is.UNCLEAR
        return _Is.OPEN if in_file and not in_git else _Is.OVER


def uncommitted(
    batches: Iterable[JournaledBatch],
    changes: Callable[[JournaledBatch], Sequence[FileChange]],
    files: Mapping[str, tuple[bytes, bytes]],
) -> Earlier:
    """Sort accepts, the newest first.

    Args:
        files: Those that differ: as they are, and as git has them.
    """
    made = [
        (batch, [change for change in changes(batch) if change.path in files]) for batch in batches
    ]
    each_of = {
        path: [change for _, some in made for change in some if change.path == path]
        for path in files
    }
    texts = {path: _File(path, *data, each_of[path]) for path, data in files.items()}
    found: dict[_Is, list[JournaledBatch]] = {each: [] for each in _Is}
    for batch, some in made:
        came_to = {texts[change.path].without(change) for change in some}
        if worst := next((each for each in (_Is.UNCLEAR, _Is.OPEN) if each in came_to), None):
            found[worst].append(batch)
    return Earlier(tuple(found[_Is.OPEN]), tuple(found[_Is.UNCLEAR]))


def holds(now: bytes, change: FileChange) -> bool:
    """Whether a file has every hunk of a change, as hunks of its own."""
    before, after = change.texts
    there = Text.from_bytes(now, change.path)
    known = {(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in diff(before, there)}
    return all(
        (hunk.start, hunk.old_lines, hunk.new_lines) in known for hunk in diff(before, after)
    )


def left_of(change: FileChange, now: bytes | None) -> FileChange:
    """A change without what a file no longer has of it.

    Args:
        now: The file; None: there is none.
    """
    if now is None or change.before is None or change.after is None:
        return change if now is not None else replace(change, after=change.before)
    return replace(
        change, after=without_reverted(*change.texts, Text.from_bytes(now, change.path)).to_bytes()
    )


def _without_staged(text: Text, change: FileChange) -> Text | None:
    """A text without a change, or as it is where it lacks it already; None: it has other lines
    there.
    """
    if change.before is None or change.after is None:
        return None
    try:
        before, after = change.texts
        return transplant(after, before, text)
    except Conflict:
        return None


_SUBJECT = 72
"""Characters of a message's first line."""
_CODE = re.compile(r"\S*\w[./_(\d]\w*\S*|\S*_")
"""A file or a name at the start, whose letters are what they are."""


def left_out(paths: Collection[str]) -> str:
    """What is said of accepted edits that somebody took out of the files by hand, or ""."""
    return f"what is no longer in {' and '.join(paths)} is left out" if paths else ""


def told_earlier(earlier: Earlier) -> str:
    """What is said of what was accepted before this start, or ""."""
    found = len(earlier.open)
    changed = earlier.changed
    said = [f"with {found} edit{'s' * (found > 1)} accepted before this start"] if found else []
    if changed:
        which = f"“{_sentence(changed[0].entry.asked)}”" + (
            f" and {len(changed) - 1} more" * (len(changed) > 1)
        )
        where = " and ".join(dict.fromkeys(path for batch in changed for path in batch.in_force))
        said.append(
            f"{which}, accepted earlier, cannot be told from what changed since in {where}; use "
            f"`git add -p`"
        )
    return "; ".join(said)


def offered_message(instructions: Sequence[str], paths: Sequence[str]) -> str:
    """A message that says what was asked for and where.

    Args:
        instructions: At least one.
        paths: The files changed.
    """
    asked = list(dict.fromkeys(_sentence(each) for each in instructions))
    more = f" and {len(asked) - 1} more edit{'s' * (len(asked) > 2)}" if len(asked) > 1 else ""
    subject = asked[0] + more + _where(asked[0], paths)
    short = textwrap.shorten(subject, _SUBJECT, placeholder="…")
    if more:
        return f"{short}\n\n" + "\n".join(f"- {each}" for each in asked)
    return short if short == subject else f"{short}\n\n" + textwrap.fill(subject, _SUBJECT)


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
"""Accepts that are looked through for what was never committed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be committed.

    Args:
        paths: The files.
        message: A plain one.
        where: The branch, or what is going on with it.
        hindrance: Why it cannot be committed now, and only staged; or "".
        warning: What such a commit would break; or "".
        note: What of it was accepted before this start, what of that cannot be in it, and which
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
    """The accepted edits of a session on their way into git.

    Mutable.

    Args:
        tell: Hears what the user should know and is no error.
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
        """Whether anything waited when this session last accepted, took back or committed
        something.
        """
        self._stager.tidy()

    def add(self, entry: JournalEntry) -> None:
        """Remember what was just accepted."""
        self._accepted.append(entry.id)
        self.may_wait = True

    def look_again(self) -> None:
        """See what waits now: something was taken back, or done again."""
        self.may_wait = bool(self.waiting)

    def look_at_git(self) -> None:
        """See what waits now: git, or an editor, was used besides."""
        changes = self._changes(self.waiting)[0]
        self.may_wait = bool(changes) and not self._is_committed(changes)

    def require_trust(self) -> None:
        """Say early what would be refused.

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
        """Why nothing can be committed here whatever the message, as far as that can be told
        early; or "".
        """
        try:
            self._committer.require_ready()
        except RepoError as e:
            return str(e)
        return ""

    @property
    def waiting(self) -> tuple[JournaledBatch, ...]:
        """What was accepted, is in force and was not committed by this session; in the order in
        which it was done.

        With what was accepted before, as far as the last offer found it.
        """
        return self._in_force(
            [*self._accepted, *(batch.entry.subject for batch in self._earlier.open)]
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of that."""
        return tuple(dict.fromkeys(path for batch in self.waiting for path in batch.in_force))

    @contextmanager
    def ready(self, change: FileChange) -> Iterator[Callable[[JournalEntry], object]]:
        """Do all that staging a change takes but the last step, before it is accepted.

        Yields:
            The last step, for the entry of the journal; it raises as `stage` does.

        Raises:
            Conflict, RepoError, Transient: It cannot be staged.
        """
        with self._stager.ready([follow_link(self._repo.root, change)]) as put:
            yield lambda entry: put([entry.id])

    def beside(self, change: FileChange) -> tuple[str, tuple[str, ...]]:
        """What whoever commits the index once a change is staged, too, should know.

        Returns:
            What of it would be broken by the change, or ""; the files of which something is staged
            already.

        Raises:
            As `ready`.
        """
        wrong = broken(self._stager.preview([follow_link(self._repo.root, change)]))
        return (
            f"a commit of what is staged now breaks {wrong}" if wrong else "",
            self._stager.staged,
        )

    def stage(self, batch_ids: Collection[str] | None = None) -> tuple[str, ...]:
        """Bring accepted edits into the index.

        Args:
            batch_ids: Which; None: all that wait.

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
        """Commit all that waits.

        Raises:
            As `Committer.commit`; nothing was committed.
        """
        batches = self.waiting
        if not batches:
            raise UsageError("nothing to commit; accept an edit first")
        if not (changes := self._changes(batches)[0]):
            raise UsageError(f"nothing to commit; {left_out(self._gone(batches))}")
        made = self._committer.commit(message, changes)
        done = {batch.entry.subject for batch in batches}
        self._accepted = [each for each in self._accepted if each not in done]
        self._earlier = Earlier()
        self.look_again()
        return made

    def offer(self) -> Offer:
        """All that waits, for the user to decide.

        Raises:
            UsageError: Nothing does.
            RepoError: No staging either.
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
        with suppress(SparkError):  # which is said where it is committed
            return not self._committer.preview(changes)
        return False

    @property
    def _stages(self) -> bool:
        """Whether what waits can be staged; not in a file whose conflict git does not know to
        be settled.
        """
        with suppress(SparkError):
            self._stager.preview(self._changes(self.waiting)[0])
            return True
        return False

    def find_earlier(self) -> int:
        """See what was accepted before this start and an offer would have.

        Returns:
            How many edits that is.

        Raises:
            RepoError: The repository is not trusted.
        """
        self.require_trust()
        with self._finding:
            self._earlier = self._find_earlier()
            return len(self._earlier.open)

    def _find_earlier(self) -> Earlier:
        """What was accepted before this start and only the files have, as far as it can be told
        apart.
        """
        self._earlier = Earlier()
        newest = self._newest_in_force()[:_MOST_EARLIER]
        try:
            if not (
                files := self._differing({path for batch in newest for path in batch.in_force})
            ):
                return Earlier()
            found = uncommitted(newest, self._batches.changes, files)
            known = [batch for batch in found.open if batch.entry.subject in self._accepted]
            others = [batch for batch in found.open if batch not in known]
            self._earlier = Earlier(tuple(others))
            made = self._committer.preview(self._changes(self.waiting)[0]) if others else ()
        except Conflict:
            return Earlier((), (*found.changed, *others))
        except SparkError:
            return Earlier()
        mixed = {change.path for change in made if not holds(files[change.path][0], change)}
        return _without(Earlier(tuple(others), found.changed), mixed, self._accepted)

    def _differing(self, paths: Collection[str]) -> dict[str, tuple[bytes, bytes]]:
        """The files that are not as git's branch has them: as they are, and as it has them."""
        found = {}
        for path, committed in self._committer.committed(paths).items():
            with suppress(SparkError):
                if (now := self._repo.read(path)) != committed:
                    found[path] = now, committed
        return found

    @property
    def broken(self) -> str:
        """Which files a commit of all that waits would break, and how, as far as that can be
        told early; or "".
        """
        with suppress(SparkError):  # which the commit itself says better
            if wrong := broken(self._committer.preview(self._changes(self.waiting)[0])):
                return f"this commit breaks {wrong}"
        return ""

    def offered_message(self) -> str:
        """A plain message for all that waits, from what was asked for; "" when nothing does."""
        batches = self.waiting
        gone = self._gone(batches)
        there = partial(self._is_there, gone=gone)
        held = [batch.entry for batch in batches if any(map(there, self._batches.changes(batch)))]
        paths = [
            path for path in self.paths if path not in gone or gone[path].after != gone[path].before
        ]
        return offered_message([each.asked for each in held], paths) if held and paths else ""

    def _changes(self, batches: Sequence[JournaledBatch]) -> tuple[list[FileChange], list[str]]:
        """What batches changed and their files still have, and the accept that each change
        belongs to.
        """
        found = self._recorded(batches)
        for path, left in self._gone(batches).items():
            last = [subject for change, subject in found if change.path == path][-1]
            found = [each for each in found if each[0].path != path]
            found += [(left, last)] * (left.after != left.before)
        return [change for change, _ in found], [subject for _, subject in found]

    def _recorded(self, batches: Sequence[JournaledBatch]) -> list[tuple[FileChange, str]]:
        return [
            (change, batch.entry.subject)
            for batch in batches
            for change in self._batches.changes(batch)
        ]

    def _gone(self, batches: Sequence[JournaledBatch]) -> dict[str, FileChange]:
        """The files that no longer have all that was accepted there, with what git's branch
        lacks of the rest.
        """
        try:
            made = self._committer.preview([change for change, _ in self._recorded(batches)])
        except SparkError:  # which is said where it is committed
            return {}
        return {
            each.path: left
            for each in made
            if (left := left_of(each, self._now(each.path))) != each
        }

    def _is_there(self, change: FileChange, gone: Collection[str]) -> bool:
        """Whether its file still has anything of a change.

        Args:
            gone: The files that do not have all.
        """
        return (
            change.path not in gone
            or left_of(change, self._now(change.path)).after != change.before
        )

    def _now(self, path: str) -> bytes | None:
        try:
            return self._repo.read(path)
        except SparkError:
            return None

    def _in_force(self, subjects: Collection[str]) -> tuple[JournaledBatch, ...]:
        """Accepts that are in force, or what did them again last; in the order in which they
        were done.
        """
        return tuple(
            batch for batch in reversed(self._newest_in_force()) if batch.entry.subject in subjects
        )

    def _newest_in_force(self) -> list[JournaledBatch]:
        """All such, the newest first."""
        found: dict[str, JournaledBatch] = {}
        for batch in self._batches.log():
            if batch.in_force and not batch.entry.undoes:
                found.setdefault(batch.entry.subject, batch)
        return list(found.values())


def _without(earlier: Earlier, mixed: AbstractSet[str], here: Collection[str]) -> Earlier:
    """Earlier accepts without those of files where they cannot be told apart, and those of this
    start.
    """
    apart = [batch for batch in earlier.open if mixed.isdisjoint(batch.in_force)]
    changed = [*earlier.changed, *(batch for batch in earlier.open if batch not in apart)]
    return Earlier(
        tuple(apart), tuple(batch for batch in changed if batch.entry.subject not in here)
    )
