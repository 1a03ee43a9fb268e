"""Which paths may be touched, and a way to a file's folder that no symbolic link can bend.

Paths here are relative to the root of the work tree, with "/" between components.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark_tui.errors import FileError, UsageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Characters HFS+ ignores in names, so that ".g<U+200C>it" would be ".git" there.
_IGNORABLE = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def check_path(path: str) -> None:
    """Refuse a path that is not plainly one of the work tree's own files.

    Raises: UsageError: empty, absolute, with "." or ".." or NUL in it, or within a `.git` however spelled.
    """
    parts = path.split("/")
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise UsageError(f"{path!r} is not a path inside the repository")
    if any(_means_git(part) for part in parts):
        raise UsageError(f"{path!r} belongs to git; spark never writes there")


def _means_git(component: str) -> bool:
    """Whether some file system takes this name for `.git` (case, NTFS short names and streams, HFS+)."""
    name = _IGNORABLE.sub("", component).split(":")[0].split("\\")[0]
    return name.rstrip(" .").lower() in {".git", "git~1"}


@contextmanager
def folder_of(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """Open the folder a path lies in, one component after the other, following no symbolic link.

    Yields: an open descriptor of the folder, and the file's name in it.
    Raises: FileNotFoundError: the folder does not exist. FileError: a link, or another repository, on the way.
    """
    check_path(path)
    *folders, name = path.split("/")
    here = os.open(root, _FOLDER)
    try:
        for folder in folders:
            here = _enter(here, folder, path)
        yield here, name
    finally:
        os.close(here)


def _enter(parent: int, folder: str, path: str) -> int:
    try:
        child = os.open(folder, _FOLDER, dir_fd=parent)
    except OSError as e:
        if e.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise FileError(f"{path}: {folder} is not a plain folder; spark follows no links") from e
        raise
    if _exists(".git", child):
        os.close(child)
        raise FileError(f"{path} belongs to the repository in {folder}; run spark there")
    os.close(parent)
    return child


def _exists(name: str, folder: int) -> bool:
    with suppress(FileNotFoundError):
        os.lstat(name, dir_fd=folder)
        return True
    return False


def read_file(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file, or None when there is no such file.

    Raises: FileError: a link, a folder, a device, or not readable. UsageError: see `check_path`.
    """
    try:
        with folder_of(root, path) as (folder, name):
            return _read_regular(folder, name, path)
    except FileNotFoundError:
        return None
    except OSError as e:
        raise FileError(f"cannot read {path}: {e.strerror}") from e


def _read_regular(folder: int, name: str, path: str) -> bytes:
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError as e:
        if e.errno in {errno.ELOOP, errno.ENXIO}:
            raise FileError(f"{path} is not a regular file; spark edits only those") from e
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileError(f"{path} is not a regular file; spark edits only those")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def file_mode(root: Path, path: str) -> int | None:
    """The permission bits of what stands at a path, or None when nothing does.

    Raises: FileError: not reachable. UsageError: see `check_path`.
    """
    try:
        with folder_of(root, path) as (folder, name):
            return stat.S_IMODE(os.lstat(name, dir_fd=folder).st_mode)
    except FileNotFoundError:
        return None
    except OSError as e:
        raise FileError(f"cannot look at {path}: {e.strerror}") from e
