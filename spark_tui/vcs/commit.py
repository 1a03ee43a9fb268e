"""Commits of changes and nothing else, on the branch of a work tree or on a new one.

What the user has staged stays staged, and what is unstaged stays unstaged. The order is blobs,
index, branch. A crash between the last two leaves the changes staged, as `Stager.stage` does on
purpose. The other way round, the index would be behind its branch, and the next commit would take
this one back.
"""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import Conflict, RepoError, SparkError, Transient, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.index import DURABLY, GitIndex
from spark_tui.vcs.index_changes import changed_entries, changed_files, setting
from spark_tui.vcs.journal import Tell, tell_nobody
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository, under_way

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
        tell: Takes a sentence about a hook that failed after the commit.
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
            # Read once: hooks may take minutes, and the branch moves only if this is still its
            # commit.
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
        """Refuse a name that no new branch can have.

        Args:
            ref: The branch's full name, from `refs/` on.

        Raises:
            UsageError: The name is no branch's, or is taken.
        """
        try:
            named = self._git(["check-ref-format", "--branch", branch])
        except GitFailure as e:
            raise UsageError(f"{branch!r} is no name for a branch; choose another") from e
        # For words such as `@{-1}`, git answers with the branch that they mean.
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
            # The hook could write to the index of this commit (GIT_INDEX_FILE), and the user has
            # not seen what it wrote.
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
        # In a partial clone git does not have the blobs of all files here.
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
            # Compared and set in one step: git moves the branch only from the commit that this one
            # builds on.
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
