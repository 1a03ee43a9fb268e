"""What a file system can do, tried out in a temporary folder for `spark doctor`."""

import os
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from spark_tui.vcs import atomic_write, disk, extended_attributes
from spark_tui.vcs.temporary_folder import TemporaryFolder

_ATTRIBUTE = "user.spark.doctor"


@dataclass(frozen=True, slots=True)
class FileSystem:
    """What a file system can do under the operating system that runs spark.

    Args:
        exchanges: Two files are swapped in one step.
        leases: The system says whether another program has a file open for writing.
        attributes: Files have extended attributes, access lists among them.
    """

    exchanges: bool
    leases: bool
    attributes: bool


def examine(folder: Path) -> FileSystem:
    """Try out the file system of a folder in a temporary one within it.

    Raises:
        OSError: Nothing can be written there.
    """
    with closing(TemporaryFolder("doctor", folder)) as made:
        place = made.path
        for file in ("one", "other"):
            (place / file).write_bytes(file.encode())
        return FileSystem(_exchanges(place), _leases(place / "one"), _has_attributes(place / "one"))


def _exchanges(folder: Path) -> bool:
    """Whether two files can be swapped in one step."""
    descriptor = os.open(folder, disk.OPEN_FOLDER)
    try:
        disk.exchange("one", "other", descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return (folder / "one").read_bytes() == b"other"


def _leases(file: Path) -> bool:
    """Whether the system grants leases."""
    descriptor = os.open(file, os.O_RDONLY | disk.OPEN_FILE)
    try:
        return atomic_write.can_be_had(descriptor)
    finally:
        os.close(descriptor)


def _has_attributes(file: Path) -> bool:
    """Whether an extended attribute can be set and read."""
    descriptor = os.open(file, os.O_RDWR | disk.OPEN_FILE)
    try:
        with suppress(OSError):
            extended_attributes.write(descriptor, _ATTRIBUTE, b"1")
            return extended_attributes.read(descriptor).get(_ATTRIBUTE) == b"1"
    finally:
        os.close(descriptor)
    return False
