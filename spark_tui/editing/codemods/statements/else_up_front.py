"""What an `else`, or the `except` of a try, only sets: set before, so that it can go."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import places

_ASKED = re.compile(
    r"(?i)\bup ?-?front\b|\bfirst\b|\bbefore(?:hand)?\b|\binit\w*\b|\bdefaults?\b|\babove\b|\bat the (?:top|start)\b"
    r"|\bpre-?set\b|\bstart with\b|\belse\b.*\b(?:go|goes|gone|drop\w*|away|out)\b"
    r"|\b(?:drop|rid of|no|without|lose)\b.*\belse\b"
)
_PLAIN = (ast.Constant, ast.Name, ast.List, ast.Dict, ast.Tuple, ast.Attribute, ast.UnaryOp)
_MOST = 3


def else_up_front(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after the values of an `else` were set above, each such place alone, then all of them."""
    if not _ASKED.search(request.instruction):
        return
    found = [one for place in places(before) if (one := _else_of(before, place.node))]
    for group in [*([one] for one in found), *([found] if len(found) > 1 else [])]:
        lines = list(before.lines)
        for row, first, last, new in sorted(group, reverse=True):
            lines[first : last + 1] = []
            lines[row:row] = new
        if parses(lines):
            yield lines


def _else_of(before: Snippet, node: ast.stmt) -> tuple[int, int, int, list[str]] | None:
    """The row to set it at, the rows that go, and the lines that set it."""
    if not isinstance(node, ast.If) or not _simple(before, node.orelse) or not isinstance(node.orelse[0], ast.Assign):
        return None
    stored, tested = _names(node.orelse, ast.Store), _names([node.test], ast.Load)
    if stored & tested or not stored - _names(node.body, ast.Load):
        return None
    start, indent = statement_lines(node)[0], indentation(before.lines[node.lineno - 1])
    first = node.orelse[0].lineno - 1
    while before.lines[first].strip() != "else:" and first > start:
        first -= 1
    last = statement_lines(node.orelse[-1])[1]
    inner = before.lines[first + 1 : last + 1]
    return start, first, last, [indent + line.strip() for line in inner]


def _simple(before: Snippet, block: Sequence[ast.stmt]) -> bool:
    """Whether statements do nothing but set a few names to plain values."""
    return 0 < len(block) <= _MOST and all(
        isinstance(one, ast.Assign)
        and isinstance(one.value, _PLAIN)
        and one.lineno == one.end_lineno
        and stands_alone(before, one)
        for one in block
    )


def _names(nodes: Sequence[ast.AST], sort: type[ast.expr_context]) -> set[str]:
    found = [one for node in nodes for one in ast.walk(node)]
    return {one.id for one in found if isinstance(one, ast.Name) and isinstance(one.ctx, sort)}
