"""The system calls that change the disk, and the flags that files are opened with.

`Disk` has one method for each call. Each method announces its call first, so that a test can make
any call fail, or kill the process there. `exchange` and `move` are renames that take a single step.
Linux and macOS have both, under different names, and `spark doctor` tells where neither can be
called. What the errors of these calls mean to the user stands in `disk_errors`.
"""

import ctypes
import errno
import fcntl
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from spark_tui import windows
from spark_tui.vcs import extended_attributes

UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP})
"""Errors of a kernel, or of a file system, without `exchange` and `move`."""

# None: the C library that this process runs on. Without `use_errno`, Python's own calls overwrite
# errno before it can be read.
_library = ctypes.CDLL(None, use_errno=True)

if sys.platform == "darwin":
    # Source: renameatx_np(2), <sys/stdio.h>: RENAME_EXCL, RENAME_SWAP.
    _system_call = getattr(_library, "renameatx_np", None)
    _EXCLUSIVE = 0x4
    _EXCHANGE = 0x2
else:
    # Source: renameat2(2): RENAME_NOREPLACE, RENAME_EXCHANGE.
    _system_call = getattr(_library, "renameat2", None)
    _EXCLUSIVE = 0x1
    _EXCHANGE = 0x2

# Windows has no `fcntl`, so the import above fails there already. This line ends the type check for
# Windows here, where the flags below do not exist.
if sys.platform == "win32":
    raise ImportError(windows.ADVICE)

# No descriptor outlives spark in a program that it starts.
OPEN_FOLDER: int = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
OPEN_FILE: int = os.O_CLOEXEC
"""Opens for reading where no other flag is added."""
NO_LINK: int = os.O_NOFOLLOW
"""Refuses symbolic links."""
AT_ONCE: int = os.O_NONBLOCK
"""Opens a pipe without waiting for its other end."""
# No link is followed: whoever may write to the folder could lead a write elsewhere with one.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | OPEN_FILE
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK | OPEN_FILE | AT_ONCE


def exchange(one: str, other: str, folder: int) -> None:
    """Swap the files of two names in an open folder.

    Raises:
        OSError: Refused, and nothing has changed; of `UNSUPPORTED` where there is no such rename.
    """
    _rename(one, other, folder, _EXCHANGE)


def move(old: str, new: str, folder: int) -> None:
    """Give a file in an open folder a name that nothing has.

    Raises:
        FileExistsError: Something has the name.
        OSError: As for `exchange`.
    """
    _rename(old, new, folder, _EXCLUSIVE)


def _rename(old: str, new: str, folder: int, flags: int) -> None:
    """Call the system's rename with flags; again where a signal interrupted the call."""
    if _system_call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    old_name = os.fsencode(old)
    new_name = os.fsencode(new)
    while _system_call(folder, old_name, folder, new_name, ctypes.c_uint(flags)) < 0:
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise OSError(code, os.strerror(code), old, None, new)


def _announce_to_nobody(_call: str) -> None:
    """Take the name of a system call and do nothing."""


class Disk:
    """Changes to files, relative to an open folder where `folder` is a descriptor.

    Args:
        before: Called with the name of each system call just before the call is made.
    """

    def __init__(self, before: Callable[[str], None] = _announce_to_nobody) -> None:
        self._before = before

    def create(self, name: str, mode: int, *, folder: int | None = None) -> int:
        """Create a file that must not exist yet; returns its descriptor."""
        self._before("create")
        return os.open(name, _NEW, mode, dir_fd=folder)

    def put(
        self, name: str, mode: int, data: bytes, *, folder: int | None = None, sync: bool = True
    ) -> None:
        """Create a file with these bytes; the file must not exist yet.

        Args:
            sync: Return only once the file is on stable storage.
        """
        file = self.create(name, mode, folder=folder)
        try:
            self.write(file, data)
            if sync:
                self.sync(file)
        finally:
            os.close(file)

    def open_log(self, name: str) -> int:
        """Open a file to append to, private to the user; returns its descriptor."""
        self._before("open")
        return os.open(name, _APPEND, 0o600)

    def write(self, file: int, data: bytes) -> None:
        """Write all of `data`, however many calls it takes."""
        rest = memoryview(data)
        while rest:
            self._before("write")
            rest = rest[_check_count(os.write(file, rest)) :]

    def write_at(self, file: int, data: bytes, start: int) -> None:
        """Write all of `data` into a file, from its byte number `start` on."""
        done = 0
        while done < len(data):
            self._before("pwrite")
            done += _check_count(os.pwrite(file, memoryview(data)[done:], start + done))

    def truncate(self, file: int, length: int) -> None:
        """Leave a file no more than its first `length` bytes."""
        self._before("truncate")
        os.ftruncate(file, length)

    def set_owner(self, file: int, user: int, group: int) -> None:
        """Give an open file to a user and a group."""
        self._before("chown")
        os.fchown(file, user, group)

    def set_mode(self, file: int, mode: int) -> None:
        """Set the permission bits of an open file."""
        self._before("chmod")
        os.fchmod(file, mode)

    def set_attribute(self, file: int, name: str, value: bytes) -> None:
        """Set an extended attribute of an open file."""
        self._before("setxattr")
        extended_attributes.write(file, name, value)

    def drop_attribute(self, file: int, name: str) -> None:
        """Take an extended attribute from an open file."""
        self._before("removexattr")
        extended_attributes.remove(file, name)

    def sync(self, file: int) -> None:
        """Return once an open file, or folder, is on stable storage."""
        self._before("fsync")
        _flush(file)

    def rename(self, old: str, new: str, *, folder: int | None = None) -> None:
        """Move `old` over `new` in one step."""
        self._before("rename")
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)

    def exchange(self, one: str, other: str, *, folder: int) -> None:
        """Swap the files of two names in one step.

        Raises:
            OSError: Of `UNSUPPORTED` where that is not possible.
        """
        self._before("exchange")
        exchange(one, other, folder)

    def move(self, old: str, new: str, *, folder: int) -> None:
        """Give a file another name that nothing else has.

        Raises:
            FileExistsError: Something else has the name.
        """
        try:
            self._before("move")
            move(old, new, folder)
        except OSError as e:
            if e.errno not in UNSUPPORTED:
                raise
            self._move_in_two_steps(old, new, folder)

    def _move_in_two_steps(self, old: str, new: str, folder: int) -> None:
        """Give a file a second name, then remove the first; a crash in between leaves both."""
        self._before("link")
        try:
            # Like `move`, `link` refuses a name that something has.
            os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            # Where a crash left both names, moving the file on or back needs the second step alone.
            if not _are_one_file(old, new, folder):
                raise
        self.remove(old, folder=folder)

    def remove(self, name: str, *, folder: int | None = None) -> None:
        """Remove a file; it is no error when there is none."""
        self._before("unlink")
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)

    def make_folder(self, name: str, *, folder: int) -> bool:
        """Make a folder if there is none; returns whether there was none."""
        self._before("mkdir")
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
            return True
        return False

    def remove_folder(self, name: str, *, folder: int) -> None:
        """Remove an empty folder."""
        self._before("rmdir")
        os.rmdir(name, dir_fd=folder)


def _are_one_file(one: str, other: str, folder: int) -> bool:
    """Whether two names in an open folder lead to one file."""
    try:
        return os.path.samestat(os.lstat(one, dir_fd=folder), os.lstat(other, dir_fd=folder))
    except FileNotFoundError:
        return False


def _check_count(count: int) -> int:
    """Return the count of bytes written.

    Raises:
        OSError: No byte was written, which trying again would not change.
    """
    if count == 0:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return count


def _flush(file: int) -> None:
    """Return once an open file is on stable storage, not only in the cache of the drive."""
    # Source: fsync(2) of macOS, whose fsync stops at the cache of the drive.
    if sys.platform == "darwin":
        # Network file systems do not have F_FULLFSYNC; then fsync tells what fails.
        with suppress(OSError):
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
            return
    os.fsync(file)
