"""Every version of a file that spark replaced or wrote, each kept under its own hash.

The copies lie outside the repository, in spark's state directory. The functions here also write
other files of that directory, in ways by which a crash leaves the old file or the new one.
"""

import hashlib
import os
import re  # noqa: TID251 - reads names and settings
import secrets
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from spark_tui.errors import DiskError, SparkError
from spark_tui.own_folders import remedy
from spark_tui.small_files import opened
from spark_tui.vcs.disk import OPEN_FOLDER, Disk

# The names that `write_whole` gives to what is not written to the end.
_TEMPORARY = re.compile(r".+\.[0-9a-f]{8}\Z")


def content_hash(data: bytes) -> str:
    """The name of some content: its SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sync_folder(folder: Path, disk: Disk) -> None:
    """Return once the names in a folder are on stable storage."""
    descriptor = os.open(folder, OPEN_FOLDER)
    try:
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, data: bytes, disk: Disk) -> None:
    """Create or replace a file, private to the user, in one step; its name is not synced yet."""
    temporary = f"{path}.{secrets.token_hex(4)}"
    try:
        # `put` syncs before the rename, or a power failure could leave the name on an empty file.
        disk.put(temporary, 0o600, data)
        disk.rename(temporary, str(path))
    except OSError:
        disk.remove(temporary)
        raise


def append_line(path: Path, line: bytes, disk: Disk, *, sync: bool) -> None:
    """Add a line to a log that is private to the user.

    Where a crash cut the last line short, the new one begins on a line of its own.

    Args:
        line: With its line end.
        sync: Return only once the line is on stable storage.
    """
    file = disk.open_log(str(path))
    try:
        if _is_torn(path):
            line = b"\n" + line
        disk.write(file, line)
        if sync:
            disk.sync(file)
    finally:
        # The line is in the log already; an error of `close` would tell the caller otherwise.
        with suppress(OSError):
            os.close(file)


def _is_torn(path: Path) -> bool:
    """Whether the last line of a log has no end."""
    with opened(path) as log:
        if log.seek(0, os.SEEK_END) == 0:
            return False
        log.seek(-1, os.SEEK_END)
        return log.read(1) != b"\n"


def remove_temporaries(folder: Path, disk: Disk) -> None:
    """Remove the temporary files that a crash within `write_whole` left in a folder."""
    for path in folder.iterdir():
        if is_temporary(path):
            disk.remove(str(path))


def is_temporary(path: Path) -> bool:
    """Whether a file is one that `write_whole` writes before it gives the file its name."""
    return _TEMPORARY.match(path.name) is not None


def set_aside(folder: Path, data: bytes, disk: Disk) -> Path | None:
    """Copy damaged bytes to a file of their own, so that people can recover what is in them.

    Returns:
        The path of the copy; None where the copy was there already.
    """
    path = folder / f"damaged-{content_hash(data)[:16]}"
    if path.exists():
        return None
    write_whole(path, data, disk)
    sync_folder(folder, disk)
    return path


def _read(path: Path) -> bytes:
    """The bytes of a file of any size."""
    with opened(path) as file:
        return file.read()


class Store:
    """A folder of blobs, each a file named by the hash of its content.

    Blobs are added, never changed.
    """

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = folder
        self._disk = disk
        self._bytes: int | None = None

    def put(self, contents: Iterable[bytes]) -> None:
        """Keep contents, each under its hash; they are on stable storage once this returns."""
        for data in contents:
            path = self._folder / content_hash(data)
            # A file of this name is compared, not trusted: an undo will need the bytes.
            if not os.path.lexists(path) or not self._holds(path, data):
                write_whole(path, data, self._disk)
                if self._bytes is not None:
                    self._bytes += len(data)
        # One sync puts the names of all contents on stable storage.
        sync_folder(self._folder, self._disk)

    def _holds(self, path: Path, data: bytes) -> bool:
        """Whether a file of the store has its content; damaged content is set aside."""
        present = _read(path)
        if present == data:
            return True
        set_aside(self._folder.parent, present, self._disk)
        return False

    def get(self, name: str) -> bytes:
        """The content with this hash.

        Raises:
            DiskError: The file cannot be read.
            SparkError: The file is damaged; a copy of the damaged bytes is set aside.
        """
        try:
            data = _read(self._folder / name)
        except OSError as e:
            reason = str(e.strerror)
            if isinstance(e, PermissionError):
                reason = f"{reason}; {remedy(e, self._folder, 'XDG_STATE_HOME')}"
            raise DiskError(f"the saved copy {name[:12]} cannot be read ({reason})") from e
        if content_hash(data) == name:
            return data
        with suppress(OSError):  # reading must work where nothing can be written
            set_aside(self._folder.parent, data, self._disk)
        raise SparkError(
            f"the saved copy {name[:12]} in {self._folder} is damaged; what is left of it is kept"
        )

    def bytes(self) -> int:
        """The size of all contents together; counted once, then updated by `put`."""
        if self._bytes is None:
            self._bytes = sum(self.sizes().values())
        return self._bytes

    def sizes(self) -> dict[str, int]:
        """The bytes that each content takes, by name."""
        with os.scandir(self._folder) as entries:
            return {entry.name: entry.stat().st_size for entry in entries}

    def remove(self, names: Collection[str]) -> None:
        """Delete contents for good."""
        for name in names:
            self._disk.remove(str(self._folder / name))
        self._bytes = None
        sync_folder(self._folder, self._disk)
