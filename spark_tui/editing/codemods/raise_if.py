"""Judges a check that raises."""

import ast
from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.codemods.additions import added_statement
from spark_tui.editing.codemods.base import Codemod, Request
from spark_tui.editing.codemods.guard_clause import no_guard
from spark_tui.editing.snippet import Snippet


class RaiseIf(Codemod):
    """`if condition:` and `raise error` before everything but the docstring."""

    kind: ClassVar[str] = "raise_if"

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that is no such check, or was not asked for."""
        return no_guard(before, added_statement(before, after), request, ast.Raise)
