"""Resolves references to the code of packages, and makes cases of them.

The repository holds no code of others, only where it stands (package, version, path, line, and a
hash that tells whether it is still the same), and the words and the edits, which are our own.

A file of references holds a JSON object a line:

    package, version, path, first (1-based), count, hash: the lines of a package
    changes: a script that makes of them the region that was asked about, where something was
        planted
    requests: words, scripts (each of them right; none: no edit is), selected, and more

Scripts of a request may refer to the lines of the region and, behind them, those of the package;
`changes` may refer to those of the package.

A file of cases holds a JSON object a line: a reference whose requests have an id, bug (true or
false), and perhaps a kind; or, for code of one's own, id, instruction, before (lines), selected
(1-based first and last line, or null), accept (a list of after-lines; empty: the right answer is no
edit), bug, and perhaps kind, path, earlier (words that the instruction corrects) and previous (the
accepted edit that the instruction goes on from).

A script is a list of operations, each a list: its code, then its values. Lines are those of the
region, counted from 0, so that the order of operations does not matter; only renamings are done
last, on what the others leave.

    ["R", first, last, lines]   lines first..last (inclusive) become these
    ["I", after, lines]         these come in after a line (-1: before everything)
    ["D", first, last]          they go away
    ["IND", first, last]        they move one indentation unit to the right; blank lines stay
    ["DED", first, last]        and to the left
    ["S", old, new]             an identifier is renamed wherever it is used

A new line is text of ours, or [line, start, count, text, ...]: a line already known, and the text
in the place of so many characters from a start on.
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

from spark_tui.editing.formats.indentation import layout_of
from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.identifiers import substitute
from spark_tui.errors import UsageError

PYTHON = "python"
"""The package that stands for the standard library, which is read from the running Python."""


@dataclass(frozen=True, slots=True)
class PackageStretch:
    """A stretch of a package's file.

    Attributes:
        package: The name of the package.
        version: Its version.
        path: The file.
        first: The line at which the stretch begins, from 1.
        count: The number of lines.
        hash: The hash of the lines.
    """

    package: str
    version: str
    path: str
    first: int
    count: int
    hash: str


@dataclass(frozen=True, slots=True)
class MissingStretch:
    """A stretch that was not found.

    Attributes:
        place: The stretch.
        why: The first thing that was missing: "package", "file" or "hash".
    """

    place: PackageStretch
    why: str


def folder_name(package: str, version: str) -> str:
    """Return the name of the folder of an unpacked package.

    Names that an index takes for the same are the same.
    """
    return f"{re.sub(r'[-_.]+', '-', package).lower()}-{version}"


def hash_of(lines: Sequence[str]) -> str:
    """Return a hash of the bytes of lines."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", errors="surrogatepass")).hexdigest()[:16]


def lines_at(place: PackageStretch, folder: Path) -> tuple[str, ...] | MissingStretch:
    """Return the lines of a place.

    Where a file has grown or shrunk before them, they are found by their hash.

    Args:
        place: The place.
        folder: Holds a folder for every package, named by `folder_name`.
    """
    home = folder / folder_name(place.package, place.version)
    if place.package == PYTHON:
        home = Path(sysconfig.get_paths()["stdlib"])
    if not home.is_dir():
        return MissingStretch(place, "package")
    lines = read_lines(home / place.path)
    if not lines:
        return MissingStretch(place, "file")
    # The nearest first: the lines have hardly moved far.
    starts = range(len(lines) - place.count + 1)
    for start in sorted(starts, key=lambda start: abs(start - (place.first - 1))):
        stretch = lines[start : start + place.count]
        if hash_of(stretch) == place.hash:
            return stretch
    return MissingStretch(place, "hash")


@lru_cache(maxsize=64)
def read_lines(path: Path) -> tuple[str, ...]:
    """Return a file's lines without line endings, blank ones empty.

    Returns:
        No lines where the file cannot be read as text.
    """
    try:
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(without_blanks(text.split("\n")))


def without_blanks(lines: Iterable[str]) -> list[str]:
    """Empty the lines that hold nothing but white space."""
    return ["" if line.isspace() else line for line in lines]


Lines = tuple[str, ...]
Operation = list[Any]


def applied(lines: Lines, script: Iterable[Operation], known: Lines) -> Lines:
    """Apply a script to the lines of a region.

    Args:
        lines: Without endings.
        script: The operations.
        known: The lines that new ones may refer to.

    Raises:
        ValueError: An operation of no known kind.
        IndexError: A reference to a line that is not known.
    """
    # Operations fill two tables by the old line numbers, so their order does not matter.
    unit = layout_of(lines).unit
    # What stands in the place of each line, and what comes in behind it.
    replaced = [[line] for line in lines]
    inserted = dict[int, list[str]]()
    renamed: list[tuple[str, str]] = []
    for code, *values in script:
        first, last = values[:2]
        match code:
            case "R":
                _remove(replaced, first, last)
                replaced[first] = _written(values[2], known)
            case "I":
                inserted[first] = _written(last, known)
            case "D":
                _remove(replaced, first, last)
            case "IND":
                replaced[first : last + 1] = _indented(lines[first : last + 1], unit)
            case "DED":
                replaced[first : last + 1] = _dedented(lines[first : last + 1], unit)
            case "S":
                renamed.append((first, last))
            case _:
                raise ValueError(f"unknown operation {code!r}")
    after = _joined(replaced, inserted)
    # renamings last: they also rename what the other operations wrote
    for old, new in renamed:
        after = substitute(after, old, new)
    return tuple(after)


def _remove(replaced: list[list[str]], first: int, last: int) -> None:
    for number in range(first, last + 1):
        replaced[number] = []


def _indented(lines: Iterable[str], unit: str) -> list[list[str]]:
    indented: list[list[str]] = []
    for line in lines:
        indented.append([unit + line if line.strip() else line])
    return indented


def _dedented(lines: Iterable[str], unit: str) -> list[list[str]]:
    dedented: list[list[str]] = []
    for line in lines:
        dedented.append([line.removeprefix(unit) if line.strip() else line])
    return dedented


def _joined(replaced: Sequence[list[str]], inserted: Mapping[int, list[str]]) -> list[str]:
    lines = list(inserted.get(-1, []))
    for number, new_lines in enumerate(replaced):
        lines += new_lines
        lines += inserted.get(number, [])
    return lines


def _written(lines: Iterable[str | list[Any]], known: Lines) -> list[str]:
    written: list[str] = []
    for line in lines:
        if isinstance(line, str):
            written.append(line)
        else:
            written.append(_spliced(line, known))
    return written


def _spliced(reference: list[Any], known: Lines) -> str:
    """Return a known line with other text in some places."""
    number, *values = reference
    line: str = known[number]
    text = ""
    # Starts count in the known line, so the text between two of them is copied as it is.
    position = 0
    for start, count, new in zip(values[::3], values[1::3], values[2::3], strict=True):
        text += line[position:start] + new
        position = start + count
    return text + line[position:]


_PLACE = tuple(field_.name for field_ in fields(PackageStretch))


@dataclass(frozen=True, slots=True)
class RegionRequest:
    """A request about a region.

    Attributes:
        words: The instruction.
        afters: The right results; none where no edit is right.
        selected: The first and the last line, from 0.
        more: The other entries of its row.
    """

    words: str
    afters: tuple[Lines, ...]
    selected: tuple[int, int] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReferencedLines:
    """Lines with requests.

    Attributes:
        place: Where the lines, or those they were made from, stand.
        lines: The lines.
        asked: The requests.
    """

    place: PackageStretch
    lines: Lines
    asked: tuple[RegionRequest, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A region without its code; `changes` and `requests` are as in the file of references."""

    place: PackageStretch
    changes: Sequence[Operation]
    requests: Sequence[Mapping[str, Any]]


def resolve(
    references: Sequence[Reference], folder: Path
) -> Iterator[ReferencedLines | MissingStretch]:
    """Yield the regions, in order, each of lines whose hash was checked.

    Where the lines are not found, what is missing is yielded instead.

    Args:
        references: The references.
        folder: Holds the unpacked packages (see `lines_at`).
    """
    places = {reference.place for reference in references}
    stretches = {}
    for place in sorted(places, key=_file_order):  # each file is read once
        stretches[place] = lines_at(place, folder)
    for reference in references:
        original = stretches[reference.place]
        if isinstance(original, MissingStretch):
            yield original
        else:
            yield _region(reference, original)


def _file_order(place: PackageStretch) -> tuple[str, str, str, int]:
    return place.package, place.version, place.path, place.first


def _region(reference: Reference, original: Lines) -> ReferencedLines:
    lines = applied(original, reference.changes, original)
    requests = tuple(_request(row, lines, original) for row in reference.requests)
    return ReferencedLines(reference.place, lines, requests)


def _request(row: Mapping[str, Any], lines: Lines, original: Lines) -> RegionRequest:
    more = dict(row)
    words = more.pop("words")
    scripts = more.pop("scripts")
    selected = more.pop("selected", None)
    if selected is not None:
        selected = (selected[0], selected[1])
    known = (*lines, *original)
    afters = tuple(applied(lines, script, known) for script in scripts)
    return RegionRequest(words, afters, selected, more)


def missing_by_package(missing: Iterable[MissingStretch]) -> dict[str, str]:
    """Say in a sentence for each package and version what is missing."""
    stretches: dict[str, list[MissingStretch]] = {}
    for stretch in missing:
        name = f"{stretch.place.package} {stretch.place.version}"
        stretches.setdefault(name, []).append(stretch)
    return {name: _summary(stretches[name]) for name in sorted(stretches, key=str.lower)}


def _summary(missing: Sequence[MissingStretch]) -> str:
    count = "1 region" if len(missing) == 1 else f"{len(missing)} regions"
    reasons = Counter(stretch.why for stretch in missing)
    if reasons["package"]:
        return f"{count} missing: the package is not there"
    first = missing[0].place
    places = [f"{stretch.place.path}:{stretch.place.first}" for stretch in missing[:3]]
    where = ", ".join(dict.fromkeys(places))
    if len(missing) > 3:
        where += " ..."
    return f"{count} missing: no such lines at {where} (hash of the first: {first.hash})"


def read_references(path: Path) -> list[Reference]:
    """Read the references in a file, gzipped where its name ends in .gz.

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
    """Make a reference of a line of a file.

    Raises:
        KeyError, TypeError: The line is no reference.
    """
    return Reference(
        PackageStretch(**{name: row[name] for name in _PLACE}),
        row.get("changes", ()),
        row["requests"],
    )


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """One request with its right answers.

    Attributes:
        name: Its name.
        instruction: The words.
        before: The lines of the region.
        selected: The first and the last line, from 0.
        accept: The right results; empty when no edit is right.
        bug: Whether the edit mends a bug.
        path: The name of the file.
        earlier: Words that the instruction corrects.
        kind: The kind of the request.
        previous: The accepted edit that the instruction goes on from.
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


def read_cases(paths: Iterable[Path], packages: Path) -> list[ReferenceCase]:
    """Read the cases of some files.

    Args:
        paths: The files.
        packages: The folder of unpacked packages.

    Raises:
        UsageError: A file cannot be read or holds no such cases, or code that they are about is not
            in that folder.
    """
    cases = []
    for path in paths:
        cases += _read(path, packages)
    return cases


def _read(path: Path, packages: Path) -> list[ReferenceCase]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        if any("requests" in row for row in rows):
            return _built(path, [from_json(row) for row in rows], packages)
        return [_case(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no cases written by hand ({error}); give a .jsonl file of them"
        ) from error


def _built(path: Path, references: Sequence[Reference], packages: Path) -> list[ReferenceCase]:
    cases = []
    missing = []
    for region in resolve(references, packages):
        if isinstance(region, MissingStretch):
            missing.append(region)
            continue
        cases += [_referred(region, request) for request in region.asked]
    if missing:
        problems = "; ".join(
            f"{name}: {problem}" for name, problem in missing_by_package(missing).items()
        )
        raise UsageError(
            f"the code that {path} is about is not all here ({problems}); run `spark train fetch "
            f"{path}`"
        )
    return cases


def _referred(region: ReferencedLines, request: RegionRequest) -> ReferenceCase:
    return ReferenceCase(
        request.more["id"],
        request.words,
        region.lines,
        request.selected,
        request.afters,
        bool(request.more["bug"]),
        PurePath(region.place.path).name,
        kind=request.more.get("kind", ""),
    )


def _case(row: dict[str, Any]) -> ReferenceCase:
    selected = None
    if row["selected"]:
        first, last = row["selected"]
        selected = (first - 1, last - 1)
    return ReferenceCase(
        row["id"],
        row["instruction"],
        tuple(row["before"]),
        selected,
        tuple(map(tuple, row["accept"])),
        bool(row["bug"]),
        row.get("path", "module.py"),
        tuple(row.get("earlier", ())),
        row.get("kind", ""),
        previous_of(row.get("previous")),
    )


def previous_of(row: dict[str, Any] | None) -> PreviousEdit | None:
    """Return the accepted edit that a request goes on from, if there is one.

    Raises:
        KeyError, TypeError: The row is no edit.
    """
    if not row:
        return None
    return PreviousEdit(row["path"], row["words"], tuple(row["script"]))


def is_right(case: ReferenceCase, lines: Sequence[str] | None) -> bool:
    """Whether an answer is one of those accepted.

    Blank lines and layout do not count, comments do.

    Args:
        case: The case.
        lines: The answer; None for no edit.
    """
    if lines is None:
        return not case.accept
    return any(_same(lines, accepted) for accepted in case.accept)


def _same(lines: Sequence[str], accepted: Sequence[str]) -> bool:
    if [line.rstrip() for line in lines] == [line.rstrip() for line in accepted]:
        return True
    # Code that parses to the same tree differs in layout only, and comments are in no tree.
    tree = tree_of(lines)
    if tree is None or tree != tree_of(accepted):
        return False
    return _comments(lines) == _comments(accepted)


def _comments(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.lstrip().startswith("#")]


def tree_of(lines: Sequence[str]) -> str | None:
    """Return the syntax tree as text, or None when the lines do not parse."""
    try:
        return ast.dump(ast.parse(textwrap.dedent("\n".join(lines))))
    except (SyntaxError, ValueError, RecursionError):
        return None
