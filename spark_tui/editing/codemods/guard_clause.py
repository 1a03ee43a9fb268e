"""Guards: a condition on which a function is left first thing."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.checks.checks_told import leaving_checks
from spark_tui.editing.codemods.checks.conditions_told import Told, told_tests, without
from spark_tui.editing.codemods.checks.guards_usual import guards_usual
from spark_tui.editing.codemods.checks.hinted_too import hinted_too
from spark_tui.editing.codemods.checks.lookups_checked import lookups_checked
from spark_tui.editing.codemods.checks.only_if import only_if
from spark_tui.editing.codemods.checks.types_handled import types_handled
from spark_tui.editing.codemods.common.additions import Added, added_statement, unknown_names
from spark_tui.editing.codemods.common.said import values
from spark_tui.editing.codemods.common.values_told import named_path, paths_of
from spark_tui.editing.codemods.plain.plain_checks import plain_returns
from spark_tui.editing.codemods.plain.plain_exits import plain_left
from spark_tui.editing.codemods.plain.plain_needless import plain_not_empty
from spark_tui.editing.codemods.plain.plain_reports import plain_reports
from spark_tui.editing.codemods.plain.plain_skips import plain_skips
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_LEAVES = re.compile(
    r"\b(?:nothing|skip|bail|leave|stop|quit|exit|early|no-?op|ignore|done|give up|get out|pointless|forget it"
    r"|never mind|return(?=\W*$|\W+(?:if|when|right|at once|immediately|then)\b))"
)

_NAMED = re.compile(
    r"\b(?:return|(?:give|hand)(?: it| that)? back|returns|->|answer with)(?: (?:just|the|its|only))* ([^\W\d][\w.]*)"
)
_ITSELF = re.compile(r"\b(?:unchanged|as it is|as is|untouched|(?:hand|give) (?:it|that) back|return (?:it|that)\b)")


class GuardClause(Codemod):
    """`if condition:` and `return value` before everything but the docstring."""

    kind: ClassVar[str] = "guard_clause"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_left`, `plain_skips`, `plain_not_empty`, `plain_reports` and `plain_returns`."""
        words = request.instruction
        return (
            plain_left(before, words)
            or plain_skips(before, words)
            or plain_not_empty(before, words)
            or plain_reports(before, words)
            or list(hinted_too(before, plain_returns(before, words)))
        )

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The condition and the value told, at the top of each function that may be meant; None without both."""
        found = [
            guard(before, top, told.source, outcome)
            for told, top in told_tests(before, request.instruction)
            for outcome in _outcomes(before, told, without(request.instruction, told))
        ]
        found += types_handled(before, request.instruction)
        found += only_if(before, request)
        found += lookups_checked(before, request)
        found += guards_usual(before, request.instruction)
        found += leaving_checks(before, request.instruction)
        return list(hinted_too(before, found)) or None

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that is no guard, or was not asked for."""
        if self.lists(before, after, request):
            return ""
        return no_guard(before, added_statement(before, after), request, ast.Return)


def guard(before: Snippet, top: tuple[int, str], condition: str, leaving: str) -> Ops:
    """The edit that leaves a function at its top. Args: top: see `tops`."""
    after, indent = top
    return (Insert(after, (f"{indent}if {condition}:", f"{indent}{before.layout.unit}{leaving}")),)


def _outcomes(before: Snippet, condition: Told, rest: str) -> Iterator[str]:
    """The statements that may be meant. Args: rest: the instruction without the condition."""
    named = _NAMED.search(rest)
    path = named_path(named[1], paths_of(before)) if named else ""
    if condition.path and _ITSELF.search(rest) and path in ("", condition.path):
        yield f"return {condition.path}[0]" if condition.source.startswith("len(") else f"return {condition.path}"
        return
    names = {one.name for one in before.functions}
    told = [value for value in values(rest, quote(before, "")[0]) if value.strip("'\"").removesuffix("()") not in names]
    told = told or [path] if path else [one for one in told if not _is_word(before, one, rest)]
    yield from (f"return {value}" for value in told)
    if not told and _LEAVES.search(rest.lower()):
        yield "return"
    elif not told and condition.about == condition.source:
        yield "return None" if any(isinstance(one, ast.Return) and one.value for one in before.nodes) else "return"


def _is_word(before: Snippet, value: str, rest: str) -> bool:
    """Whether a value is but a word of the instruction, which nothing defines."""
    if not value.isidentifier() or value in ("True", "False", "None", "NotImplemented", "self"):
        return False
    shown = re.search(rf"[`'\"]{value}\b|\b(?:return|back) {value}\b", rest)
    return shown is None and not any(value in line for line in before.lines)


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
