"""Replace files of a work tree in one step, losing nothing that other programs save meanwhile.

The parts, in the order in which a write uses them:

- `FileChange` says what a file is to become.
- `CopyWriter` puts the new content beside the file, whole and on stable storage, and never opens
  the file itself for writing.
- `Swapper` exchanges the copy and the file in one step, then looks at what came out. What an editor
  saved in that instant goes back. Nothing is deleted: the replaced content lies under the copy's
  name afterwards.
- `overwrite` writes into the file itself, where no copy can stand for the file: other names lead to
  it, or it belongs to someone else.
- `alone` and `open_for_writing` ask whether another process has a file open. Linux answers through
  leases, on most local file systems; elsewhere the answer is always that no such process is known.

Nothing here knows journals or batches; `transaction` puts the parts together.
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
from spark_tui.vcs.disk import UNSUPPORTED, Disk
from spark_tui.vcs.disk_errors import as_disk_error
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

_MODE_OF_NEW_FILES = 0o666
"""The umask takes away what the user does not want others to have, as for any new file."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file is to become.

    Args:
        path: Relative to the root of the work tree.
        before, after: The file's bytes; None: there is no such file.
        mode: The permission bits of a file that is created (None: as usual); others keep theirs.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def texts(self) -> tuple[Text, Text]:
        """The file's text before and after; a missing file has an empty text.

        Raises:
            FileError: The file is not text.
        """
        before = Text.from_bytes(self.before or b"", self.path)
        after = Text.from_bytes(self.after or b"", self.path)
        return before, after

    @property
    def patch(self) -> bytes:
        """The change as a patch in git's format.

        Raises:
            FileError: The file is not text.
        """
        return encode_patch(self.path, self.before, self.after, mode=self.mode)


def follow_link(root: Path, change: FileChange) -> FileChange:
    """Redirect the change of a symbolic link to the file behind the link; the link itself stays.

    Returns:
        The same change where no link stands at its path.

    Raises:
        FileError: The link leads out of the work tree or nowhere, or was to be removed.
        UsageError: See `check_path`.
    """
    path = real_path(root, change.path)
    if path != change.path and change.after is None:
        raise FileError(
            f"{change.path} is a link to {path}; remove the link yourself if it is in the way"
        )
    return replace(change, path=path)


class CopyWriter:
    """Writes copies beside files of a work tree, and removes them again."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self._root = root
        self._disk = disk

    def stage(self, path: str, copy: str, data: bytes, mode: int | None) -> str | None:
        """Write `data` beside `path`, on stable storage, with the file's owner and attributes.

        Args:
            copy: The name of the copy in the folder of `path`; must not exist.
            mode: The permission bits where there is no file at `path` yet; None: as usual.

        Returns:
            In a few words why no copy can stand for this file; None: the copy is there.

        Raises:
            FileError: Not possible; nothing is left on the disk but the unfinished copy and new
                folders.
        """
        with as_disk_error(f"cannot write next to {path}"):
            self._make_folders(path)
            with folder_of(self._root, path) as (folder, name):
                original, reason = _examine_original(folder, name, path)
                unfinished = _unfinished_name(copy)
                if reason is None:
                    reason = self._write(folder, unfinished, data, original or mode)
                if reason is None:
                    # Whatever bears the copy's name is whole: recovery goes by the name.
                    self._disk.move(unfinished, copy, folder=folder)
                else:
                    self._disk.remove(unfinished, folder=folder)
                return reason

    def _write(
        self, folder: int, name: str, data: bytes, like: Attributes | int | None
    ) -> str | None:
        """Write a new file and sync it.

        Args:
            like: All attributes to give the file, or its mode alone; None: as usual.

        Returns:
            In a few words what cannot be given, see `Attributes.give`.
        """
        first_mode = _MODE_OF_NEW_FILES
        if isinstance(like, Attributes):
            first_mode = 0o600  # private until the file has its owner
        file = self._disk.create(name, first_mode, folder=folder)
        try:
            # Bytes before attributes, since a write takes setuid and setgid from a file.
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
        """Return once the folders of some files, those that still exist, are on stable storage."""
        one_path_a_folder = {str(Path(path).parent): path for path in paths}
        for path in one_path_a_folder.values():
            with as_disk_error(f"cannot write to the folder of {path}"):
                if has_folder(self._root, path):
                    self._sync_folder(path)

    def _sync_folder(self, path: str) -> None:
        try:
            with folder_of(self._root, path) as (folder, _):
                self._disk.sync(folder)
        except FileNotFoundError:
            # The folder went with its last file, before a crash: what must be on stable storage
            # is the folder above, which has lost its name.
            self._sync_folder(str(Path(path).parent))

    def discard(self, path: str, copy: str, folders: int | None = None) -> None:
        """Remove a staged copy, finished or not, and the folders this leaves empty, as git does.

        Args:
            folders: How many folders may go, from the innermost on; None: all.
        """
        with as_disk_error(f"cannot clean up next to {path}"):
            # A folder that is gone, or a link now, holds no copy of spark's.
            with suppress(FileNotFoundError, FileError), folder_of(self._root, path) as (folder, _):
                for name in (_unfinished_name(copy), copy):
                    self._remove(name, folder)
            self._prune_folders(path, folders)

    def _remove(self, name: str, folder: int) -> None:
        """Remove a file if it exists."""
        # Looked for first: a read-only disk without the file then is no error.
        with suppress(FileNotFoundError):
            os.lstat(name, dir_fd=folder)
            self._disk.remove(name, folder=folder)

    def _make_folders(self, path: str) -> None:
        """Make the folders of a path, on stable storage."""
        for place in reversed(_folders(path)):
            with folder_of(self._root, place) as (parent, name):
                # Outermost first, each name synced before anything is put into it: a power failure
                # must not take the folder along with the file.
                if self._disk.make_folder(name, folder=parent):
                    self._disk.sync(parent)

    def _prune_folders(self, path: str, most: int | None) -> None:
        """Remove the folders of a path that are empty, the innermost first.

        Args:
            most: How many may go; None: all.
        """
        for place in _folders(path)[:most]:
            try:
                with folder_of(self._root, place) as (parent, name):
                    self._disk.remove_folder(name, folder=parent)
            except FileNotFoundError:
                continue
            except (OSError, FileError):  # not empty, or not ours to remove: it stays
                return


def _unfinished_name(copy: str) -> str:
    """The name of a copy that is not written to the end."""
    return f"{copy.removesuffix('.tmp')}.part.tmp"


def _folders(path: str) -> list[str]:
    """The folders that a path lies in, the innermost first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def count_missing_folders(root: Path, path: str) -> int:
    """How many of the folders that a path lies in do not exist."""
    return sum(not os.path.lexists(root / place) for place in _folders(path))


def _examine_original(folder: int, name: str, path: str) -> tuple[Attributes | None, str | None]:
    """The attributes of the file at a name, and why no copy can stand for it.

    Args:
        path: What to call the file in an error.
    """
    try:
        with open_regular(folder, name, path) as file:
            # An exchange gives the new content to one name only, so a second hard link would keep
            # the old content; and nothing can be renamed over a mount (EBUSY).
            reason = None
            if os.fstat(file).st_nlink > 1:
                reason = "other hard links lead to it"
            elif is_mounted(file, folder):
                reason = "something is mounted on it"
            return Attributes.of(file), reason
    except FileNotFoundError:
        return None, None


_MOST_SAVES_RETURNED = 100
"""The end of a loop that goes on only while an editor saves again within microseconds."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A file and its copy, in an open folder."""

    path: str
    folder: int
    name: str
    copy: str

    def identity(self, name: str) -> tuple[int, int] | None:
        """The device and inode that a name stands for; None: there is no such file."""
        try:
            status = os.lstat(name, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def content(self, name: str) -> str | None:
        """The hash of the file's content under a name; None: there is no regular file.

        Raises:
            OSError: The file cannot be read.
        """
        try:
            return content_hash(read_in(self.folder, name, self.path))
        except (FileNotFoundError, FileError):
            return None

    def beside(self, word: str) -> str:
        """A name for a version to keep beside the file, such as `stats.py.saved-1a2b3c4d-0`.

        Args:
            word: Which version is kept; the rest of the name says by which batch.
        """
        return f"{self.name}.{word}{self.copy.removeprefix('.spark').removesuffix('.tmp')}"


class Swapper:
    """Exchanges files of a work tree for copies staged beside them.

    Args:
        tell: Takes a sentence about a version that is kept beside a file.
    """

    def __init__(self, root: Path, disk: Disk, tell: Tell) -> None:
        self._root = root
        self._disk = disk
        self._tell = tell
        self._renamed: set[str] = set()
        """The files about which the user was told that no exchange is possible."""

    def swap(
        self, path: str, copy: str, old: str | None, new: str | None, *, propose: bool = True
    ) -> None:
        """Put the copy in the place of a file, and the file in the copy's.

        Args:
            copy: The name of the copy beside the file.
            old: The hash of the content that must come out (None: there must be no file).
            new: The hash of the copy (None: there is no copy, the file only goes).
            propose: Keep the copy for the user where the copy cannot take the file's place.

        Raises:
            Conflict: Other content came out, and was put back.
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot replace {path}"), folder_of(self._root, path) as (folder, name):
            spot = _Spot(path, folder, name, copy)
            if old is None:
                self._put_new_file(spot)
            elif new is None:
                self._take_file_away(spot, old)
            else:
                self._exchange(spot, old, new, propose=propose)

    def holds(self, path: str, copy: str, content: str) -> bool:
        """Whether the file under the copy's name has content of this hash."""
        with (
            as_disk_error(f"cannot look next to {path}"),
            folder_of(self._root, path) as (folder, name),
        ):
            return _Spot(path, folder, name, copy).content(copy) == content

    def give_back(self, path: str, copy: str, known: set[str | None]) -> None:
        """Put back what an editor saved, if a crash left that version under the copy's name.

        Args:
            known: The hashes of the versions that spark itself puts there.

        Raises:
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot look next to {path}"):
            if not has_folder(self._root, path):
                return
        with (
            as_disk_error(f"cannot put back {path}"),
            folder_of(self._root, path) as (folder, name),
        ):
            spot = _Spot(path, folder, name, copy)
            if spot.identity(copy) is None or spot.content(copy) in known - {None}:
                return
            # Where the file is spark's, or gone, the save belongs in its place. Where an editor has
            # saved there since, the newer save stays and the older one is kept beside it.
            ours = spot.identity(spot.name)
            content = spot.content(spot.name)
            if ours is None or (content is not None and content in known):
                self._return_saves(spot, ours, content)
            else:
                self._keep(spot, "saved")

    def _put_new_file(self, spot: _Spot) -> None:
        """Move the copy to where no file may be."""
        try:
            self._disk.move(spot.copy, spot.name, folder=spot.folder)
        except FileExistsError as e:
            raise Conflict(
                f"{spot.path} exists already; nothing was written: review it again"
            ) from e
        # Asked after the move: before it, the answer could be out of date at once.
        if not self._still_leads_there(spot):
            self._disk.move(spot.name, spot.copy, folder=spot.folder)
            raise Conflict(
                f"the folder of {spot.path} was moved meanwhile; nothing was written: try again"
            )

    def _take_file_away(self, spot: _Spot, old: str) -> None:
        """Move the file to the copy's name, and back if other content came out."""
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
        raise Conflict(f"{_saved_meanwhile(spot)}; nothing was written: review it again")

    def _exchange(self, spot: _Spot, old: str, new: str, *, propose: bool) -> None:
        """Swap copy and file, and back if other content came out."""
        # Read before the exchange, after which the copy's name leads to the old file. The copy has
        # the attributes that the file had when it was staged, so a chmod since then is an edit
        # like any other.
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
            kept = self._keep_aside(spot, new) if propose else ""
            raise Conflict(
                f"{_saved_meanwhile(spot)}{kept}; no other file was changed: review it again"
            )

    def _rename(self, spot: _Spot, old: str) -> None:
        """Replace the file where the file system knows no exchange.

        The file is compared right before the rename. A save between the two would be lost, so the
        user is told.
        """
        if spot.content(spot.name) != old:
            raise Conflict(f"{spot.path} has changed on disk; nothing was written: review it again")
        self._disk.rename(spot.copy, spot.name, folder=spot.folder)
        if spot.path not in self._renamed:  # else told already, and it goes back now
            self._renamed.add(spot.path)
            self._tell(
                f"{spot.path}: this file system cannot swap two files; save nothing there while "
                f"spark writes"
            )

    def _came_out(self, spot: _Spot, old: str, like: Attributes | None) -> bool:
        """Whether the old content came out, and no process is about to change it.

        Args:
            like: The attributes the file must have; None: any.

        Raises:
            OSError: The file cannot be looked at, which says nothing about its content.
        """
        try:
            with open_regular(spot.folder, spot.copy, spot.path) as file:
                # Asked first: a program that still writes may change whatever is looked at before.
                if open_for_writing(file):
                    return False
                if like is not None and not _has_attributes(file, like):
                    return False
                return content_hash(read_open(file)) == old and self._still_leads_there(spot)
        except (FileNotFoundError, FileError):
            return False

    def _still_leads_there(self, spot: _Spot) -> bool:
        """Whether the path still leads to the folder that was opened."""
        try:
            with folder_of(self._root, spot.path) as (folder, _):
                return os.path.samestat(os.fstat(folder), os.fstat(spot.folder))
        except (FileNotFoundError, FileError):
            return False

    def _return_saves(self, spot: _Spot, ours: tuple[int, int] | None, new: str | None) -> None:
        """Exchange until spark's own file comes out.

        What an editor saves during one exchange comes out in the next, and goes back in the third.

        Args:
            ours: The identity of spark's file.
            new: The hash of its content.
        """
        expected = ours
        for _ in range(_MOST_SAVES_RETURNED):
            save = spot.identity(spot.copy)
            self._swap_names(spot)
            out = spot.identity(spot.copy)
            if out is None:
                return
            # Spark's own file may have been written to meanwhile; then it is a save like others.
            if out == expected and (out != ours or spot.content(spot.copy) == new):
                return
            # Another save came out, newer than the one that went in just now. Once more: the newer
            # one goes in, and the older one must come out.
            expected = save
        self._keep(spot, "saved")

    def _swap_names(self, spot: _Spot) -> None:
        """Exchange copy and file; where an editor just removed the file, move the copy there."""
        try:
            self._disk.exchange(spot.copy, spot.name, folder=spot.folder)
        except FileNotFoundError:
            try:
                self._disk.move(spot.copy, spot.name, folder=spot.folder)
            except FileExistsError:
                self._disk.exchange(spot.copy, spot.name, folder=spot.folder)

    def _keep_aside(self, spot: _Spot, new: str) -> str:
        """Keep the version under the copy's name, if there is one.

        Returns:
            The part of a message that says where spark's version is; "" where it is not kept.
        """
        if spot.content(spot.copy) == new:
            return f", and spark's is beside it in {self._keep(spot, 'proposed')}"
        if spot.identity(spot.copy) is not None:
            self._keep(spot, "saved")
        return ""

    def _keep(self, spot: _Spot, word: str) -> str:
        """Rename the copy to a name that says which version it is, and tell the user.

        Returns:
            The path of the kept version.
        """
        kept = spot.beside(word)
        self._disk.move(spot.copy, kept, folder=spot.folder)
        path = str(Path(spot.path).parent / kept)
        if word == "proposed":
            whose = "spark's version"
        else:
            whose = "an earlier version that a program saved"
        self._tell(f"{spot.path} was saved by another program meanwhile; {whose} is in {path}")
        return path


def _has_attributes(file: int, attributes: Attributes) -> bool:
    """Whether an open file has these attributes, and only one name."""
    return os.fstat(file).st_nlink == 1 and Attributes.of(file) == attributes


def _saved_meanwhile(spot: _Spot) -> str:
    return (
        f"{spot.path} was saved by another program while spark was writing it; that version stays"
    )


def overwrite(root: Path, disk: Disk, path: str, new: bytes, *, old: tuple[bytes, bytes]) -> bytes:
    """Replace all bytes of a file in the file itself, on stable storage, though not in one step.

    Args:
        old: The two contents that the file may have now, or be a mixture of, see `is_mixture`;
            twice the same where only one will do.

    Returns:
        The content that the file had.

    Raises:
        Conflict: The file has other content or is open elsewhere, or another file took its place.
        FileError: The disk refused.
    """
    with (
        as_disk_error(f"cannot write into {path}"),
        folder_of(root, path) as (folder, name),
        open_regular(folder, name, path, os.O_RDWR) as file,
    ):
        with alone(file) as free:
            if not free:
                raise Conflict(
                    f"{path} is open in another program; close it there, then review it again"
                )
            content = read_open(file)
            if not is_mixture(content, *old):
                raise Conflict(f"{path} has changed on disk; nothing was written: review it again")
            _replace_bytes(disk, file, new, content)
            # An editor put another file at this name. The old file may have other names, so its
            # bytes go back.
            if not _stands_at(file, folder, name):
                _replace_bytes(disk, file, content, new)
                raise Conflict(
                    f"{path} was saved by another program while spark was writing it; that "
                    f"version stays"
                )
        return content


def _replace_bytes(disk: Disk, file: int, new: bytes, content: bytes) -> None:
    """Write `new` into an open file that has `content`, and sync it."""
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    room = len(content)
    if len(new) > room:
        # First the bytes that the disk may have no room for, while every old byte is still there.
        disk.write_at(file, new[room:], room)
        disk.sync(file)
    if not content.startswith(new[:room]):
        disk.write_at(file, new[:room], 0)
    disk.truncate(file, len(new))
    # A write takes the setuid and setgid bits from a file. Only its owner may give them back; for
    # others the bytes are what was asked for.
    if stat.S_IMODE(os.fstat(file).st_mode) != mode:
        with suppress(PermissionError):
            disk.set_mode(file, mode)
    disk.sync(file)


def _stands_at(file: int, folder: int, name: str) -> bool:
    """Whether a name in an open folder still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(file), os.lstat(name, dir_fd=folder))
    except FileNotFoundError:
        return False


def is_mixture(found: bytes, one: bytes, other: bytes) -> bool:
    """Whether `found` is what an interrupted write of one content over the other may leave.

    Each byte is that of one or the other content. Beyond the shorter of the two a byte may also be
    zero, where the disk had not written it when the power failed.
    """
    # `_replace_bytes` lengthens a file before anything else and cuts it after everything else, so
    # the length is never outside the two.
    if not min(len(one), len(other)) <= len(found) <= max(len(one), len(other)):
        return False
    for byte, first, second in zip_longest(found, one, other):
        is_unwritten = byte == 0 and None in {first, second}
        if byte is not None and byte not in {first, second} and not is_unwritten:
            return False
    return True


# Together longer than another program takes to read a file.
_LEASE_TRIES = 10
_SECONDS_BETWEEN_TRIES = 0.01


def can_be_had(file: int) -> bool:
    """Whether the system has leases and the file system grants one.

    Args:
        file: A descriptor open for reading.
    """
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True


def open_for_writing(file: int) -> bool:
    """Whether any process can still write to a file; False where the system does not tell.

    Args:
        file: A descriptor open for reading.
    """
    if sys.platform != "linux":
        return False
    # A read lease is refused with EAGAIN just as long as anybody may write to the file, through
    # whatever name: no list of processes tells that without the right to see them all.
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as e:
        return e.errno == errno.EAGAIN
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@contextmanager
def alone(file: int) -> Iterator[bool]:
    """Make other processes that open a file wait until the end of the `with`.

    The kernel takes the lease away after 45 s, whoever holds it.

    Source:
        fcntl(2), F_SETLEASE and /proc/sys/fs/lease-break-time.

    Args:
        file: A descriptor open for reading and writing.

    Yields:
        Whether no other process has the file open; True where the system does not tell.
    """
    if sys.platform != "linux":
        yield True
        return
    # The kernel signals that another process waits. SIGIO, the default, would end spark; SIGURG
    # does nothing.
    with suppress(OSError):
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
    free = any(_take_lease(file) for _ in range(_LEASE_TRIES))
    try:
        yield free
    finally:
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _take_lease(file: int) -> bool:
    """Take a write lease.

    Returns:
        True also where leases cannot be had here; False, after a pause, where another process has
        the file open.
    """
    if sys.platform != "linux":
        return True
    # Granted only while no other descriptor is open, and an indexer or a backup holds one now and
    # then for a moment: hence the tries.
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as e:
        if e.errno != errno.EAGAIN:
            return True
        time.sleep(_SECONDS_BETWEEN_TRIES)
        return False
    return True
