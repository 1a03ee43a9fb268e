"""Commits that keep the files of a work tree byte for byte.

No filter, hook or conversion of line endings takes part, and neither the index nor a ref changes.

Source: git-fast-import(1).
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spark_tui.errors import DiskError, FileError, RepoError, UsageError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.index import DURABLY, GitIndex
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import folder_in, holds_repository, open_root, read_in

MOST_FILE_BYTES = 64 << 20
"""A larger file is left out of commits."""
AT_ONCE_BYTES = 32 << 20
"""Contents that are handed to git, or taken from git, in one call."""
_CRASH_REPORTS = "fast_import_crash_*"
"""What git leaves in the git directory where an import fails."""
# These commits are spark's own, and are made also where git does not know who the user is.
_AUTHOR = ("-c", "user.name=spark", "-c", "user.email=spark@localhost")
LINK = "120000"
"""The mode of a symbolic link."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as git keeps it.

    Attributes:
        mode: In octal.
        blob: The name of its content.
        signature: The status by which a change of the file is noticed.
    """

    mode: str
    blob: str
    signature: tuple[int, ...] = ()


class FileCommits:
    """Makes commits of the files of one work tree. Mutable: knows the files of the last commit.

    Args:
        repo: The work tree.
        disk: The system calls to use.
        keeper: The repository that keeps the commits; None: that of the work tree.
        opens: Opens the root of a work tree that is spark's own. The files of repositories in it
            are files, too; in the user's work tree they are left out.
    """

    def __init__(
        self,
        repo: Repository,
        disk: Disk,
        keeper: Repository | None = None,
        opens: Callable[[], AbstractContextManager[int]] | None = None,
    ) -> None:
        self.repo = repo
        self._is_own = opens is not None
        self._open_root = opens or partial(open_root, repo.root)
        self._keeper = keeper or repo
        self._index = GitIndex(self._keeper, disk)
        self._known: dict[str, KeptFile] = {}
        self._tree = ""
        """The tree of the files that are known; "" before the first one."""
        self._hash = ""
        """The hash that names objects; "" as long as nobody asked git."""

    def tidy(self) -> None:
        """Remove what a spark that was killed left of its indexes."""
        self._index.tidy()

    def tree(self, *, publish: bool = False) -> str:
        """Have git keep all files that it tracks or would track.

        Files above `MOST_FILE_BYTES` are left out, and submodules in the user's work tree.

        Args:
            publish: Let the index of the work tree hold these files, too.

        Returns:
            The name of the tree.

        Raises:
            FileError: A file cannot be read, or the disk refused.
            RepoError: Git refused.
        """
        self._hash = self._hash or line_of(self._git(["rev-parse", "--show-object-format"]))
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
            self._tree = line_of(self._git([*DURABLY, "write-tree", "--missing-ok"], index))
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
        return line_of(self._git(command, stdin=message.encode("utf-8", "surrogateescape")))

    def look(self) -> dict[str, KeptFile]:
        """The files as they are now, by path, sorted.

        Raises:
            FileError: A file cannot be read.
        """
        files = dict[str, KeptFile]()
        with as_disk_error(f"cannot look into {self.repo.root}"), self._open_root() as top:
            self._look_at(self.repo.names(), top, files)
        return dict(sorted(files.items()))

    def _look_at(self, paths: Iterable[str], top: int, files: dict[str, KeptFile]) -> None:
        """Have `files` take what is at some paths.

        Args:
            top: The open root.
        """
        for path in paths:
            status = self._status(path.removesuffix("/"), top)
            if status is None:
                continue
            if stat.S_ISDIR(status.st_mode):
                self._look_at(self._names_within(path.removesuffix("/")), top, files)
                continue
            signature = _signature(status)
            known = self._known.get(path)
            # A file with the same status is not read again.
            if known is not None and known.signature == signature:
                files[path] = known
            elif (data := self._content(path, top)) is not None:
                files[path] = KeptFile(mode_of(status), self._name(data), signature)

    def _names_within(self, folder: str) -> list[str]:
        """The paths of the files of a repository in the work tree, without those git ignores."""
        with as_repo_error(self.repo.root), self._index.temporary() as index:
            place = self.repo.root / folder
            # With a git directory of spark's, since settings of the other one may be a stranger's.
            listed = run_git(
                ["ls-files", "-z", "--others", "--exclude-standard"],
                git_dir=self._keeper.git_dir,
                work_tree=place,
                index=index,
            )
        names = [os.fsencode(folder) + b"/" + name for name in listed.split(b"\0")[:-1]]
        try:
            # check-ignore takes no literal paths; behind "./" no character of a path is special.
            asked = b"".join(b"./" + name + b"\0" for name in names)
            args = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
            ignored = self._git(args, stdin=asked)
        except RepoError:  # none is
            ignored = b""
        hidden = frozenset(ignored.split(b"\0"))
        return [os.fsdecode(name) for name in names if b"./" + name not in hidden]

    def differing(self) -> dict[str, KeptFile | None]:
        """The files that differ from the last commit, as the commit has them; None: it has none."""
        now = self.look()
        differing: dict[str, KeptFile | None] = dict.fromkeys(now.keys() - self._known.keys())
        for path, known in self._known.items():
            file = now.get(path)
            if file is None or (file.mode, file.blob) != (known.mode, known.blob):
                differing[path] = known
        return differing

    def _status(self, path: str, top: int) -> os.stat_result | None:
        """The status of a file, a link, or a repository whose files are to be kept, too.

        Args:
            top: The open root.

        Returns:
            None where there is none of these, or spark may not go there.
        """
        try:
            with (
                as_disk_error(f"cannot look at {path}"),
                folder_in(top, path, nested=self._is_own) as (folder, name),
            ):
                status = os.lstat(name, dir_fd=folder)
                is_repository = self._is_own and stat.S_ISDIR(status.st_mode)
                if is_repository and holds_repository(folder, name):
                    return status
        except DiskError as e:
            if isinstance(e.__cause__, FileNotFoundError):
                return None
            raise
        except (FileError, UsageError):
            return None
        is_file = stat.S_ISREG(status.st_mode) and status.st_size <= MOST_FILE_BYTES
        return status if is_file or stat.S_ISLNK(status.st_mode) else None

    def _content(self, path: str, top: int) -> bytes | None:
        """The bytes of a file, or the target of a link; None where it is gone."""
        try:
            with (
                as_disk_error(f"cannot read {path}"),
                folder_in(top, path, nested=self._is_own) as (folder, name),
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

    def _write_missing(self, files: dict[str, KeptFile]) -> None:
        """Have git keep the contents that it lacks; `files` gets those that changed meanwhile."""
        names = {file.blob for path, file in files.items() if self._known.get(path) != file}
        if not names:
            return
        # Through fast-import, which starts once for all files and runs no filter over them.
        asked = "".join(f"{name}\n" for name in sorted(names)).encode("ascii")
        answers = self._git(["cat-file", "--batch-check=%(objectname)"], stdin=asked).splitlines()
        missing = {line_of(line.split()[0]) for line in answers if line.endswith(b" missing")}
        batch = b""
        with as_disk_error(f"cannot look into {self.repo.root}"), self._open_root() as top:
            for path in [path for path, file in files.items() if file.blob in missing]:
                # Read once more: keeping the bytes of all files would take as much memory.
                data = self._content(path, top)
                if data is None:
                    del files[path]
                    continue
                file = files[path]
                files[path] = KeptFile(file.mode, self._name(data), file.signature)
                batch += b"blob\ndata %d\n%s\n" % (len(data), data)
                if len(batch) > AT_ONCE_BYTES:
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
        with as_repo_error(self.repo.root):
            return run_git(
                args,
                git_dir=self._keeper.git_dir,
                work_tree=self.repo.root,
                index=index,
                stdin=stdin,
            )


@contextmanager
def as_repo_error(root: Path) -> Iterator[None]:
    """Say for which work tree git failed within a `with`."""
    try:
        yield
    except GitFailure as e:
        raise RepoError(f"git cannot keep the files of {root}: {e.detail or e}") from e


def line_of(line: bytes) -> str:
    """A line that git wrote, as text without its end."""
    return line.decode("ascii").strip()


def _contents(files: Mapping[str, KeptFile]) -> dict[str, tuple[str, str]]:
    """The modes and blobs of files, by path."""
    return {path: (file.mode, file.blob) for path, file in files.items()}


def mode_of(status: os.stat_result) -> str:
    """The mode of a file as git writes it."""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    return "100755" if status.st_mode & 0o100 else "100644"


def _signature(status: os.stat_result) -> tuple[int, ...]:
    # The ctime, too: programs set back the mtime of a file, but not this.
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (*times, status.st_size, status.st_ino, status.st_mode)
