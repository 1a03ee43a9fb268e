"""The comma after the last of several elements, one a line."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Position, end_of, header, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.layout_told import layout_told
from spark_tui.editing.codemods.common.tidy import Spot, choices
from spark_tui.editing.snippet import Snippet

_REMOVES = re.compile(
    r"\b(remove|drop(?! in)|delete|strip|unneeded|unnecessary|redundant|superfluous|COM819|C819"
    r"|prohibited|get rid of)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\b(add|missing|lacks?|lacking|COM812|C81[2-6]|insert|append|forgot)\b", re.IGNORECASE)
_CLOSERS = {")": "(", "]": "[", "}": "{"}


class TrailingComma(Codemod):
    """A call, literal, def or import over several lines gets the comma after its last element, or loses it."""

    kind: ClassVar[str] = "trailing_comma"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All that lack one, those of a function, each alone; then those that have one, unless that is ruled out.

        Before them the layout that the words ask for.
        """
        yield from (between(before, lines) for lines in layout_told(before, request.instruction))
        adds, removes = (pattern.search(request.instruction) is not None for pattern in (_ADDS, _REMOVES))
        found = spots(before)
        for sort in ("add", "remove"):
            if adds == removes or (adds if sort == "add" else removes):
                yield from choices(before, [one for one in found if one.sort == sort], request)


def spots(before: Snippet) -> list[Spot]:
    """Every place for a comma (`add`) and every comma that could go (`remove`), by place."""
    found = {}
    for node in before.nodes:
        for opening, closing, last in _brackets(before, node):
            if spot := _at(before, opening, closing, last, isinstance(node, ast.Tuple) and len(node.elts) == 1):
                found[spot.start] = spot
    return [found[start] for start in sorted(found)]


def _at(before: Snippet, opening: Position, closing: Position, last: Position, needed: bool) -> Spot | None:
    """Args: last: where the last element ends, without any parentheses around it. needed: the comma makes a tuple."""
    row, column = last
    line = before.lines[row]
    rest = line[column : closing[1]] if row == closing[0] else line[column:]
    code = re.match(r"[\s)]*(,?)", rest)
    assert code is not None
    if row == closing[0]:
        gone = re.fullmatch(r"[\s)]*?(\s*,\s*)", rest)
        start = column + gone.start(1) if gone else 0
        return Spot((row, start), closing, "", "remove") if gone and not needed and opening[0] == row else None
    alone = not before.lines[closing[0]][: closing[1]].strip()
    tail = rest[code.end() :].strip()
    if not alone or any(
        line.strip() and not line.strip().startswith("#") for line in before.lines[row + 1 : closing[0]]
    ):
        return None
    if tail and not tail.startswith("#"):
        return None
    end = column + code.start(1)
    if code[1]:
        return None if needed else Spot((row, end), (row, end + 1), "", "remove")
    return Spot((row, len(line[:end].rstrip())), (row, len(line[:end].rstrip())), ",", "add")


def _brackets(before: Snippet, node: ast.AST) -> Iterator[tuple[Position, Position, Position]]:
    """The brackets around several elements: where they open and close, and where the last element ends."""
    match node:
        case ast.Call(func=func, args=args, keywords=keywords) if args or keywords:
            ends = [*(end_of(before, one) for one in args), *(end_of(before, one) for one in keywords)]
            if not (len(ends) == 1 and args and isinstance(args[0], ast.GeneratorExp)):
                yield end_of(before, func), _before(end_of(before, node)), max(ends)
        case ast.List(elts=elts) | ast.Set(elts=elts) | ast.Tuple(elts=elts) if elts:
            end = _before(end_of(before, node))
            if before.lines[end[0]][end[1] : end[1] + 1] in _CLOSERS and start_of(before, node) != start_of(
                before, elts[0]
            ):
                yield start_of(before, node), end, end_of(before, elts[-1])
        case ast.Dict(values=[*_, value]):
            yield start_of(before, node), _before(end_of(before, node)), end_of(before, value)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _parameters(before, node)
        case ast.ImportFrom(names=[*_, name]) if name.name != "*" and before.lines[
            (node.end_lineno or 1) - 1
        ].rstrip().endswith(")"):
            row = (name.end_lineno or 1) - 1
            shift = len(before.margin)
            yield start_of(before, node), _before(end_of(before, node)), (row, (name.end_col_offset or 0) + shift)


def _parameters(
    before: Snippet, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[Position, Position, Position]]:
    spec = node.args
    nodes: list[ast.expr | ast.arg] = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *spec.defaults]
    nodes += [one for one in (*spec.kw_defaults, spec.vararg, spec.kwarg) if one]
    if nodes and node.lineno != node.body[0].lineno and (head := header(before, node)):
        yield head.opening, head.closing, max(end_of(before, one) for one in nodes)


def _before(place: Position) -> Position:
    return place[0], place[1] - 1
