"""Python's own parser, for one thread at a time.

CPython 3.11 to 3.13 count how deep they are in a tree in one place for all threads. Where another thread goes on in the
middle (garbage was collected, and something that went had code of its own to run) and parses as well, the count is
wrong, and parsing ends in "SystemError: AST constructor recursion depth mismatch".
"""

import ast
from threading import RLock
from typing import Literal, overload

_PARSING = RLock()


@overload
def parse(source: str | bytes, name: str = ..., *, mode: Literal["exec"] = ...) -> ast.Module: ...
@overload
def parse(source: str | bytes, name: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...
def parse(
    source: str | bytes, name: str = "<unknown>", *, mode: Literal["exec", "eval"] = "exec"
) -> ast.Module | ast.Expression:
    """See `ast.parse`. Args: name: of the source, in errors.

    Raises: SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    with _PARSING:
        tree = ast.parse(source, name, mode)
    assert isinstance(tree, ast.Module | ast.Expression)
    return tree


def literal_value(source: str) -> object:
    """The value of a literal; see `ast.literal_eval`. Raises: as `parse`, and ValueError: it is none."""
    return ast.literal_eval(parse(source.lstrip(" \t"), mode="eval"))
