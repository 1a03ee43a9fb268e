"""What can get one more member: collections, tests of types, chains of alternatives."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import start_of
from spark_tui.editing.codemods.bugs.slips import spots
from spark_tui.editing.snippet import Snippet


@dataclass(frozen=True, slots=True)
class Holder:
    """Something that can get another member: `members` of it there are, and `near` are names it may be told by."""

    node: ast.expr
    members: tuple[ast.expr, ...]
    shape: str
    near: tuple[str, ...] = ()


def holders(before: Snippet) -> Iterator[Holder]:
    """Every collection, type test and chain of alternatives."""
    chained: set[int] = set()
    for spot in spots(before.tree):
        node, parent = spot.node, spot.parent
        near = _near(parent)
        match node:
            case ast.List(elts=elements) | ast.Set(elts=elements) if isinstance(
                getattr(node, "ctx", ast.Load()), ast.Load
            ):
                yield Holder(node, tuple(elements), "items", (*near, *_words(elements)))
            case ast.Tuple(elts=elements, ctx=ast.Load()) if not _is_key(node, parent) and _enclosed(before, node):
                yield Holder(node, tuple(elements), "items", (*near, *_words(elements)))
            case ast.Dict(keys=keys) if all(keys):
                members = tuple(key for key in keys if key)
                yield Holder(node, members, "pairs", (*near, *_words(members)))
            case ast.Call(
                func=ast.Name(id="isinstance" | "issubclass"), args=[subject, ast.Name() | ast.Attribute() as kind]
            ):
                yield Holder(kind, (kind,), "lone", (*_words([subject, kind]),))
            case ast.Call(
                func=ast.Attribute(value=subject, attr="startswith" | "endswith"), args=[ast.Constant() as affix]
            ):
                yield Holder(affix, (affix,), "lone", (*_words([subject, affix]),))
            case ast.BoolOp(op=ast.Or(), values=values) if parts := _alternatives(values):
                chained |= {id(one) for one in values}
                yield Holder(node, tuple(parts), "chain", (*_words(parts), *_words(values)))
            case ast.Compare(left=left, ops=[ast.Eq() | ast.In()], comparators=[right]) if id(node) not in chained:
                part = left if isinstance(left, ast.Constant) else right
                if isinstance(part, ast.Constant) and isinstance(part.value, str | int):
                    yield Holder(node, (part,), "test", _words([left, right]))
    yield from _types(before)


def _types(before: Snippet) -> Iterator[Holder]:
    """The bases of classes, and the values that a type allows."""
    for node in before.nodes:
        match node:
            case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal"), slice=inner):
                elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                yield Holder(inner, tuple(elements), "items", _words(elements))
            case ast.ClassDef(name=name, bases=[first, *rest], keywords=[]):
                yield Holder(first, (first, *rest), "bases", (name, *_words([first, *rest])))


def _is_key(node: ast.expr, parent: ast.AST) -> bool:
    """Whether a tuple is a key or what a text is made of, so that its length is fixed."""
    formatted = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)
    return formatted or isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Compare) and parent.left is node)


def _near(parent: ast.AST) -> tuple[str, ...]:
    match parent:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return _words([target])
        case ast.Compare(left=left):
            return _words([left])
        case ast.keyword(arg=str(name)):
            return (name, *name.split("_"))
        case ast.Call(func=function, args=args):
            return (*_words([function]), *_words(args[:1]))
    return ()


def _words(nodes: Sequence[ast.expr]) -> tuple[str, ...]:
    found: list[str] = []
    for node in nodes[:12]:
        for one in ast.walk(node):
            text = one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else ""
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                text = one.value
            found += [text, *re.findall(r"[^\W_]+", text)]
    return tuple(dict.fromkeys(filter(None, found)))


def _enclosed(before: Snippet, node: ast.Tuple) -> bool:
    row, column = start_of(before, node)
    return bool(node.elts) and before.lines[row][column] == "(" and start_of(before, node.elts[0]) != (row, column)


def _alternatives(values: Sequence[ast.expr]) -> list[ast.expr]:
    """What is compared with in a chain of the same comparisons."""
    found: list[ast.expr] = []
    for value in values:
        match value:
            case ast.Compare(ops=[ast.Eq() | ast.In()], comparators=[_]):
                found.append(value)
            case _:
                return []
    first = found[-1]
    assert isinstance(first, ast.Compare)
    varied = first.left if isinstance(first.left, ast.Constant) else first.comparators[0]
    return [varied] if isinstance(varied, ast.Constant) else []
