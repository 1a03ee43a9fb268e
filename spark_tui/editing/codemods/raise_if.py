"""Checks that raise."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.checks.chains_ended import chains_ended
from spark_tui.editing.codemods.checks.checks_told import raising_checks
from spark_tui.editing.codemods.checks.conditions_told import Told, told_tests, without
from spark_tui.editing.codemods.checks.errors_told import wanted_errors
from spark_tui.editing.codemods.checks.raised_instead import raised_instead
from spark_tui.editing.codemods.common.additions import added_statement
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.guard_clause import guard, no_guard
from spark_tui.editing.codemods.plain.plain_checks import plain_raises
from spark_tui.editing.codemods.plain.plain_ends import raises_at_end
from spark_tui.editing.codemods.plain.plain_exits import plain_raised
from spark_tui.editing.codemods.texts.messages_made import messages_made
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_CALL = re.compile(r"(?<![\w.])([A-Z]\w*(?:\.\w+)*\([^()]*\))")
_ERROR = re.compile(
    r"(?<![\w.])((?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|NotFound|Timeout|Interrupt|Exists|Invalid\w*))(?![\w.]*\w)"
)

_RAISED = re.compile(r"\braise (?:an? )?`?([A-Z]\w*[a-z]\w*)(?!\w)")
_TEXT = re.compile(
    r"\bwith the (?:text|message|words)(?: of)? (?P<text>[^.;\"'`]+?)"
    r"(?= (?:up front|first|before|if|when|at the top)\b|[.;]|$)"
)
_SAME = re.compile(r"\bsame (?:text|message|error|words)\b")


class RaiseIf(Codemod):
    """`if condition:` and `raise error` before everything but the docstring."""

    kind: ClassVar[str] = "raise_if"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `raises_at_end`, `plain_raised` and `plain_raises`."""
        words = request.instruction
        return raises_at_end(before, words) or plain_raised(before, words) or plain_raises(before, words)

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The condition and the error told, at the top of each function that may be meant; None without both."""
        words = request.instruction
        found = [
            guard(before, top, told.source, f"raise {error}")
            for told, top in told_tests(before, words)
            for error in _errors(before, words, told)
        ]
        errors = [*_ERROR.findall(words), *_RAISED.findall(words)]
        found += raised_instead(before, words, errors)
        found += chains_ended(before, words)
        found += raising_checks(before, words)
        return found or None

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what was added that is no such check, or was not asked for."""
        if self.lists(before, after, request):
            return ""
        return no_guard(before, added_statement(before, after), request, ast.Raise)


def _errors(before: Snippet, words: str, told: Told) -> Iterator[str]:
    """What may be raised: a call as it is told, else the error with the text told, or with the condition's words."""
    rest = without(words, told)
    if calls := [call for call in _CALL.findall(rest) if is_expression(call)]:
        yield from calls
        return
    errors = list(dict.fromkeys([*_ERROR.findall(rest), *_RAISED.findall(rest)]))
    errors = [one for one in errors if one in wanted_errors(rest)] or errors
    if _SAME.search(rest):
        shown = (before.segment(node.exc) for node in before.nodes if isinstance(node, ast.Raise) and node.exc)
        yield from (one for call in shown if (one := " ".join(call.split())).partition("(")[0] in errors)
        return
    made = messages_made(before, told.source)
    for error in errors:
        texts = [span.text for span in spans(rest) if span.mark and span.text.strip() and span.text != error]
        texts = [text for text in texts if text.removesuffix("()") not in {one.name for one in before.functions}]
        texts = [match["text"] for match in _TEXT.finditer(rest)] or texts
        said = " ".join(words[told.start : told.end].replace("`", "").split())
        yield from (f"{error}({quote(before, text)})" for text in texts or [said])
        yield from (f"{error}({message})" for message in ([] if texts else made))
