"""Judges a guard: a condition on which a function is left first thing."""

import ast
from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.codemods.additions import Added, added_statement, unknown_names
from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.snippet import Snippet


class GuardClause(Codemod):
    """`if condition:` and `return value` before everything but the docstring."""

    kind: ClassVar[str] = "guard_clause"

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that is no guard, or was not asked for."""
        return no_guard(before, added_statement(before, after), request, ast.Return)


def no_guard(before: Snippet, added: Added | None, request: Request, leaving: type[ast.stmt]) -> str:
    """Why an added statement is no check at the top of a function that leaves in this way, or ""."""
    if added is None:
        return "something else than one statement was added"
    if not added.first:
        return "it is not at the top of a function"
    match added.node:
        case ast.If(body=[only], orelse=[]) if isinstance(only, leaving):
            unknown = unknown_names(added.node, before, request.instruction)
            return f"{', '.join(sorted(unknown))} was not asked for" if unknown else ""
    return f"it does not just {leaving.__name__.lower()} on a condition"
