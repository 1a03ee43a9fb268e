"""Copies beside files of a work tree, each whole and on stable storage before anything is done with it.

Nothing here knows journals or batches; nothing here ever opens a target for writing.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from spark_tui.editing.text import Text
from spark_tui.errors import FileError
from spark_tui.vcs.attributes import Attributes
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.faults import told
from spark_tui.vcs.patch import encode_patch
from spark_tui.vcs.paths import folder_of, has_folder, is_mounted, open_regular, real_path

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

    @property
    def texts(self) -> tuple[Text, Text]:
        """The file before and after; one that is not there is empty. Raises: FileError: not text."""
        return Text.from_bytes(self.before or b"", self.path), Text.from_bytes(self.after or b"", self.path)

    @property
    def patch(self) -> bytes:
        """It in git's format. Raises: FileError: not text."""
        return encode_patch(self.path, self.before, self.after, mode=self.mode)


def follow_link(root: Path, change: FileChange) -> FileChange:
    """The change to the file that a symbolic link points to, where one stands; the link itself stays.

    Raises: FileError: it leads out of the work tree or nowhere, or was to be removed. UsageError: see `check_path`.
    """
    path = real_path(root, change.path)
    if path != change.path and change.after is None:
        raise FileError(f"{change.path} is a link to {path}; remove the link yourself if it is in the way")
    return replace(change, path=path)


class Writer:
    """Puts copies beside files of a work tree, and takes them away again."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self._root = root
        self._disk = disk

    def stage(self, path: str, copy: str, data: bytes, mode: int | None) -> str | None:
        """Write `data` beside `path`, on stable storage, with the owner and all attributes of what stands there.

        Args: copy: its name in the folder of `path`; must not exist. mode: used when no file stands there.
        Returns: in a few words why no copy can stand for this file; None: there is one now.
        Raises: FileError: not possible; the disk is as it was but for the unfinished copy and new folders.
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

    def _write(self, folder: int, name: str, data: bytes, like: Attributes | int | None) -> str | None:
        file = self._disk.create(name, 0o600 if isinstance(like, Attributes) else _MODE_OF_NEW_FILES, folder=folder)
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
        """Return once the names in the folders of some files are on stable storage, those that are still there."""
        for path in {str(Path(path).parent): path for path in paths}.values():
            with told(f"cannot write to the folder of {path}"):
                if has_folder(self._root, path):
                    self._sync_folder(path)

    def _sync_folder(self, path: str) -> None:
        try:
            with folder_of(self._root, path) as (folder, _):
                self._disk.sync(folder)
        except FileNotFoundError:  # before a crash it went with its last file, so it is its own name that counts
            self._sync_folder(str(Path(path).parent))

    def discard(self, path: str, copy: str) -> None:
        """Remove a staged copy, finished or not, if there is one, and the folders this leaves empty, as git does."""
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
