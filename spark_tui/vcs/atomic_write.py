"""Files replaced in one step: copies, exchange, leases.

Whether another process has a file open: Linux tells through leases, on most local file systems.

Other systems do not tell; what is asked here has an answer there, too, which is that nobody is
known to.

A staged copy and a file change places, in one step; what an editor saved in that instant goes back.

Nothing is deleted here: what was replaced lies under the copy's name afterwards.

Copies beside files of a work tree, each whole and on stable storage before anything is done with
it.

Nothing here knows journals or batches; nothing here ever opens a target for writing.

Writing into a file itself, where a copy could not stand for it: other names lead to it, or it is
someone else's.
"""

import errno
import fcntl
import os
import signal
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError
from spark_tui.vcs.attributes import Attributes
from spark_tui.vcs.blob_store import content_hash
from spark_tui.vcs.disk import UNSUPPORTED, Disk, told
from spark_tui.vcs.journal import Tell
from spark_tui.vcs.patch import encode_patch
from spark_tui.vcs.safe_paths import (
    folder_of,
    has_folder,
    is_mounted,
    open_regular,
    read_in,
    read_open,
    real_path,
)

_TRIES, _PAUSE = 10, 0.01  # and seconds between two: longer than it takes to read a file


def can_be_had(file: int) -> bool:
    """Whether the system has leases, and the file system of a descriptor that reads gives one."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True


def open_for_writing(file: int) -> bool:
    """Whether any process can still write to a file, given a descriptor of it that reads.

    False where nobody knows.
    """
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@contextmanager
def alone(file: int) -> Iterator[bool]:
    """Let others wait who open a file within a `with` (Source: fcntl(2): for 45 s at most).

    Args:
        file: A descriptor that reads and writes.

    Yields:
        Whether nobody else has it open. True where nobody knows.
    """
    if sys.platform != "linux":
        yield True
        return
    # The signal that tells of someone waiting: one that does nothing, instead of SIGIO, which
    # kills.
    with suppress(OSError):
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
    free = any(_taken(file) for _ in range(_TRIES))
    try:
        yield free
    finally:
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _taken(file: int) -> bool:
    if sys.platform != "linux":
        return True
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as e:
        if e.errno != errno.EAGAIN:
            return True
        time.sleep(_PAUSE)
        return False
    return True


# of giving saves back, each a save of the editor's made within microseconds of the one before
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class _Spot:
    """A file and its copy, in an open folder."""

    path: str
    folder: int
    name: str
    copy: str

    def identity(self, name: str) -> tuple[int, int] | None:
        """Which file a name stands for; None: none."""
        try:
            status = os.lstat(name, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def content(self, name: str) -> str | None:
        """The hash of what a name stands for; None: no regular file.

        Raises:
            OSError: It cannot be read.
        """
        try:
            return content_hash(read_in(self.folder, name, self.path))
        except (FileNotFoundError, FileError):
            return None

    def beside(self, word: str) -> str:
        """A name for something to keep beside the file, which says what it is and of which
        batch.
        """
        return f"{self.name}.{word}{self.copy.removeprefix('.spark').removesuffix('.tmp')}"


class Swapper:
    """Exchanges files of a work tree for copies staged beside them.

    Args:
        tell: Hears what became of versions that are kept beside a file.
    """

    def __init__(self, root: Path, disk: Disk, tell: Tell) -> None:
        self._root = root
        self._disk = disk
        self._tell = tell

    def swap(
        self, path: str, copy: str, old: str | None, new: str | None, *, propose: bool = True
    ) -> None:
        """Put the copy in the place of a file, and the file in the copy's.

        Args:
            copy: The name of the copy beside the file.
            old: The hash of what must come out (None: nothing may be there).
            new: That of the copy (None: there is none, the file only goes).
            propose: Keep the copy for the user where it cannot take the file's place.

        Raises:
            Conflict: Something else came out, and is back.
            FileError: The disk refused.
        """
        with told(f"cannot replace {path}"), folder_of(self._root, path) as (folder, name):
            spot = _Spot(path, folder, name, copy)
            if old is None:
                self._put(spot)
            elif new is None:
                self._take(spot, old)
            else:
                self._exchange(spot, old, new, propose=propose)

    def holds(self, path: str, copy: str, content: str) -> bool:
        """Whether what lies under the copy's name has this hash."""
        with told(f"cannot look next to {path}"), folder_of(self._root, path) as (folder, name):
            return _Spot(path, folder, name, copy).content(copy) == content

    def give_back(self, path: str, copy: str, known: set[str | None]) -> None:
        """Put back what an editor saved, should a crash have left it under the copy's name.

        Args:
            known: The hashes of what spark itself puts there.

        Raises:
            FileError: The disk refused.
        """
        with told(f"cannot look next to {path}"):
            if not has_folder(self._root, path):
                return
        with told(f"cannot put back {path}"), folder_of(self._root, path) as (folder, name):
            spot = _Spot(path, folder, name, copy)
            if spot.identity(copy) is not None and spot.content(copy) not in known - {None}:
                ours = spot.identity(spot.name)
                content = spot.content(spot.name)
                if ours is None or (content is not None and content in known):
                    self._return_saves(spot, ours, content)
                else:
                    self._keep(spot, "saved")

    def _put(self, spot: _Spot) -> None:
        try:
            self._disk.move(spot.copy, spot.name, folder=spot.folder)
        except FileExistsError as e:
            raise Conflict(
                f"{spot.path} exists already; nothing was written: review it again"
            ) from e
        if not self._reached(spot):
            self._disk.move(spot.name, spot.copy, folder=spot.folder)
            raise Conflict(
                f"the folder of {spot.path} was moved meanwhile; nothing was written: try again"
            )

    def _take(self, spot: _Spot, old: str) -> None:
        try:
            self._disk.move(spot.name, spot.copy, folder=spot.folder)
        except FileNotFoundError as e:
            raise Conflict(f"{spot.path} is gone; nothing was written: review it again") from e
        if self._came_out(spot, old, None):
            return
        try:
            self._disk.move(spot.copy, spot.name, folder=spot.folder)
        except FileExistsError:
            self._keep(spot, "saved")
        raise Conflict(f"{_meanwhile(spot)}; nothing was written: review it again")

    def _exchange(self, spot: _Spot, old: str, new: str, *, propose: bool) -> None:
        ours = spot.identity(spot.copy)
        with open_regular(spot.folder, spot.copy, spot.path) as file:
            attributes = Attributes.of(file)
        try:
            self._disk.exchange(spot.copy, spot.name, folder=spot.folder)
        except FileNotFoundError as e:
            raise Conflict(f"{spot.path} is gone; nothing was written: review it again") from e
        except OSError as e:
            if e.errno not in UNSUPPORTED:
                raise
            self._rename(spot, old)
            return
        if not self._came_out(spot, old, attributes):
            self._return_saves(spot, ours, new)
            kept = self._kept_aside(spot, new) if propose else ""
            raise Conflict(f"{_meanwhile(spot)}{kept}; no other file was changed: review it again")

    def _rename(self, spot: _Spot, old: str) -> None:
        """Replace the file where the file system knows no exchange: all there is left is to
        look just before.
        """
        if spot.content(spot.name) != old:
            raise Conflict(f"{spot.path} has changed on disk; nothing was written: review it again")
        self._disk.rename(spot.copy, spot.name, folder=spot.folder)
        self._tell(
            f"{spot.path}: this file system cannot swap two files; save nothing there while "
            f"spark writes"
        )

    def _came_out(self, spot: _Spot, old: str, like: Attributes | None) -> bool:
        """Whether what lies under the copy's name is the old content, and nobody is about to change
        it.

        Args:
            like: The attributes it must have; None: any.

        Raises:
            OSError: The look itself failed, which tells nothing of the file.
        """
        try:
            with open_regular(spot.folder, spot.copy, spot.path) as file:
                return (
                    not open_for_writing(file)
                    and (
                        like is None
                        or (os.fstat(file).st_nlink == 1 and Attributes.of(file) == like)
                    )
                    and content_hash(read_open(file)) == old
                    and self._reached(spot)
                )
        except (FileNotFoundError, FileError):
            return False

    def _reached(self, spot: _Spot) -> bool:
        """Whether the path still leads to the folder that was opened."""
        try:
            with folder_of(self._root, spot.path) as (folder, _):
                return os.path.samestat(os.fstat(folder), os.fstat(spot.folder))
        except (FileNotFoundError, FileError):
            return False

    def _return_saves(self, spot: _Spot, ours: tuple[int, int] | None, new: str | None) -> None:
        """Exchange until what comes out is ours: what an editor saves meanwhile goes back in
        its turn.
        """
        expected = ours
        for _ in range(_ROUNDS):
            save = spot.identity(spot.copy)
            self._swap_names(spot)
            out = spot.identity(spot.copy)
            if out is None or (out == expected and (out != ours or spot.content(spot.copy) == new)):
                return
            expected = save
        self._keep(spot, "saved")

    def _swap_names(self, spot: _Spot) -> None:
        try:
            self._disk.exchange(spot.copy, spot.name, folder=spot.folder)
        except FileNotFoundError:
            try:
                self._disk.move(spot.copy, spot.name, folder=spot.folder)
            except FileExistsError:
                self._disk.exchange(spot.copy, spot.name, folder=spot.folder)

    def _kept_aside(self, spot: _Spot, new: str) -> str:
        """Keep what lies under the copy's name, if anything; returns where spark's version is,
        as part of a message.
        """
        if spot.content(spot.copy) == new:
            return f", and spark's is beside it in {self._keep(spot, 'proposed')}"
        if spot.identity(spot.copy) is not None:
            self._keep(spot, "saved")
        return ""

    def _keep(self, spot: _Spot, word: str) -> str:
        """Give what lies under the copy's name one that tells what it is; returns its path."""
        kept = spot.beside(word)
        self._disk.move(spot.copy, kept, folder=spot.folder)
        path = str(Path(spot.path).parent / kept)
        if word == "proposed":
            whose = "spark's version"
        else:
            whose = "an earlier version that a program saved"
        self._tell(f"{spot.path} was saved by another program meanwhile; {whose} is in {path}")
        return path


def _meanwhile(spot: _Spot) -> str:
    return (
        f"{spot.path} was saved by another program while spark was writing it; that version stays"
    )


_MODE_OF_NEW_FILES = 0o666


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file is to become.

    Args:
        path: Relative to the root of the work tree.
        before, after: Its bytes; None: there is no such file.
        mode: Permission bits of a file that comes into being (None: as usual); others keep theirs.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def texts(self) -> tuple[Text, Text]:
        """The file before and after; one that is not there is empty.

        Raises:
            FileError: Not text.
        """
        return Text.from_bytes(self.before or b"", self.path), Text.from_bytes(
            self.after or b"", self.path
        )

    @property
    def patch(self) -> bytes:
        """It in git's format.

        Raises:
            FileError: Not text.
        """
        return encode_patch(self.path, self.before, self.after, mode=self.mode)


def follow_link(root: Path, change: FileChange) -> FileChange:
    """The change to the file that a symbolic link points to, where one stands; the link itself
    stays.

    Raises:
        FileError: It leads out of the work tree or nowhere, or was to be removed.
        UsageError: See `check_path`.
    """
    path = real_path(root, change.path)
    if path != change.path and change.after is None:
        raise FileError(
            f"{change.path} is a link to {path}; remove the link yourself if it is in the way"
        )
    return replace(change, path=path)


class CopyWriter:
    """Puts copies beside files of a work tree, and takes them away again."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self._root = root
        self._disk = disk

    def stage(self, path: str, copy: str, data: bytes, mode: int | None) -> str | None:
        """Write `data` beside `path`, on stable storage, with the owner and all attributes of what
        stands there.

        Args:
            copy: Its name in the folder of `path`; must not exist.
            mode: Used when no file stands there.

        Returns:
            In a few words why no copy can stand for this file; None: there is one now.

        Raises:
            FileError: Not possible; the disk is as it was but for the unfinished copy and new
                folders.
        """
        with told(f"cannot write next to {path}"):
            self._make_folders(path)
            with folder_of(self._root, path) as (folder, name):
                original, reason = _original(folder, name, path)
                reason = reason or self._write(folder, _unfinished(copy), data, original or mode)
                if reason is None:
                    self._disk.move(_unfinished(copy), copy, folder=folder)
                else:
                    self._disk.remove(_unfinished(copy), folder=folder)
                return reason

    def _write(
        self, folder: int, name: str, data: bytes, like: Attributes | int | None
    ) -> str | None:
        file = self._disk.create(
            name, 0o600 if isinstance(like, Attributes) else _MODE_OF_NEW_FILES, folder=folder
        )
        try:
            self._disk.write(file, data)
            reason = None
            if isinstance(like, Attributes):
                reason = like.give(file, self._disk)
            elif like is not None:
                self._disk.set_mode(file, like)
            if reason is None:
                self._disk.sync(file)
            return reason
        finally:
            os.close(file)

    def sync_folders(self, paths: Iterable[str]) -> None:
        """Return once the names in the folders of some files are on stable storage, those that
        are still there.
        """
        for path in {str(Path(path).parent): path for path in paths}.values():
            with told(f"cannot write to the folder of {path}"):
                if has_folder(self._root, path):
                    self._sync_folder(path)

    def _sync_folder(self, path: str) -> None:
        try:
            with folder_of(self._root, path) as (folder, _):
                self._disk.sync(folder)
        except (
            FileNotFoundError
        ):  # before a crash it went with its last file, so it is its own name that counts
            self._sync_folder(str(Path(path).parent))

    def discard(self, path: str, copy: str) -> None:
        """Remove a staged copy, finished or not, if there is one, and the folders this leaves
        empty, as git does.
        """
        with told(f"cannot clean up next to {path}"):
            with suppress(FileNotFoundError, FileError), folder_of(self._root, path) as (folder, _):
                for name in (_unfinished(copy), copy):
                    self._remove(name, folder)
            self._prune_folders(path)

    def _remove(self, name: str, folder: int) -> None:
        """Remove what is there; where it is not, a disk that takes no changes is no hindrance."""
        with suppress(FileNotFoundError):
            os.lstat(name, dir_fd=folder)
            self._disk.remove(name, folder=folder)

    def _make_folders(self, path: str) -> None:
        for place in reversed(_folders(path)):
            with folder_of(self._root, place) as (parent, name):
                if self._disk.make_folder(name, folder=parent):
                    self._disk.sync(parent)

    def _prune_folders(self, path: str) -> None:
        for place in _folders(path):
            try:
                with folder_of(self._root, place) as (parent, name):
                    self._disk.remove_folder(name, folder=parent)
            except FileNotFoundError:
                continue
            except (OSError, FileError):  # not empty, or not ours to remove: it stays
                return


def _unfinished(copy: str) -> str:
    return f"{copy.removesuffix('.tmp')}.part.tmp"


def _folders(path: str) -> list[str]:
    """The folders a path lies in, the innermost first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _original(folder: int, name: str, path: str) -> tuple[Attributes | None, str | None]:
    """The attributes of what stands at a name, and why no copy can stand for it."""
    try:
        with open_regular(folder, name, path) as file:
            reason = None
            if os.fstat(file).st_nlink > 1:
                reason = "other hard links lead to it"
            elif is_mounted(file, folder):
                reason = "something is mounted on it"
            return Attributes.of(file), reason
    except FileNotFoundError:
        return None, None


def overwrite(root: Path, disk: Disk, path: str, new: bytes, *, old: tuple[bytes, bytes]) -> bytes:
    """Give a file other bytes, from the first to the last, on stable storage, though not in one
    step.

    Args:
        old: The two contents it may have now, or be a mixture of, see `is_mixture`; twice the same
            for just that.

    Returns:
        What it had.

    Raises:
        Conflict: It has another, or another file took its place meanwhile.
        FileError: The disk refused.
    """
    with (
        told(f"cannot write into {path}"),
        folder_of(root, path) as (folder, name),
        open_regular(folder, name, path, os.O_RDWR) as file,
    ):
        with alone(file) as free:
            if not free:
                raise Conflict(
                    f"{path} is open in another program; close it there, then review it again"
                )
            found = read_open(file)
            if not is_mixture(found, *old):
                raise Conflict(f"{path} has changed on disk; nothing was written: review it again")
            _fill(disk, file, new, found)
            if not _stands_at(file, folder, name):
                _fill(disk, file, found, new)
                raise Conflict(
                    f"{path} was saved by another program while spark was writing it; that "
                    f"version stays"
                )
        return found


def _fill(disk: Disk, file: int, new: bytes, found: bytes) -> None:
    """Make `new` what is in a file that has `found`; a write takes setuid and setgid from a
    file.
    """
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    room = len(found)
    if (
        len(new) > room
    ):  # first what the disk may have no room for, while every old byte is still there
        disk.write_at(file, new[room:], room)
        disk.sync(file)
    if not found.startswith(new[:room]):
        disk.write_at(file, new[:room], 0)
    disk.truncate(file, len(new))
    if stat.S_IMODE(os.fstat(file).st_mode) != mode:
        with suppress(
            PermissionError
        ):  # only the owner of a file may, and the bytes are what was asked for
            disk.set_mode(file, mode)
    disk.sync(file)


def _stands_at(file: int, folder: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(name, dir_fd=folder))
    except FileNotFoundError:
        return False


def is_mixture(found: bytes, one: bytes, other: bytes) -> bool:
    """Whether each byte is that of one or the other content, as when writing one over the other was
    cut short.

    What the disk had not got round to when the power failed is zero where the file had not been
    that long.
    """
    if not min(len(one), len(other)) <= len(found) <= max(len(one), len(other)):
        return False
    return all(
        a in {b, c} or (a == 0 and None in {b, c})
        for a, b, c in zip_longest(found, one, other)
        if a is not None
    )
