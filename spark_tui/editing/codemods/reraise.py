"""Exceptions that are caught get raised again, with a bare raise."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import indentation, stands_alone
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.checks.except_clauses import Clause, body_start, clauses, raises
from spark_tui.editing.codemods.common.occasions import Occasion, Places, bare_line, inserted, names_of, replaced
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.snippet import Snippet

_ITSELF = re.compile(
    r"\b(?:as (?:it|they) (?:is|are)|as is|original|itself|unchanged|un-?wrapped|wrap\w*|bubble\w*|propagat\w+"
    r"|(?:go|come)(?:es)? up|(?:let|go|come|get)s? (?:\S+ ){0,2}through)\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:if|when|unless) (?P<test>.+?)"
    r"(?= (?:is|are|was|were) (?:given|set|there|passed|not empty)\b|[.,;!?](?:\s|$)|$)"
)
_SOMETIMES = re.compile(
    r"(?i)\b(?:on|in|after|at|for) the (?:last|final|\w+th)\b|\bafter (?:all|every|the) \w*(?:retr|attempt)"
)
"""Tells of a condition that is nowhere told as code."""
_GLUE = {"and", "or", "not", "in", "is", "None", "True", "False"}


class Reraise(Places):
    """A handler that swallows ends in `raise`, in place of pass, return or continue; `raise e` becomes `raise`."""

    kind: ClassVar[str] = "reraise"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """`raise e` first, then what is swallowed; last what is raised instead, where the words want the first one."""
        if _SOMETIMES.search(request.instruction):
            return
        for clause in clauses(before):
            for node in raises(clause):
                name = clause.handler.name
                if name and not node.cause and isinstance(node.exc, ast.Name) and node.exc.id == name:
                    yield Occasion(node.lineno - 1, (replaced(before, node, "raise"),), _names(clause), "bare")
        for clause in clauses(before):
            yield from filter(None, [_on_condition(before, clause, request.instruction), _swallowed(before, clause)])
        if _ITSELF.search(request.instruction):
            for clause in clauses(before):
                for node in raises(clause):
                    if isinstance(node.exc, ast.Call):
                        yield Occasion(node.lineno - 1, (replaced(before, node, "raise"),), _names(clause), "wrapped")


def _names(clause: Clause) -> tuple[str, ...]:
    return tuple(filter(None, (clause.caught, clause.handler.name)))


def _on_condition(before: Snippet, clause: Clause, instruction: str) -> Occasion | None:
    """`if condition:` and `raise` in place of a pass, where the words tell of a condition on values that are there."""
    told, last = _IF.search(instruction), clause.handler.body[-1]
    if not told or not isinstance(last, ast.Pass) or not bare_line(before, last):
        return None
    words = told["test"].strip("`'\" ")
    known = names_of(before.tree) | _GLUE
    if not is_expression(words) or not set(re.findall(r"[^\W\d]\w*", words)) <= known:
        return None
    inner = indentation(before.lines[last.lineno - 1]) + before.layout.unit
    change = replaced(before, last, f"if {words}:\n{inner}raise")
    return Occasion(last.lineno - 1, (change,), _names(clause), "condition")


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
