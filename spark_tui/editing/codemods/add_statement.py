"""Judges a statement that was asked for in words."""

import ast
from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.codemods.additions import added_statement, unknown_names
from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.snippet import Snippet


class AddStatement(Codemod):
    """One statement on one line, made of names that the region, the instruction or Python has."""

    kind: ClassVar[str] = "add_statement"

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that was not asked for."""
        added = added_statement(before, after)
        if added is None or len(after) != len(before.lines) + 1:
            return "something else than one statement on a line was added"
        if isinstance(added.node, ast.Expr) and isinstance(added.node.value, ast.Constant | ast.Name):
            return "the new statement does nothing"
        if unknown := unknown_names(added.node, before, request.instruction):
            return f"{', '.join(sorted(unknown))} was not asked for"
        return ""
