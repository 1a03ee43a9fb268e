"""Judges a statement that was asked for in words."""

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.additions import added_statement, unknown_names
from spark_tui.editing.codemods.plain.plain_fields import plain_fields, plain_members_of_enums
from spark_tui.editing.codemods.plain.plain_forgotten import plain_forgotten
from spark_tui.editing.codemods.statements.constants_added import constants_added
from spark_tui.editing.codemods.statements.fields_added import fields_added
from spark_tui.editing.codemods.statements.kept_told import kept_told
from spark_tui.editing.codemods.statements.stored_told import attributes_told, parent_calls
from spark_tui.editing.codemods.statements.updates_missing import updates_missing
from spark_tui.editing.snippet import Snippet

_TROUBLE = re.compile(
    r"(?i)\b(?:never|still|again|twice|each time|every|only|once|gone|lost|los\w+|missing|forg[eo]t\w*|leak\w*|hang\w*"
    r"|forever|not|no|reset|\w+error|wrong|stale|keeps?|truncated|duplicat\w+|repeated\w*|always|false|endless\w*"
    r"|more than|corr?upt\w*|found|nothing|old|counted|memory|should|has to|expected)\b|n't\b"
)
_MOST = 6


class AddStatement(Codemod):
    """One statement on one line, made of names that the region, the instruction or Python has."""

    kind: ClassVar[str] = "add_statement"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_fields`, `plain_members_of_enums` and `plain_forgotten`."""
        words = request.instruction
        return plain_fields(before, words) or plain_members_of_enums(before, words) or plain_forgotten(before, words)

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """What the words say to be kept, and what is forgotten where they tell of trouble; None where there is none."""
        words = request.instruction
        found = [*attributes_told(before, words), *parent_calls(before, words)][:_MOST]
        found += [*constants_added(before, words), *fields_added(before, words), *kept_told(before, words)]
        if _TROUBLE.search(words):
            found += list(updates_missing(before))[:_MOST]
        return list(dict.fromkeys(found)) or None

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that was not asked for."""
        if self.lists(before, after, request):
            return ""
        added = added_statement(before, after)
        if added is None or len(after) != len(before.lines) + 1:
            return "something else than one statement on a line was added"
        if isinstance(added.node, ast.Expr) and isinstance(added.node.value, ast.Constant | ast.Name):
            return "the new statement does nothing"
        if unknown := unknown_names(added.node, before, request.instruction):
            return f"{', '.join(sorted(unknown))} was not asked for"
        return ""
