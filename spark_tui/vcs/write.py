"""Single steps on a work tree's files: a full copy beside the target first, then one rename.

Nothing here knows journals or batches; nothing here ever opens a target for writing.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.paths import folder_of

_MODE_OF_NEW_FILES = 0o666


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file is to become.

    Args: path: relative to the root of the work tree. before, after: its bytes; None: there is no such file.
        mode: permission bits of a file that comes into being (None: as usual); others keep theirs.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


class Writer:
    """Puts copies beside files of a work tree and lets them take the files' places."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self._root = root
        self._disk = disk

    def stage(self, path: str, temporary: str, data: bytes, mode: int | None) -> None:
        """Write `data` beside `path`, on stable storage, with the owner and permissions of what stands there.

        Args: temporary: the copy's name in the folder of `path`; must not exist. mode: used when no file stands there.
        Raises: FileError: not possible; the disk is as it was but for the unfinished copy and new folders.
        """
        with _told(f"cannot write beside {path}"):
            self._make_folders(path)
            with folder_of(self._root, path) as (folder, name):
                present = _status(folder, name, path)
                file = self._disk.create(temporary, _MODE_OF_NEW_FILES if present is None else 0o600, folder=folder)
                try:
                    self._disk.write(file, data)
                    self._dress(file, present, mode)
                    self._disk.sync(file)
                finally:
                    os.close(file)

    def _dress(self, file: int, present: os.stat_result | None, mode: int | None) -> None:
        if present is not None:
            own = os.fstat(file)
            if (present.st_uid, present.st_gid) != (own.st_uid, own.st_gid):
                self._disk.set_owner(file, present.st_uid, present.st_gid)
            self._disk.set_mode(file, stat.S_IMODE(present.st_mode))
        elif mode is not None:
            self._disk.set_mode(file, mode)

    def publish(self, path: str, temporary: str) -> None:
        """Let a staged copy take the place of `path`, in one step and for good."""
        with _told(f"cannot replace {path}"), folder_of(self._root, path) as (folder, name):
            self._disk.rename(temporary, name, folder=folder)
            self._disk.sync(folder)

    def remove(self, path: str) -> None:
        """Remove a file, and the folders this leaves empty, as git does."""
        with _told(f"cannot remove {path}"):
            with folder_of(self._root, path) as (folder, name):
                self._disk.remove(name, folder=folder)
                self._disk.sync(folder)
            self._prune_folders(path)

    def discard(self, path: str, temporary: str) -> None:
        """Remove a staged copy, if there is one, and the folders made for it."""
        with _told(f"cannot clean up beside {path}"):
            with suppress(FileNotFoundError, FileError), folder_of(self._root, path) as (folder, _):
                self._disk.remove(temporary, folder=folder)
            self._prune_folders(path)

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


def _folders(path: str) -> list[str]:
    """The folders a path lies in, the innermost first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _status(folder: int, name: str, path: str) -> os.stat_result | None:
    try:
        present = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(present.st_mode):
        raise FileError(f"{path} is not a regular file; spark edits only those")
    return present


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise FileError(f"{what}: {e.strerror}") from e
