"""Every `return` that could be missing: before an expression that ends a block, or after it with a name."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import (
    Function,
    docstring_node,
    indentation,
    is_receiver,
    parameters,
    stands_alone,
    statement_lines,
    walk_scope,
)  # fmt: skip
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.slips import meant
from spark_tui.editing.codemods.plain.plain_returned import plain_ends
from spark_tui.editing.codemods.statements.returns_told import returns_told, unfinished_branches
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, inner_blocks, is_generator, is_stub

_EFFECTS = re.compile(
    r"print|append|extend|add|update|insert|remove|discard|clear|sort|reverse|write\w*|close|flush|put|info|debug|log"
    r"|warning|warn|error|exception|critical|setattr|delattr|start|stop|acquire|release|set|exit|assert\w*|__init__"
)
_SILENT = re.compile(r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__")
_GOES_ON = re.compile(
    r"(?i)\b(?:\w+error|nonetype|twice|two \w+|still|anyway|goes on|go on|runs on|continues?|crash\w*|even (?:so|then)"
    r"|afterwards|return|stop\w*|leave)\b"
)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class AddReturn(Codemod):
    """`total` becomes `return total`, or `return total` comes in where a block ends without one."""

    kind: ClassVar[str] = "add_return"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_ends`."""
        return plain_ends(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Values that stand for nothing come first, then names at the end of the function, calls, other branches."""
        yield from returns_told(before, request.instruction)
        found = [(function, ops) for function in before.functions for ops in _in_function(before, function)]
        yield from meant(before, request.instruction, found)
        if _GOES_ON.search(request.instruction):
            yield from unfinished_branches(before)


def _in_function(before: Snippet, function: Function) -> Iterator[Ops]:
    none = isinstance(function.returns, ast.Constant) and function.returns.value is None
    if none or _SILENT.fullmatch(function.name) or is_generator(function) or is_stub(function.body):
        return
    blocks = list(_blocks(function.body))
    ends = [
        block[-1] for block in blocks if stands_alone(before, block[-1]) and block[-1] is not docstring_node(function)
    ]
    values = [end for end in ends if isinstance(end, ast.Expr)]
    yield from (_returned(before, end) for end in values if _is_value(end.value))
    if not isinstance(function.body[-1], _LEAVING) and stands_alone(before, function.body[-1]):
        yield from (_inserted(before, function.body[-1], name) for name in _results(function))
    yield from (_returned(before, end) for end in values if not _is_value(end.value) and _has_result(end.value))
    for end in ends:
        if end is not function.body[-1] and (name := _assigned(end)):
            yield _inserted(before, end, name)
    yield from _given_back(before, function)
    if not any(isinstance(one, ast.Return) and one.value for one in walk_scope(function)):
        for block in blocks[1:]:
            if not isinstance(block[-1], _LEAVING) and stands_alone(before, block[-1]):
                yield _inserted(before, block[-1], "")


def _given_back(before: Snippet, function: Function) -> Iterator[Ops]:
    """A parameter of the type that is promised returned at the end."""
    last, promised = function.body[-1], ast.unparse(function.returns) if function.returns else ""
    if isinstance(last, _LEAVING) or not stands_alone(before, last):
        return
    for one in parameters(function):
        if promised and one.annotation and ast.unparse(one.annotation) == promised:
            yield _inserted(before, last, one.arg)


def _blocks(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    yield body
    for statement in body:
        if not isinstance(statement, Function | ast.ClassDef):
            for block in inner_blocks(statement):
                yield from _blocks(block)


def _is_value(node: ast.expr) -> bool:
    return not isinstance(node, ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr) and not (
        isinstance(node, ast.Constant) and (isinstance(node.value, str) or node.value is ...)
    )


def _has_result(node: ast.expr) -> bool:
    call = node.value if isinstance(node, ast.Await) else node
    if not isinstance(call, ast.Call):
        return False
    function = call.func
    name = (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
    return not _EFFECTS.fullmatch(name)


def _returned(before: Snippet, statement: ast.stmt) -> Ops:
    row = statement.lineno - 1
    indent = indentation(before.lines[row])
    return (Replace(row, row, (f"{indent}return {before.lines[row][len(indent) :]}",)),)


def _inserted(before: Snippet, statement: ast.stmt, name: str) -> Ops:
    first, last = statement_lines(statement)
    return (Insert(last, (f"{indentation(before.lines[first])}return {name}".rstrip(),)),)


def _assigned(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return dotted(target)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return statement.name
    return None


def _results(function: Function) -> Iterator[str]:
    """The names a function could return at its end, the likeliest first."""
    last = _assigned(function.body[-1])
    own = [name for one in function.body if (name := _assigned(one)) and "." not in name]
    inner = [one.id for one in walk_scope(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    given = [one.arg for one in parameters(function) if not is_receiver(function, one)]
    receiver = [one.arg for one in parameters(function)[:1] if is_receiver(function, one)]
    changed = [name for name in given if _is_changed(function, name)]
    flags = [
        str(not one) for one in (True, False) if one in _constants(function) and (not one) not in _constants(function)
    ]
    kept = [
        one.value.id for one in function.body[-1:] if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name)
    ]
    taken = [name for name in kept if name in given]
    names = dict.fromkeys([*filter(None, [last]), *taken, *flags, *reversed(own), *changed, *inner, *receiver])
    yield from (name for name in names if name != "_")


def _is_changed(function: Function, name: str) -> bool:
    return any(
        isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == name
        for one in walk_scope(function)
    )


def _constants(function: Function) -> list[bool]:
    returned = (one.value for one in walk_scope(function) if isinstance(one, ast.Return))
    return [one.value for one in returned if isinstance(one, ast.Constant) and isinstance(one.value, bool)]
