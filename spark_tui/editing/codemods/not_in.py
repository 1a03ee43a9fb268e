"""Negated tests with the `not` in the operator."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.changes import Change, choices
from spark_tui.editing.comparisons import comparison_text
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings


class NotIn(Codemod):
    """`not x in y` becomes `x not in y`, `not x is y` becomes `x is not y`."""

    kind: ClassVar[str] = "not_in"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One negation or all of them."""
        if any("not" in line for line in before.lines):
            yield from choices(before, negations(before), request)


def negations(snippet: Snippet) -> list[Change]:
    """Every negated membership or identity test; one of membership is told by what is looked for."""
    found: list[Change] = []
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[ast.In() | ast.Is() as op]) as test):
                parts = comparison_text(snippet, test)
                if parts and text_of(snippet, node):
                    operator = "not in" if isinstance(op, ast.In) else "is not"
                    found.append(Change(node, f"{parts[0]} {operator} {parts[2]}", (parts[0],)))
    return found
