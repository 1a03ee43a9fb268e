"""Commit accepted changes and nothing else: what the user has staged stays staged, what is unstaged stays so.

The order is blobs, index, branch. Whoever is cut short between the last two leaves the changes staged, as `stage` does
on purpose; an index behind its branch, which would take the commit back with the next one, never comes about.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import Conflict, RepoError, SparkError, Transient, UsageError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.index import DURABLY, Index
from spark_tui.vcs.journal import Tell, tell_nobody
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import changed_entries, changed_files, setting
from spark_tui.vcs.trust import Trust
from spark_tui.vcs.underway import under_way
from spark_tui.vcs.write import FileChange

_HOOK_SECONDS = 600.0
_MOST_WORDS = 600
"""Characters of what a hook said."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit just made. Args: id: its full name. branch: None: on no branch."""

    id: str
    branch: str | None

    @property
    def short(self) -> str:
        """The start of its name, for people."""
        return self.id[:8]


class Committer:
    """Makes commits on the branch of one work tree.

    Args: state_dir: where spark's lock on the repository is. tell: hears of a hook that failed when all was done.
    """

    def __init__(
        self, repo: Repository, trust: Trust, state_dir: Path, *, disk: Disk | None = None, tell: Tell | None = None
    ) -> None:
        self._repo = repo
        self._trust = trust
        self._lock = state_dir / "locks" / repo.lock_key
        self._disk = disk or Disk()
        self._index = Index(repo, self._disk)
        self._tell = tell or tell_nobody

    def commit(self, message: str, changes: Sequence[FileChange]) -> Commit:
        """Commit what the branch has, with changes brought in; the index gets them, too.

        Args: changes: as for `Stager.stage`.
        Raises: UsageError: no message, or nothing to commit. Conflict: git has other lines there, or the branch moved.
            RepoError: not trusted, a merge or the like is going on, a hook refused, nobody knows who the user is.
            Transient: locked. In all cases nothing was committed.
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
                self._tell(str(e).replace("refused, nothing was committed", "failed, after the commit was made"))
        return Commit(made, self._repo.branch)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """What a commit would make of the branch's files. Args: changes: as for `commit`. Raises: as it does."""
        with exclusive(self._lock), self._index.copied() as copy:
            self._read(copy, self._repo.head)
            return changed_files(self._repo, self._index, copy, changes)

    def committed(self, paths: Collection[str]) -> dict[str, bytes]:
        """What the branch has of some files, those that it has. Raises: RepoError."""
        return {path: self._index.read(entry, path) for path, entry in self._index.committed(paths).items()}

    def require_ready(self) -> None:
        """Refuse what no message would make possible. Raises: RepoError: as `commit`."""
        self._trust.require("committing")
        if what := under_way(self._repo):
            raise RepoError(f"{what} is going on here; finish it (`git status` says how), then commit")
        if setting(self._repo, "commit.gpgsign") in {"true", "yes", "on", "1", ""}:
            raise RepoError("commits are signed here (commit.gpgSign), which spark does not do; stage and `git commit`")
        try:
            for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
                self._git(["-c", "user.useConfigOnly=true", "var", who])
        except GitFailure as e:
            raise RepoError(
                "git does not know who you are; `git config --global user.name NAME` and `user.email ADDRESS` set it"
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
                raise RepoError("the pre-commit hook changed what was to be committed; look at it and `git commit`")
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
        """Let a hook of the user's run, if there is one. Raises: RepoError: it refused; with what it said."""
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
            raise RepoError(f"the {name} hook refused, nothing was committed: {words or 'it did not say why'}") from e

    def _move(self, made: str, old: str | None, message: str) -> None:
        """Let the branch go on to a commit, unless it has moved meanwhile."""
        subject = message.strip().partition("\n")[0]
        reason = f"commit{'' if old else ' (initial)'}: {subject}"
        try:
            self._git(["update-ref", "--create-reflog", "-m", reason, "HEAD", made, old or "0" * len(made)])
        except GitFailure as e:
            if b"File exists" in e.output:
                raise Transient("git is at work on this branch; the edit is staged, commit it again") from e
            raise Conflict(f"the branch moved meanwhile ({e.detail}); the edit is staged, commit it again") from e

    def _git(self, args: Sequence[str], index: Path | None = None, stdin: bytes = b"") -> bytes:
        command = [*DURABLY, *args]
        return run_git(command, git_dir=self._repo.git_dir, work_tree=self._repo.root, index=index, stdin=stdin)
