"""Neighbouring statements in the other order."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places

_FIXED = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Import, ast.ImportFrom, ast.ClassDef, Function)


def swapped_statements(before: Snippet) -> Iterator[tuple[Function | None, Ops]]:
    """Every two statements that follow one another, swapped, where one changes what the other one uses."""
    blocks: dict[int, list[Place]] = {}
    for place in places(before):
        blocks.setdefault(id(place.block), []).append(place)
    for block in blocks.values():
        for one, other in pairwise(block):
            if one.index + 1 == other.index and _depend(one.node, other.node) and _known(before, one, other):
                gap = before.lines[one.last + 1 : other.first]
                if not any(line.strip() for line in gap):
                    yield one.function, _swapped(before, one, other, gap)


def _swapped(before: Snippet, one: Place, other: Place, gap: Sequence[str]) -> Ops:
    lines = before.lines
    first, second = lines[one.first : one.last + 1], lines[other.first : other.last + 1]
    return between(before, [*lines[: one.first], *second, *gap, *first, *lines[other.last + 1 :]])


def _known(before: Snippet, one: Place, other: Place) -> bool:
    """Whether what the second uses is there without the first."""
    above = words("\n".join(before.lines[: one.first]))
    return _changed(one.node) & _names(other.node) <= above


def _depend(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether both can change places and one changes a name that the other one has."""
    if isinstance(one, _FIXED) or isinstance(other, _FIXED) or not (movable(one) and movable(other)):
        return False
    return bool(_changed(one) & _names(other) or _changed(other) & _names(one))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"self", "cls"}


def _changed(node: ast.AST) -> set[str]:
    """The names that are set, written into, or told to do something."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()) | ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.add(name)
    return found
