"""Training examples as values and as files: a region and the requests made about it."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_tui.editing.script import Dedent, Delete, Indent, Insert, LineOp, Replace, Substitute

_OP_CODES: dict[str, type[LineOp]] = {
    "R": Replace, "I": Insert, "D": Delete, "S": Substitute, "IND": Indent, "DED": Dedent
}  # fmt: skip
_CODE_OF = {kind: code for code, kind in _OP_CODES.items()}


@dataclass(frozen=True, slots=True)
class Example:
    """One request and the script that answers it. `selected`: 0-based first and last line, or None."""

    kind: str
    ops: tuple[LineOp, ...]
    instruction: str
    selected: tuple[int, int] | None
    family: str
    held_out: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A region and the requests made about it."""

    before: tuple[str, ...]
    examples: tuple[Example, ...]


def write_groups(path: Path, found: Iterable[Group]) -> int:
    """Write groups as gzipped JSON lines; the same groups give the same bytes. Returns: how many."""
    count = 0
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for group in found:
            file.write((json.dumps(_to_json(group), ensure_ascii=False, separators=(",", ":")) + "\n").encode())
            count += 1
    return count


def read_groups(path: Path) -> Iterator[Group]:
    """The groups of a file that `write_groups` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield _from_json(json.loads(line))


def _to_json(group: Group) -> list[object]:
    examples = [
        [one.kind, [op_to_row(op) for op in one.ops], one.instruction, one.selected, one.family, int(one.held_out)]
        for one in group.examples
    ]
    return ["\n".join(group.before), examples]


def op_to_row(op: LineOp) -> list[object]:
    """An operation as a list that JSON can hold: its code, then its values."""
    values: list[object] = [getattr(op, name) for name in op.__match_args__]
    return [_CODE_OF[type(op)], *values]


def _from_json(row: list[Any]) -> Group:
    before, examples = row
    return Group(tuple(before.split("\n")), tuple(map(_example_from_json, examples)))


def _example_from_json(row: list[Any]) -> Example:
    kind, ops, instruction, selected, family, held_out = row
    chosen = (selected[0], selected[1]) if selected else None
    return Example(kind, tuple(map(op_from_row, ops)), instruction, chosen, family, bool(held_out))


def op_from_row(row: list[Any]) -> LineOp:
    """The inverse of `op_to_row`."""
    code, *values = row
    build: Callable[..., LineOp] = _OP_CODES[code]
    return build(*(tuple(value) if isinstance(value, list) else value for value in values))
