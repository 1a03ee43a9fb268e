"""Staging, unstaging and committing what was accepted.

What spark staged for which batch, and what becomes of the index when one is taken back, or done
again, in the files.

What spark staged for it goes out of the index, too, where the entry still is the one that spark put
there. In all other cases the index stays as it is, and the user is told what it holds.

Stage accepted changes into the index's own version of their files; what else differs there stays as
it is.

The work tree is not touched, and no filter runs: a file's lines are matched with those git has,
whatever their endings.

Commit accepted changes and nothing else: what the user has staged stays staged, what is unstaged
stays so.

The order is blobs, index, branch. Whoever is cut short between the last two leaves the changes
staged, as `stage` does on purpose; an index behind its branch, which would take the commit back
with the next one, never comes about.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from spark_tui.editing.rebase import same_words, transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, RepoError, SparkError, Transient, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, run_git, settings_of
from spark_tui.vcs.history import Preview
from spark_tui.vcs.index import DURABLY, Entry, GitIndex
from spark_tui.vcs.journal import Tell, frame, tell_nobody, unframe
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust, is_ignored
from spark_tui.vcs.repository import Repository, under_way
from spark_tui.vcs.safe_paths import check_path, file_mode

_NAME = "spark-staged"
_MOST = 200
"""Steps that are remembered."""


@dataclass(frozen=True, slots=True)
class IndexStep:
    """What a change came to in the index.

    Args:
        batch: Its id.
        before, after: The entry of `path`; None: none.
    """

    batch: str
    path: str
    before: Entry | None
    after: Entry | None


class StagedSteps:
    """The steps taken in the index of one work tree, kept beside it; its lock guards them."""

    def __init__(self, repo: Repository, index: GitIndex) -> None:
        self._file = repo.git_dir / _NAME
        self._index = index

    def note(self, steps: Sequence[IndexStep]) -> None:
        """Remember steps that are about to be taken.

        The caller holds the index.

        Raises:
            FileError.
        """
        kept = [*self._read(), *(each for each in steps if each.before != each.after)][-_MOST:]
        self._index.keep(_NAME, b"".join(frame(asdict(each)) for each in kept))

    def last(self, batch: str) -> dict[str, IndexStep]:
        """What was last staged for a batch, by path."""
        return {each.path: each for each in self._read() if each.batch == batch}

    def _read(self) -> list[IndexStep]:
        """Those that can be read: without one, the user is told what the index holds."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return []
        steps = (_step(body) for body in map(unframe, lines) if body is not None)
        return [step for step in steps if step is not None]


class IndexFollower:
    """Follows what is done to the files of one work tree.

    The caller holds spark's lock on the repository.
    """

    def __init__(self, repo: Repository, disk: Disk, tell: Tell) -> None:
        self._index = GitIndex(repo, disk)
        self._staged = StagedSteps(repo, self._index)
        self._tell = tell

    def tidy(self) -> None:
        """Remove what a spark that was killed left in the git directory: the user's git may be
        waiting for that.
        """
        if self._index.is_littered():
            self._index.tidy()

    def tidy_alone(self, lock: Path) -> None:
        """Do so where no other spark is at work.

        Args:
            lock: spark's on the repository.
        """
        if self._index.is_littered():
            with suppress(SparkError), exclusive(lock, patience=0.0):
                self._index.tidy()

    def follow(self, done: Preview) -> None:
        """Bring the index along, or say that it was not.

        Args:
            done: What was just carried out.
        """
        steps = {
            path: each
            for path, each in self._staged.last(done.subject.id).items()
            if path in done.paths
        }
        try:
            if done.back:
                self._taken_back(done, steps)
            else:
                now = self._index.entries(steps) if steps else {}
                if out := ", ".join(
                    path for path, step in steps.items() if now.get(path) == step.before
                ):
                    self._tell(
                        f"this was staged in {out} before it was taken back, not now; `git add` "
                        f"stages it"
                    )
        except SparkError as e:
            self._tell(f"the files are as you want them, but git's index may not be: {e}")

    def _taken_back(self, done: Preview, steps: Mapping[str, IndexStep]) -> None:
        out = self._take_out(steps)
        left = {each.path: each for each in done.changes if each.path not in out}
        staged = self._index.differing(left) if left else {}
        held = [path for path, entry in staged.items() if self._holds(entry, left[path])]
        branch = self._index.committed(held) if held else {}
        committed = [
            path for path in held if path in branch and self._holds(branch[path], left[path])
        ]
        if committed:
            self._tell(
                f"git's branch still has this edit of {', '.join(committed)}; `git diff` shows "
                f"what you took back"
            )
        if kept := [path for path in held if path not in committed]:
            self._tell(
                f"git's index still holds this edit of {', '.join(kept)}; `git diff --staged` "
                f"shows it"
            )

    def _take_out(self, steps: Mapping[str, IndexStep]) -> Collection[str]:
        """Set the entries that still are what spark made of them to what they were.

        Returns:
            Their paths.
        """
        if not self._still_there(steps):
            return ()
        with self._index.replacing() as copy:
            entries = self._still_there(steps)
            self._index.change(copy, entries)
        return entries.keys()

    def _still_there(self, steps: Mapping[str, IndexStep]) -> dict[str, Entry | None]:
        now = self._index.differing(steps) if steps else {}
        return {
            path: steps[path].before for path, entry in now.items() if entry == steps[path].after
        }

    def _holds(self, entry: Entry | None, change: FileChange) -> bool:
        """Whether an entry still has what a change took away."""
        data = None if entry is None else self._index.read(entry, change.path)
        if data is None or change.before is None or change.after is None:
            return data == change.before
        try:
            target = Text.from_bytes(data, change.path)
            return transplant(*change.texts, target) != target
        except SparkError:
            return False


def _step(body: Mapping[str, Any]) -> IndexStep | None:
    """What a record says; None where spark cannot have written it."""
    try:
        step = IndexStep(body["batch"], body["path"], _entry(body["before"]), _entry(body["after"]))
        entries = [entry for entry in (step.before, step.after) if entry is not None]
        texts = [step.batch, step.path]
        for entry in entries:
            texts += [entry.mode, entry.blob]
        if not all(isinstance(text, str) for text in texts):
            return None
        check_path(step.path)
    except (KeyError, TypeError, UsageError):
        return None
    return step


def _entry(body: Mapping[str, Any] | None) -> Entry | None:
    return None if body is None else Entry(body["mode"], body["blob"])


_UNSET = {b"unspecified", b"unset"}

LastStep = Callable[[Sequence[str]], tuple[str, ...]]
"""Stages what is ready.

Args:
    The batch of each change, or none. Returns, raises: as `Stager.stage`.
"""


class Stager:
    """Puts changes into the index of one work tree.

    Args:
        state_dir: Where spark's lock on the repository is.
    """

    def __init__(
        self, repo: Repository, trust: Trust, state_dir: Path, *, disk: Disk | None = None
    ) -> None:
        self._repo = repo
        self._trust = trust
        self._lock = state_dir / "locks" / repo.lock_key
        self._index = GitIndex(repo, disk or Disk())
        self._staged = StagedSteps(repo, self._index)

    def stage(self, changes: Sequence[FileChange], batches: Sequence[str] = ()) -> tuple[str, ...]:
        """Bring changes into the index; a file that git does not have yet is added as they leave
        it.

        Args:
            changes: In the order in which they were made; a file may come several times.
            batches: The one that each belongs to, so that taking it back can take it out again.

        Returns:
            The paths whose entries are others now; a change that is staged already changes nothing.

        Raises:
            Conflict: Git has other lines there.
            RepoError: Not trusted, or an entry spark must not change.
            Transient: The index, or the repository, is locked. In all cases the index stays as it
                was.
        """
        with self.ready(changes) as put:
            return put(batches)

    @contextmanager
    def ready(self, changes: Sequence[FileChange]) -> Iterator[LastStep]:
        """Do all of `stage` but the last step, which is for the caller to take; to the end of the
        `with`, git waits.

        Raises:
            As `stage`.
        """
        self._trust.require("staging")
        if not changes:
            raise UsageError("nothing to stage")
        with ExitStack() as held:
            with exclusive(self._lock):
                copy = held.enter_context(self._index.held())
                steps = self._steps(copy, changes)
                self._index.change(copy, {path: after for path, (_, after) in _ends(steps).items()})
            yield partial(self._put, copy, steps)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """What staging changes would make of the index's files.

        Raises:
            As `stage`.
        """
        with exclusive(self._lock), self._index.copied() as copy:
            return changed_files(self._repo, self._index, copy, changes, whole=True)

    @property
    def staged(self) -> tuple[str, ...]:
        """The files of which the next commit would hold another version than the last.

        Raises:
            RepoError.
        """
        return tuple(self._index.differing(()))

    def _steps(self, copy: Path, changes: Sequence[FileChange]) -> list[tuple[int, IndexStep]]:
        """What each change comes to in the index, by the number of the change."""
        present, results = _brought_in(self._repo, self._index, copy, changes, whole=True)
        now: dict[str, Entry | None] = {**present}
        steps = []
        for each in results:
            before, now[each.path] = now.get(each.path), each.kept(self._index)
            steps.append((each.number, IndexStep("", each.path, before, now[each.path])))
        return steps

    def _put(
        self, copy: Path, steps: Sequence[tuple[int, IndexStep]], batches: Sequence[str]
    ) -> tuple[str, ...]:
        with exclusive(self._lock):
            if batches:
                self._staged.note([replace(step, batch=batches[number]) for number, step in steps])
            self._index.publish(copy)
        return tuple(path for path, (before, after) in _ends(steps).items() if before != after)

    def tidy(self) -> None:
        """Remove what a spark that was killed left, its lock on the index above all: the user's
        git waits for that.
        """
        if self._index.is_littered():
            with suppress(SparkError), exclusive(self._lock):
                self._index.tidy()


def _ends(steps: Sequence[tuple[int, IndexStep]]) -> dict[str, tuple[Entry | None, Entry | None]]:
    """The first and the last entry of each path."""
    ends: dict[str, tuple[Entry | None, Entry | None]] = {}
    for _, step in steps:
        ends[step.path] = ends.get(step.path, (step.before, None))[0], step.after
    return ends


def changed_entries(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange]
) -> dict[str, Entry | None]:
    """The entries that an index must get so that it holds changes, too; None: none any more.

    Args:
        copy: The index to look at; it is not changed.
        changes: As for `Stager.stage`.

    Raises:
        Conflict, RepoError: As there, and where git does not have a file yet.
    """
    present, results = _brought_in(repo, index, copy, changes, whole=False)
    last = {each.path: each for each in results}
    entries = {path: each.kept(index) for path, each in last.items()}
    return {path: entry for path, entry in entries.items() if entry != present.get(path)}


def changed_files(
    repo: Repository,
    index: GitIndex,
    copy: Path,
    changes: Sequence[FileChange],
    *,
    whole: bool = False,
) -> tuple[FileChange, ...]:
    """The same as what becomes of the files.

    Args:
        whole: A file that git does not have yet counts as added.

    Raises:
        As `changed_entries`, but for that.
    """
    present, results = _brought_in(repo, index, copy, changes, whole=whole)
    last = {each.path: each.data for each in results}
    before = {path: index.read(present[path], path) if path in present else None for path in last}
    return tuple(
        FileChange(path, before[path], data) for path, data in last.items() if data != before[path]
    )


@dataclass(frozen=True, slots=True)
class _Result:
    """What a file in git becomes by one change.

    Args:
        number: Of the change.
        data: None: no file.
    """

    number: int
    path: str
    mode: str
    data: bytes | None

    def kept(self, index: GitIndex) -> Entry | None:
        """The entry for it, whose blob is there then."""
        return None if self.data is None else Entry(self.mode, index.write(self.data))


def _brought_in(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange], *, whole: bool
) -> tuple[dict[str, Entry], list[_Result]]:
    """The entries there are, and what they become.

    Args:
        whole: A file that git does not have yet is added.
    """
    by_path: dict[str, list[tuple[int, FileChange]]] = {}
    for number, change in enumerate(changes):
        check_path(change.path)
        by_path.setdefault(change.path, []).append((number, change))
    attributes = _attributes(repo, by_path)
    present = index.entries(by_path.keys(), copy)
    results = []
    for path, each in by_path.items():
        entry = present.get(path)
        data = None if entry is None else index.read(entry, path)
        mode = entry.mode if entry is not None else _mode(repo, each[-1][1])
        for number, change in _missing(path, data, each):
            data = _with(path, data, change, partial(_stored, repo, attributes[path]), whole=whole)
            results.append(_Result(number, path, mode, data))
        if entry is None and data is not None and is_ignored(repo, path):
            raise RepoError(f"git ignores {path}; `git add --force` it by hand")
    return present, results


def _missing(
    path: str, data: bytes | None, changes: list[tuple[int, FileChange]]
) -> list[tuple[int, FileChange]]:
    """The changes that content in git lacks; those up to one whose result it is are there
    already.
    """
    there = (at for at in range(len(changes), 0, -1) if _same(data, changes[at - 1][1].after, path))
    return changes[next(there, 0) :]


def _with(
    path: str,
    data: bytes | None,
    change: FileChange,
    stored: Callable[[bytes], bytes],
    *,
    whole: bool,
) -> bytes | None:
    if _same(data, change.after, path):
        return data
    if change.after is not None and (
        (whole and data is None) or (change.before is None and not data)
    ):
        return stored(change.after)
    if change.before is None:
        raise Conflict(f"git has another {path} already; stage it by hand (`git add -p`)")
    if data is None:
        raise Conflict(
            f"git has no {path} yet that this edit belongs to; `git add` and commit the whole "
            f"file by hand"
        )
    if change.after is None:
        if not _same(data, change.before, path):
            raise Conflict(
                f"git has other lines in {path}, which was deleted; `git rm --cached` takes it "
                f"out by hand"
            )
        return None
    return transplant(*change.texts, Text.from_bytes(data, path), path).to_bytes()


def _same(one: bytes | None, other: bytes | None, path: str) -> bool:
    if one is None or other is None or one == other:
        return one is other or one == other
    return same_words(Text.from_bytes(one, path), Text.from_bytes(other, path))


def _stored(repo: Repository, attributes: Mapping[bytes, bytes], data: bytes) -> bytes:
    """The content of a file that git does not have yet with the endings it gets there.

    Args:
        attributes: Of its path.

    Source:
        gitattributes(5), text and eol.
    """
    if b"\r\n" not in data:
        return data
    if (text := attributes[b"text"]) == b"unspecified":
        converted = attributes[b"eol"] not in _UNSET or setting(repo, "core.autocrlf") in {
            "true",
            "input",
        }
    else:
        converted = text != b"unset"
    return data.replace(b"\r\n", b"\n") if converted else data


def _attributes(repo: Repository, paths: Mapping[str, object]) -> dict[str, dict[bytes, bytes]]:
    """The attributes of paths that say what git stores.

    Raises:
        RepoError: Only a program knows what.
    """
    args = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "text", "eol"]
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=names).split(b"\0")[:-1]
    found: dict[str, dict[bytes, bytes]] = {path: {} for path in paths}
    for path, attribute, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        found[os.fsdecode(path)][attribute] = value
    for name, values in found.items():
        for attribute in (b"filter", b"working-tree-encoding"):
            if values[attribute] not in _UNSET:
                what = f"{attribute.decode()}={os.fsdecode(values[attribute])}"
                raise RepoError(
                    f"git stores {name} through {what}, which spark does not run; `git add` it "
                    f"by hand"
                )
    return found


def _mode(repo: Repository, change: FileChange) -> str:
    """The mode of a file that is new to git."""
    mode = change.mode if change.mode is not None else file_mode(repo.root, change.path)
    executable = bool(mode and mode & 0o100) and setting(repo, "core.filemode") != "false"
    return "100755" if executable else "100644"


def setting(repo: Repository, key: str) -> str | None:
    """What the repository's configuration, or the user's, says; without spark's own.

    Args:
        key: In lower case.
    """
    said = [
        each.value.lower()
        for each in settings_of(repo.git_dir)
        if each.key == key and each.scope != "command"
    ]
    return said[-1] if said else None


_HOOK_SECONDS = 600.0
_MOST_WORDS = 600
"""Characters of what a hook said."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit just made.

    Args:
        id: Its full name.
        branch: None: on no branch.
    """

    id: str
    branch: str | None

    @property
    def short(self) -> str:
        """The start of its name, for people."""
        return self.id[:8]


class Committer:
    """Makes commits on the branch of one work tree.

    Args:
        state_dir: Where spark's lock on the repository is.
        tell: Hears of a hook that failed when all was done.
    """

    def __init__(
        self,
        repo: Repository,
        trust: Trust,
        state_dir: Path,
        *,
        disk: Disk | None = None,
        tell: Tell | None = None,
    ) -> None:
        self._repo = repo
        self._trust = trust
        self._lock = state_dir / "locks" / repo.lock_key
        self._disk = disk or Disk()
        self._index = GitIndex(repo, self._disk)
        self._tell = tell or tell_nobody

    def commit(self, message: str, changes: Sequence[FileChange]) -> Commit:
        """Commit what the branch has, with changes brought in; the index gets them, too.

        Args:
            changes: As for `Stager.stage`.

        Raises:
            UsageError: No message, or nothing to commit.
            Conflict: Git has other lines there, or the branch moved.
            RepoError: Not trusted, a merge or the like is going on, a hook refused, nobody knows
                who the user is.
            Transient: Locked. In all cases nothing was committed.
        """
        self.require_ready()
        with exclusive(self._lock):
            self._index.tidy()
            old = self._repo.head
            made = self._make(message, changes, old)
            with self._index.replacing() as copy:
                self._index.change(copy, changed_entries(self._repo, self._index, copy, changes))
            self._move(made, old, message)
            try:
                self._hook("post-commit", None)
            except SparkError as e:
                self._tell(
                    str(e).replace(
                        "refused, nothing was committed", "failed, after the commit was made"
                    )
                )
        return Commit(made, self._repo.branch)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """What a commit would make of the branch's files.

        Args:
            changes: As for `commit`.

        Raises:
            As it does.
        """
        with exclusive(self._lock), self._index.copied() as copy:
            self._read(copy, self._repo.head)
            return changed_files(self._repo, self._index, copy, changes)

    def committed(self, paths: Collection[str]) -> dict[str, bytes]:
        """What the branch has of some files, those that it has.

        Raises:
            RepoError.
        """
        return {
            path: self._index.read(entry, path)
            for path, entry in self._index.committed(paths).items()
        }

    def require_ready(self) -> None:
        """Refuse what no message would make possible.

        Raises:
            RepoError: As `commit`.
        """
        self._trust.require("committing")
        if what := under_way(self._repo):
            raise RepoError(
                f"{what} is going on here; finish it (`git status` says how), then commit"
            )
        if setting(self._repo, "commit.gpgsign") in {"true", "yes", "on", "1", ""}:
            raise RepoError(
                "commits are signed here (commit.gpgSign), which spark does not do; stage and "
                "`git commit`"
            )
        try:
            for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
                self._git(["-c", "user.useConfigOnly=true", "var", who])
        except GitFailure as e:
            raise RepoError(
                "git does not know who you are; `git config --global user.name NAME` and "
                "`user.email ADDRESS` set it"
            ) from e

    def _make(self, message: str, changes: Sequence[FileChange], old: str | None) -> str:
        """A commit that no branch has yet."""
        with self._index.copied() as copy:
            self._read(copy, old)
            entries = changed_entries(self._repo, self._index, copy, changes)
            if not entries:
                raise UsageError("nothing to commit: what was accepted is committed already")
            self._index.change(copy, entries)
            tree = self._tree(copy)
            self._hook("pre-commit", copy)
            if self._tree(copy) != tree:
                raise RepoError(
                    "the pre-commit hook changed what was to be committed; look at it and `git "
                    "commit`"
                )
            words = self._words(message, copy)
        parents = ["-p", old] if old else []
        return self._git(["commit-tree", tree, *parents], stdin=words).decode("ascii").strip()

    def _read(self, copy: Path, commit: str | None) -> None:
        """Have a copy of the index hold what a commit does; None: nothing."""
        self._git(["read-tree", "--reset", commit] if commit else ["read-tree", "--empty"], copy)

    def _tree(self, index: Path) -> str:
        return self._git(["write-tree", "--missing-ok"], index).decode("ascii").strip()

    def _words(self, message: str, index: Path) -> bytes:
        """The message as the hooks leave it."""
        words = self._git(["stripspace"], stdin=message.encode("utf-8", "surrogateescape"))
        with self._index.temporary() as file:
            file.write_bytes(words)
            self._hook("prepare-commit-msg", index, str(file), "message")
            self._hook("commit-msg", index, str(file))
            words = self._git(["stripspace"], stdin=file.read_bytes())
        if not words:
            raise UsageError("the commit has no message; write one")
        return words

    def _hook(self, name: str, index: Path | None, *args: str) -> None:
        """Let a hook of the user's run, if there is one.

        Raises:
            RepoError: It refused; with what it said.
        """
        try:
            run_git(
                ["hook", "run", "--ignore-missing", name, *(("--", *args) if args else ())],
                cwd=self._repo.root,
                index=index,
                most_seconds=_HOOK_SECONDS,
                hooks=True,
            )
        except GitFailure as e:
            words = " ".join(e.output.decode("utf-8", "replace").split())[-_MOST_WORDS:]
            raise RepoError(
                f"the {name} hook refused, nothing was committed: {words or 'it did not say why'}"
            ) from e

    def _move(self, made: str, old: str | None, message: str) -> None:
        """Let the branch go on to a commit, unless it has moved meanwhile."""
        subject = message.strip().partition("\n")[0]
        reason = f"commit{'' if old else ' (initial)'}: {subject}"
        try:
            self._git(
                [
                    "update-ref",
                    "--create-reflog",
                    "-m",
                    reason,
                    "HEAD",
                    made,
                    old or "0" * len(made),
                ]
            )
        except GitFailure as e:
            if b"File exists" in e.output:
                raise Transient(
                    "git is at work on this branch; the edit is staged, commit it again"
                ) from e
            raise Conflict(
                f"the branch moved meanwhile ({e.detail}); the edit is staged, commit it again"
            ) from e

    def _git(self, args: Sequence[str], index: Path | None = None, stdin: bytes = b"") -> bytes:
        command = [*DURABLY, *args]
        return run_git(
            command, git_dir=self._repo.git_dir, work_tree=self._repo.root, index=index, stdin=stdin
        )
