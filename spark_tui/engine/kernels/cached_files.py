"""Files of packed weights in the cache folder; those used longest ago make room for new ones."""

from contextlib import suppress
from pathlib import Path

PART = ".part"
"""The end of a file's name while the file is being written."""
_PAGE = 4096
"""Bytes of a page of memory, at which an array in a mapped file begins."""
SPARE = 4
"""The number of such files for which the disk must have room; else none is written."""
HOUR = 3600
"""Seconds after which a file that is still being written counts as given up."""


def files_in(folder: Path, suffix: str) -> list[Path]:
    """Return the files of a kind, the one that was used last in front."""
    # Another process may remove a file between the list and the look at its time.
    with suppress(OSError):
        files = list(folder.glob(f"*{suffix}"))
        return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)
    return []


def make_room(place: Path, most: int) -> None:
    """Remove the files beyond a limit, and parts of files whose writer was killed.

    Args:
        place: The file that was written just now, which stays.
        most: The most bytes that all files of its kind may take.
    """
    # Whoever has mapped a file that is removed here keeps its bytes until the mapping ends.
    total = 0
    for file in files_in(place.parent, place.suffix):
        total += file.stat().st_size
        if total > most and file != place:
            file.unlink()
    written = place.stat().st_mtime
    for part in place.parent.glob(f"*{PART}"):
        if part.stat().st_mtime < written - HOUR:
            part.unlink()


def aligned(size: int) -> int:
    """Return the next multiple of a page."""
    return -(-size // _PAGE) * _PAGE
