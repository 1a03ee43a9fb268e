"""Every bound, index or comparison moved by one."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.snippet import Snippet

_FLIPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
}  # fmt: skip
Change = tuple[Position, Position, str]


class OffByOne(Codemod):
    """A comparison made strict or not, or a whole-number expression one more or one less."""

    kind: ClassVar[str] = "off_by_one"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Comparisons, arguments of range, indices, ends of slices; taking back a `+ 1` or `- 1` comes first."""
        for node in ast.walk(before.tree):
            for start, end, text in _changes(before, node):
                yield between(before, splice(before.lines, start, end, text))


def _changes(before: Snippet, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as sort], comparators=[right]):
            start, end = end_of(before, left), start_of(before, right)
            old, new = _FLIPPED[type(sort)]
            if start[0] == end[0] and (between_text := before.lines[start[0]][start[1] : end[1]]).strip() == old:
                yield start, end, between_text.replace(old, new)
            yield from _moved(before, right)
        case ast.Call(func=ast.Name(id="range"), args=bounds):
            for bound in bounds[:2]:
                yield from _moved(before, bound)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
            for bound in filter(None, (lower, upper)):
                yield from _moved(before, bound)
        case ast.Subscript(slice=index):
            yield from _moved(before, index)


def _moved(before: Snippet, node: ast.expr) -> Iterator[Change]:
    source = text_of(before, node)
    if not source:
        return
    start, end = start_of(before, node), end_of(before, node)
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if text_of(before, left):
            yield start, end, text_of(before, left)
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            for number in (value - 1, value + 1):
                yield start, end, str(number)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            for operator in "-+":
                yield start, end, f"{source} {operator} 1"
