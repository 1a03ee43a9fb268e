"""A detached work tree beside the user's own, made from a commit of the files as they are.

Its repository is a `SideRepository` beside its folder, so that the user's repository shows nothing
of it. What stands in the folder is not trusted: no link is followed, git is told the git directory
by spark, not by the folder's `.git`, and another folder in its place is left alone.

Work trees that an earlier spark made are git's own (git-worktree(1)). They stay readable as they
are, and get a side repository before they change.
"""

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from spark_tui.editing.text import Text
from spark_tui.errors import DiskError, FileError, RepoError, UsageError
from spark_tui.vcs.absent import absent_paths
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import NO_LINK, OPEN_FOLDER, Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.file_commits import (
    AT_ONCE_BYTES,
    LINK,
    FileCommits,
    KeptFile,
    as_repo_error,
    line_of,
    mode_of,
)
from spark_tui.vcs.git import run_git
from spark_tui.vcs.own_folder import OwnFolder, remove_in
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path, folder_in, read_in, read_regular
from spark_tui.vcs.side_repository import SideRepository

_PLAIN = frozenset({"100644", "100755"})
_EXECUTABLE = "100755"
_NO_FILE = "000000"
_MOST_LINK_BYTES = 8192
"""Far more than a `.git` that leads to a git directory has."""
# Below the limits of common file systems (255 and 1024 or 4096), with room for a copy's name.
_MOST_NAME_BYTES = 200
_MOST_PATH_BYTES = 1000


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """How two commits differ.

    Attributes:
        files: The files that can be reviewed.
        left_out: The paths of files that cannot be reviewed: links, submodules, and binary files.
        modes: The files whose permission to be executed differs, and whether they have it after;
            applying the changes leaves it as it is.
    """

    files: tuple[FileChange, ...]
    left_out: tuple[str, ...]
    modes: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a diff between two commits, as `git diff-tree --raw` writes it."""

    path: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str

    @property
    def blobs(self) -> tuple[str, ...]:
        """The blobs of the file; none where it cannot be reviewed."""
        if not {self.old_mode, self.new_mode} <= {*_PLAIN, _NO_FILE}:
            return ()
        sides = ((self.old_mode, self.old_blob), (self.new_mode, self.new_blob))
        return tuple(blob for mode, blob in sides if mode != _NO_FILE)

    def change(self, contents: Mapping[str, bytes]) -> FileChange | None:
        """The line as a change; None where it cannot be reviewed.

        Args:
            contents: Those of the blobs, by their names.
        """
        if not self.blobs:
            return None
        before = contents.get(self.old_blob)
        mode = int(self.new_mode, 8) & 0o777 if before is None else None
        change = FileChange(self.path, before, contents.get(self.new_blob), mode)
        return change if _is_text(change) else None


class Worktree:
    """A detached work tree, in a folder outside of the user's files. Mutable.

    Args:
        repo: The user's repository.
        folder: The folder; its repository lies beside it.
        disk: The system calls to use.
    """

    def __init__(self, repo: Repository, folder: Path, disk: Disk | None = None) -> None:
        self._users = repo
        self._disk = disk or Disk()
        self.root = folder
        self.git_dir = folder.with_name(f"{folder.name}.git")
        self._folder = OwnFolder(folder, self._disk)
        self._side = SideRepository(repo, self.git_dir, self._disk)
        self._kept = frozenset(_identities((repo.common_dir, repo.git_dir)))
        """What is never removed, wherever a program has moved it."""
        self._linked = repo.common_dir / "worktrees" / folder.name
        """Where git knows the work tree of an earlier spark."""
        self._commits: FileCommits | None = None
        self._head = ""
        """The last commit."""
        self._tree = ""
        """The tree of its files."""

    @property
    def is_there(self) -> bool:
        """Whether the folder exists, or something in its place, and its repository."""
        return self._folder.is_there and (self._side.is_there or self._linked.is_dir())

    @property
    def repo(self) -> Repository:
        """The work tree as a repository, once it is made.

        Raises:
            RepoError: The folder is gone, or another one in its place.
            FileError: The disk refused.
        """
        return self._committing().repo

    def snapshot(self, message: str, excluded: Iterable[str] = ()) -> str:
        """Make a commit of the user's files as they are, from which the work tree can be made.

        Uncommitted work is in it, and nothing changes in the user's repository.

        Args:
            excluded: Paths that are in no commit of the work tree, whatever comes to be there.

        Returns:
            The name of the commit.

        Raises:
            RepoError, FileError: As `FileCommits.tree`.
        """
        users = self._users
        with as_repo_error(self.root):
            self._side.make(excluded)
        # The user's files, kept by the side repository.
        keeper = Repository(users.root, self.git_dir, self.git_dir)
        commits = FileCommits(users, self._disk, keeper)
        commit = commits.commit(commits.tree(), message, users.head)
        with as_repo_error(self.root):
            self._side.keep(commit)
        return commit

    def make(self, commit: str) -> None:
        """Make the work tree anew: the files of a commit, and nothing else.

        Raises:
            RepoError: Git refused, or the commit is gone.
            FileError: The disk refused.
        """
        self._remove_files()
        self._part_from_users(commit)
        with as_repo_error(self.root):
            self._side.check_out(commit)
        self._folder.make()
        with self._opened() as top:
            for path, file, data in self._contents(commit):
                self._put(top, path, data, file.mode)
        self._commits = self._new_commits()
        self._head = commit
        self._tree = self._commits.tree(publish=True)

    def adopt(self, commit: str) -> None:
        """Go on with the work tree as another process left it, uncommitted changes included.

        Args:
            commit: The last one that is known; `commit` makes the next one.

        Raises:
            RepoError: The folder or the commit is gone.
            FileError: The disk refused.
        """
        if not self.is_there:
            raise RepoError(f"the work tree {self.root} is gone; resume the task to make it anew")
        self._folder.make()  # which notes what an earlier spark made
        self._part_from_users(commit)
        self._side.check()
        with self._opened():
            tree = line_of(self._git(["rev-parse", "--verify", "-q", f"{commit}^{{tree}}"]))
        self._commits = self._new_commits()
        self._head = commit
        self._tree = tree

    def commit(self, message: str) -> str:
        """Commit the files as they are, and check that commit out.

        Returns:
            The name of the commit; that of the last one where no file has changed.

        Raises:
            RepoError, FileError: As `FileCommits.tree`, or the work tree is gone.
        """
        commits = self._committing()
        tree = commits.tree(publish=True)
        if tree != self._tree:
            self._head = commits.commit(tree, message, self._head)
            self._tree = tree
            with as_repo_error(self.root):
                self._side.move_head(self._head)
        return self._head

    def discard(self) -> None:
        """Take back what was changed in the files since the last commit or `make`.

        Raises:
            RepoError, FileError: As `commit`.
        """
        differing = self._committing().differing()
        with self._opened() as top:
            for path, file in differing.items():
                self._clear(top, path)
                if file is not None:
                    self._put(top, path, self._git(["cat-file", "blob", file.blob]), file.mode)

    def holds(self, path: str) -> bool:
        """Whether there is a regular file at a path.

        Raises:
            UsageError: The path is not one of the work tree's own.
            FileError: A link, a folder or a git directory is in the way.
            DiskError: The disk refused.
            RepoError: The work tree is gone.
        """
        with self._opened() as top:
            return self._mode_of_regular(top, path) is not None

    def write(self, path: str, data: bytes | None) -> None:
        """Create, replace or delete a regular file; its folders are made.

        Args:
            path: Relative to the root.
            data: None: delete the file.

        Raises:
            UsageError, FileError, DiskError: As `holds`.
        """
        with self._opened() as top:
            mode = self._mode_of_regular(top, path)
            with as_disk_error(f"cannot write {path}"):
                if data is not None:
                    self._put(top, path, data, mode)
                elif mode is not None:
                    with folder_in(top, path, nested=True) as (folder, name):
                        self._disk.remove(name, folder=folder)

    def changes(self, before: str, after: str) -> TreeChanges:
        """How two commits differ.

        Raises:
            RepoError: A commit is gone.
        """
        options = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev"]
        words = self._git(["diff-tree", *options, before, after]).split(b"\0")[:-1]
        files = list[FileChange]()
        left_out = list[str]()
        modes = dict[str, bool]()
        rows = list[_Row]()
        for facts, name in zip(words[::2], words[1::2], strict=True):
            rows.append(
                _Row(os.fsdecode(name), *facts.decode("ascii").removeprefix(":").split()[:4])
            )
        contents = self._blobs(rows)
        for row in rows:
            change = row.change(contents)
            if change is None:
                left_out.append(row.path)
                continue
            if change.before != change.after:
                files.append(change)
            if row.old_mode != row.new_mode and {row.old_mode, row.new_mode} == _PLAIN:
                modes[row.path] = row.new_mode == _EXECUTABLE
        return TreeChanges(tuple(files), tuple(left_out), modes)

    def absent(self) -> tuple[str, ...]:
        """The paths of the user's work tree that this one lacks; those of folders end with "/".

        Raises:
            RepoError: Git cannot list the files.
        """
        return absent_paths(self._users, self.root)

    def repositories(self) -> tuple[str, ...]:
        """The outermost folders of other repositories in the work tree; each ends with "/"."""
        found = list[str]()
        for place, folders, files in os.walk(self.root):
            folder = Path(place).relative_to(self.root).as_posix()
            if place == str(self.root):
                folders[:] = [name for name in folders if name != ".git"]
            elif ".git" in {*folders, *files}:
                found.append(f"{folder}/")
                folders.clear()
        return tuple(found)

    def parent(self, commit: str) -> str | None:
        """The commit before another one; None where that is the first.

        Raises:
            RepoError: The commit is gone.
        """
        listed = self._git(["rev-list", "--parents", "--max-count=1", commit])
        _, *parents = line_of(listed).split()
        return parents[0] if parents else None

    def changed_names(self, before: str, after: str) -> tuple[str, ...]:
        """The paths of the files in which two commits differ.

        Raises:
            RepoError: A commit is gone.
        """
        if before == after:
            return ()
        options = ["-r", "-z", "--name-only", "--no-renames"]
        names = self._git(["diff-tree", *options, before, after]).split(b"\0")
        return tuple(os.fsdecode(name) for name in names if name)

    def check_places(self) -> None:
        """Check that nothing is in place of what spark made, so that it can be removed.

        Raises:
            RepoError, FileError: As `remove`.
        """
        self._side.check_place()
        if self._folder.is_there:
            with as_disk_error(f"cannot look into {self.root}"), self._folder.open() as top:
                self._keep_users_repository(top)

    def remove(self) -> None:
        """Remove the work tree, with its folder and its commits.

        Raises:
            RepoError: Another folder or a link is in place of what spark made.
            FileError: The disk refused.
        """
        self._remove_files()
        self._side.remove()

    def _remove_files(self) -> None:
        """Remove the folder; what git knows of the work tree of an earlier spark goes, too.

        Raises:
            RepoError, FileError: As `remove`.
        """
        self.check_places()
        self._commits = None
        self._folder.remove()
        self._unlink()

    def _unlink(self) -> None:
        """Have the user's git forget the work tree of an earlier spark.

        Raises:
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot remove {self._linked}"):
            leads = read_regular(self._linked / "gitdir", _MOST_LINK_BYTES)
            if self._linked.is_symlink() or leads is None:
                return
            # Only what git itself made for this very folder.
            place = Path(os.fsdecode(leads.rstrip(b"\n"))).parent
            if place.parent.resolve() / place.name != self.root.parent.resolve() / self.root.name:
                return
            parent = os.open(self._linked.parent, OPEN_FOLDER | NO_LINK)
            try:
                remove_in(parent, self._linked.name)
            finally:
                os.close(parent)
            with suppress(OSError):  # git removes the folder of the last one, too
                self._linked.parent.rmdir()

    def _part_from_users(self, commit: str) -> None:
        """Make the repository, and have it keep what an earlier spark left in the user's.

        Args:
            commit: The last one of the work tree.

        Raises:
            RepoError: Git refused, or the commit is gone.
            FileError: The disk refused.
        """
        if self._side.is_there:
            return
        self._unlink()
        with as_repo_error(self.root):
            own = run_git(["rev-list", commit, "--not", "--all"], git_dir=self._users.common_dir)
            self._side.make()
            self._side.keep(commit, *own.decode("ascii").split())
            self._side.check_out(commit)

    def _committing(self) -> FileCommits:
        """The committer of the work tree's files, once both folders are what spark made.

        Raises:
            RepoError: The folder is gone, or another one in its place.
        """
        if self._commits is None or not self.is_there:
            raise self._gone()
        self._side.check()
        with self._opened():
            return self._commits

    def _new_commits(self) -> FileCommits:
        """A committer of the files, which knows none yet."""
        commits = FileCommits(Repository.discover(self.root), self._disk, opens=self._opened)
        commits.tidy()
        return commits

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Open the root for a `with`; its `.git` leads to the repository then.

        Raises:
            RepoError: The folder is gone, or another one in its place.
            FileError: The disk refused.
        """
        if not self._folder.is_there:
            raise self._gone()
        with as_disk_error(f"cannot write to {self.root}"), self._folder.open() as top:
            self._lead_to_repository(top)
            yield top

    def _gone(self) -> RepoError:
        return RepoError(f"the work tree {self.root} is gone; resume the task to make it anew")

    def _lead_to_repository(self, top: int) -> None:
        """Write the folder's `.git` anew where a command has changed it.

        Args:
            top: The open folder.
        """
        leads = f"gitdir: {self.git_dir}\n".encode("utf-8", "surrogateescape")
        with suppress(FileNotFoundError, FileError):
            if read_in(top, ".git", ".git", _MOST_LINK_BYTES) == leads:
                return
        self._keep_users_repository(top)
        remove_in(top, ".git")
        self._disk.put(".git", 0o644, leads, folder=top, sync=False)

    def _keep_users_repository(self, top: int) -> None:
        """Refuse to go on where a program has moved the user's git directory into the folder.

        Raises:
            RepoError: It is the `.git` of the folder.
        """
        try:
            status = os.lstat(".git", dir_fd=top)
        except FileNotFoundError:
            return
        if (status.st_dev, status.st_ino) in self._kept:
            raise RepoError(
                f"the repository of {self._users.root} was moved to {self.root / '.git'}; nothing "
                f"was removed: move it back"
            )

    def _contents(self, commit: str) -> Iterator[tuple[str, KeptFile, bytes]]:
        """The files and links of a commit, with their contents."""
        batch = list[tuple[str, KeptFile]]()
        size = 0
        listed = self._git(["ls-tree", "-r", "-l", "-z", "--full-tree", commit])
        for line in listed.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, blob, length = facts.decode("ascii").split()
            if mode not in {*_PLAIN, LINK}:
                continue
            batch.append((os.fsdecode(name), KeptFile(mode, blob)))
            size += int(length)
            if size > AT_ONCE_BYTES:
                yield from self._read_batch(batch)
                batch = []
                size = 0
        yield from self._read_batch(batch)

    def _read_batch(
        self, batch: Iterable[tuple[str, KeptFile]]
    ) -> Iterator[tuple[str, KeptFile, bytes]]:
        """The contents of some files, read in one call."""
        asked = "".join(f"{file.blob}\n" for _, file in batch).encode("ascii")
        answer = self._git(["cat-file", "--batch"], asked) if asked else b""
        start = 0
        for path, file in batch:
            # `NAME blob SIZE`, a line end, the content, a line end.
            end = answer.index(b"\n", start)
            length = int(answer[start:end].split()[2])
            yield path, file, answer[end + 1 : end + 1 + length]
            start = end + length + 2

    def _blobs(self, rows: Iterable[_Row]) -> dict[str, bytes]:
        """The contents that some lines of a diff name, by the names of their blobs."""
        names = dict.fromkeys(name for row in rows for name in row.blobs)
        batch = [("", KeptFile("", name)) for name in names]
        return {file.blob: data for _, file, data in self._read_batch(batch)}

    def _mode_of_regular(self, top: int, path: str) -> str | None:
        """The mode of a regular file; None where there is nothing.

        Args:
            top: The open root.

        Raises:
            UsageError, FileError, DiskError: As `holds`.
        """
        check_path(path)
        longest = max(len(os.fsencode(part)) for part in path.split("/"))
        if longest > _MOST_NAME_BYTES or len(os.fsencode(path)) > _MOST_PATH_BYTES:
            raise UsageError(f"{path[:40]}... is too long for the name of a file")
        try:
            with (
                as_disk_error(f"cannot look at {path}"),
                folder_in(top, path, nested=True) as (folder, name),
            ):
                status = os.lstat(name, dir_fd=folder)
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return None
            raise
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{path} is not a regular file; spark edits only those")
        return mode_of(status)

    def _put(self, top: int, path: str, data: bytes, mode: str | None) -> None:
        """Create or replace a file or a link.

        Args:
            top: The open root.
        """
        parts = path.split("/")
        for count in range(1, len(parts)):
            with folder_in(top, "/".join(parts[:count]), nested=True) as (parent, name):
                self._disk.make_folder(name, folder=parent)
        with folder_in(top, path, nested=True) as (folder, name):
            if mode == LINK:
                os.symlink(os.fsdecode(data), name, dir_fd=folder)
                return
            copy = f".spark-{secrets.token_hex(4)}.tmp"
            bits = 0o777 if mode == _EXECUTABLE else 0o666
            # A copy and a rename: a program that reads the file meanwhile sees all of it. Nothing
            # is synced, as the work tree can be made anew from its commits.
            self._disk.put(copy, bits, data, folder=folder, sync=False)
            self._disk.rename(copy, name, folder=folder)

    def _clear(self, top: int, path: str) -> None:
        """Remove what is at a path, or a file or link in place of a folder on the way there.

        Args:
            top: The open root.
        """
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            place = "/".join(parts[:count])
            with suppress(FileNotFoundError), folder_in(top, place, nested=True) as (folder, name):
                status = os.lstat(name, dir_fd=folder)
                if count == len(parts) or not stat.S_ISDIR(status.st_mode):
                    remove_in(folder, name)
                    return

    def _git(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run git in the repository of the work tree, whatever the folder's `.git` says."""
        # The commits of a work tree that an earlier spark made are in the user's repository.
        git_dir = self._users.common_dir
        if self._side.is_there:
            self._side.check()
            git_dir = self.git_dir
        with as_repo_error(self.root):
            return run_git(args, git_dir=git_dir, cwd=self._users.root, stdin=stdin)


def _is_text(change: FileChange) -> bool:
    try:
        for data in (change.before, change.after):
            Text.from_bytes(data or b"")
    except FileError:
        return False
    return True


def _identities(places: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """The devices and inodes of folders, as far as these are there."""
    for place in places:
        with suppress(OSError):
            status = place.stat()
            yield status.st_dev, status.st_ino
