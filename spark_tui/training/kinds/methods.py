"""Taking methods out of classes: shared by the kinds that put them in."""

import ast

from spark_tui.editing.code import Function, statement_lines
from spark_tui.editing.snippet import Snippet


def without_method(snippet: Snippet, name: str) -> list[str] | None:
    """The lines without the first method of that name and a blank line beside it; None when there is none to spare."""
    for node in ast.walk(snippet.tree):
        if not isinstance(node, ast.ClassDef) or len(node.body) < 2:
            continue
        for method in node.body:
            if isinstance(method, Function) and method.name == name:
                first, last = statement_lines(method)
                while first and not snippet.lines[first - 1].strip():
                    first -= 1
                return [*snippet.lines[:first], *snippet.lines[last + 1 :]]
    return None
