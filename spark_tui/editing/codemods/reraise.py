"""Exceptions that are caught get raised again, with a bare raise."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import indentation, stands_alone
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.except_clauses import Clause, body_start, clauses, raises
from spark_tui.editing.codemods.occasions import Occasion, Places, inserted, replaced
from spark_tui.editing.snippet import Snippet

_ITSELF = re.compile(
    r"\b(?:as (?:it|they) (?:is|are)|as is|original|itself|unchanged|un-?wrapped|wrap\w*|bubble\w*|propagat\w+"
    r"|(?:go|come)(?:es)? up|(?:let|go|come|get)s? (?:\S+ ){0,2}through)\b",
    re.IGNORECASE,
)


class Reraise(Places):
    """A handler that swallows ends in `raise`, in place of pass, return or continue; `raise e` becomes `raise`."""

    kind: ClassVar[str] = "reraise"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """`raise e` first, then what is swallowed; last what is raised instead, where the words want the first one."""
        for clause in clauses(before):
            for node in raises(clause):
                name = clause.handler.name
                if name and not node.cause and isinstance(node.exc, ast.Name) and node.exc.id == name:
                    yield Occasion(node.lineno - 1, (replaced(before, node, "raise"),), _names(clause), "bare")
        for clause in clauses(before):
            if one := _swallowed(before, clause):
                yield one
        if _ITSELF.search(request.instruction):
            for clause in clauses(before):
                for node in raises(clause):
                    if isinstance(node.exc, ast.Call):
                        yield Occasion(node.lineno - 1, (replaced(before, node, "raise"),), _names(clause), "wrapped")


def _names(clause: Clause) -> tuple[str, ...]:
    return tuple(filter(None, (clause.caught, clause.handler.name)))


def _swallowed(before: Snippet, clause: Clause) -> Occasion | None:
    last = clause.handler.body[-1]
    start = body_start(before, clause)
    if start is None or not stands_alone(before, last) or _always_leaves(last):
        return None
    if isinstance(last, ast.Pass | ast.Return | ast.Continue | ast.Break):
        return Occasion(last.lineno - 1, (replaced(before, last, "raise"),), _names(clause), "swallowed")
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...:
        return Occasion(last.lineno - 1, (replaced(before, last, "raise"),), _names(clause), "swallowed")
    indent = indentation(before.lines[start[0]])
    line = (last.end_lineno or last.lineno) - 1
    return Occasion(line, (inserted(before, line, [f"{indent}raise"]),), _names(clause), "swallowed")


def _always_leaves(last: ast.stmt) -> bool:
    """Whether nothing comes after this statement."""
    match last:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="exit" | "_exit" | "fail" | "abort" | "skip"))):
            return True
        case ast.If(body=body, orelse=[*_, other]):
            return all(isinstance(one, ast.Raise | ast.Return) for one in (body[-1], other))
    return False
