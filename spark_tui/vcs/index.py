"""The index of a work tree: read entry by entry, and replaced in one step under git's own lock.

A dead spark's lock is known by the words in it; any other is never touched.
"""

import os
import re
import secrets
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import FileError, RepoError, Transient
from spark_tui.vcs import safe_paths
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.processes import begun_at, holder_of
from spark_tui.vcs.repository import Repository

DURABLY = ("-c", "core.fsync=all")
"""Let git return once what it wrote is on stable storage, which by default it does not wait for."""
PATIENCE_SECONDS = 2.0
"""How long to wait for someone else's lock."""

_EVERY_SECONDS = 0.05
_LOCK = "index.lock"
_OURS = re.compile(r"spark (\d+)(?: (\d+))?\n")
"""What stands in a lock of spark's: the process, and when it began, see `begun_at`."""
_TEMPORARY = re.compile(r"spark-(\d+)(?:-(\d+))?-[0-9a-f]+\.tmp(?:\.lock)?")
_PLAIN = {"100644", "100755"}
_IN_USE: set[Path] = set()
"""What this process has in git directories at the moment."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index, or a tree, has for a path: a mode in octal and the name of a blob."""

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
            index: A copy to read instead.

        Raises:
            RepoError: One that spark must not change, or the index cannot be read.
        """
        listed = self._git(["ls-files", "-z", "--stage", "-v", "--", *paths], index).split(b"\0")[
            :-1
        ]
        found = {}
        for line in listed:
            facts, _, name = line.partition(b"\t")
            tag, mode, blob, stage = facts.decode("ascii").split()
            if (path := os.fsdecode(name)) in paths:
                _check(path, tag, mode, stage)
                found[path] = Entry(mode, blob)
        return found

    def read(self, entry: Entry, path: str) -> bytes:
        """The content of an entry.

        Raises:
            RepoError: It is not here, as in a partial clone.
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
        """Keep some content as a blob, as it is.

        Returns:
            Its name.
        """
        return (
            self._git([*DURABLY, "hash-object", "-w", "--no-filters", "--stdin"], stdin=data)
            .decode("ascii")
            .strip()
        )

    def change(self, index: Path, entries: Mapping[str, Entry | None]) -> None:
        """Set entries of a copy; None takes one out."""
        gone = [path for path, entry in entries.items() if entry is None]
        if gone:
            self._git(
                ["update-index", "--force-remove", "-z", "--stdin"],
                index,
                b"\0".join(map(os.fsencode, gone)),
            )
        for path, entry in entries.items():
            if entry is not None:
                self._git(
                    ["update-index", "--add", "--cacheinfo", f"{entry.mode},{entry.blob},{path}"],
                    index,
                )

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of the index, gone after the `with`; there is no file where there is no index
        yet.
        """
        with self.temporary() as copy:
            with _told():
                self._copy(copy)
            yield copy

    @contextmanager
    def temporary(self) -> Iterator[Path]:
        """The name of a file in the git directory that is gone after the `with`."""
        with _told():
            begun = begun_at(os.getpid())
        name = f"spark-{os.getpid()}-{begun}-{secrets.token_hex(4)}.tmp"
        path = self._repo.git_dir / name
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
            As above.
        """
        with self._locked(), self.copied() as copy:
            yield copy

    def publish(self, copy: Path) -> None:
        """Let a copy take the index's place, whose lock is held.

        Raises:
            FileError: It did not.
        """
        with _told(), self._open_folder() as folder:
            if copy.exists():
                self._publish(copy.name, "index", folder)

    def keep(self, name: str, data: bytes) -> None:
        """Let a file of the git directory come into being, or be replaced in one step.

        Raises:
            FileError.
        """
        with self.temporary() as own, _told(), self._open_folder() as folder:
            self._disk.put(own.name, 0o666, data, folder=folder, sync=False)
            self._publish(own.name, name, folder)

    def differing(self, paths: Collection[str]) -> dict[str, Entry | None]:
        """The entries, of those paths, that the branch has otherwise; None: no entry, or none
        that is a plain file.
        """
        tree = self._repo.head or self._git(["mktree"]).decode("ascii").strip()
        args = [
            "diff-index",
            "--cached",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            tree,
            "--",
            *paths,
        ]
        words = self._git(args).split(b"\0")[:-1]
        facts = (line.decode("ascii").split() for line in words[::2])
        return {
            os.fsdecode(name): Entry(mode, blob) if mode in _PLAIN else None
            for (_, mode, _, blob, _), name in zip(facts, words[1::2], strict=True)
        }

    def committed(self, paths: Collection[str]) -> dict[str, Entry]:
        """What the branch has, of those paths, that is a plain file."""
        if not paths or (tree := self._repo.head) is None:
            return {}
        listed = self._git(["ls-tree", "-z", "--full-tree", tree, "--", *paths]).split(b"\0")[:-1]
        found = {}
        for line in listed:
            facts, _, name = line.partition(b"\t")
            mode, _, blob = facts.decode("ascii").split()
            if mode in _PLAIN:
                found[os.fsdecode(name)] = Entry(mode, blob)
        return found

    def is_littered(self) -> bool:
        """Whether there may be something for `tidy`."""
        with suppress(OSError):
            return any(
                path.name == _LOCK or _TEMPORARY.fullmatch(path.name)
                for path in self._repo.git_dir.iterdir()
            )
        return False

    def tidy(self) -> None:
        """Remove what a spark that was killed, or a disk that failed, left in the git directory."""
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
            with _told():
                self._take_lock()
            yield
        finally:
            if lock in _IN_USE:
                _IN_USE.discard(lock)
                self._remove(_LOCK)

    def _take_lock(self) -> None:
        """Put a lock there that says whose it is, in one step."""
        until = time.monotonic() + PATIENCE_SECONDS
        with self.temporary() as own, self._open_folder() as folder:
            words = f"spark {os.getpid()} {begun_at(os.getpid())}\n".encode("ascii")
            self._disk.put(own.name, 0o666, words, folder=folder, sync=False)
            while True:
                try:
                    self._disk.move(own.name, _LOCK, folder=folder)
                except FileExistsError:
                    if time.monotonic() > until:
                        raise Transient(self._held()) from None
                    time.sleep(_EVERY_SECONDS)
                else:
                    _IN_USE.add(self._repo.git_dir / _LOCK)
                    return

    def _held(self) -> str:
        lock = self._repo.git_dir / _LOCK
        holder = holder_of(lock)
        if holder is None:
            return (
                f"{lock} is there: git is running, or was interrupted; if none runs, remove "
                f"that file and try again"
            )
        return f"{holder} is changing the index ({lock}); try again in a moment"

    def _lock_words(self) -> re.Match[str] | None:
        """What the lock says, where it is one of spark's."""
        with suppress(FileNotFoundError):
            data = (self._repo.git_dir / _LOCK).read_bytes()[:64]
            return _OURS.fullmatch(data.decode("ascii", "replace"))
        return None

    def _copy(self, copy: Path) -> None:
        """With the time of the original: by that git knows which entries it cannot trust
        without looking.
        """
        index = self._repo.git_dir / "index"
        with suppress(FileNotFoundError), self._open_folder() as folder:
            status = index.stat()
            self._disk.put(copy.name, 0o666, index.read_bytes(), folder=folder, sync=False)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _publish(self, name: str, target: str, folder: int) -> None:
        file = os.open(name, os.O_RDONLY | safe_paths.FILE, dir_fd=folder)
        try:
            self._disk.sync(file)
        finally:
            os.close(file)
        self._disk.rename(name, target, folder=folder)
        self._disk.sync(folder)

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            self._disk.remove(str(self._repo.git_dir / name))

    @contextmanager
    def _open_folder(self) -> Iterator[int]:
        folder = os.open(self._repo.git_dir, safe_paths.FOLDER)
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


def _check(path: str, tag: str, mode: str, stage: str) -> None:
    """Refuse an entry that does not stand for one plain file that git follows."""
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
    """Whether a spark has left a file: one that has ended, or this one as it could not remove it.

    Args:
        path: Of the file.
        name: The number of the process and, if it says, when that began; another process may have
            the number by now. None: not of spark's.
    """
    if name is None:
        return False
    if int(name[1]) == os.getpid() and path in _IN_USE:
        return False
    begun = begun_at(int(name[1]))
    if int(name[1]) == os.getpid() and name[2] == begun:
        return True
    return not begun or (name[2] is not None and name[2] != begun)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise FileError(
            f"cannot write to the git directory: {e.strerror}; nothing was staged"
        ) from e
