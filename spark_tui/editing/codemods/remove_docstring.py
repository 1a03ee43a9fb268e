"""Every docstring, or all of them, removed."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import surely_named, words
from spark_tui.editing.script import Delete, Replace
from spark_tui.editing.snippet import Snippet

Owner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
_MANY = re.compile(r"\b(docstrings|doc strings|docs|documentation strings|docstrs)\b", re.IGNORECASE)


class RemoveDocstring(Codemod):
    """The docstring and the blank lines after it go; a body that is nothing else becomes `pass`."""

    kind: ClassVar[str] = "remove_docstring"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """All, those in one class, or one; those of what the instruction names."""
        found = documented(before)
        said = words(request.instruction)
        if names := surely_named(request.instruction, [name_of(one) for one in found]):
            found = [one for one in found if name_of(one) in said]
        if len(found) > 1 and not names:
            yield from _listed(before, found)
        only_all = len(found) > 1 and not said & {name_of(one) for one in found} and _MANY.search(request.instruction)
        for one in found if not only_all or request.selected else ():
            yield from _listed(before, [one])
            within = documented(before, one) if isinstance(one, ast.ClassDef) else []
            if len(within) > 1 and _MANY.search(request.instruction):
                yield from _listed(before, within)


def documented(snippet: Snippet, within: ast.AST | None = None) -> list[Owner]:
    """Everything that has a docstring with lines of its own, in source order."""
    return sorted(
        (
            node
            for node in ast.walk(within or snippet.tree)
            if isinstance(node, Owner) and (text := code.docstring_node(node)) and code.stands_alone(snippet, text)
        ),
        key=lambda node: getattr(node, "lineno", 0),
    )


def name_of(owner: Owner) -> str:
    """The name of a function or class, "" for a module."""
    return getattr(owner, "name", "")


def removal(snippet: Snippet, owners: Sequence[Owner]) -> Ops:
    """The edit that removes the docstrings of these."""
    return tuple(op for owner in owners if (op := _gone(snippet, owner)))


def _listed(snippet: Snippet, owners: Sequence[Owner]) -> Iterator[Ops]:
    if ops := removal(snippet, owners):
        yield ops


def _gone(snippet: Snippet, owner: Owner) -> Delete | Replace | None:
    docstring = code.docstring_node(owner)
    if docstring is None:
        return None
    first, last = code.statement_lines(docstring)
    if len(owner.body) < 2:
        indent = code.indentation(snippet.lines[first])
        return None if isinstance(owner, ast.Module) else Replace(first, last, (f"{indent}pass",))
    while not snippet.lines[last + 1].strip():
        last += 1
    return Delete(first, last)
