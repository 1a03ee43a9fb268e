"""What a function gives back when there is nothing to go over."""

import ast

from spark_tui.editing.code import Function, text_of, walk_scope
from spark_tui.editing.codemods.hints.certain_types import type_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_EMPTY = {"list": "[]", "dict": "{}", "set": "set()", "str": '""'}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def on_nothing(before: Snippet, function: Function) -> str | None:
    """What is to be given back where there is nothing: what is collected, as it begins, or an empty one of its type.

    Returns: Python; "None" where nothing tells; None where it is a number, and which one only the user knows.
    """
    values = [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value]
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None or any(_is_none(one) for one in values):
        return "None"
    if isinstance(last.value, ast.Name):
        return _begun(before, function, last.value.id) or "None"
    whole = last.value.value if isinstance(last.value, ast.Subscript) and _is_slice(last.value) else last.value
    if told := _EMPTY.get(type_of(whole) or ""):
        return quote(before, "") if told == '""' else told
    return None if _is_number(last.value) else "None"


def gives_numbers(function: Function) -> bool:
    """Whether a function surely gives back a number wherever it returns."""
    values = [one.value for one in walk_scope(function) if isinstance(one, ast.Return)]
    return bool(values) and all(one is not None and _is_number(one) for one in values)


def _is_slice(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Slice)


def _is_number(node: ast.expr) -> bool:
    quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv)
    counted = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("sum", "round")
    return (quotient and not _is_path(node)) or counted or type_of(node) in ("int", "float")


def _is_path(node: ast.expr) -> bool:
    """Whether a slash may join parts of a path."""
    return not any(isinstance(one, ast.Call | ast.Constant) for one in ast.walk(node)) or any(
        isinstance(one, ast.Constant | ast.JoinedStr) and not isinstance(getattr(one, "value", ""), int | float)
        for one in ast.walk(node)
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _begun(before: Snippet, function: Function, name: str) -> str:
    """The plain value that a name begins with and that only loops change, or ""."""
    firsts = [one for one in function.body if isinstance(one, ast.Assign) and _sets(one, name)]
    loops = [one for one in function.body if isinstance(one, _LOOPS)]
    changed = [one for one in walk_scope(function) if _sets(one, name) and one not in firsts]
    looped = {id(one) for loop in loops for one in ast.walk(loop)}
    if len(firsts) != 1 or not all(id(one) in looped for one in changed):
        return ""
    match firsts[0].value:
        case ast.Constant(value=value) if value is not None:
            return text_of(before, firsts[0].value)
        case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="set" | "list" | "dict"), args=[]):
            return text_of(before, firsts[0].value)
    return ""


def _sets(node: ast.AST, name: str) -> bool:
    """Whether a statement sets a name."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return isinstance(node, ast.stmt) and any(isinstance(one, ast.Name) and one.id == name for one in targets)
