"""What a session accepted and git has not yet: staged, or committed with a message that says what was asked for."""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from spark_tui.errors import Conflict, RepoError, SparkError, UsageError
from spark_tui.session.commit_words import left_out, offered_message, told_earlier
from spark_tui.session.rebase_hunks import broken
from spark_tui.session.uncommitted import Earlier, holds, left_of, uncommitted
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.committing import Commit, Committer
from spark_tui.vcs.history import Batch
from spark_tui.vcs.journal import JournalEntry, Tell
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from spark_tui.vcs.trust import Trust
from spark_tui.vcs.underway import standing
from spark_tui.vcs.write import FileChange, follow_link

_MOST_EARLIER = 40
"""Accepts that are looked through for what was never committed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be committed.

    Args: paths: the files. message: a plain one. where: the branch, or what is going on with it. hindrance: why it
        cannot be committed now, and only staged; or "". warning: what such a commit would break; or "". note: what
        of it was accepted before this start, what of that cannot be in it, and which files have less; or "".
        stages: whether it can at least be staged.
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

    Args: tell: hears what the user should know and is no error.
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
        """Whether anything waited when this session last accepted, took back or committed something."""
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
        """Say early what would be refused. Raises: RepoError: the repository is not trusted."""
        self._trust.require("staging")

    @property
    def standing(self) -> str:
        """Where a commit would go, for people: the branch, or what is going on with it."""
        return standing(self._repo)

    @property
    def hindrance(self) -> str:
        """Why nothing can be committed here whatever the message, as far as that can be told early; or ""."""
        try:
            self._committer.require_ready()
        except RepoError as e:
            return str(e)
        return ""

    @property
    def waiting(self) -> tuple[Batch, ...]:
        """What was accepted, is in force and was not committed by this session; in the order in which it was done.

        With what was accepted before, as far as the last offer found it.
        """
        return self._in_force([*self._accepted, *(batch.entry.subject for batch in self._earlier.open)])

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of that."""
        return tuple(dict.fromkeys(path for batch in self.waiting for path in batch.in_force))

    @contextmanager
    def ready(self, change: FileChange) -> Iterator[Callable[[JournalEntry], object]]:
        """Do all that staging a change takes but the last step, before it is accepted.

        Yields: the last step, for the entry of the journal; it raises as `stage` does.
        Raises: Conflict, RepoError, Transient: it cannot be staged.
        """
        with self._stager.ready([follow_link(self._repo.root, change)]) as put:
            yield lambda entry: put([entry.id])

    def beside(self, change: FileChange) -> tuple[str, tuple[str, ...]]:
        """What whoever commits the index once a change is staged, too, should know.

        Returns: what of it would be broken by the change, or ""; the files of which something is staged already.
        Raises: as `ready`.
        """
        wrong = broken(self._stager.preview([follow_link(self._repo.root, change)]))
        return f"a commit of what is staged now breaks {wrong}" if wrong else "", self._stager.staged

    def stage(self, batch_ids: Collection[str] | None = None) -> tuple[str, ...]:
        """Bring accepted edits into the index. Args: batch_ids: which; None: all that wait. Returns: the paths changed.

        Raises: UsageError: nothing to stage. Conflict, RepoError, Transient: see `Stager.stage`; nothing was staged.
        """
        batches = self.waiting if batch_ids is None else self._in_force(batch_ids)
        changes, subjects = self._changes(batches)
        if batches and not changes:
            raise UsageError(f"nothing to stage; {left_out(self._gone(batches))}")
        return self._stager.stage(changes, subjects)

    def commit(self, message: str) -> Commit:
        """Commit all that waits. Raises: as `Committer.commit`; nothing was committed."""
        batches = self.waiting
        if not batches:
            raise UsageError("nothing to commit; accept an edit first")
        if not (changes := self._changes(batches)[0]):
            raise UsageError(f"nothing to commit; {left_out(self._gone(batches))}")
        made = self._committer.commit(message, changes)
        done = {batch.entry.subject for batch in batches}
        self._accepted, self._earlier = [each for each in self._accepted if each not in done], Earlier()
        self.look_again()
        return made

    def offer(self) -> Offer:
        """All that waits, for the user to decide. Raises: UsageError: nothing does. RepoError: no staging either."""
        self.find_earlier()
        gone = left_out(self._gone(self.waiting))
        note = "; ".join(filter(None, (told_earlier(self._earlier), gone)))
        changes = self._changes(self.waiting)[0]
        if not (paths := tuple(dict.fromkeys(change.path for change in changes))):
            raise UsageError(f"nothing to commit; {note or 'accept a hunk first'}")
        if self._is_committed(changes):
            raise UsageError("nothing to commit: what was accepted is committed already")
        return Offer(paths, self.offered_message(), self.standing, self.hindrance, self.broken, note, self._stages)

    def _is_committed(self, changes: Sequence[FileChange]) -> bool:
        """Whether git's branch has changes already, as far as that can be told."""
        with suppress(SparkError):  # which is said where it is committed
            return not self._committer.preview(changes)
        return False

    @property
    def _stages(self) -> bool:
        """Whether what waits can be staged; not in a file whose conflict git does not know to be settled."""
        with suppress(SparkError):
            self._stager.preview(self._changes(self.waiting)[0])
            return True
        return False

    def find_earlier(self) -> int:
        """See what was accepted before this start and an offer would have.

        Returns: how many edits that is. Raises: RepoError: the repository is not trusted.
        """
        self.require_trust()
        with self._finding:
            self._earlier = self._find_earlier()
            return len(self._earlier.open)

    def _find_earlier(self) -> Earlier:
        """What was accepted before this start and only the files have, as far as it can be told apart."""
        self._earlier = Earlier()
        newest = self._newest_in_force()[:_MOST_EARLIER]
        try:
            if not (files := self._differing({path for batch in newest for path in batch.in_force})):
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
        """Which files a commit of all that waits would break, and how, as far as that can be told early; or ""."""
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
        paths = [path for path in self.paths if path not in gone or gone[path].after != gone[path].before]
        return offered_message([each.asked for each in held], paths) if held and paths else ""

    def _changes(self, batches: Sequence[Batch]) -> tuple[list[FileChange], list[str]]:
        """What batches changed and their files still have, and the accept that each change belongs to."""
        found = self._recorded(batches)
        for path, left in self._gone(batches).items():
            last = [subject for change, subject in found if change.path == path][-1]
            found = [each for each in found if each[0].path != path]
            found += [(left, last)] * (left.after != left.before)
        return [change for change, _ in found], [subject for _, subject in found]

    def _recorded(self, batches: Sequence[Batch]) -> list[tuple[FileChange, str]]:
        return [(change, batch.entry.subject) for batch in batches for change in self._batches.changes(batch)]

    def _gone(self, batches: Sequence[Batch]) -> dict[str, FileChange]:
        """The files that no longer have all that was accepted there, with what git's branch lacks of the rest."""
        try:
            made = self._committer.preview([change for change, _ in self._recorded(batches)])
        except SparkError:  # which is said where it is committed
            return {}
        return {each.path: left for each in made if (left := left_of(each, self._now(each.path))) != each}

    def _is_there(self, change: FileChange, gone: Collection[str]) -> bool:
        """Whether its file still has anything of a change. Args: gone: the files that do not have all."""
        return change.path not in gone or left_of(change, self._now(change.path)).after != change.before

    def _now(self, path: str) -> bytes | None:
        try:
            return self._repo.read(path)
        except SparkError:
            return None

    def _in_force(self, subjects: Collection[str]) -> tuple[Batch, ...]:
        """Accepts that are in force, or what did them again last; in the order in which they were done."""
        return tuple(batch for batch in reversed(self._newest_in_force()) if batch.entry.subject in subjects)

    def _newest_in_force(self) -> list[Batch]:
        """All such, the newest first."""
        found: dict[str, Batch] = {}
        for batch in self._batches.log():
            if batch.in_force and not batch.entry.undoes:
                found.setdefault(batch.entry.subject, batch)
        return list(found.values())


def _without(earlier: Earlier, mixed: AbstractSet[str], here: Collection[str]) -> Earlier:
    """Earlier accepts without those of files where they cannot be told apart, and those of this start."""
    apart = [batch for batch in earlier.open if mixed.isdisjoint(batch.in_force)]
    changed = [*earlier.changed, *(batch for batch in earlier.open if batch not in apart)]
    return Earlier(tuple(apart), tuple(batch for batch in changed if batch.entry.subject not in here))
