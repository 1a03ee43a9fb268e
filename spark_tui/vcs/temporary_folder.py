"""Temporary folders that are gone in the end, also those of a spark that was killed.

A folder is locked as long as its maker lives. Whoever makes the first one beside it afterwards
removes those that nobody holds any more. The name begins with `spark-tui-`: other programs called
spark have folders of their own there.
"""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from spark_tui import system
from spark_tui.vcs import lock_file
from spark_tui.vcs.disk import NO_LINK, OPEN_FOLDER

_PREFIX = "spark-tui-"
_LEAST_AGE_SECONDS = 60.0
"""The age from which a folder without a lock is left over: a new one is locked by then."""
_SWEPT = set[Path]()
"""The folders from which this process has removed what was left over."""


class TemporaryFolder:
    """A folder that goes with `close`, or at a later start where spark is killed first. Mutable.

    Args:
        purpose: A word for its name.
        beside: The folder to make it in, by default the system's own for that.

    Attributes:
        path: The folder.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, purpose: str, beside: Path | None = None) -> None:
        place = beside or Path(tempfile.gettempdir())
        if place not in _SWEPT:
            _SWEPT.add(place)
            remove_left_over(place)
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=place))
        self._lock = os.open(self.path, OPEN_FOLDER)
        with suppress(OSError):  # a file system without locks: nobody takes it for left over either
            lock_file.take(self._lock)

    def close(self) -> None:
        """Remove the folder, as far as it can be removed."""
        # No TemporaryDirectory: its removal does not end where a folder cannot be listed.
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def remove_left_over(place: Path) -> None:
    """Remove the folders that a killed spark has left in a place, as far as that can be done."""
    with suppress(OSError):
        for folder in place.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    """Remove a folder of ours that nobody holds.

    Raises:
        OSError: Somebody holds it, or it is a link or no folder.
    """
    lock = os.open(folder, OPEN_FOLDER | NO_LINK)
    try:
        status = os.fstat(lock)
        is_old = time.time() - status.st_mtime > _LEAST_AGE_SECONDS
        if status.st_uid == system.own_id() and is_old:
            lock_file.take(lock)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
