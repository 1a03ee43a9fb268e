"""References to code, and the cases made of them.

Where code of other people stands: package, version, path, line, and a hash that says if it is still
the same.

Scripts: how references to code write down an edit, and the lines that come of it.

A script is a list of operations, each a list: its code, then its values. Lines are those of the
region, counted from 0, so that the order of operations does not matter; only renamings are done
last, on what the others leave.

    ["R", first, last, lines]   lines first..last (inclusive) become these
    ["I", after, lines]         these come in after a line (-1: before everything)
    ["D", first, last]          they go away
    ["IND", first, last]        they move one indentation unit to the right; blank lines stay
    ["DED", first, last]        and to the left
    ["S", old, new]             an identifier is renamed wherever it is used

A new line is text of ours, or [line, start, count, text, ...]: a line already known, and what
stands in it for so many characters from a start on.

References to other people's code: the repository holds where it stands, the words and the edits,
which are ours.

A file holds a JSON object a line:

    package, version, path, first (1-based), count, hash: the lines of a package (see `places`)
    changes: a script that makes of them the region that was asked about, where something was
        planted
    requests: words, scripts (each of them right; none: no edit is), selected, and what else is
        told of a request

Known are, to a request, the region's lines and, behind them, the package's; to a change, the
package's.

Cases written by hand: requests as people type them, with every answer that is right.

A file holds one JSON object a line: a reference to code (see `references`) whose requests have an
id, bug (true or false), and perhaps a kind; or, for code of one's own, id, instruction, before
(lines), selected (1-based first and last line, or null), accept (a list of after-lines; empty: the
right answer is no edit), bug, and perhaps kind, path, earlier (words that the instruction corrects)
and previous (the accepted edit that the instruction goes on from).
"""

import ast
import gzip
import hashlib
import json
import re
import sysconfig
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.formats.rewrite import layout_of
from spark_tui.editing.identifiers import substitute
from spark_tui.errors import UsageError

PYTHON = "python"
"""The package that stands for the standard library, which is read from the running Python."""


@dataclass(frozen=True, slots=True)
class PackageStretch:
    """A stretch of a package's file.

    `first`: the 1-based line it begins at; `count`: how many lines.
    """

    package: str
    version: str
    path: str
    first: int
    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class MissingStretch:
    """A stretch that is not there.

    `why`: "package", "file" or "hash", whichever was the first to be missed.
    """

    place: PackageStretch
    why: str


def folder_name(package: str, version: str) -> str:
    """What the folder of an unpacked package is called; names that an index takes for the same
    are the same.
    """
    return f"{re.sub(r'[-_.]+', '-', package).lower()}-{version}"


def hash_of(lines: Sequence[str]) -> str:
    """Names lines as they are, to the byte."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", errors="surrogatepass")).hexdigest()[:16]


def lines_at(place: PackageStretch, folder: Path) -> tuple[str, ...] | MissingStretch:
    """The lines of a place.

    Where a file has grown or shrunk before them, they are found by their hash.

    Args:
        folder: Holds a folder for every package, called by `folder_name`.
    """
    standard = Path(sysconfig.get_paths()["stdlib"])
    if place.package == PYTHON:
        home = standard
    else:
        home = folder / folder_name(place.package, place.version)
    if not home.is_dir():
        return MissingStretch(place, "package")
    lines = read_lines(home / place.path)
    if not lines:
        return MissingStretch(place, "file")
    starts = sorted(
        range(len(lines) - place.count + 1), key=lambda start: abs(start - (place.first - 1))
    )
    found = (lines[start : start + place.count] for start in starts)
    return next(
        (stretch for stretch in found if hash_of(stretch) == place.hash),
        MissingStretch(place, "hash"),
    )


@lru_cache(maxsize=64)
def read_lines(path: Path) -> tuple[str, ...]:
    """A file's lines without line endings, blank ones empty; none where it cannot be read as
    text.
    """
    try:
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(line if line.strip() else "" for line in text.split("\n"))


Lines = tuple[str, ...]
Operation = list[Any]


def applied(lines: Lines, script: Iterable[Operation], known: Lines) -> Lines:
    """What a script makes of the lines of a region.

    Args:
        lines: Without endings.
        known: The lines that new ones may refer to.

    Raises:
        ValueError: An operation of no known kind.
        IndexError: A reference to a line that is not known.
    """
    unit = layout_of(lines).unit
    became = [[line] for line in lines]
    behind = dict[int, list[str]]()
    renamed: list[tuple[str, str]] = []
    for code, *values in script:
        first, last = values[:2]
        match code:
            case "R":
                became[first : last + 1] = [
                    _written(values[2], known),
                    *([] for _ in range(first, last)),
                ]
            case "I":
                behind[first] = _written(last, known)
            case "D":
                became[first : last + 1] = ([] for _ in range(first, last + 1))
            case "IND":
                became[first : last + 1] = (
                    [unit + line if line.strip() else line] for line in lines[first : last + 1]
                )
            case "DED":
                became[first : last + 1] = (
                    [line.removeprefix(unit) if line.strip() else line]
                    for line in lines[first : last + 1]
                )
            case "S":
                renamed.append((first, last))
            case _:
                raise ValueError(f"unknown operation {code!r}")
    after = behind.get(-1, [])
    for number, each in enumerate(became):
        after = [*after, *each, *behind.get(number, [])]
    for old, new in renamed:
        after = substitute(after, old, new)
    return tuple(after)


def _written(lines: Iterable[str | list[Any]], known: Lines) -> list[str]:
    return [line if isinstance(line, str) else _spliced(line, known) for line in lines]


def _spliced(held: list[Any], known: Lines) -> str:
    number, *spliced = held
    line: str = known[number]
    text = ""
    at = 0
    for start, count, new in zip(spliced[::3], spliced[1::3], spliced[2::3], strict=True):
        text += line[at:start] + new
        at = start + count
    return text + line[at:]


_PLACE = tuple(one.name for one in fields(PackageStretch))


@dataclass(frozen=True, slots=True)
class RegionRequest:
    """A request about a region.

    `afters`: what the region becomes, each is right; none: no edit is. `selected`: 0-based first
    and last line. `more`: what else is told.
    """

    words: str
    afters: tuple[Lines, ...]
    selected: tuple[int, int] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReferencedLines:
    """Lines that something was asked about, and the place of the code that they are, or were
    made from.
    """

    place: PackageStretch
    lines: Lines
    asked: tuple[RegionRequest, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A region without its code: `changes` and `requests` are as their file holds them."""

    place: PackageStretch
    changes: Sequence[Operation]
    requests: Sequence[Mapping[str, Any]]


def resolve(
    references: Sequence[Reference], folder: Path
) -> Iterator[ReferencedLines | MissingStretch]:
    """The regions, in order, each of lines whose hash was checked; where these are not found, what
    is missing.

    Args:
        folder: Holds the unpacked packages (see `places.lines_at`).
    """
    places = sorted(
        {one.place for one in references},
        key=lambda one: (one.package, one.version, one.path, one.first),
    )
    found = {
        place: lines_at(place, folder) for place in places
    }  # file by file, so that each is read once
    for one in references:
        original = found[one.place]
        yield original if isinstance(original, MissingStretch) else _region(one, original)


def _region(reference: Reference, original: Lines) -> ReferencedLines:
    lines = applied(original, reference.changes, original)
    return ReferencedLines(
        reference.place, lines, tuple(_asked(row, lines, original) for row in reference.requests)
    )


def _asked(row: Mapping[str, Any], lines: Lines, original: Lines) -> RegionRequest:
    more = {
        name: value for name, value in row.items() if name not in {"words", "scripts", "selected"}
    }
    selected = (row["selected"][0], row["selected"][1]) if "selected" in row else None
    known = (*lines, *original)
    return RegionRequest(
        row["words"],
        tuple(applied(lines, script, known) for script in row["scripts"]),
        selected,
        more,
    )


def missing_by_package(missing: Iterable[MissingStretch]) -> dict[str, str]:
    """For each package and version, in a sentence, what is not there."""
    found: dict[str, list[MissingStretch]] = {}
    for one in missing:
        found.setdefault(f"{one.place.package} {one.place.version}", []).append(one)
    return {name: _told(found[name]) for name in sorted(found, key=str.lower)}


def _told(missing: Sequence[MissingStretch]) -> str:
    count = f"{len(missing)} region{'s' * (len(missing) != 1)}"
    reasons = Counter(one.why for one in missing)
    if reasons["package"]:
        return f"{count} missing: the package is not there"
    first = missing[0].place
    where = ", ".join(dict.fromkeys(f"{one.place.path}:{one.place.first}" for one in missing[:3]))
    return (
        f"{count} missing: no such lines at {where}{' ...' * (len(missing) > 3)} (hash of "
        f"the first: {first.hash})"
    )


def read_references(path: Path) -> list[Reference]:
    """The references in a file, gzipped where its name ends in .gz.

    Raises:
        UsageError: The file cannot be read or holds something else.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [from_json(json.loads(line)) for line in text.split("\n") if line.strip()]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
        raise UsageError(f"{path} holds no references to code ({e}); give a file of them") from e


def from_json(row: Mapping[str, Any]) -> Reference:
    """A line of a file.

    Raises:
        KeyError, TypeError: It is no reference.
    """
    return Reference(
        PackageStretch(**{name: row[name] for name in _PLACE}),
        row.get("changes", ()),
        row["requests"],
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One request.

    `selected`: 0-based first and last line. `accept`: what is right, empty when no edit is.
    """

    name: str
    instruction: str
    before: tuple[str, ...]
    selected: tuple[int, int] | None
    accept: tuple[tuple[str, ...], ...]
    bug: bool
    path: str = "module.py"
    earlier: tuple[str, ...] = ()
    kind: str = ""
    previous: PreviousEdit | None = None


def read_cases(paths: Iterable[Path], packages: Path) -> list[Case]:
    """The cases of some files.

    Args:
        packages: The folder of unpacked packages.

    Raises:
        UsageError: A file cannot be read or holds no such cases, or code that they are about is not
            in that folder.
    """
    return [case for path in paths for case in _read(path, packages)]


def _read(path: Path, packages: Path) -> list[Case]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        if any("requests" in row for row in rows):
            return _built(path, [from_json(row) for row in rows], packages)
        return [_case(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no cases written by hand ({error}); give a .jsonl file of them"
        ) from error


def _built(path: Path, references: Sequence[Reference], packages: Path) -> list[Case]:
    found = list(resolve(references, packages))
    if missing := missing_by_package(one for one in found if isinstance(one, MissingStretch)):
        told = "; ".join(f"{name}: {what}" for name, what in missing.items())
        raise UsageError(
            f"the code that {path} is about is not all here ({told}); run `spark train fetch "
            f"{path}`"
        )
    return [
        _referred(one, asked)
        for one in found
        if isinstance(one, ReferencedLines)
        for asked in one.asked
    ]


def _referred(region: ReferencedLines, asked: RegionRequest) -> Case:
    return Case(
        asked.more["id"],
        asked.words,
        region.lines,
        asked.selected,
        asked.afters,
        bool(asked.more["bug"]),
        PurePath(region.place.path).name,
        kind=asked.more.get("kind", ""),
    )


def _case(row: dict[str, Any]) -> Case:
    chosen = row["selected"]
    return Case(
        row["id"],
        row["instruction"],
        tuple(row["before"]),
        (chosen[0] - 1, chosen[1] - 1) if chosen else None,
        tuple(map(tuple, row["accept"])),
        bool(row["bug"]),
        row.get("path", "module.py"),
        tuple(row.get("earlier", ())),
        row.get("kind", ""),
        previous_of(row.get("previous")),
    )


def previous_of(row: dict[str, Any] | None) -> PreviousEdit | None:
    """The accepted edit that a request goes on from, if it tells one.

    Raises:
        KeyError, TypeError: It is none.
    """
    return PreviousEdit(row["path"], row["words"], tuple(row["script"])) if row else None


def is_right(case: Case, lines: Sequence[str] | None) -> bool:
    """Whether an answer (None: no edit) is one of those accepted; blank lines and layout do not
    count, comments do.
    """
    if lines is None:
        return not case.accept
    return any(_same(lines, wanted) for wanted in case.accept)


def _same(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    if [line.rstrip() for line in lines] == [line.rstrip() for line in wanted]:
        return True
    tree = tree_of(lines)
    return tree is not None and tree == tree_of(wanted) and _comments(lines) == _comments(wanted)


def _comments(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.lstrip().startswith("#")]


def tree_of(lines: Sequence[str]) -> str | None:
    """The syntax tree as text, or None when the lines do not parse."""
    try:
        return ast.dump(ast.parse(textwrap.dedent("\n".join(lines))))
    except (SyntaxError, ValueError, RecursionError):
        return None
