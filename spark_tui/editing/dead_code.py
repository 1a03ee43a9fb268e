"""Code that does nothing: values nobody reads, comparisons nobody looks at, loops that never come round.

What mends a bug seldom leaves more of it than there was, and often leaves less.
"""

import ast
from collections.abc import Iterator

from spark_tui.editing.snippet import Snippet

_LEAVING = (ast.Return, ast.Raise, ast.Break)


def more_waste(before: Snippet, after: Snippet) -> int:
    """How much more code does nothing after an edit than before it, less than 0 where it is less."""
    more, less = _changed(before, after)
    return more - less


def adds_waste(before: Snippet, after: Snippet) -> bool:
    """Whether any code does nothing after an edit that did something, or was not there, before it."""
    return _changed(before, after)[0] > 0


def _changed(before: Snippet, after: Snippet) -> tuple[int, int]:
    """How much came and went; none where the lines cannot be read."""
    try:
        had, has = set(_wasted(before)), set(_wasted(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0, 0
    return len(has - had), len(had - has)


def _wasted(snippet: Snippet) -> Iterator[str]:
    """What does nothing, by what it is."""
    outside = {name for node in snippet.nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    names = [node for node in snippet.nodes if isinstance(node, ast.Name)]
    read = {node.id for node in names if not isinstance(node.ctx, ast.Store)} | outside
    for function in snippet.functions:
        own = function.args
        given = {one.arg for one in (*own.posonlyargs, *own.args, *own.kwonlyargs)} - {"self", "cls"}
        yield from (f"given {name}" for name in given - read)
        stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        yield from (f"stored {name}" for name in stored - read if not name.startswith("_"))
    for node in snippet.nodes:
        match node:
            case ast.Expr(value=ast.Compare() | ast.Name() | ast.BinOp() as value):
                yield f"idle {ast.unparse(value)}"
            case ast.For(body=body) | ast.While(body=body) if isinstance(body[-1], _LEAVING) and not _goes_round(node):
                yield f"once {ast.unparse(body[-1])}"
            case ast.While(test=test) if _never_ends(node):
                yield f"endless {ast.unparse(test)}"


def _goes_round(loop: ast.For | ast.While) -> bool:
    return any(isinstance(node, ast.Continue) for node in ast.walk(loop))


def _never_ends(loop: ast.While) -> bool:
    """Whether nothing in a loop leaves it, nor changes or is handed anything that its condition names."""
    if isinstance(loop.test, ast.Constant):
        return False
    plain = (ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)
    parts = [one for one in ast.walk(loop.test) if isinstance(one, ast.expr)]
    if not all(isinstance(one, plain) for one in parts):
        return False
    leaving = (*_LEAVING, ast.Yield, ast.YieldFrom, ast.Await)
    inner = [one for statement in loop.body for one in ast.walk(statement)]
    changed = [one for one in inner if not isinstance(getattr(one, "ctx", None), ast.Load)]
    changed = [one for one in changed if isinstance(one, ast.Call | ast.Delete | ast.Name | ast.Subscript)]
    touched = {one.id for each in changed for one in ast.walk(each) if isinstance(one, ast.Name)}
    named = {one.id for one in parts if isinstance(one, ast.Name)}
    return not named & touched and not any(isinstance(one, leaving) for one in inner)
