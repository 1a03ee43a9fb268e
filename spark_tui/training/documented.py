"""Which edits bring but a docstring: its words are left to whoever writes it, so that any is as right as another."""

import ast
import textwrap
from collections.abc import Sequence

from spark_tui.editing.code import Function, docstring_node

KIND = "add_docstring"


def only_documents(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a docstring came where there was none, and nothing else changed."""
    old, new = _undocumented(before), _undocumented(after)
    return old is not None and new is not None and old[0] == new[0] and old[1] < new[1]


def _undocumented(lines: Sequence[str]) -> tuple[str, int] | None:
    """The tree without its docstrings, and how many these were; None where it does not parse."""
    try:
        tree = ast.parse(textwrap.dedent("\n".join(lines)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    scopes = [node for node in ast.walk(tree) if isinstance(node, Function | ast.ClassDef | ast.Module)]
    found = [scope for scope in scopes if docstring_node(scope)]
    for scope in found:
        scope.body = scope.body[1:] or [ast.Pass()]
    return ast.dump(tree), len(found)
