"""Calls whose result is thrown away although it is what they are made for: `x.strip()` alone on a line."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, start_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.slips import respelled
from spark_tui.editing.codemods.common.occasions import blocks, function_at
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_PURE = frozenset(
    """
    lower upper strip lstrip rstrip title casefold capitalize replace format encode decode removeprefix removesuffix
    ljust rjust zfill center expandtabs translate swapcase astimezone with_suffix with_name resolve absolute expanduser
    """.split()  # noqa: SIM905
)
_NEVER_SET = re.compile(
    r"\b(\w+) (?:is |stays |remains |was )?(?:always )?(?:None\b|(?:is )?never (?:set|kept|stored|filled))"
)
_EFFECTS = frozenset(["print", "setattr", "delattr", "exec", "next", "exit", "isinstance", "super", "input"])


def assigned_back(before: Snippet) -> Iterator[tuple[Function | None, Ops | None]]:
    """`x = ` before each call that stands alone: x is what it is called on or with."""
    statements = (one for block in blocks(before.tree) for one in block if isinstance(one, ast.Expr))
    for node in sorted(statements, key=lambda one: one.lineno):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            start = start_of(before, node)
            for name in holders_of(call):
                yield function_at(before, start[0]), respelled(before, start, start, f"{name} = ")


def unused_results(before: Snippet) -> Iterator[tuple[Function | None, Ops | None]]:
    """`x = ` before calls of what changes nothing: `x.strip()`, `re.sub(a, b, x)`, `merged(o.x, y)`."""
    for block in blocks(before.tree):
        for node in block:
            call = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(call, ast.Call) or not (name := _kept_in(call)):
                continue
            start = start_of(before, node)
            yield function_at(before, start[0]), respelled(before, start, start, f"{name} = ")


def kept_as_told(before: Snippet, instruction: str) -> Iterator[tuple[Function | None, Ops | None]]:
    """`x = ` before each call that stands alone, x being a name or member that is said to be None, or never set."""
    said = set(_NEVER_SET.findall(instruction))
    paths = [text for one in before.nodes if isinstance(one, ast.Name | ast.Attribute) and (text := _path(one, said))]
    for block in blocks(before.tree) if paths else ():
        for node in block:
            call = node.value.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await) else None
            call = call or (node.value if isinstance(node, ast.Expr) else None)
            if isinstance(call, ast.Call):
                start = start_of(before, node)
                for path in dict.fromkeys(paths):
                    yield function_at(before, start[0]), respelled(before, start, start, f"{path} = ")


def _path(node: ast.Name | ast.Attribute, said: set[str]) -> str:
    last = node.id if isinstance(node, ast.Name) else node.attr
    return (dotted(node) or "") if last in said or last.strip("_") in said else ""


def _kept_in(call: ast.Call) -> str:
    """What the result of a call that stands alone is for, or ""."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner, attr=attr)) if attr in _PURE:
            return ast.unparse(owner)
        case ast.Call(func=ast.Attribute(attr="sub" | "subn"), args=[*_, ast.Name() | ast.Attribute() as last]):
            return ast.unparse(last)
        case ast.Call(func=ast.Name(id=name), args=[ast.Attribute() as first, *_]) if name.islower():
            return "" if name in _EFFECTS else ast.unparse(first)
    return ""


def holders_of(call: ast.Call) -> tuple[str, ...]:
    """What a call may be meant to change: the object of a method, then its arguments."""
    found: list[ast.expr] = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    names = [ast.unparse(one) for one in [*found, *call.args] if isinstance(one, ast.Name | ast.Attribute)]
    return tuple(
        name
        for name in dict.fromkeys(names)
        if name not in ("self", "cls", "os", "re", "sys", "json") and name.islower()
    )
