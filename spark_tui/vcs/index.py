"""The index of a work tree: read entry by entry, and replaced in one step under git's own lock.

Changes go into a copy, through git; the copy then takes the index's place. A lock that a killed
spark left is known by the words in it; any other lock is never touched.
"""

import os
import re  # noqa: TID251 - reads names and settings
import secrets
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import FileError, RepoError, Transient
from spark_tui.small_files import OddFile, read_small
from spark_tui.vcs.disk import OPEN_FILE, OPEN_FOLDER, Disk
from spark_tui.vcs.disk_errors import in_words
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.processes import begun_at, holder_of
from spark_tui.vcs.repository import Repository

DURABLY = ("-c", "core.fsync=all")
"""Have git wait until what it wrote is on stable storage, which by default it does not."""
PATIENCE_SECONDS = 2.0
"""How long to wait for another program's lock."""

_SECONDS_BETWEEN_TRIES = 0.05
_LOCK = "index.lock"
_OURS = re.compile(r"spark (\d+)(?: (\d+))?\n")
"""The content of spark's locks: the process, and when the process began, see `begun_at`."""
# See `temporary`; git adds `.lock` while it writes to such an index.
_TEMPORARY = re.compile(r"spark-(\d+)(?:-(\d+))?-[0-9a-f]+\.tmp(?:\.lock)?")
_PLAIN = {"100644", "100755"}  # the others are links and submodules
_IN_USE: set[Path] = set()
"""The files that this process has in git directories at the moment."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a path in the index, or in a tree: a mode in octal and the name of a blob."""

    mode: str
    blob: str


class GitIndex:
    """The index of one work tree. The caller holds spark's lock on the repository."""

    def __init__(self, repo: Repository, disk: Disk) -> None:
        self._repo = repo
        self._disk = disk

    def entries(self, paths: Collection[str], index: Path | None = None) -> dict[str, Entry]:
        """The entries of those paths that have one.

        Args:
            index: A copy to read instead of the index.

        Raises:
            RepoError: Spark must not change an entry, or the index cannot be read.
        """
        listed = self._git(["ls-files", "-z", "--stage", "-v", "--", *paths], index)
        entries = {}
        for line in listed.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            tag, mode, blob, stage = facts.decode("ascii").split()
            path = os.fsdecode(name)
            # A path may also be a folder to git, which then lists the files in the folder.
            if path in paths:
                _check_entry(path, tag, mode, stage)
                entries[path] = Entry(mode, blob)
        return entries

    def read(self, entry: Entry, path: str) -> bytes:
        """The content of an entry.

        Raises:
            RepoError: The blob is not here, as in a partial clone.
        """
        try:
            return self._git(["cat-file", "blob", entry.blob])
        except RepoError as e:
            if not isinstance(e.__cause__, GitFailure):
                raise
            raise RepoError(
                f"git does not have its version of {path} here; `git fetch` it, or stage by hand"
            ) from e

    def write(self, data: bytes) -> str:
        """Keep content as a blob, without any filter.

        Returns:
            The name of the blob.
        """
        command = [*DURABLY, "hash-object", "-w", "--no-filters", "--stdin"]
        return self._git(command, stdin=data).decode("ascii").strip()

    def change(self, index: Path, entries: Mapping[str, Entry | None]) -> None:
        """Set entries of a copy; None takes one out."""
        # Removals first: git adds no file `a` while there is an entry for `a/b`.
        gone = [path for path, entry in entries.items() if entry is None]
        if gone:
            names = b"\0".join(map(os.fsencode, gone))
            self._git(["update-index", "--force-remove", "-z", "--stdin"], index, names)
        for path, entry in entries.items():
            if entry is not None:
                facts = f"{entry.mode},{entry.blob},{path}"
                self._git(["update-index", "--add", "--cacheinfo", facts], index)

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of the index, gone after the `with`; no file where there is no index yet."""
        with self.temporary() as copy:
            with _as_file_error():
                self._copy_index(copy)
            yield copy

    @contextmanager
    def temporary(self) -> Iterator[Path]:
        """A path for a file in the git directory that is gone after the `with`."""
        with _as_file_error():
            begun = begun_at(os.getpid())
        name = f"spark-{os.getpid()}-{begun}-{secrets.token_hex(4)}.tmp"
        path = self._repo.git_dir / name
        # `tidy` may run while the file is in use: `Stager.ready` gives spark's lock back before
        # git's.
        _IN_USE.add(path)
        try:
            yield path
        finally:
            _IN_USE.discard(path)
            self._remove(path.name)

    @contextmanager
    def replacing(self) -> Iterator[Path]:
        """Hold git's lock on the index.

        Yields:
            A copy to change, which takes the index's place at the end.

        Raises:
            Transient: Another program holds the lock.
            FileError: The git directory cannot be written to.
        """
        with self.held() as copy:
            yield copy
            self.publish(copy)

    @contextmanager
    def held(self) -> Iterator[Path]:
        """Hold git's lock on the index.

        Yields:
            A copy to change, and to `publish` before the end.

        Raises:
            Transient, FileError: As `replacing`.
        """
        with self._locked(), self.copied() as copy:
            yield copy

    def publish(self, copy: Path) -> None:
        """Let a copy take the index's place; the caller holds the index's lock.

        Raises:
            FileError: The disk refused.
        """
        with _as_file_error(), self._open_folder() as folder:
            # There is none where there was no index, and no entry came.
            if copy.exists():
                self._publish(copy.name, "index", folder)

    def keep(self, name: str, data: bytes) -> None:
        """Create or replace a file of the git directory, in one step.

        Raises:
            FileError: The disk refused.
        """
        with self.temporary() as own, _as_file_error(), self._open_folder() as folder:
            self._disk.put(own.name, 0o666, data, folder=folder, sync=False)
            self._publish(own.name, name, folder)

    def drop(self, name: str) -> None:
        """Remove a file of the git directory.

        Raises:
            FileError: The disk refused.
        """
        with _as_file_error():
            self._disk.remove(str(self._repo.git_dir / name))

    def differing(self, paths: Collection[str]) -> dict[str, Entry | None]:
        """The entries in which the index differs from the branch.

        Args:
            paths: The paths to compare; empty: all.

        Returns:
            The index's entry by path; None: no entry, or no plain file.
        """
        # A branch without commits is compared with the empty tree, which `mktree` makes of no
        # input.
        tree = self._repo.head or self._git(["mktree"]).decode("ascii").strip()
        options = ["--cached", "--raw", "-z", "--no-renames", "--no-abbrev"]
        words = self._git(["diff-index", *options, tree, "--", *paths]).split(b"\0")[:-1]
        entries: dict[str, Entry | None] = {}
        for facts, name in zip(words[::2], words[1::2], strict=True):
            # `:MODE MODE BLOB BLOB STATUS`, each first of the tree, then of the index; the path
            # follows.
            _, mode, _, blob, _ = facts.decode("ascii").split()
            entries[os.fsdecode(name)] = Entry(mode, blob) if mode in _PLAIN else None
        return entries

    def committed(self, paths: Collection[str]) -> dict[str, Entry]:
        """The branch's entries of those paths that are plain files there."""
        if not paths:
            return {}
        tree = self._repo.head
        if tree is None:
            return {}
        listed = self._git(["ls-tree", "-z", "--full-tree", tree, "--", *paths])
        entries = {}
        for line in listed.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, blob = facts.decode("ascii").split()
            if mode in _PLAIN:
                entries[os.fsdecode(name)] = Entry(mode, blob)
        return entries

    def is_littered(self) -> bool:
        """Whether the git directory may have files for `tidy` to remove."""
        with suppress(OSError):
            for path in self._repo.git_dir.iterdir():
                if path.name == _LOCK or _TEMPORARY.fullmatch(path.name):
                    return True
        return False

    def tidy(self) -> None:
        """Remove the files that a killed spark, or a failed disk, left in the git directory."""
        lock = self._repo.git_dir / _LOCK
        with suppress(OSError):
            if _is_left(lock, self._lock_words()):
                self._disk.remove(str(lock))
            for path in self._repo.git_dir.iterdir():
                if _is_left(path, _TEMPORARY.fullmatch(path.name)):
                    self._disk.remove(str(path))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.tidy()
        lock = self._repo.git_dir / _LOCK
        try:
            with _as_file_error():
                self._take_lock()
            yield
        finally:
            if lock in _IN_USE:
                _IN_USE.discard(lock)
                self._remove(_LOCK)

    def _take_lock(self) -> None:
        """Create the lock in one step, with words that say whose it is.

        Raises:
            Transient: Another program holds the lock.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        with self.temporary() as own, self._open_folder() as folder:
            words = f"spark {os.getpid()} {begun_at(os.getpid())}\n".encode("ascii")
            # Written elsewhere and moved: were the lock there before its words, a spark killed in
            # between would leave one that nobody dares to remove.
            self._disk.put(own.name, 0o666, words, folder=folder, sync=False)
            while True:
                try:
                    self._disk.move(own.name, _LOCK, folder=folder)
                except FileExistsError:
                    if time.monotonic() > until:
                        raise Transient(self._describe_holder()) from None
                    time.sleep(_SECONDS_BETWEEN_TRIES)
                else:
                    _IN_USE.add(self._repo.git_dir / _LOCK)
                    return

    def _describe_holder(self) -> str:
        """Who holds the lock, as a message that says what to do."""
        lock = self._repo.git_dir / _LOCK
        holder = holder_of(lock)
        if holder is None:
            return (
                f"{lock} is there: git is running, or was interrupted; if none runs, remove "
                f"that file and try again"
            )
        return f"{holder} is changing the index ({lock}); try again in a moment"

    def _lock_words(self) -> re.Match[str] | None:
        """The words in the lock, where the lock is one of spark's."""
        with suppress(FileNotFoundError, OddFile):
            data = read_small(self._repo.git_dir / _LOCK)[:64]
            return _OURS.fullmatch(data.decode("ascii", "replace"))
        return None

    def _copy_index(self, copy: Path) -> None:
        """Copy the index, its time included.

        Git looks again at files that are as new as the index, which may have changed right after
        git saw them. A copy with a later time would make git take such a file for unchanged.

        Source:
            Documentation/technical/racy-git.txt of git.
        """
        index = self._repo.git_dir / "index"
        with suppress(FileNotFoundError), self._open_folder() as folder:
            status = index.stat()
            self._disk.put(copy.name, 0o666, index.read_bytes(), folder=folder, sync=False)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _publish(self, name: str, target: str, folder: int) -> None:
        """Move a file of the git directory over another, on stable storage."""
        # Synced before the rename, or a power failure may leave the name on an empty file.
        file = os.open(name, os.O_RDONLY | OPEN_FILE, dir_fd=folder)
        try:
            self._disk.sync(file)
        finally:
            os.close(file)
        self._disk.rename(name, target, folder=folder)
        # The file has its new name already, so an error would say too much. Git itself does not
        # sync the folder either.
        with suppress(OSError):
            self._disk.sync(folder)

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            self._disk.remove(str(self._repo.git_dir / name))

    @contextmanager
    def _open_folder(self) -> Iterator[int]:
        folder = os.open(self._repo.git_dir, OPEN_FOLDER)
        try:
            yield folder
        finally:
            os.close(folder)

    def _git(self, args: Sequence[str], index: Path | None = None, stdin: bytes = b"") -> bytes:
        try:
            return run_git(
                args,
                git_dir=self._repo.git_dir,
                work_tree=self._repo.root,
                index=index,
                stdin=stdin,
            )
        except GitFailure as e:
            raise RepoError(f"{e}; nothing was staged") from e


def _check_entry(path: str, tag: str, mode: str, stage: str) -> None:
    """Refuse an entry that does not stand for one plain file that git follows.

    Args:
        tag: The letter of `git ls-files -v`.
        stage: "0" where there is no conflict.

    Raises:
        RepoError: What the user is to do instead.
    """
    if stage != "0":
        raise RepoError(f"{path} has a merge conflict; resolve it and `git add` it first")
    if tag == "S":
        raise RepoError(
            f"git skips {path} (sparse checkout or `git update-index --skip-worktree`); stage "
            f"it by hand"
        )
    if tag.islower():
        raise RepoError(
            f"{path} is marked with `git update-index --assume-unchanged`; stage it by hand"
        )
    if mode not in _PLAIN:
        raise RepoError(f"{path} is not a plain file to git; stage it by hand")


def _is_left(path: Path, name: re.Match[str] | None) -> bool:
    """Whether a file was left by a spark that has ended, or that could not remove the file.

    Args:
        path: The file's path.
        name: A match of the number of the process and, where noted, of the time when it began;
            another process may have got the number since. None: the file is not spark's.
    """
    if name is None:
        return False
    process = int(name[1])
    noted_begin = name[2]
    if process == os.getpid() and path in _IN_USE:
        return False
    begin = begun_at(process)
    # This process's own, and not in use: the disk refused when it was to be removed.
    if process == os.getpid() and noted_begin == begin:
        return True
    # Left if nobody has the number now, or if a process has it that began at another time.
    return not begin or (noted_begin is not None and noted_begin != begin)


@contextmanager
def _as_file_error() -> Iterator[None]:
    """Turn an error of the system within a `with` into a FileError."""
    try:
        yield
    except OSError as e:
        raise FileError(
            f"cannot write to the git directory: {in_words(e)}; nothing was staged"
        ) from e
