"""Writing into a file itself, where a copy could not stand for it: other names lead to it, or it is someone else's."""

import os
import stat
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

from spark_tui.errors import Conflict
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.faults import told
from spark_tui.vcs.leases import alone
from spark_tui.vcs.paths import folder_of, open_regular, read_open


def overwrite(root: Path, disk: Disk, path: str, new: bytes, *, old: tuple[bytes, bytes]) -> bytes:
    """Give a file other bytes, from the first to the last, on stable storage, though not in one step.

    Args: old: the two contents it may have now, or be a mixture of, see `is_mixture`; twice the same for just that.
    Returns: what it had.
    Raises: Conflict: it has another, or another file took its place meanwhile. FileError: the disk refused.
    """
    with (
        told(f"cannot write into {path}"),
        folder_of(root, path) as (folder, name),
        open_regular(folder, name, path, os.O_RDWR) as file,
    ):
        with alone(file) as free:
            if not free:
                raise Conflict(f"{path} is open in another program; close it there, then review it again")
            found = read_open(file)
            if not is_mixture(found, *old):
                raise Conflict(f"{path} has changed on disk; nothing was written: review it again")
            _fill(disk, file, new, found)
            if not _stands_at(file, folder, name):
                _fill(disk, file, found, new)
                raise Conflict(f"{path} was saved by another program while spark was writing it; that version stays")
        return found


def _fill(disk: Disk, file: int, new: bytes, found: bytes) -> None:
    """Make `new` what is in a file that has `found`; a write takes setuid and setgid from a file."""
    mode = stat.S_IMODE(os.fstat(file).st_mode)
    room = len(found)
    if len(new) > room:  # first what the disk may have no room for, while every old byte is still there
        disk.write_at(file, new[room:], room)
        disk.sync(file)
    if not found.startswith(new[:room]):
        disk.write_at(file, new[:room], 0)
    disk.truncate(file, len(new))
    if stat.S_IMODE(os.fstat(file).st_mode) != mode:
        with suppress(PermissionError):  # only the owner of a file may, and the bytes are what was asked for
            disk.set_mode(file, mode)
    disk.sync(file)


def _stands_at(file: int, folder: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(name, dir_fd=folder))
    except FileNotFoundError:
        return False


def is_mixture(found: bytes, one: bytes, other: bytes) -> bool:
    """Whether each byte is that of one or the other content, as when writing one over the other was cut short.

    What the disk had not got round to when the power failed is zero where the file had not been that long.
    """
    if not min(len(one), len(other)) <= len(found) <= max(len(one), len(other)):
        return False
    return all(
        a in {b, c} or (a == 0 and None in {b, c}) for a, b, c in zip_longest(found, one, other) if a is not None
    )
