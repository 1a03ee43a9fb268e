"""Comparisons to None by identity."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.changes import Change, changed, choices
from spark_tui.editing.comparisons import comparison_text
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

_NAMED = re.compile(r"(?i)(?:use )?`?is (?:not )?none`?(?: checks?)?(?: instead)?(?: of [`'\"=!]+(?: none`?)?)?")


class IsNone(Codemod):
    """`x == None` becomes `x is None`, `x != None` and `not x == None` become `x is not None`."""

    kind: ClassVar[str] = "is_none"

    def plain(self, before: Snippet, request: Request) -> tuple[Ops, ...]:
        """All of them, where words only name the idiom and no place."""
        named = _NAMED.fullmatch(request.instruction.strip(" .!")) and not request.selected
        after = changed(before, equalities(before)) if named else None
        return (between(before, after),) if after else ()

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One comparison or all of them."""
        if any("None" in line for line in before.lines):
            yield from choices(before, equalities(before), request)


def equalities(snippet: Snippet) -> list[Change]:
    """Every comparison with None by `==` or `!=`, told by what is compared."""
    found: list[Change] = []
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[ast.Eq() | ast.NotEq()]) as test):
                negated = True
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) as test:
                negated = False
            case _:
                continue
        compared = _compared(snippet, test)
        if compared and text_of(snippet, node):
            equal = isinstance(test.ops[0], ast.Eq) != negated
            found.append(Change(node, f"{compared} is {'' if equal else 'not '}None", (compared,)))
    return found


def _compared(snippet: Snippet, test: ast.Compare) -> str:
    """The other side of a comparison with None, or ""."""
    parts = comparison_text(snippet, test)
    if parts is None:
        return ""
    left, _, right = parts
    return left if right == "None" else right if left == "None" else ""
