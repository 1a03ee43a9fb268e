"""Which paths of a work tree may be touched, and how they are opened: following no link.

A path is opened folder by folder, so that no symbolic link can lead elsewhere. Paths here are
relative to the root of the work tree, with "/" between components. No descriptor opened here is
left open in a program that spark starts.
"""

import errno
import os
import re  # noqa: TID251 - reads characters as such
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

from spark_tui.errors import FileError, UsageError
from spark_tui.vcs.disk import AT_ONCE, NO_LINK, OPEN_FILE, OPEN_FOLDER
from spark_tui.vcs.disk_errors import as_disk_error

_FOLDER = OPEN_FOLDER | NO_LINK
_FILE = OPEN_FILE | NO_LINK | AT_ONCE

# Characters HFS+ ignores in names, so that ".g<U+200C>it" would be ".git" there.
_IGNORABLE = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")

_NO_NAMES = frozenset({"", ".", ".."})

# Git takes a folder with these for a git directory, whatever its name.
_OF_A_GIT_DIR = ("HEAD", "objects", "refs")


def check_path(path: str) -> None:
    """Refuse a path that is not plainly one of the work tree's own files.

    Raises:
        UsageError: The path is empty, absolute, has ".", ".." or NUL in it, or lies within a
            `.git`, however spelled.
    """
    if "\0" in path or not _NO_NAMES.isdisjoint(path.split("/")):
        raise UsageError(f"{path!r} is not a path inside the repository")
    if path.isascii() and "git" not in path.lower():
        return  # as nearly all of very many files
    # On Windows a backslash separates folders, too.
    if any(_means_git(part) for part in re.split(r"[/\\]", path)):
        raise UsageError(f"{path!r} belongs to git; spark never writes there")


def _means_git(component: str) -> bool:
    """Whether some file system takes a name for `.git`.

    File systems ignore case; NTFS has short names and streams, and Windows drops blanks and dots at
    the end of a name; HFS+ ignores some characters.

    Source:
        is_ntfs_dotgit and is_hfs_dotgit in git.
    """
    name = _IGNORABLE.sub("", component).split(":")[0]
    return name.rstrip(" .").lower() in {".git", "git~1"}


@contextmanager
def folder_of(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """Open the folder a path lies in, one component after the other, following no symbolic link.

    Yields:
        An open descriptor of the folder, and the file's name in the folder.

    Raises:
        FileNotFoundError: The folder does not exist.
        FileError: A link, or another repository, is on the way.
    """
    with open_root(root) as top, folder_in(top, path) as found:
        yield found


@contextmanager
def open_root(root: Path) -> Iterator[int]:
    """Open the root of a work tree for a `with`, unless it is a link."""
    top = os.open(root, _FOLDER)
    try:
        yield top
    finally:
        os.close(top)


@contextmanager
def folder_in(top: int, path: str, *, nested: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder a path lies in, as `folder_of`, from the open root of a work tree.

    Args:
        nested: Go into other repositories, too, but into no git directory.
    """
    check_path(path)
    *folders, name = path.split("/")
    here = top
    try:
        for folder in folders:
            child = _open_child(here, folder, path, nested=nested)
            if here != top:
                os.close(here)
            here = child
        yield here, name
    finally:
        if here != top:
            os.close(here)


def has_folder(root: Path, path: str) -> bool:
    """Whether the folder a path lies in exists, and spark may go into it."""
    try:
        with folder_of(root, path):
            return True
    except (FileNotFoundError, FileError):
        return False


def _open_child(parent: int, folder: str, path: str, *, nested: bool) -> int:
    """Open a folder within an open one.

    Raises:
        FileError: The folder is a link, a repository or no folder.
    """
    try:
        child = os.open(folder, _FOLDER, dir_fd=parent)
    except OSError as e:
        if e.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise FileError(
                f"{path}: {folder} is not a plain folder; spark follows no links"
            ) from e
        raise
    try:
        _refuse_repository(child, folder, path, nested=nested)
    except (FileError, OSError):
        os.close(child)
        raise
    return child


def _refuse_repository(child: int, folder: str, path: str, *, nested: bool) -> None:
    """Refuse an open folder that is a git directory, or unless `nested` another repository.

    Raises:
        FileError: It is one.
    """
    if not nested and _exists(".git", child):
        raise FileError(f"{path} belongs to the repository in {folder}; run spark there")
    if all(_exists(name, child) for name in _OF_A_GIT_DIR):
        where = f"{path} is inside a git directory, {folder}"
        raise FileError(f"{where}; spark never writes there")


def holds_repository(folder: int, name: str) -> bool:
    """Whether a folder in an open folder is the top of a repository."""
    with suppress(FileNotFoundError, NotADirectoryError):
        os.lstat(f"{name}/.git", dir_fd=folder)
        return True
    return False


def _exists(name: str, folder: int) -> bool:
    with suppress(FileNotFoundError):
        os.lstat(name, dir_fd=folder)
        return True
    return False


def real_path(root: Path, path: str) -> str:
    """The path of the file that a symbolic link leads to; the path itself where there is no link.

    Raises:
        FileError: The link leads to nothing, out of the work tree, into a git directory, or in a
            circle; or a folder on the way to it is a link, too.
        UsageError: See `check_path`.
    """
    status = status_of(root, path)
    if status is None or not stat.S_ISLNK(status.st_mode):
        return path
    try:
        # Only a name is worked out here. Whoever opens the file later follows no link, even if the
        # name has become one.
        real = Path(os.path.realpath(root / path, strict=True))
    except FileNotFoundError as e:
        raise FileError(f"{path} is a link to nothing; make the file it points to first") from e
    except OSError as e:
        raise FileError(f"{path} is a link that cannot be followed: {e.strerror}") from e
    if not real.is_relative_to(root):
        raise FileError(
            f"{path} is a link out of the work tree, to {real}; edit that file where it is"
        )
    try:
        check_path(real.relative_to(root).as_posix())
    except UsageError as e:
        raise FileError(f"{path} is a link to {real}, which is not a file to edit: {e}") from e
    return real.relative_to(root).as_posix()


def read_file(root: Path, path: str, most: int = -1) -> bytes | None:
    """The bytes of a regular file, or None when there is no such file.

    Args:
        most: How many bytes from the first on; -1 means all.

    Raises:
        FileError: There is a link, a folder or a device, or the file is not readable.
        UsageError: See `check_path`.
    """
    try:
        with as_disk_error(f"cannot read {path}"), folder_of(root, path) as (folder, name):
            return read_in(folder, name, path, most)
    except FileError as e:
        if isinstance(e.__cause__, FileNotFoundError):
            return None
        raise


def read_in(folder: int, name: str, path: str, most: int = -1) -> bytes:
    """The bytes of a regular file in an open folder.

    Args:
        path: What to call the file in an error.
        most: See `read_file`.
    """
    with open_regular(folder, name, path) as descriptor:
        return read_open(descriptor, most)


def read_regular(path: Path, most: int) -> bytes | None:
    """The bytes of a regular file wherever it is; None where there is no file.

    Args:
        most: The most bytes that it may have.

    Raises:
        FileError: There is a link, a folder, a pipe or a device, or more in the file.
        OSError: The file is not readable.
    """
    try:
        with open_regular(None, str(path), str(path)) as file:
            data = read_open(file, most + 1)
    except FileNotFoundError:
        return None
    if len(data) > most:
        raise FileError(f"{path} is larger than {most} bytes")
    return data


def read_open(descriptor: int, most: int = -1) -> bytes:
    """The bytes of an open file, from the first on.

    Args:
        most: See `read_file`.
    """
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        return file.read(most)


def read_each(root: Path, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes | None]]:
    """The bytes of very many files, each with its path; None where `read_file` would say why not.

    For files of one folder that follow one another, the folder is opened once: for small files,
    opening folders would be most of the work.

    Args:
        most: How many bytes of a file, from the first on.
    """
    for _, siblings in groupby(paths, key=_folder_name):
        rest = deque(siblings)
        with suppress(OSError, FileError, UsageError), folder_of(root, rest[0]) as (folder, _):
            while rest:
                path = rest.popleft()
                yield path, _read_plainly(folder, path, most)
        # The folder cannot be opened, so none of its files can be read.
        for path in rest:
            yield path, None


def _folder_name(path: str) -> str:
    return path.rpartition("/")[0]


def _read_plainly(folder: int, path: str, most: int) -> bytes | None:
    """The bytes of a regular file in its open folder; None where they cannot be had."""
    try:
        check_path(path)
        file = os.open(path.rpartition("/")[2], _FILE | os.O_RDONLY, dir_fd=folder)
    except (OSError, UsageError):
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return None
        data = os.read(file, most)
        # A file that grows, or a file system that hands out pieces, is read the longer way.
        return data if len(data) == min(status.st_size, most) else None
    except OSError:
        return None
    finally:
        os.close(file)


@contextmanager
def open_regular(
    folder: int | None, name: str, path: str, flags: int = os.O_RDONLY
) -> Iterator[int]:
    """Open a regular file in an open folder for a `with`.

    Args:
        folder: None: `name` is a whole path.
        path: What to call the file in an error.
        flags: Open for reading, or for reading and writing.

    Raises:
        FileError: There is a link, a folder, a pipe or a device.
        OSError: The file does not exist, or opening is not allowed.
    """
    try:
        descriptor = os.open(name, _FILE | flags, dir_fd=folder)
    except OSError as e:
        # A link; a socket, or a device without a driver; a folder that is opened for writing.
        if e.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
            raise FileError(f"{path} is not a regular file; spark edits only those") from e
        raise
    try:
        # Asked of what was opened, since the name may already lead elsewhere.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileError(f"{path} is not a regular file; spark edits only those")
        yield descriptor
    finally:
        os.close(descriptor)


def is_mounted(file: int, folder: int) -> bool:
    """Whether an open file of an open folder is a mount of its own, as containers make them.

    Nothing can be renamed over a mount. False where the system does not tell.
    """
    mounts = {_mount_of(file), _mount_of(folder)}
    return "" not in mounts and len(mounts) > 1


def _mount_of(descriptor: int) -> str:
    """The number of the mount that something open lies on; "" where the system does not tell."""
    try:
        lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text("ascii", "replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("mnt_id:")), "")


def file_mode(root: Path, path: str) -> int | None:
    """The permission bits of a file or link; None where there is none.

    Raises:
        FileError: The path cannot be reached.
        UsageError: See `check_path`.
    """
    status = status_of(root, path)
    return None if status is None else stat.S_IMODE(status.st_mode)


def identity(root: Path, path: str) -> tuple[int, int] | None:
    """The device and inode of a file, the same for all its paths; None where there is no file.

    Raises:
        FileError: The path cannot be reached.
        UsageError: See `check_path`.
    """
    status = status_of(root, path)
    return None if status is None else (status.st_dev, status.st_ino)


def status_of(root: Path, path: str) -> os.stat_result | None:
    """The status of a file, of a folder, or of a link itself; None where there is none.

    Raises:
        FileError: The path cannot be reached.
        UsageError: See `check_path`.
    """
    try:
        with as_disk_error(f"cannot look at {path}"), folder_of(root, path) as (folder, name):
            return os.lstat(name, dir_fd=folder)
    except FileError as e:
        if isinstance(e.__cause__, FileNotFoundError):
            return None
        raise
