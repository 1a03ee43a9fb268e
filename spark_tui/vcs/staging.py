"""Stage and commit accepted changes, and take them out of the index when they are undone.

- `Stager` brings changes into the index's own versions of their files; whatever else differs there
  stays as it is. The work tree is not touched, and no filter runs: a file's lines are matched with
  those that git has, whatever their endings.
- `Committer` commits changes and nothing else: what the user has staged stays staged, and what is
  unstaged stays unstaged. The order is blobs, index, branch. A crash between the last two leaves
  the changes staged, as `stage` does on purpose. The other way round, the index would be behind its
  branch, and the next commit would take this one back.
- `IndexFollower` follows an undo or a redo of the files. Where an entry of the index still is the
  one that spark staged for the batch (`StagedSteps`), the entry is set back. In all other cases the
  index stays as it is, and the user hears what it holds.
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
from spark_tui.errors import Conflict, DiskError, RepoError, SparkError, Transient, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, run_git, settings_of
from spark_tui.vcs.history import Preview
from spark_tui.vcs.index import DURABLY, Entry, GitIndex
from spark_tui.vcs.journal import JournalEntry, Tell, frame, tell_nobody, unframe
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust, is_ignored
from spark_tui.vcs.repository import Repository, under_way
from spark_tui.vcs.safe_paths import check_path, file_mode

_STEPS_FILE = "spark-staged"
_MOST_STEPS = 200
"""How many steps are remembered; older ones are forgotten."""


@dataclass(frozen=True, slots=True)
class IndexStep:
    """What staging a change did to an entry of the index.

    Args:
        batch: The id of the batch that the change belongs to; "" where it belongs to none.
        path: The path of the entry.
        before, after: The entry; None: there is no entry.
    """

    batch: str
    path: str
    before: Entry | None
    after: Entry | None


class StagedSteps:
    """The steps taken in the index of one work tree, kept beside the index under its lock."""

    def __init__(self, repo: Repository, index: GitIndex) -> None:
        self._file = repo.git_dir / _STEPS_FILE
        self._index = index

    def note(self, steps: Sequence[IndexStep]) -> None:
        """Remember steps that are about to be taken.

        The caller holds the lock of the index.

        Raises:
            FileError: The disk refused.
        """
        kept = self._read()
        kept += [step for step in steps if step.before != step.after]
        lines = [frame(asdict(step)) for step in kept[-_MOST_STEPS:]]
        self._index.keep(_STEPS_FILE, b"".join(lines))

    def forget(self, batch: str, paths: Collection[str]) -> None:
        """Forget steps of a batch that were noted, but never taken.

        The caller holds the lock of the index.

        Raises:
            FileError: The disk refused.
        """
        steps = self._read()
        kept = [step for step in steps if step.batch != batch or step.path not in paths]
        if kept:
            self._index.keep(_STEPS_FILE, b"".join(frame(asdict(step)) for step in kept))
        elif steps:
            self._index.drop(_STEPS_FILE)

    def last(self, batch: str) -> dict[str, IndexStep]:
        """The last step that was taken for a batch, by path."""
        return {step.path: step for step in self._read() if step.batch == batch}

    def _read(self) -> list[IndexStep]:
        """The steps, without those that are damaged; without a step the user hears of the entry.

        Raises:
            DiskError: The file cannot be read.
        """
        try:
            with as_disk_error(f"cannot read {self._file}"):
                lines = self._file.read_bytes().splitlines()
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return []
            raise
        steps = []
        for line in lines:
            body = unframe(line)
            step = None if body is None else _read_step(body)
            if step is not None:
                steps.append(step)
        return steps


def _read_step(body: Mapping[str, Any]) -> IndexStep | None:
    """The step of a line; None where spark cannot have written the line."""
    try:
        before = _read_entry(body["before"])
        after = _read_entry(body["after"])
        step = IndexStep(body["batch"], body["path"], before, after)
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


def _read_entry(body: Mapping[str, Any] | None) -> Entry | None:
    return None if body is None else Entry(body["mode"], body["blob"])


_UNSET = {b"unspecified", b"unset"}

LastStep = Callable[[Sequence[str]], tuple[str, ...]]
"""Stages what `Stager.ready` has prepared.

Takes the id of each change's batch, or no ids; returns and raises as `Stager.stage`.
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
        """Bring changes into the index.

        A file that git does not have yet is added as a whole, as the changes leave it.

        Args:
            changes: In the order in which they were made; a file may come several times.
            batches: The batch of each change, so that an undo can take the change out again.

        Returns:
            The paths whose entries changed; a change that is staged already changes nothing.

        Raises:
            Conflict: Git has other lines there.
            RepoError: The repository is not trusted, or spark must not change an entry.
            Transient: The index, or the repository, is locked. In all cases the index stays as it
                was.
        """
        with self.ready(changes) as put:
            return put(batches)

    @contextmanager
    def ready(self, changes: Sequence[FileChange]) -> Iterator[LastStep]:
        """Do all of `stage` but the last step; git waits until the end of the `with`.

        Yields:
            The last step, for the caller to take.

        Raises:
            Conflict, RepoError, Transient: As `stage`.
        """
        self._trust.require("staging")
        if not changes:
            raise UsageError("nothing to stage")
        with ExitStack() as held:
            with exclusive(self._lock):
                copy = held.enter_context(self._index.held())
                steps = self._steps(copy, changes)
                entries = {path: after for path, (_, after) in _end_entries(steps).items()}
                self._index.change(copy, entries)
            # Spark's own lock is free while the caller decides; git's stays held.
            yield partial(self._put, copy, steps)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """Work out what staging changes would make of the index's files.

        Raises:
            Conflict, RepoError, Transient: As `stage`.
        """
        with exclusive(self._lock), self._index.copied() as copy:
            return changed_files(self._repo, self._index, copy, changes, whole=True)

    @property
    def staged(self) -> tuple[str, ...]:
        """The files of which the next commit would hold another version than the last.

        Raises:
            RepoError: Git cannot compare them.
        """
        return tuple(self._index.differing(()))

    def _steps(self, copy: Path, changes: Sequence[FileChange]) -> list[tuple[int, IndexStep]]:
        """The step of each change in the index, with the number of the change."""
        present, results = _apply_changes(self._repo, self._index, copy, changes, whole=True)
        now: dict[str, Entry | None] = {**present}
        steps = []
        for result in results:
            before = now.get(result.path)
            after = result.write(self._index)
            now[result.path] = after
            steps.append((result.number, IndexStep("", result.path, before, after)))
        return steps

    def _put(
        self, copy: Path, steps: Sequence[tuple[int, IndexStep]], batches: Sequence[str]
    ) -> tuple[str, ...]:
        """Take the last step of `stage`: the copy becomes the index."""
        with exclusive(self._lock):
            # Noted first: a step that was never taken does no harm, since an undo compares it with
            # the index; one that is missing could not be taken back.
            if batches:
                self._staged.note([replace(step, batch=batches[number]) for number, step in steps])
            self._index.publish(copy)
        ends = _end_entries(steps)
        return tuple(path for path, (before, after) in ends.items() if before != after)

    def tidy(self) -> None:
        """Remove what a killed spark left, its lock on the index above all: git waits for that."""
        if self._index.is_littered():
            with suppress(SparkError), exclusive(self._lock):
                self._index.tidy()


def _end_entries(
    steps: Sequence[tuple[int, IndexStep]],
) -> dict[str, tuple[Entry | None, Entry | None]]:
    """The entry of each path before its first step and after its last one."""
    ends: dict[str, tuple[Entry | None, Entry | None]] = {}
    for _, step in steps:
        first, _ = ends.get(step.path, (step.before, None))
        ends[step.path] = (first, step.after)
    return ends


def changed_entries(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange]
) -> dict[str, Entry | None]:
    """Work out the entries that an index must get so that it holds changes, too.

    Args:
        copy: The index to look at; it is not changed.
        changes: As for `Stager.stage`.

    Returns:
        The entries by path; None: the entry goes.

    Raises:
        Conflict, RepoError: As `Stager.stage`, and where git does not have a file yet.
    """
    present, results = _apply_changes(repo, index, copy, changes, whole=False)
    last = {result.path: result for result in results}
    entries = {path: result.write(index) for path, result in last.items()}
    return {path: entry for path, entry in entries.items() if entry != present.get(path)}


def changed_files(
    repo: Repository,
    index: GitIndex,
    copy: Path,
    changes: Sequence[FileChange],
    *,
    whole: bool = False,
) -> tuple[FileChange, ...]:
    """Work out what becomes of an index's files, as `changed_entries` does of its entries.

    Args:
        whole: Whether a file that git does not have yet counts as added.

    Raises:
        Conflict, RepoError: As `changed_entries`; with `whole`, git need not have a file.
    """
    present, results = _apply_changes(repo, index, copy, changes, whole=whole)
    last = {result.path: result.data for result in results}
    before: dict[str, bytes | None] = dict.fromkeys(last)
    for path in last:
        if path in present:
            before[path] = index.read(present[path], path)
    return tuple(
        FileChange(path, before[path], data) for path, data in last.items() if data != before[path]
    )


@dataclass(frozen=True, slots=True)
class _Result:
    """What one change makes of a file in git.

    Args:
        number: The number of the change.
        path: The file's path.
        mode: The mode of its entry, in octal.
        data: The file's content; None: no file.
    """

    number: int
    path: str
    mode: str
    data: bytes | None

    def write(self, index: GitIndex) -> Entry | None:
        """Write the content as a blob; returns the entry, or None where there is no file."""
        if self.data is None:
            return None
        return Entry(self.mode, index.write(self.data))


def _apply_changes(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange], *, whole: bool
) -> tuple[dict[str, Entry], list[_Result]]:
    """Bring changes into the index's versions of their files, in memory.

    Args:
        whole: Whether a file that git does not have yet is added.

    Returns:
        The entries that the index has for these files, and what each change makes of its file.

    Raises:
        Conflict: Git has other lines there.
        RepoError: Git ignores a new file, or stores a file through a program.
    """
    by_path: dict[str, list[tuple[int, FileChange]]] = {}
    for number, change in enumerate(changes):
        check_path(change.path)
        by_path.setdefault(change.path, []).append((number, change))
    attributes = _attributes(repo, by_path)
    present = index.entries(by_path.keys(), copy)
    results = []
    for path, numbered in by_path.items():
        entry = present.get(path)
        if entry is None:
            data = None
            _, last_change = numbered[-1]
            mode = _mode_of_new_file(repo, last_change)
        else:
            data = index.read(entry, path)
            mode = entry.mode
        stored = partial(_as_stored, repo, attributes[path])
        for number, change in _missing_changes(path, data, numbered):
            data = _apply_change(path, data, change, stored, whole=whole)
            results.append(_Result(number, path, mode, data))
        if entry is None and data is not None and is_ignored(repo, path):
            raise RepoError(f"git ignores {path}; `git add --force` it by hand")
    return present, results


def _missing_changes(
    path: str, data: bytes | None, changes: list[tuple[int, FileChange]]
) -> list[tuple[int, FileChange]]:
    """The changes that content in git lacks.

    The content has all changes up to the last one whose result it is.
    """
    for count in range(len(changes), 0, -1):
        _, change = changes[count - 1]
        if _is_same_text(data, change.after, path):
            return changes[count:]
    return changes


def _apply_change(
    path: str,
    data: bytes | None,
    change: FileChange,
    stored: Callable[[bytes], bytes],
    *,
    whole: bool,
) -> bytes | None:
    """Bring one change into content in git.

    Args:
        data: The content; None: git has no such file.
        stored: Gives a new file's content as git stores it.
        whole: Whether a file that git does not have yet is added.

    Raises:
        Conflict: Git has other lines there.
    """
    if _is_same_text(data, change.after, path):
        return data
    is_new = (whole and data is None) or (change.before is None and not data)
    if change.after is not None and is_new:
        return stored(change.after)
    if change.before is None:
        raise Conflict(f"git has another {path} already; stage it by hand (`git add -p`)")
    if data is None:
        raise Conflict(
            f"git has no {path} yet that this edit belongs to; `git add` and commit the whole "
            f"file by hand"
        )
    if change.after is None:
        if not _is_same_text(data, change.before, path):
            raise Conflict(
                f"git has other lines in {path}, which was deleted; `git rm --cached` takes it "
                f"out by hand"
            )
        return None
    return transplant(*change.texts, Text.from_bytes(data, path), path).to_bytes()


def _is_same_text(data: bytes | None, other: bytes | None, path: str) -> bool:
    """Whether two contents are the same but for line endings; None is no file."""
    if data == other:
        return True
    if data is None or other is None:
        return False
    return same_words(Text.from_bytes(data, path), Text.from_bytes(other, path))


def _as_stored(repo: Repository, attributes: Mapping[bytes, bytes], data: bytes) -> bytes:
    """The content of a file that is new to git, with the line endings that git stores.

    Source:
        gitattributes(5), text and eol.

    Args:
        attributes: The attributes of the file's path.
    """
    if b"\r\n" not in data:
        return data
    text = attributes[b"text"]
    if text != b"unspecified":
        converts = text != b"unset"
    elif attributes[b"eol"] not in _UNSET:
        converts = True
    else:
        converts = setting(repo, "core.autocrlf") in {"true", "input"}
    return data.replace(b"\r\n", b"\n") if converts else data


def _attributes(repo: Repository, paths: Mapping[str, object]) -> dict[str, dict[bytes, bytes]]:
    """The attributes of paths that decide what git stores.

    Raises:
        RepoError: Git stores what a program makes of a file.
    """
    args = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "text", "eol"]
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=names).split(b"\0")[:-1]
    attributes: dict[str, dict[bytes, bytes]] = {path: {} for path in paths}
    for path, attribute, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        attributes[os.fsdecode(path)][attribute] = value
    for name, values in attributes.items():
        for attribute in (b"filter", b"working-tree-encoding"):
            if values[attribute] not in _UNSET:
                program = f"{attribute.decode()}={os.fsdecode(values[attribute])}"
                raise RepoError(
                    f"git stores {name} through {program}, which spark does not run; `git add` it "
                    f"by hand"
                )
    return attributes


def _mode_of_new_file(repo: Repository, change: FileChange) -> str:
    """The mode of a file that is new to git."""
    mode = change.mode
    if mode is None:
        mode = file_mode(repo.root, change.path)
    if mode and mode & 0o100 and setting(repo, "core.filemode") != "false":
        return "100755"
    return "100644"


def setting(repo: Repository, key: str) -> str | None:
    """The value of a setting in lower case, as the repository or the user configured git.

    Args:
        key: In lower case.

    Returns:
        The value in force without spark's own settings; None where there is none.
    """
    value = None
    for configured in settings_of(repo.git_dir):
        if configured.key == key and configured.scope != "command":
            value = configured.value.lower()
    return value


_HOOK_SECONDS = 600.0
"""How long a commit's hooks may take: some run all tests."""
_MOST_HOOK_CHARACTERS = 600
"""How much of a hook's output a message shows."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit just made.

    Args:
        id: The commit's full name.
        branch: The branch; None: the commit is on no branch.
    """

    id: str
    branch: str | None

    @property
    def short(self) -> str:
        """The start of the commit's name, for people."""
        return self.id[:8]


class Committer:
    """Makes commits on the branch of one work tree.

    Args:
        state_dir: Where spark's lock on the repository is.
        tell: Hears of a hook that failed after the commit.
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
        """Commit the branch's files with changes brought in; the index gets the changes, too.

        Args:
            changes: As for `Stager.stage`.

        Raises:
            UsageError: There is no message, or nothing to commit.
            Conflict: Git has other lines there, or the branch moved.
            RepoError: The repository is not trusted, a merge or the like is under way, a hook
                refused, or git does not know who the user is.
            Transient: The index, the branch or the repository is locked. In all cases nothing was
                committed.
        """
        self.require_ready()
        with exclusive(self._lock):
            self._index.tidy()
            old = self._repo.head
            made = self._make_commit(message, changes, old)
            with self._index.replacing() as copy:
                self._index.change(copy, changed_entries(self._repo, self._index, copy, changes))
            self._move_branch(made, old, message)
            try:
                self._run_hook("post-commit", None)
            except SparkError as e:
                refused = "refused, nothing was committed"
                self._tell(str(e).replace(refused, "failed, after the commit was made"))
        return Commit(made, self._repo.branch)

    def commit_to_branch(
        self, branch: str, message: str, changes: Sequence[FileChange], start: str | None
    ) -> Commit:
        """Commit changes to a new branch; the files, the index and HEAD stay as they are.

        No hook runs: hooks look at the work tree, which need not hold these changes.

        Args:
            branch: Its name, which no branch has yet.
            changes: As for `Stager.stage`.
            start: The commit to bring the changes into; None: there is none.

        Raises:
            UsageError: The name is no branch's or is taken; there is no message, or no change.
            Conflict: The start has other lines there.
            RepoError: As `commit`, but for what is under way.
            Transient: The repository is locked. In all cases nothing was committed.
        """
        self._trust.require("committing")
        self._require_identity()
        ref = f"refs/heads/{branch}"
        self._require_free(branch, ref)
        with exclusive(self._lock):
            made = self._make_commit(message, changes, start, hooks=False)
            subject = message.strip().partition("\n")[0]
            reflog = ["--create-reflog", "-m", f"branch: {subject}"]
            try:
                self._git(["update-ref", *reflog, ref, made, "0" * len(made)])
            except GitFailure as e:
                raise UsageError(
                    f"git cannot make a branch {branch} ({e.detail}); choose another name"
                ) from e
        return Commit(made, branch)

    def _require_free(self, branch: str, ref: str) -> None:
        """Refuse a name that cannot be that of a new branch.

        Args:
            ref: The branch's whole name.

        Raises:
            UsageError: The name is no branch's, or is taken.
        """
        try:
            named = self._git(["check-ref-format", "--branch", branch])
        except GitFailure as e:
            raise UsageError(f"{branch!r} is no name for a branch; choose another") from e
        if os.fsdecode(named.strip()) != branch:
            raise UsageError(f"{branch!r} is no name for a branch; choose another")
        # A branch without a commit yet may be checked out: a commit there would move HEAD.
        is_taken = branch == self._repo.branch
        with suppress(GitFailure):
            self._git(["show-ref", "--verify", "--quiet", ref])
            is_taken = True
        if is_taken:
            raise UsageError(f"there is a branch {branch} already; choose another name")

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """Work out what a commit would make of the branch's files.

        Args:
            changes: As for `commit`.

        Raises:
            Conflict, RepoError, Transient: As `commit`.
        """
        with exclusive(self._lock), self._index.copied() as copy:
            self._read_tree(copy, self._repo.head)
            return changed_files(self._repo, self._index, copy, changes)

    def committed(self, paths: Collection[str]) -> dict[str, bytes]:
        """The branch's versions of those files that it has, by path.

        Raises:
            RepoError: Git cannot read them.
        """
        return {
            path: self._index.read(entry, path)
            for path, entry in self._index.committed(paths).items()
        }

    def require_ready(self) -> None:
        """Refuse where no commit is possible, whatever the message.

        Raises:
            RepoError: As `commit`.
        """
        self._trust.require("committing")
        operation = under_way(self._repo)
        if operation:
            raise RepoError(
                f"{operation} is going on here; finish it (`git status` says how), then commit"
            )
        self._require_identity()

    def _require_identity(self) -> None:
        """Refuse where spark cannot sign, or git does not know who commits.

        Raises:
            RepoError: As `commit`.
        """
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

    def _make_commit(
        self,
        message: str,
        changes: Sequence[FileChange],
        old: str | None,
        *,
        hooks: bool = True,
    ) -> str:
        """Make a commit that no branch has yet; returns its name.

        Args:
            old: The branch's commit; None: it has none yet.
            hooks: Whether the user's hooks run.
        """
        with self._index.copied() as copy:
            self._read_tree(copy, old)
            entries = changed_entries(self._repo, self._index, copy, changes)
            if not entries:
                raise UsageError("nothing to commit: what was accepted is committed already")
            self._index.change(copy, entries)
            tree = self._write_tree(copy)
            if hooks:
                self._run_hook("pre-commit", copy)
            if self._write_tree(copy) != tree:
                raise RepoError(
                    "the pre-commit hook changed what was to be committed; look at it and `git "
                    "commit`"
                )
            words = self._edit_message(message, copy, hooks=hooks)
        parents = ["-p", old] if old else []
        return self._git(["commit-tree", tree, *parents], stdin=words).decode("ascii").strip()

    def _read_tree(self, copy: Path, commit: str | None) -> None:
        """Fill a copy of the index with the files of a commit; None: with none."""
        source = ["--reset", commit] if commit else ["--empty"]
        self._git(["read-tree", *source], copy)

    def _write_tree(self, index: Path) -> str:
        """Write the files of an index as a tree; returns the tree's name."""
        return self._git(["write-tree", "--missing-ok"], index).decode("ascii").strip()

    def _edit_message(self, message: str, index: Path, *, hooks: bool) -> bytes:
        """The message without stray blanks, and as the hooks leave it where they run."""
        words = self._git(["stripspace"], stdin=message.encode("utf-8", "surrogateescape"))
        if hooks:
            with self._index.temporary() as file:
                file.write_bytes(words)
                self._run_hook("prepare-commit-msg", index, str(file), "message")
                self._run_hook("commit-msg", index, str(file))
                words = self._git(["stripspace"], stdin=file.read_bytes())
        if not words:
            raise UsageError("the commit has no message; write one")
        return words

    def _run_hook(self, name: str, index: Path | None, *args: str) -> None:
        """Run a hook of the user's, if there is one.

        Raises:
            RepoError: The hook refused; the message has its output.
        """
        command = ["hook", "run", "--ignore-missing", name]
        if args:
            command += ["--", *args]
        try:
            run_git(
                command,
                cwd=self._repo.root,
                index=index,
                most_seconds=_HOOK_SECONDS,
                hooks=True,
            )
        except GitFailure as e:
            output = " ".join(e.output.decode("utf-8", "replace").split())
            reason = output[-_MOST_HOOK_CHARACTERS:] or "it did not say why"
            raise RepoError(f"the {name} hook refused, nothing was committed: {reason}") from e

    def _move_branch(self, made: str, old: str | None, message: str) -> None:
        """Move the branch on to a commit, unless it has moved meanwhile.

        Raises:
            Transient: Git holds the branch's lock.
            Conflict: The branch has moved.
        """
        subject = message.strip().partition("\n")[0]
        kind = "commit" if old else "commit (initial)"
        expected = old or "0" * len(made)
        reflog = ["--create-reflog", "-m", f"{kind}: {subject}"]
        try:
            self._git(["update-ref", *reflog, "HEAD", made, expected])
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


class IndexFollower:
    """Brings the index along where a batch is taken back, or done again, in the files.

    The caller holds spark's lock on the repository.
    """

    def __init__(self, repo: Repository, disk: Disk, tell: Tell) -> None:
        self._index = GitIndex(repo, disk)
        self._staged = StagedSteps(repo, self._index)
        self._tell = tell

    def tidy(self) -> None:
        """Remove what a killed spark left in the git directory, its lock on the index above all."""
        if self._index.is_littered():
            self._index.tidy()

    def tidy_alone(self, lock: Path) -> None:
        """Tidy, where no other spark is at work.

        Args:
            lock: The path of spark's lock on the repository.
        """
        if self._index.is_littered():
            with suppress(SparkError), exclusive(lock, patience=0.0):
                self._index.tidy()

    def unstaged(self, entry: JournalEntry) -> list[str]:
        """The files of a batch whose edit spark has not staged.

        Raises:
            SparkError: The index cannot be read.
        """
        steps = self._staged.last(entry.id)
        paths = [file.path for file in entry.files]
        now = self._index.entries(paths)
        return [path for path in paths if path not in steps or now.get(path) != steps[path].after]

    def follow(self, done: Preview) -> None:
        """Bring the index along, or tell that it was not.

        Args:
            done: The undo or redo that was just carried out.

        Raises:
            SparkError: The index cannot be read, or not be changed.
        """
        steps = self._staged.last(done.subject.id)
        steps = {path: step for path, step in steps.items() if path in done.paths}
        if done.back:
            self._follow_undo(done, steps)
        else:
            self._follow_redo(steps)

    def _follow_undo(self, done: Preview, steps: Mapping[str, IndexStep]) -> None:
        """Set entries back, and tell which others still hold the edit."""
        self._forget_untaken(done.subject.id, steps)
        set_back = self._set_back(steps)
        left = {change.path: change for change in done.changes if change.path not in set_back}
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
        only_staged = [path for path in held if path not in committed]
        if only_staged:
            self._tell(
                f"git's index still holds this edit of {', '.join(only_staged)}; `git diff "
                f"--staged` shows it"
            )

    def _forget_untaken(self, batch: str, steps: Mapping[str, IndexStep]) -> None:
        """Forget the steps that a killed spark noted and did not take."""
        if not steps:
            return
        now: dict[str, Entry | None] = {**self._index.committed(steps)}
        now |= self._index.differing(steps)
        untaken = [path for path, step in steps.items() if now.get(path) == step.before]
        # Where the index is locked, a redo says too much later on; that is no reason to fail.
        if untaken:
            with suppress(SparkError), self._index.held():
                self._staged.forget(batch, untaken)

    def _follow_redo(self, steps: Mapping[str, IndexStep]) -> None:
        """Tell which files were staged before the undo and are not staged again."""
        entries = self._index.entries(steps) if steps else {}
        out = [path for path, step in steps.items() if entries.get(path) == step.before]
        if out:
            self._tell(
                f"this was staged in {', '.join(out)} before it was taken back, not now; `git "
                f"add` stages it"
            )

    def _set_back(self, steps: Mapping[str, IndexStep]) -> Collection[str]:
        """Set the entries that still are what spark made of them to what they were.

        Returns:
            Their paths.
        """
        if not self._to_set_back(steps):
            return ()
        with self._index.replacing() as copy:
            # Looked at once more, now that the index is locked.
            entries = self._to_set_back(steps)
            self._index.change(copy, entries)
        return entries.keys()

    def _to_set_back(self, steps: Mapping[str, IndexStep]) -> dict[str, Entry | None]:
        """What entries were before spark staged into them, of those that nobody changed since."""
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
