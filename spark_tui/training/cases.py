"""Cases written by hand: requests as people type them, with every answer that is right.

A file holds one JSON object a line: a reference to code (see `references`) whose requests have an id, bug (true or
false), and perhaps a kind; or, for code of one's own, id, instruction, before (lines), selected (1-based first and last
line, or null), accept (a list of after-lines; empty: the right answer is no edit), bug, and perhaps kind, path, earlier
(words that the instruction corrects) and previous (the accepted edit that the instruction goes on from).
"""

import ast
import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from spark_tui.editing.quoting import PreviousEdit
from spark_tui.errors import UsageError
from spark_tui.training.places import Missing
from spark_tui.training.references import Asked, Reference, Region, from_json, missing_by_package, resolve


@dataclass(frozen=True, slots=True)
class Case:
    """One request. `selected`: 0-based first and last line. `accept`: what is right, empty when no edit is."""

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

    Args: packages: the folder of unpacked packages.
    Raises: UsageError: a file cannot be read or holds no such cases, or code that they are about is not in that folder.
    """
    return [case for path in paths for case in _read(path, packages)]


def _read(path: Path, packages: Path) -> list[Case]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        if any("requests" in row for row in rows):
            return _built(path, [from_json(row) for row in rows], packages)
        return [_case(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} holds no cases written by hand ({error}); give a .jsonl file of them") from error


def _built(path: Path, references: Sequence[Reference], packages: Path) -> list[Case]:
    found = list(resolve(references, packages))
    if missing := missing_by_package(one for one in found if isinstance(one, Missing)):
        told = "; ".join(f"{name}: {what}" for name, what in missing.items())
        raise UsageError(f"the code that {path} is about is not all here ({told}); run `spark train fetch {path}`")
    return [_referred(one, asked) for one in found if isinstance(one, Region) for asked in one.asked]


def _referred(region: Region, asked: Asked) -> Case:
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
    """The accepted edit that a request goes on from, if it tells one. Raises: KeyError, TypeError: it is none."""
    return PreviousEdit(row["path"], row["words"], tuple(row["script"])) if row else None


def is_right(case: Case, lines: Sequence[str] | None) -> bool:
    """Whether an answer (None: no edit) is one of those accepted; blank lines and layout do not count, comments do."""
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
