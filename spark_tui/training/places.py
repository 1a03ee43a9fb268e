"""Where code of other people stands: package, version, path, line, and a hash that says if it is still the same."""

import hashlib
import re
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PYTHON = "python"
"""The package that stands for the standard library, which is read from the running Python."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a package's file. `first`: the 1-based line it begins at; `count`: how many lines."""

    package: str
    version: str
    path: str
    first: int
    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A stretch that is not there. `why`: "package", "file" or "hash", whichever was the first to be missed."""

    place: Place
    why: str


def folder_name(package: str, version: str) -> str:
    """What the folder of an unpacked package is called; names that an index takes for the same are the same."""
    return f"{re.sub(r'[-_.]+', '-', package).lower()}-{version}"


def hash_of(lines: Sequence[str]) -> str:
    """Names lines as they are, to the byte."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", errors="surrogatepass")).hexdigest()[:16]


def lines_at(place: Place, folder: Path) -> tuple[str, ...] | Missing:
    """The lines of a place. Where a file has grown or shrunk before them, they are found by their hash.

    Args: folder: holds a folder for every package, called by `folder_name`.
    """
    standard = Path(sysconfig.get_paths()["stdlib"])
    home = standard if place.package == PYTHON else folder / folder_name(place.package, place.version)
    if not home.is_dir():
        return Missing(place, "package")
    lines = read_lines(home / place.path)
    if not lines:
        return Missing(place, "file")
    starts = sorted(range(len(lines) - place.count + 1), key=lambda start: abs(start - (place.first - 1)))
    found = (lines[start : start + place.count] for start in starts)
    return next((stretch for stretch in found if hash_of(stretch) == place.hash), Missing(place, "hash"))


@lru_cache(maxsize=64)
def read_lines(path: Path) -> tuple[str, ...]:
    """A file's lines without line endings, blank ones empty; none where it cannot be read as text."""
    try:
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(line if line.strip() else "" for line in text.split("\n"))
