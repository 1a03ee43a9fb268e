"""Raises in except clauses get the cause they lack, or another one."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.checks.except_clauses import Clause, clauses, naming, raises
from spark_tui.editing.codemods.common.occasions import Change, Occasion, Places
from spark_tui.editing.snippet import Snippet

_NONE = re.compile(
    r"from [`'\"]?none\b|\b(?:suppress|hid|drop|discard|cut|swallow|los|forget|leak|without|no (?:cause|context|chain)"
    r"|noise|noisy|irrelevant|during handling|out of (?:the|its|our) (?:trace|chain)|to none\b|tracebacks?\b|alone\b"
    r"|enough\b"
    r"|don't (?:show|chain)|not (?:show|chain)|unchain)",
    re.IGNORECASE,
)
_FROM_NONE = re.compile(r"(?im)\bfrom [`'\"]?none\b(?! or\b)")
_CAUSE = re.compile(
    r"from (?!none|the|this|it\b|here|in\b)\w|from (?:the |that )?(?!none)[A-Z]\w{4,}"
    r"|\b(?:chain|keep|preserv|retain|cause|original|as (?:e|ex|exc|err)\b)",
    re.IGNORECASE,
)

_FROM_NONE = re.compile(r"\bfrom [`'\"]?None\b")
_AS_CAUSE = re.compile(r"\b(?:along )?as (?:(?:the|its|an?) (?:direct |explicit )?|direct )cause\b")


class RaiseFrom(Places):
    """`raise X(...)` becomes `raise X(...) from e`, with the exception named, or `from None`; or the reverse."""

    kind: ClassVar[str] = "raise_from"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Both causes, unless the words tell which."""
        words = request.instruction
        hidden = _FROM_NONE.search(words) or (_NONE.search(words) and not re.search(r"B904|W0707", words))
        kept = _CAUSE.search(request.instruction)
        every = [(clause, node) for clause in clauses(before) for node in raises(clause)]
        found = [(clause, node) for clause, node in every if _lacks(node, bool(hidden), bool(kept))]
        if kept or not hidden:
            for clause, node in found:
                if one := _chained(before, clause, node, request):
                    yield one
        if hidden or not kept:
            yield from (one for clause, node in found if (one := _occasion(before, clause, node, "None")))
        if _FROM_NONE.search(request.instruction):
            yield from _anywhere(before, [node for _, node in every])


def _anywhere(before: Snippet, caught: list[ast.Raise]) -> Iterator[Occasion]:
    """Raises that stand in no except clause, with `from None`."""
    for node in before.nodes:
        if isinstance(node, ast.Raise) and node.exc and node.cause is None and node not in caught:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            end = end_of(before, node)
            yield Occasion(node.lineno - 1, ((end, end, " from None"),), (ast.unparse(called),), "none")


def _lacks(node: ast.Raise, hidden: bool, kept: bool) -> bool:
    """Whether a raise has no cause, or the opposite of the one that the words tell."""
    match node.cause:
        case None:
            return True
        case ast.Constant(value=None):
            return kept and not hidden
    return hidden and not kept


def _chained(before: Snippet, clause: Clause, node: ast.Raise, request: Request) -> Occasion | None:
    words = _AS_CAUSE.sub("", request.instruction)
    named = naming(before, clause, Request(words, request.selected))
    return _occasion(before, clause, node, named[0], *named[1]) if named else None


def _occasion(before: Snippet, clause: Clause, node: ast.Raise, cause: str, *more: Change) -> Occasion | None:
    raised = node.exc
    if raised is None or (isinstance(raised, ast.Name) and raised.id == clause.handler.name):
        return None
    called = raised.func if isinstance(raised, ast.Call) else raised
    variant = "none" if cause == "None" else "cause"
    changes = (*more, (end_of(before, raised), end_of(before, node), f" from {cause}"))
    return Occasion(node.lineno - 1, changes, (ast.unparse(called), *filter(None, [clause.caught])), variant)
