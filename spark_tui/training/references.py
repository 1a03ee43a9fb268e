"""References to other people's code: the repository holds where it stands, the words and the edits, which are ours.

A file holds a JSON object a line:

    package, version, path, first (1-based), count, hash: the lines of a package (see `places`)
    changes: a script (see `script`) that makes of them the region that was asked about, where something was planted
    requests: words, scripts (each of them right; none: no edit is), selected, and what else is told of a request

Known are, to a request, the region's lines and, behind them, the package's; to a change, the package's.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.training.places import Missing, Place, lines_at
from spark_tui.training.script import Lines, Operation, applied

_PLACE = tuple(one.name for one in fields(Place))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about a region.

    `afters`: what the region becomes, each is right; none: no edit is. `selected`: 0-based first and last line. `more`:
    what else is told.
    """

    words: str
    afters: tuple[Lines, ...]
    selected: tuple[int, int] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that something was asked about, and the place of the code that they are, or were made from."""

    place: Place
    lines: Lines
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A region without its code: `changes` and `requests` are as their file holds them."""

    place: Place
    changes: Sequence[Operation]
    requests: Sequence[Mapping[str, Any]]


def resolve(references: Sequence[Reference], folder: Path) -> Iterator[Region | Missing]:
    """The regions, in order, each of lines whose hash was checked; where these are not found, what is missing.

    Args: folder: holds the unpacked packages (see `places.lines_at`).
    """
    places = sorted({one.place for one in references}, key=lambda one: (one.package, one.version, one.path, one.first))
    found = {place: lines_at(place, folder) for place in places}  # file by file, so that each is read once
    for one in references:
        original = found[one.place]
        yield original if isinstance(original, Missing) else _region(one, original)


def _region(reference: Reference, original: Lines) -> Region:
    lines = applied(original, reference.changes, original)
    return Region(reference.place, lines, tuple(_asked(row, lines, original) for row in reference.requests))


def _asked(row: Mapping[str, Any], lines: Lines, original: Lines) -> Asked:
    more = {name: value for name, value in row.items() if name not in {"words", "scripts", "selected"}}
    selected = (row["selected"][0], row["selected"][1]) if "selected" in row else None
    known = (*lines, *original)
    return Asked(row["words"], tuple(applied(lines, script, known) for script in row["scripts"]), selected, more)


def missing_by_package(missing: Iterable[Missing]) -> dict[str, str]:
    """For each package and version, in a sentence, what is not there."""
    found: dict[str, list[Missing]] = {}
    for one in missing:
        found.setdefault(f"{one.place.package} {one.place.version}", []).append(one)
    return {name: _told(found[name]) for name in sorted(found, key=str.lower)}


def _told(missing: Sequence[Missing]) -> str:
    count = f"{len(missing)} region{'s' * (len(missing) != 1)}"
    reasons = Counter(one.why for one in missing)
    if reasons["package"]:
        return f"{count} missing: the package is not there"
    first = missing[0].place
    where = ", ".join(dict.fromkeys(f"{one.place.path}:{one.place.first}" for one in missing[:3]))
    return f"{count} missing: no such lines at {where}{' ...' * (len(missing) > 3)} (hash of the first: {first.hash})"


def read_references(path: Path) -> list[Reference]:
    """The references in a file, gzipped where its name ends in .gz.

    Raises: UsageError: the file cannot be read or holds something else.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [from_json(json.loads(line)) for line in text.split("\n") if line.strip()]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
        raise UsageError(f"{path} holds no references to code ({e}); give a file of them") from e


def from_json(row: Mapping[str, Any]) -> Reference:
    """A line of a file. Raises: KeyError, TypeError: it is no reference."""
    return Reference(Place(**{name: row[name] for name in _PLACE}), row.get("changes", ()), row["requests"])
