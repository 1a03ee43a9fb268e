"""Every version of a file that spark replaced or wrote, kept outside the repository under its own hash."""

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from spark_tui.errors import SparkError
from spark_tui.vcs.disk import Disk


def content_hash(data: bytes) -> str:
    """The name of some content: its SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sync_folder(folder: Path, disk: Disk) -> None:
    """Return once the names in a folder are on stable storage."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


class Store:
    """A folder of blobs, each a file named by the hash of what is in it. Blobs are added, never changed."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = folder
        self._disk = disk

    def put(self, contents: Iterable[bytes]) -> None:
        """Keep some contents, each under its hash; they are on stable storage once this returns."""
        for data in contents:
            name = content_hash(data)
            if not (self._folder / name).exists():
                self._add(name, data)
        sync_folder(self._folder, self._disk)

    def _add(self, name: str, data: bytes) -> None:
        temporary = str(self._folder / f"{name}.{secrets.token_hex(4)}")
        file = self._disk.create(temporary, 0o600)
        try:
            self._disk.write(file, data)
            self._disk.sync(file)
        finally:
            os.close(file)
        self._disk.rename(temporary, str(self._folder / name))

    def get(self, name: str) -> bytes:
        """The content with this hash.

        Raises: SparkError: it is not there, or not what it was.
        """
        try:
            data = (self._folder / name).read_bytes()
        except OSError as e:
            raise SparkError(
                f"the saved copy {name[:12]} cannot be read ({e.strerror}); this step cannot be undone"
            ) from e
        if content_hash(data) != name:
            raise SparkError(f"the saved copy {name[:12]} in {self._folder} is damaged; this step cannot be undone")
        return data
