"""References to other people's code: the repository holds where it stands, the words and the edits, which are ours.

A file holds a JSON object a line:

    package, version, path, first (1-based), count, hash: the lines of a package (see `places`)
    changes: what turns them into the region that was asked about, where something was planted
    requests: words, scripts (each of them right; none: no edit is), selected, and what else is told of a request

A script is a list of operations, each a list: its code, then its values; lines are counted from 0. A new line is text
of ours, or
[line, start, count, text, ...]: a line already known, and what stands in it for so many characters from a start on.
Known are, to a request, the region's lines and, behind them, the package's; to a change, the package's.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from spark_tui.editing.layout import Layout
from spark_tui.errors import UsageError
from spark_tui.training.places import Missing, Place, lines_at
from spark_tui.training.script import (
    Dedent,
    Delete,
    Indent,
    Insert,
    LineOp,
    Replace,
    Substitute,
    apply_script,
    write_script,
)

Script = tuple[LineOp, ...]
Lines = tuple[str, ...]
Row = list[Any]

_OP_CODES: dict[str, type[LineOp]] = {
    "R": Replace, "I": Insert, "D": Delete, "S": Substitute, "IND": Indent, "DED": Dedent
}  # fmt: skip
_CODE_OF = {kind: code for code, kind in _OP_CODES.items()}
_LEAST_KEPT = 0.4
"""The share of a new line's characters from which on it refers to a known line."""
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_PLACE = tuple(one.name for one in fields(Place))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about a region.

    `scripts`: each is right; none: no edit is. `selected`: 0-based first and last line. `more`: what else is told.
    """

    words: str
    scripts: tuple[Script, ...]
    selected: tuple[int, int] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that something was asked about, and the place of the code that they are, or were made from."""

    place: Place
    lines: Lines
    asked: tuple[Asked, ...]

    def after(self, script: Script) -> Lines:
        """The lines that a script makes of the region's."""
        return _applied(self.lines, script)


@dataclass(frozen=True, slots=True)
class Reference:
    """A region without its code: `changes` and `requests` are as their file holds them."""

    place: Place
    changes: tuple[Row, ...]
    requests: tuple[Mapping[str, Any], ...]


def refer(place: Place, original: Lines, lines: Lines, asked: Iterable[Asked]) -> Reference:
    """A region as a reference. Args: original: the package's lines, of which `lines` were made."""
    changes = script_between(original, lines)
    known = (*lines, *original)
    return Reference(place, tuple(_packed(changes, original)), tuple(_request(one, known) for one in asked))


def script_between(before: Lines, after: Lines) -> Script:
    """The script that makes `after` of `before`."""
    return write_script(before, after, unit=Layout.of(before).unit)


def _applied(lines: Lines, script: Iterable[LineOp]) -> Lines:
    return tuple(apply_script(lines, script, unit=Layout.of(lines).unit))


def resolve(references: Sequence[Reference], folder: Path) -> Iterator[Region | Missing]:
    """The regions, in order, each of lines whose hash was checked; where these are not found, what is missing.

    Args: folder: holds the unpacked packages (see `places.lines_at`).
    """
    found = _originals({one.place for one in references}, folder)
    for one in references:
        original = found[one.place]
        yield original if isinstance(original, Missing) else _region(one, original)


def _originals(places: Iterable[Place], folder: Path) -> dict[Place, Lines | Missing]:
    """File by file, so that each is read once."""
    ordered = sorted(places, key=lambda one: (one.package, one.version, one.path, one.first))
    return {one: lines_at(one, folder) for one in ordered}


def _region(reference: Reference, original: Lines) -> Region:
    lines = _applied(original, _unpacked(reference.changes, original))
    known = (*lines, *original)
    return Region(reference.place, lines, tuple(_asked(row, known) for row in reference.requests))


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


def write_references(path: Path, references: Iterable[Reference]) -> int:
    """Write references, gzipped where the name ends in .gz; the same give the same bytes. Returns: how many."""
    rows = [_to_json(one) for one in references]
    data = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return len(rows)


def read_references(path: Path) -> list[Reference]:
    """What `write_references` wrote. Raises: UsageError: the file cannot be read or holds something else."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [from_json(json.loads(line)) for line in text.split("\n") if line.strip()]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
        raise UsageError(f"{path} holds no references to code ({e}); give a file of them") from e


def _to_json(reference: Reference) -> dict[str, Any]:
    changes = {"changes": reference.changes} if reference.changes else {}
    return {**asdict(reference.place), **changes, "requests": reference.requests}


def from_json(row: Mapping[str, Any]) -> Reference:
    """A line of a file. Raises: KeyError, TypeError: it is no reference."""
    place = Place(**{name: row[name] for name in _PLACE})
    return Reference(place, tuple(row.get("changes", ())), tuple(row["requests"]))


def _request(asked: Asked, known: Lines) -> dict[str, Any]:
    selected = {"selected": list(asked.selected)} if asked.selected else {}
    return {"words": asked.words, "scripts": [_packed(one, known) for one in asked.scripts], **selected, **asked.more}


def _asked(row: Mapping[str, Any], known: Lines) -> Asked:
    more = {name: value for name, value in row.items() if name not in {"words", "scripts", "selected"}}
    selected = (row["selected"][0], row["selected"][1]) if "selected" in row else None
    return Asked(row["words"], tuple(_unpacked(one, known) for one in row["scripts"]), selected, more)


def _packed(script: Iterable[LineOp], known: Lines) -> list[Row]:
    rows = ([_CODE_OF[type(op)], *(getattr(op, name) for name in op.__match_args__)] for op in script)
    return [[[_held(each, known) for each in one] if isinstance(one, tuple) else one for one in row] for row in rows]


def _unpacked(rows: Iterable[Row], known: Lines) -> Script:
    read = ([[_line(each, known) for each in one] if isinstance(one, list) else one for one in row] for row in rows)
    return tuple(map(_op, read))


def _op(row: Row) -> LineOp:
    code, *values = row
    build: Callable[..., LineOp] = _OP_CODES[code]
    return build(*(tuple(value) if isinstance(value, list) else value for value in values))


def _held(line: str, known: Lines) -> str | Row:
    """A new line as text, or by the known one that it is most like."""
    if not line.strip() or not known:
        return line
    if line in known:
        return [known.index(line)]
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(_PIECE.findall(line))
    ratios = []
    for number, one in enumerate(known):
        matcher.set_seq1(_PIECE.findall(one))
        ratios.append((matcher.quick_ratio(), -number))
    number = -max(ratios)[1]
    pieces = _PIECE.findall(known[number])
    matcher.set_seq1(pieces)
    spliced = _spliced(pieces, line, matcher)
    new = sum(len(text.strip()) for text in spliced[2::3])
    return [number, *spliced] if len(line.strip()) - new >= _LEAST_KEPT * len(line.strip()) else line


def _spliced(pieces: Sequence[str], line: str, matcher: SequenceMatcher[str]) -> list[Any]:
    """What is put into a line cut into pieces: start, count and text, again and again."""
    wanted, found = _PIECE.findall(line), list[Any]()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            start = len("".join(pieces[:i1]))
            found += [start, len("".join(pieces[i1:i2])), "".join(wanted[j1:j2])]
    return found


def _line(held: str | Row, known: Lines) -> str:
    if isinstance(held, str):
        return held
    number, *spliced = held
    line, text = known[number], ""
    at = 0
    for start, count, new in zip(spliced[::3], spliced[1::3], spliced[2::3], strict=True):
        text += line[at:start] + new
        at = start + count
    return text + line[at:]
