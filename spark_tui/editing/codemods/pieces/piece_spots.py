"""Where another piece of code may be put: expressions, names of attributes, parameters and imports, with their role."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.code import Position, end_of, position, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import attribute_place
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.texts.texts import FIELD
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ROLES = {
    "annotation": "hint", "returns": "hint", "test": "test", "func": "func", "bases": "base", "type": "except",
    "exc": "raise", "targets": "target", "target": "target",
}  # fmt: skip
_FEW = 6
_OWNERS = (ast.Attribute, ast.Subscript)


@dataclass(frozen=True, slots=True)
class Spot:
    """A piece that may give way. `role`: what it is there for; `name`: what it is given to."""

    start: Position
    end: Position
    text: str
    role: str
    node: ast.AST
    parent: ast.AST
    name: str

    @property
    def words(self) -> frozenset[str]:
        """The words that its names and texts are made of."""
        return split(self.text)

    @property
    def row(self) -> int:
        """Its line."""
        return self.start[0]


@lru_cache(maxsize=8)
def spots(before: Snippet) -> tuple[Spot, ...]:
    """All of them that stand on one line or a few, in source order."""
    found: list[Spot] = []
    waiting: list[tuple[ast.AST, ast.AST, str, str]] = [(before.tree, before.tree, "", "")]
    while waiting:
        node, parent, role, name = waiting.pop()
        found += _own(before, node, parent, role, name)
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        waiting += reversed(list(_children(node, role, name)))
    return tuple(found)


def _children(node: ast.AST, role: str, name: str) -> Iterator[tuple[ast.AST, ast.AST, str, str]]:
    given = _given(node)
    for field in node._fields:
        child = getattr(node, field, None)
        inner = "hint" if role == "hint" else _ROLES.get(field, "value")
        if isinstance(node, _OWNERS) and field == "value" and inner != "hint":
            inner = "owner"
        through = name if role == "hint" or isinstance(node, ast.Tuple | ast.BoolOp | ast.UnaryOp | ast.BinOp) else ""
        for at, one in enumerate(child if isinstance(child, list) else [child]):
            if isinstance(one, ast.AST):
                yield one, node, inner, given or through or _belongs(node, field, at)


def _belongs(node: ast.AST, field: str, at: int) -> str:
    """The parameter that a default is of, or the key that a value in a dict has."""
    match node:
        case ast.arguments(posonlyargs=first, args=args, defaults=defaults) if field == "defaults":
            return (first + args)[at - len(defaults)].arg
        case ast.arguments(kwonlyargs=args) if field == "kw_defaults":
            return args[at].arg
        case ast.Dict(keys=keys) if field == "values" and isinstance(keys[at], ast.Constant):
            return str(getattr(keys[at], "value", ""))
    return ""


def _given(node: ast.AST) -> str:
    """What the value in a statement or an argument is given to."""
    match node:
        case (
            ast.arg(arg=name)
            | ast.keyword(arg=str(name))
            | ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name))
        ):
            return name
        case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)]):
            return name
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str() as name))]):
            return name
    return ""


def _own(before: Snippet, node: ast.AST, parent: ast.AST, role: str, name: str) -> Iterator[Spot]:
    if isinstance(node, ast.JoinedStr):
        yield from _fields(before, node)
    if isinstance(node, ast.expr) and (text := text_of(before, node) or _longer(before, node)):
        yield Spot(start_of(before, node), end_of(before, node), text, role, node, parent, name)
        if isinstance(node, ast.Attribute) and (place := attribute_place(before, node)):
            yield Spot(*place, node.attr, "attribute", node, parent, name)
    elif isinstance(node, ast.arg):
        start = start_of(before, node)
        end = (start[0], start[1] + len(node.arg))
        yield Spot(start, end, node.arg, "parameter", node, parent, "")
    elif isinstance(node, ast.alias) and node.lineno == node.end_lineno:
        start = position(before, node.lineno, node.col_offset)
        yield Spot(start, (start[0], start[1] + len(node.name)), node.name, "import", node, parent, "")


def _longer(before: Snippet, node: ast.expr) -> str:
    """The source of an expression on a few lines; "" for a text, and for a longer one."""
    (first, start), (last, end) = start_of(before, node), end_of(before, node)
    if last - first > _FEW or last >= len(before.lines) or isinstance(node, ast.Constant | ast.JoinedStr):
        return ""
    return " ".join([before.lines[first][start:], *before.lines[first + 1 : last], before.lines[last][:end]])


def _fields(before: Snippet, node: ast.JoinedStr) -> Iterator[Spot]:
    """What the fields of an f-string on one line show."""
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    if row != last or row >= len(before.lines):
        return
    for field in FIELD.finditer(before.lines[row], start, end):
        if is_expression(field[1]):
            tree = parse(field[1], mode="eval").body
            yield Spot((row, field.start(1)), (row, field.end(1)), field[1], "value", tree, node, "")


@lru_cache(maxsize=4096)
def split(code: str) -> frozenset[str]:
    """The words that a name, or all names and texts in a piece of code, are made of."""
    return frozenset(one.lower() for one in _PARTS.findall(code)) or frozenset([code])


@lru_cache(maxsize=8)
def all_names(before: Snippet) -> frozenset[str]:
    """Every name in a region: of values, attributes, parameters, functions, classes and imports."""
    found: set[str] = set()
    for node in before.nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
    return frozenset(found)
