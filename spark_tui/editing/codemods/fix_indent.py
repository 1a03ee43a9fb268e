"""Every statement that could belong one level further in or out, or after its neighbour, where the words say so."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.slips import meant
from spark_tui.editing.codemods.bugs.statement_order import swapped_statements
from spark_tui.editing.codemods.bugs.statements_astray import statements_astray
from spark_tui.editing.script import Dedent, Indent
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import inner_blocks, movable

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_OPEN = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
_ORDER = re.compile(
    r"\b(?:order|before|after|wins?|overrid\w+|overwrit\w+|twice|missing|early|late|stale|old|previous|precedence|already)\b",
    re.IGNORECASE,
)
MOST_MOVED = 3
"""Statements in one move."""
Move = tuple[Function | None, Ops | None]


class FixIndent(Codemod):
    """The last statements of a block move out of it, or the statements after a block move in."""

    kind: ClassVar[str] = "fix_indent"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Neighbours in another order where one is told; fewer statements before more, out of a block or into it."""
        if _ORDER.search(request.instruction):
            yield from meant(before, request.instruction, swapped_statements(before))
        moves = [move for count in range(1, MOST_MOVED + 1) for move in _moves(before, before.tree.body, None, count)]
        yield from meant(before, request.instruction, moves)
        yield from meant(before, request.instruction, statements_astray(before, request))


def _moves(before: Snippet, block: Sequence[ast.stmt], function: Function | None, count: int) -> Iterator[Move]:
    for index, node in enumerate(block):
        inside = node if isinstance(node, Function) else None if isinstance(node, ast.ClassDef) else function
        for inner in inner_blocks(node):
            yield from _moves(before, inner, inside, count)
        if not isinstance(node, _OPEN):
            continue
        last = max(inner_blocks(node), key=lambda one: one[0].lineno)
        if len(last) > count:
            yield function, _moved_out(before, last[-count:], block[index + 1 : index + 2], node)
        following = block[index + 1 : index + 1 + count]
        if len(following) == count and not isinstance(last[-1], _LEAVING):
            yield function, _moved_in(before, following, last[-1], node)


def _moved_out(
    before: Snippet, moved: Sequence[ast.stmt], following: Sequence[ast.stmt], out_of: ast.stmt
) -> Ops | None:
    leaving = isinstance(moved[-1], _LEAVING)
    if (leaving and following) or isinstance(moved[-1], ast.Break | ast.Continue):
        return None  # what follows would never run; a bare break may be in no loop any more
    lines = _lines(before, moved)
    unit, level = before.layout.unit, _level(before, out_of)
    if lines is None or level is None or indentation(before.lines[lines[0]]) != level + unit:
        return None
    texts = before.lines[lines[0] : lines[1] + 1]
    return (Dedent(*lines),) if all(not text.strip() or text.startswith(unit) for text in texts) else None


def _moved_in(before: Snippet, moved: Sequence[ast.stmt], after: ast.stmt, into: ast.stmt) -> Ops | None:
    lines = _lines(before, moved)
    level, inner = _level(before, into), indentation(before.lines[statement_lines(after)[0]])
    if lines is None or level is None or inner != level + before.layout.unit or not stands_alone(before, after):
        return None
    return (Indent(*lines),) if indentation(before.lines[lines[0]]) == level else None


def _level(before: Snippet, node: ast.stmt) -> str | None:
    """The indentation of a compound statement that is no elif."""
    row = statement_lines(node)[0]
    return None if before.lines[row].lstrip().startswith("elif") else indentation(before.lines[row])


def _lines(before: Snippet, moved: Sequence[ast.stmt]) -> tuple[int, int] | None:
    """The lines of the statements, with the comments right above; None when they cannot move."""
    if not all(
        movable(one) and stands_alone(before, one) and not isinstance(one, Function | ast.ClassDef) for one in moved
    ):
        return None
    first, last = statement_lines(moved[0])[0], statement_lines(moved[-1])[1]
    level = indentation(before.lines[first])
    while first and before.lines[first - 1].startswith(level + "#"):
        first -= 1
    return first, last
