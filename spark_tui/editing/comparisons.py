"""The source of comparisons."""

import ast

from spark_tui.editing import code
from spark_tui.editing.snippet import Snippet


def comparison_text(snippet: Snippet, node: ast.Compare) -> tuple[str, str, str] | None:
    """A comparison on one line as (left with its parentheses, operator, right with its parentheses)."""
    text = code.text_of(snippet, node)
    if not text or len(node.ops) != 1:
        return None
    start, left, right = node.col_offset, node.left.end_col_offset or 0, node.comparators[0].col_offset
    middle = text.encode()[left - start : right - start].decode()
    closed = len(middle) - len(middle.lstrip(") "))
    opened = len(middle.rstrip("( "))
    before = text.encode()[: left - start].decode() + middle[:closed].rstrip()
    after = middle[opened:].lstrip() + text.encode()[right - start :].decode()
    return before, middle[closed:opened], after
