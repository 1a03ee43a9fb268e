"""Where a check of a value may stand in a function, and which values a function has."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, docstring_node, indentation, statement_lines, walk_scope
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, SCOPES, Place, argument_names, dotted, places, top_of

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True, slots=True)
class CheckSpot:
    """Below which 0-based line a check may go, how deep, and whether it is within a loop."""

    after: int
    indent: str
    in_loop: bool


def values_of(function: Function) -> list[str]:
    """The parameters of a function, what it sets, and the attributes it reads without calling them."""
    called: set[int] = set()
    found: dict[str, None] = dict.fromkeys(argument_names(function))
    paths: dict[str, None] = {}
    for node in walk_scope(function):
        match node:
            case ast.Call(func=ast.Attribute() as method):
                called.add(id(method))
            case ast.Name(id=name, ctx=ast.Store()) if name != "_":
                found[name] = None
            case ast.Attribute(ctx=ast.Load()) if id(node) not in called and (path := dotted(node)):
                paths[path] = None
    return [*found, *(path for path in paths if path.count(".") < 3)]


def check_spots(before: Snippet, function: Function, about: str) -> list[CheckSpot]:
    """The spots for a check of a value, the likeliest first: once it is set, at the top, or before it is used."""
    own = [one for one in places(before) if one.function is function]
    root = about if about.startswith("self.") else about.partition(".")[0]
    found = [*_once_set(before, own, root)]
    if not found or root in argument_names(function) or about.startswith("self."):
        top = _top(before, function)
        found = [*([top] if top else []), *found]
    found += _before_use(before, function, own, about)
    return list(dict.fromkeys(found))[:5]


def _top(before: Snippet, function: Function) -> CheckSpot | None:
    if spot := top_of(before, function):
        return CheckSpot(*spot, in_loop=False)
    docstring = docstring_node(function)
    if docstring and len(function.body) == 1:
        first, last = statement_lines(docstring)
        return CheckSpot(last, indentation(before.lines[first]), in_loop=False)
    return None


def _once_set(before: Snippet, own: list[Place], root: str) -> Iterator[CheckSpot]:
    for place in own:
        node = place.node
        if isinstance(node, ast.Assign | ast.AnnAssign) and root in _stored(node):
            yield CheckSpot(place.last, place.indent, place.in_loop)
        elif isinstance(node, ast.For | ast.AsyncFor) and root in _stored(node.target):
            yield _inside(before, node, in_loop=True)
        elif isinstance(node, ast.With | ast.AsyncWith) and root in _bound(node):
            yield _inside(before, node, in_loop=place.in_loop)


def _inside(before: Snippet, node: ast.For | ast.AsyncFor | ast.With | ast.AsyncWith, *, in_loop: bool) -> CheckSpot:
    first = statement_lines(node.body[0])[0]
    return CheckSpot(first - 1, indentation(before.lines[first]), in_loop)


def _bound(node: ast.With | ast.AsyncWith) -> set[str]:
    """What a `with` binds."""
    return {name for one in node.items if one.optional_vars for name in _stored(one.optional_vars)}


def _stored(node: ast.AST) -> set[str]:
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.Assign):
        parts = list(node.targets)
    elif isinstance(node, ast.AnnAssign):
        parts = [node.target]
    inner = [one for part in parts for one in ast.walk(part) if isinstance(one, ast.Name | ast.Attribute)]
    return {path for one in inner if isinstance(one.ctx, ast.Store) and (path := dotted(one))}


def _before_use(before: Snippet, function: Function, own: list[Place], about: str) -> Iterator[CheckSpot]:
    """Before the statements of the function's own block that read a value, and before the first one further in."""
    using = [one for one in own if not isinstance(one.node, SCOPES) and _reads(one.node, about)]
    tested = [one.node.body for one in using if isinstance(one.node, ast.If) and _reads(one.node.test, about)]
    outer = [one for one in using if one.block is function.body and not isinstance(one.node, ast.Try)][:3]
    inner = [one for one in using if one.block is not function.body and one.block not in tested]
    simple = [one for one in inner if not isinstance(one.node, COMPOUND)]
    for place in (*outer[:2], *inner[:1], *simple[:1], *outer[2:]):
        yield CheckSpot(_above_comments(before, place.first), place.indent, place.in_loop)


def first_use(before: Snippet, function: Function, about: str) -> list[CheckSpot]:
    """Right before the first simple statement that reads a value, wherever it is."""
    own = [one for one in places(before) if one.function is function and not isinstance(one.node, COMPOUND)]
    using = [one for one in own if _reads(one.node, about)]
    return [CheckSpot(one.first - 1, one.indent, one.in_loop) for one in using[:1]]


def _above_comments(before: Snippet, row: int) -> int:
    """The line above a statement and the comments that belong to it."""
    while row and before.lines[row - 1].lstrip().startswith("#"):
        row -= 1
    return row - 1


def _reads(node: ast.AST, about: str) -> bool:
    return any(
        isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load) and dotted(one) == about
        for one in ast.walk(node)
    )
