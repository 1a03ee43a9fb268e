"""Folders that spark makes for programs to work in, known again by their inodes.

A program may move such a folder away, and put a link or another folder in its place: even the
user's repository. So a folder is opened without following a link, and compared with the one that
spark made, before anything below it is read, written or removed.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark_tui.errors import RepoError
from spark_tui.vcs.blob_store import write_whole
from spark_tui.vcs.disk import NO_LINK, OPEN_FOLDER, Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.safe_paths import read_regular

NOTE = ".made"
"""How the name of a note ends, which says beside a folder which one spark made."""
_MOST_NOTE_BYTES = 32


class OwnFolder:
    """A folder that spark makes.

    Args:
        path: Where the folder is.
        disk: The system calls to use.
    """

    def __init__(self, path: Path, disk: Disk) -> None:
        self.path = path
        self._disk = disk
        self._note = path.with_name(f"{path.name}{NOTE}")

    @property
    def is_there(self) -> bool:
        """Whether something is at the path, be it another folder or a link."""
        return os.path.lexists(self.path)

    def make(self) -> None:
        """Make the folder, unless it is there.

        Raises:
            RepoError: Something else is there.
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot make {self.path}"):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.is_there:
                # A kill before the new note is written leaves none, rather than that of a folder
                # which is gone.
                self._disk.remove(str(self._note))
                self.path.mkdir(mode=0o700)
            with self.open() as folder:
                if self._noted is None:
                    inode = os.fstat(folder).st_ino
                    write_whole(self._note, b"%d\n" % inode, self._disk)

    @contextmanager
    def open(self) -> Iterator[int]:
        """Open the folder for a `with`.

        Raises:
            RepoError: Something else is there.
            OSError: The folder is gone, or may not be opened.
        """
        try:
            folder = os.open(self.path, OPEN_FOLDER | NO_LINK)
        except OSError as e:
            if e.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise self._stranger() from e
            raise
        try:
            self._check(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def check(self) -> None:
        """Check that nothing else is in place of the folder; there may be nothing.

        Raises:
            RepoError: Something else is there.
        """
        with suppress(OSError), self.open():
            pass

    def remove(self) -> None:
        """Remove the folder with all that is in it.

        Raises:
            RepoError: Something else is there.
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot remove {self.path}"):
            if self.is_there:
                self._let_us_in()
                with self.open() as folder:
                    for name in os.listdir(folder):  # noqa: PTH208 - an open folder
                        remove_in(folder, name)
                self.path.rmdir()
            self._disk.remove(str(self._note))

    def _let_us_in(self) -> None:
        """Open a folder that a program has closed."""
        status = self.path.lstat()
        if stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) & 0o700 != 0o700:
            self._check(status)
            self.path.chmod(0o700)

    @property
    def _noted(self) -> int | None:
        """The inode of the folder that spark made; None where an earlier spark noted none."""
        data = read_regular(self._note, _MOST_NOTE_BYTES) or b""
        return int(data) if data.strip().isdigit() else None

    def _check(self, status: os.stat_result) -> None:
        """Check that this is the status of the folder that spark made.

        Raises:
            RepoError: It is that of another one.
        """
        noted = self._noted
        # A device may get another number at the next start of the machine. The folder that spark
        # made is on that of the folder around it, whatever its number.
        is_here = status.st_dev == self.path.parent.stat().st_dev
        if not is_here or noted not in {None, status.st_ino}:
            raise self._stranger()

    def _stranger(self) -> RepoError:
        """An error that says what is in place of the folder."""
        what = "another folder"
        if self.path.is_symlink():
            what = f"a link to {os.readlink(self.path)}"  # noqa: PTH115 - as it is written
        elif not self.path.is_dir():
            what = "a file"
        return RepoError(
            f"{self.path} is not the folder that spark made there, but {what}; nothing below it "
            f"was touched: move it away, or the right one back (if you put the right one there "
            f"yourself, remove {self._note})"
        )


def remove_in(folder: int, name: str) -> None:
    """Remove a file, a link, or a folder with all that is in it, also what cannot be listed.

    No link is followed.

    Args:
        folder: A descriptor of the folder that it is in.
    """
    try:
        status = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(name, dir_fd=folder)
        return
    try:
        shutil.rmtree(name, dir_fd=folder)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=folder)
        # From the top down, so that each folder can be listed once the walk comes to it.
        for _, names, _, here in os.fwalk(name, dir_fd=folder):
            for inner in names:
                if stat.S_ISDIR(os.lstat(inner, dir_fd=here).st_mode):
                    os.chmod(inner, 0o700, dir_fd=here)
        shutil.rmtree(name, dir_fd=folder)
