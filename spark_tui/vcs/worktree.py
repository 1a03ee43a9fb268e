"""A detached work tree beside the user's own, and commits that keep files byte for byte.

`FileCommits` makes a commit of the files of a work tree as they are: no filter, hook or conversion
of line endings takes part, and neither the index nor a ref changes. `Worktree` is a work tree in
another folder, made from such a commit. Its repository is a `SideRepository` beside that folder, so
that the user's repository shows nothing of it. What stands in the folder is not trusted: no link is
followed, and git is told the git directory by spark, not by the folder's `.git`.

Work trees that an earlier spark made are git's own (git-worktree(1)). They stay readable as they
are, and get a side repository before they change.

Source: git-fast-import(1).
"""

import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.editing.text import Text
from spark_tui.errors import DiskError, FileError, RepoError, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.index import DURABLY, GitIndex
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path, folder_of, read_in
from spark_tui.vcs.side_repository import SideRepository

MOST_FILE_BYTES = 64 << 20
"""A larger file is left out of commits."""
_AT_ONCE_BYTES = 32 << 20
"""Contents that are handed to git, or taken from git, in one call."""
_CRASH_REPORTS = "fast_import_crash_*"
"""What git leaves in the git directory where an import fails."""
# These commits are spark's own, and are made also where git does not know who the user is.
_AUTHOR = ("-c", "user.name=spark", "-c", "user.email=spark@localhost")
_LINK = "120000"
_PLAIN = frozenset({"100644", "100755"})
_NO_FILE = "000000"
# Below the limits of common file systems (255 and 1024 or 4096), with room for a copy's name.
_MOST_NAME_BYTES = 200
_MOST_PATH_BYTES = 1000


@dataclass(frozen=True, slots=True)
class _File:
    """A file as git keeps it.

    Attributes:
        mode: In octal.
        blob: The name of its content.
        signature: The status by which a change of the file is noticed.
    """

    mode: str
    blob: str
    signature: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """How two commits differ.

    Attributes:
        files: The files that can be reviewed.
        left_out: The paths of files that cannot be reviewed: links, submodules, and binary files.
    """

    files: tuple[FileChange, ...]
    left_out: tuple[str, ...]


class FileCommits:
    """Makes commits of the files of one work tree. Mutable: knows the files of the last commit.

    Args:
        repo: The work tree.
        disk: The system calls to use.
        keeper: The repository that keeps the commits; None: that of the work tree.
    """

    def __init__(self, repo: Repository, disk: Disk, keeper: Repository | None = None) -> None:
        self.repo = repo
        self._keeper = keeper or repo
        self._index = GitIndex(self._keeper, disk)
        self._known: dict[str, _File] = {}
        self._tree = ""
        """The tree of the files that are known; "" before the first one."""
        self._hash = ""
        """The hash that names objects; "" as long as nobody asked git."""

    def tree(self, *, publish: bool = False) -> str:
        """Have git keep all files that it tracks or would track.

        Submodules and files above `MOST_FILE_BYTES` are left out.

        Args:
            publish: Let the index of the work tree hold these files, too.

        Returns:
            The name of the tree.

        Raises:
            FileError: A file cannot be read, or the disk refused.
            RepoError: Git refused.
        """
        self._hash = self._hash or _text(self._git(["rev-parse", "--show-object-format"]))
        files = self.look()
        if self._tree and _contents(files) == _contents(self._known):
            return self._tree
        self._write_missing(files)
        entries: list[bytes] = []
        for path, file in files.items():
            entries.append(f"{file.mode} {file.blob} 0\t".encode() + os.fsencode(path))
        # In an index of its own: the user's stays as it is, whatever becomes of this.
        with self._index.temporary() as index:
            self._git(["read-tree", "--empty"], index)
            if entries:
                listed = b"\0".join(entries) + b"\0"
                self._git(["update-index", "-z", "--index-info"], index, listed)
            self._tree = _text(self._git([*DURABLY, "write-tree", "--missing-ok"], index))
            if publish:
                self._index.publish(index)
        self._known = files
        return self._tree

    def commit(self, tree: str, message: str, parent: str | None) -> str:
        """Make a commit that no ref leads to.

        Args:
            parent: The commit before; None: there is none.

        Returns:
            The name of the commit.

        Raises:
            RepoError: Git refused.
        """
        parents = ["-p", parent] if parent else []
        command = [*DURABLY, *_AUTHOR, "commit-tree", tree, *parents]
        return _text(self._git(command, stdin=message.encode("utf-8", "surrogateescape")))

    def look(self) -> dict[str, _File]:
        """The files as they are now, by path, sorted.

        Raises:
            FileError: A file cannot be read.
        """
        files = {}
        for path in self.repo.names():
            status = self._status(path)
            if status is None:
                continue
            signature = _signature(status)
            known = self._known.get(path)
            # A file with the same status is not read again.
            if known is not None and known.signature == signature:
                files[path] = known
            elif (data := self._content(path)) is not None:
                files[path] = _File(_mode(status), self._name(data), signature)
        return files

    def differing(self) -> dict[str, _File | None]:
        """The files that differ from the last commit, as the commit has them; None: it has none."""
        now = self.look()
        differing: dict[str, _File | None] = dict.fromkeys(now.keys() - self._known.keys())
        for path, known in self._known.items():
            file = now.get(path)
            if file is None or (file.mode, file.blob) != (known.mode, known.blob):
                differing[path] = known
        return differing

    def _status(self, path: str) -> os.stat_result | None:
        """The status of a file or link; None where there is neither, or spark may not go there."""
        try:
            with (
                as_disk_error(f"cannot look at {path}"),
                folder_of(self.repo.root, path) as (folder, name),
            ):
                status = os.lstat(name, dir_fd=folder)
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return None
            raise
        except (FileError, UsageError):
            return None
        is_file = stat.S_ISREG(status.st_mode) and status.st_size <= MOST_FILE_BYTES
        return status if is_file or stat.S_ISLNK(status.st_mode) else None

    def _content(self, path: str) -> bytes | None:
        """The bytes of a file, or the target of a link; None where it is gone."""
        try:
            with (
                as_disk_error(f"cannot read {path}"),
                folder_of(self.repo.root, path) as (folder, name),
            ):
                if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
                    return os.fsencode(os.readlink(name, dir_fd=folder))
                return read_in(folder, name, path)
        except FileError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return None
            raise

    def _name(self, data: bytes) -> str:
        """The name that git gives to content."""
        return hashlib.new(self._hash, b"blob %d\0" % len(data) + data).hexdigest()

    def _write_missing(self, files: dict[str, _File]) -> None:
        """Have git keep the contents that it lacks; `files` gets those that changed meanwhile."""
        names = {file.blob for path, file in files.items() if self._known.get(path) != file}
        if not names:
            return
        # Through fast-import, which starts once for all files and runs no filter over them.
        asked = "".join(f"{name}\n" for name in sorted(names)).encode("ascii")
        answers = self._git(["cat-file", "--batch-check=%(objectname)"], stdin=asked).splitlines()
        missing = {_text(line.split()[0]) for line in answers if line.endswith(b" missing")}
        batch = b""
        for path in [path for path, file in files.items() if file.blob in missing]:
            # Read once more: keeping the bytes of all files would take as much memory as they do.
            data = self._content(path)
            if data is None:
                del files[path]
                continue
            file = files[path]
            files[path] = _File(file.mode, self._name(data), file.signature)
            batch += b"blob\ndata %d\n%s\n" % (len(data), data)
            if len(batch) > _AT_ONCE_BYTES:
                self._import(batch)
                batch = b""
        self._import(batch)

    def _import(self, batch: bytes) -> None:
        """Have git keep contents, exactly as they are."""
        if not batch:
            return
        reports = set(self._keeper.git_dir.glob(_CRASH_REPORTS))
        try:
            self._git([*DURABLY, "fast-import", "--quiet"], stdin=batch)
        except RepoError:
            for report in set(self._keeper.git_dir.glob(_CRASH_REPORTS)) - reports:
                report.unlink(missing_ok=True)
            raise

    def _git(self, args: Sequence[str], index: Path | None = None, stdin: bytes = b"") -> bytes:
        with _as_repo_error(self.repo.root):
            return run_git(
                args,
                git_dir=self._keeper.git_dir,
                work_tree=self.repo.root,
                index=index,
                stdin=stdin,
            )


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
        self._side = SideRepository(repo, self.git_dir, self._disk)
        self._linked = repo.common_dir / "worktrees" / folder.name
        """Where git knows the work tree of an earlier spark."""
        self._commits: FileCommits | None = None
        self._head = ""
        """The last commit."""
        self._tree = ""
        """The tree of its files."""

    @property
    def is_there(self) -> bool:
        """Whether the folder exists, and its repository."""
        return self.root.is_dir() and (self._side.is_there or self._linked.is_dir())

    @property
    def repo(self) -> Repository:
        """The work tree as a repository, once it is made.

        Raises:
            RepoError: The folder is gone.
            FileError: The disk refused.
        """
        return self._committing().repo

    def snapshot(self, message: str) -> str:
        """Make a commit of the user's files as they are, from which the work tree can be made.

        Uncommitted work is in it, and nothing changes in the user's repository.

        Returns:
            The name of the commit.

        Raises:
            RepoError, FileError: As `FileCommits.tree`.
        """
        users = self._users
        with _as_repo_error(self.root):
            self._side.make()
        # The user's files, kept by the side repository.
        keeper = Repository(users.root, self.git_dir, self.git_dir)
        commits = FileCommits(users, self._disk, keeper)
        commit = commits.commit(commits.tree(), message, users.head)
        with _as_repo_error(self.root):
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
        with _as_repo_error(self.root):
            self._side.check_out(commit)
        with as_disk_error(f"cannot make a work tree in {self.root.parent}"):
            self.root.mkdir(mode=0o700, parents=True)
            self._lead_to_repository()
        with as_disk_error(f"cannot write to {self.root}"):
            for path, file, data in self._contents(commit):
                self._put(path, data, file.mode)
        self._commits = FileCommits(Repository.discover(self.root), self._disk)
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
        self._part_from_users(commit)
        with as_disk_error(f"cannot write to {self.root}"):
            self._lead_to_repository()
        tree = _text(self._git(["rev-parse", "--verify", "-q", f"{commit}^{{tree}}"]))
        self._commits = FileCommits(Repository.discover(self.root), self._disk)
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
            with _as_repo_error(self.root):
                self._side.move_head(self._head)
        return self._head

    def discard(self) -> None:
        """Take back what was changed in the files since the last commit or `make`.

        Raises:
            RepoError, FileError: As `commit`.
        """
        for path, file in self._committing().differing().items():
            with as_disk_error(f"cannot write {path}"):
                self._clear(path)
                if file is not None:
                    self._put(path, self._git(["cat-file", "blob", file.blob]), file.mode)

    def holds(self, path: str) -> bool:
        """Whether there is a regular file at a path.

        Raises:
            UsageError: The path is not one of the work tree's own.
            FileError: A link, a folder or another repository is in the way.
            DiskError: The disk refused.
        """
        return self._mode_of_regular(path) is not None

    def write(self, path: str, data: bytes | None) -> None:
        """Create, replace or delete a regular file; its folders are made.

        Args:
            path: Relative to the root.
            data: None: delete the file.

        Raises:
            UsageError, FileError, DiskError: As `holds`.
        """
        mode = self._mode_of_regular(path)
        with as_disk_error(f"cannot write {path}"):
            if data is not None:
                self._put(path, data, mode)
            elif mode is not None:
                with folder_of(self.root, path) as (folder, name):
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
        for facts, name in zip(words[::2], words[1::2], strict=True):
            path = os.fsdecode(name)
            change = self._change(path, *facts.decode("ascii").removeprefix(":").split()[:4])
            if change is None:
                left_out.append(path)
            elif change.before != change.after:
                files.append(change)
        return TreeChanges(tuple(files), tuple(left_out))

    def parent(self, commit: str) -> str | None:
        """The commit before another one; None where that is the first.

        Raises:
            RepoError: The commit is gone.
        """
        listed = self._git(["rev-list", "--parents", "--max-count=1", commit])
        _, *parents = _text(listed).split()
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

    def remove(self) -> None:
        """Remove the work tree, with its folder and its commits.

        Raises:
            FileError: The disk refused.
        """
        self._remove_files()
        with as_disk_error(f"cannot remove {self.git_dir}"):
            _remove_tree(self.git_dir)

    def _remove_files(self) -> None:
        """Remove the folder; what git knows of the work tree of an earlier spark goes, too.

        Raises:
            FileError: The disk refused.
        """
        self._commits = None
        with as_disk_error(f"cannot remove {self.root}"):
            _remove_tree(self.root)
        self._unlink()

    def _unlink(self) -> None:
        """Have the user's git forget the work tree of an earlier spark.

        Raises:
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot remove {self._linked}"):
            _remove_tree(self._linked)
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
        with _as_repo_error(self.root):
            own = run_git(["rev-list", commit, "--not", "--all"], git_dir=self._users.common_dir)
            self._side.make()
            self._side.keep(commit, *own.decode("ascii").split())
            self._side.check_out(commit)

    def _committing(self) -> FileCommits:
        """The committer of the work tree's files.

        Raises:
            RepoError: The folder is gone.
        """
        if self._commits is None or not self.is_there:
            raise RepoError(f"the work tree {self.root} is gone; resume the task to make it anew")
        with as_disk_error(f"cannot write to {self.root}"):
            self._lead_to_repository()
        return self._commits

    def _lead_to_repository(self) -> None:
        """Write the folder's `.git` anew where a command has changed it."""
        leads = f"gitdir: {self.git_dir}\n".encode("utf-8", "surrogateescape")
        link = self.root / ".git"
        if not link.is_symlink() and link.is_file() and link.read_bytes() == leads:
            return
        _remove_tree(link)
        self._disk.put(str(link), 0o644, leads, sync=False)

    def _contents(self, commit: str) -> Iterator[tuple[str, _File, bytes]]:
        """The files and links of a commit, with their contents."""
        batch = list[tuple[str, _File]]()
        size = 0
        listed = self._git(["ls-tree", "-r", "-l", "-z", "--full-tree", commit])
        for line in listed.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, blob, length = facts.decode("ascii").split()
            if mode not in {*_PLAIN, _LINK}:
                continue
            batch.append((os.fsdecode(name), _File(mode, blob)))
            size += int(length)
            if size > _AT_ONCE_BYTES:
                yield from self._read_batch(batch)
                batch = []
                size = 0
        yield from self._read_batch(batch)

    def _read_batch(self, batch: Iterable[tuple[str, _File]]) -> Iterator[tuple[str, _File, bytes]]:
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

    def _change(
        self, path: str, old_mode: str, new_mode: str, old_blob: str, new_blob: str
    ) -> FileChange | None:
        """A line of a diff as a change; None where it cannot be reviewed."""
        if not {old_mode, new_mode} <= {*_PLAIN, _NO_FILE}:
            return None
        before = self._blob(old_mode, old_blob)
        after = self._blob(new_mode, new_blob)
        mode = int(new_mode, 8) & 0o777 if before is None else None
        change = FileChange(path, before, after, mode)
        return change if _is_text(change) else None

    def _blob(self, mode: str, name: str) -> bytes | None:
        """The content of one side of a change; None where there is no file."""
        return None if mode == _NO_FILE else self._git(["cat-file", "blob", name])

    def _mode_of_regular(self, path: str) -> str | None:
        """The mode of a regular file; None where there is nothing.

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
                folder_of(self.root, path) as (folder, name),
            ):
                status = os.lstat(name, dir_fd=folder)
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return None
            raise
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{path} is not a regular file; spark edits only those")
        return _mode(status)

    def _put(self, path: str, data: bytes, mode: str | None) -> None:
        """Create or replace a file or a link."""
        parts = path.split("/")
        for count in range(1, len(parts)):
            with folder_of(self.root, "/".join(parts[:count])) as (parent, name):
                self._disk.make_folder(name, folder=parent)
        with folder_of(self.root, path) as (folder, name):
            if mode == _LINK:
                os.symlink(os.fsdecode(data), name, dir_fd=folder)
                return
            copy = f".spark-{secrets.token_hex(4)}.tmp"
            bits = 0o777 if mode == "100755" else 0o666
            # A copy and a rename: a program that reads the file meanwhile sees all of it. Nothing
            # is synced, as the work tree can be made anew from its commits.
            self._disk.put(copy, bits, data, folder=folder, sync=False)
            self._disk.rename(copy, name, folder=folder)

    def _clear(self, path: str) -> None:
        """Remove what is at a path, or a file or link in place of a folder on the way there."""
        place = self.root
        for part in path.split("/"):
            place /= part
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                self._disk.remove(str(place))
                return
        if place.is_dir():
            _remove_tree(place)

    def _git(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run git in the repository of the work tree, whatever the folder's `.git` says."""
        # The commits of a work tree that an earlier spark made are in the user's repository.
        git_dir = self.git_dir if self._side.is_there else self._users.common_dir
        with _as_repo_error(self.root):
            return run_git(args, git_dir=git_dir, cwd=self._users.root, stdin=stdin)


@contextmanager
def _as_repo_error(root: Path) -> Iterator[None]:
    """Say for which work tree git failed within a `with`."""
    try:
        yield
    except GitFailure as e:
        raise RepoError(f"git cannot keep the files of {root}: {e.detail or e}") from e


def _text(line: bytes) -> str:
    return line.decode("ascii").strip()


def _contents(files: Mapping[str, _File]) -> dict[str, tuple[str, str]]:
    """The modes and blobs of files, by path."""
    return {path: (file.mode, file.blob) for path, file in files.items()}


def _mode(status: os.stat_result) -> str:
    """The mode of a file as git writes it."""
    if stat.S_ISLNK(status.st_mode):
        return _LINK
    return "100755" if status.st_mode & 0o100 else "100644"


def _signature(status: os.stat_result) -> tuple[int, ...]:
    # The ctime, too: programs set back the mtime of a file, but not this.
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (*times, status.st_size, status.st_ino, status.st_mode)


def _is_text(change: FileChange) -> bool:
    try:
        for data in (change.before, change.after):
            Text.from_bytes(data or b"")
    except FileError:
        return False
    return True


def _remove_tree(place: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it, also what cannot be listed."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    if not place.is_dir():
        return
    try:
        shutil.rmtree(place)
    except PermissionError:
        place.chmod(0o700)
        # From the top down, so that each folder can be listed once the walk comes to it.
        for folder, folders, _ in os.walk(place):
            for name in folders:
                inner = Path(folder, name)
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(place)
