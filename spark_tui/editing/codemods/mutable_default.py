"""Every mutable default made None, with a fresh one made in the body."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH, Function, Position
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_named, surely_named
from spark_tui.editing.script import Insert, LineOp, Replace
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, top_of

_MAKERS = frozenset(
    ["list", "dict", "set", "bytearray", "defaultdict", "OrderedDict", "Counter", "deque"]
)  # what is called to make a fresh one
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MANY = re.compile(r"\bdefaults\b|\b(default|mutable) (arguments|values)\b|\bevery\b|\ball\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A parameter with a mutable default; a new first statement of its function goes below the 0-based line `after`."""

    function: Function
    parameter: ast.arg
    value: str
    start: Position
    end: Position
    after: int
    indent: str


_SHARED = re.compile(
    r"(?i)\b(?:all|every|each|both|two)(?: the)? \w+ (?:has|have|shares?|gets?|sees?|uses?)"
    r" (?:the same|one) `?(?P<name>\w+)"
)
_NO_DISPLAY = re.compile(
    r"(?i)(?:the |this |a )?default(?: value)? (?:(?:should|must|may|can) ?(?:not|n[o']?t) be|isn'?t to be)"
    r" (?:mutable|shared|an? (?:mutable |empty |shared )?(?:list|dict|dictionary|set|value|object))\W*"
)


class MutableDefault(Codemod):
    """`x=[]` becomes `x=None`, with `if x is None:` and `x = []` at the top of the body."""

    kind: ClassVar[str] = "mutable_default"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one default that all are told to share, or that is told not to be one: "must not be a list"."""
        told, found = _SHARED.search(request.instruction), occasions(before)
        if _NO_DISPLAY.fullmatch(request.instruction) and len(found) == 1 and (ops := fixed(before, found)):
            return [ops]
        named = [one for one in found if told and one.parameter.arg == told["name"]]
        edits = list(self.edits(before, request)) if len(named) == 1 else []
        return edits if len(edits) == 1 else []

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All of a region that speaks of several, all of a function, or one."""
        found = occasions(before)
        if named := functions_named(before, request.instruction):
            found = [one for one in found if one.function in named] or found
        names = surely_named(request.instruction, [one.parameter.arg for one in found])
        found = [one for one in found if not names or one.parameter.arg in names]
        groups = [[one for one in found if one.function is function] for function in before.functions]
        if _MANY.search(request.instruction) and not names:
            groups = [found, *groups]
        for group in (*(group for group in groups if len(group) > 1), *([one] for one in found)):
            if ops := fixed(before, group):
                yield ops


def occasions(snippet: Snippet) -> list[Occasion]:
    """Every mutable default that can be replaced, in source order."""
    return [
        one
        for function in snippet.functions
        for parameter in code.parameters(function)
        if (one := _occasion(snippet, function, parameter))
    ]


def fixed(snippet: Snippet, group: Sequence[Occasion]) -> Ops | None:
    """The edit that replaces these defaults, or None where a line gets too long."""
    lines: dict[int, str] = {}
    added: dict[int, list[str]] = {}
    for one in sorted(group, key=lambda one: one.start, reverse=True):
        row = one.start[0]
        line = lines.get(row, snippet.lines[row])
        lines[row] = line[: one.start[1]] + _signature(snippet, one) + line[one.end[1] :]
    for one in group:
        name, unit = one.parameter.arg, snippet.layout.unit
        added.setdefault(one.after, []).extend(
            (f"{one.indent}if {name} is None:", f"{one.indent}{unit}{name} = {one.value}")
        )
    if any(len(line) > MAX_WIDTH for line in lines.values()):
        return None
    return tuple(sorted([*_replaced(lines), *(Insert(at, tuple(new)) for at, new in added.items())], key=_line))


def is_mutable(node: ast.expr) -> bool:
    """Whether an expression makes a fresh object that can change."""
    called = dotted(node.func) if isinstance(node, ast.Call) else None
    return isinstance(node, _DISPLAYS) or (called or "").rpartition(".")[2] in _MAKERS


def _occasion(snippet: Snippet, function: Function, parameter: ast.arg) -> Occasion | None:
    default = default_of(function, parameter)
    value = code.text_of(snippet, default) if default and is_mutable(default) else ""
    top = top_of(snippet, function) if value else None
    if not default or not top:
        return None
    start = code.end_of(snippet, parameter.annotation) if parameter.annotation else code.start_of(snippet, default)
    end = code.end_of(snippet, default)
    return Occasion(function, parameter, value, start, end, *top) if start[0] == end[0] else None


def _signature(snippet: Snippet, one: Occasion) -> str:
    """What comes in the place of the default; a type then says that it may be None."""
    if one.parameter.annotation is None:
        return "None"
    row, column = one.start
    between = snippet.lines[row][column : one.end[1]].removesuffix(one.value)
    kind = code.text_of(snippet, one.parameter.annotation)
    may = "" if re.search(r"\bNone\b|\bOptional\b|^Any$|^['\"]", kind) or not kind else " | None"
    return f"{may}{between}None"


def _replaced(lines: dict[int, str]) -> Iterator[Replace]:
    """One operation for lines that follow each other."""
    rows = sorted(lines)
    while rows:
        last = 1
        while last < len(rows) and rows[last] == rows[0] + last:
            last += 1
        yield Replace(rows[0], rows[last - 1], tuple(lines[row] for row in rows[:last]))
        rows = rows[last:]


def _line(op: LineOp) -> tuple[int, int]:
    return (op.after, 1) if isinstance(op, Insert) else (getattr(op, "first", 0), 0)
