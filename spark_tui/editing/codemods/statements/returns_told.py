"""Returns that words ask for at the end of a function or of a branch: "otherwise an empty list", "explicit None"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, docstring_node, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.common.said import values
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import calls_of, dotted, is_generator, places, quote

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_EXPLICIT = re.compile(
    r"\bexplicit\w*\b|\bR1710\b|\bRET50\d\b|\bSIM?\d*return\b|inconsistent.return|\ball return statements\b"
    r"|\b(?:falls?|runs?|drops?) (?:off|through|out)\b|\bno return\b|\bwithout a return\b|\bmissing return\b",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"\b(?:otherwise|else|at the (?:very )?end|in the end|last|finally|if (?:none|nothing|not)|by default|as a fallback"
    r"|when (?:none|nothing|not)|not found|unmatched)\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"\b(?:return\w*|gives?|give back|hand back|answer|yield back|be)\b", re.IGNORECASE)
_NAMES = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print")
_MOST = 3


def returns_told(before: Snippet, words: str) -> Iterator[Ops]:
    """The returns at the end of each function that may be meant, with the values told."""
    ended, explicit = _AT_END.search(words) and _GIVEN.search(words), _EXPLICIT.search(words)
    if not (ended or explicit):
        return
    told = [one for one in values(words, quote(before, "")[0]) if not one.isidentifier() or one in _CONSTANTS]
    given = (told[:_MOST] if ended else []) or ["None"]
    for function in functions_named(before, words) or before.functions:
        last = function.body[-1]
        if isinstance(last, _LEAVING) or is_generator(function) or not stands_alone(before, last):
            continue
        first, end = statement_lines(last)
        indent = indentation(before.lines[first])
        documented = docstring_node(function) is last
        yield from (
            (Insert(end, (f"{indent}return {one}",)),) for one in (["None"] if documented and explicit else given)
        )


_CONSTANTS = ("True", "False", "None", "NotImplemented", "self")


def unfinished_branches(before: Snippet) -> Iterator[Ops]:
    """Branches that only complain about what comes next, and now leave the function or go on with the loop."""
    for place in places(before):
        node = place.node
        if not (isinstance(node, ast.If) and place.function and not node.orelse and _complains(node)):
            continue
        last = node.body[-1]
        if place.index + 1 < len(place.block) and stands_alone(before, last):
            leaving = ["continue"] if place.in_loop else ["return", *_value(place.function)]
            row = statement_lines(last)[1]
            indent = indentation(before.lines[statement_lines(last)[0]])
            yield from ((Insert(row, (f"{indent}{one}",)),) for one in leaving)


def _complains(node: ast.If) -> bool:
    calls = [call for one in node.body for call in calls_of(one)]
    only = all(isinstance(one, ast.Expr) for one in node.body)
    return only and any((dotted(call.func) or "").rpartition(".")[2] in _NAMES for call in calls)


def _value(function: Function) -> list[str]:
    returned = any(isinstance(one, ast.Return) and one.value for one in ast.walk(function))
    return ["return None"] if returned else []
