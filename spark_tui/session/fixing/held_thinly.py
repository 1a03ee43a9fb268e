"""Repairs that another one might do as well for: a value or an operator changed, which one test tells from others."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.snippet import Snippet

THIN = "; only one test tells it from other such changes, so look whether it is right, or give more tests"
_FAILED = re.compile(r"\b(\d+) failed\b|\b(?:failures|errors)=(\d+)")


def held_thinly(before: Sequence[str], after: Sequence[str], output: str) -> bool:
    """Whether no more than one test holds an edit that only changes numbers, texts or operators.

    Args: output: of the command without the edit.
    """
    failed = sum(int(number) for pair in _FAILED.findall(output) for number in pair if number)
    return failed < 2 and _is_same_but_for_values(before, after)


def _is_same_but_for_values(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether two versions name the same in the same statements."""
    try:
        return _frame(before) == _frame(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _frame(lines: Sequence[str]) -> list[str]:
    """The statements of some lines, and the names in each, in no order."""
    nodes = [one for one in Snippet(tuple(lines)).nodes if isinstance(one, ast.stmt)]
    return [f"{type(one).__name__} {sorted(_names(one))}" for one in nodes]


def _names(node: ast.stmt) -> list[str]:
    found = list(ast.walk(node))
    named = [one.id for one in found if isinstance(one, ast.Name)]
    return named + [one.attr for one in found if isinstance(one, ast.Attribute)]
