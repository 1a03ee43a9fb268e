"""Calls whose result is thrown away although it is what they are made for: `x.strip()` alone on a line."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import Function, start_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.occasions import blocks, function_at
from spark_tui.editing.codemods.slips import respelled
from spark_tui.editing.snippet import Snippet


def assigned_back(before: Snippet) -> Iterator[tuple[Function | None, Ops | None]]:
    """`x = ` before each call that stands alone: x is what it is called on or with."""
    statements = (one for block in blocks(before.tree) for one in block if isinstance(one, ast.Expr))
    for node in sorted(statements, key=lambda one: one.lineno):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            start = start_of(before, node)
            for name in holders_of(call):
                yield function_at(before, start[0]), respelled(before, start, start, f"{name} = ")


def holders_of(call: ast.Call) -> tuple[str, ...]:
    """What a call may be meant to change: the object of a method, then its arguments."""
    found: list[ast.expr] = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    names = [ast.unparse(one) for one in [*found, *call.args] if isinstance(one, ast.Name | ast.Attribute)]
    return tuple(
        name
        for name in dict.fromkeys(names)
        if name not in ("self", "cls", "os", "re", "sys", "json") and name.islower()
    )
