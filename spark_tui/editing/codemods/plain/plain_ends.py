"""Errors raised where a function that looks for something has found nothing: "raise KeyError if no user is found"."""

import ast
import re

from spark_tui.editing.code import Function, body_after_docstring, indentation, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.hints.certain_types import ends
from spark_tui.editing.codemods.plain.plain_checks import the_function, without_place
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, quote

_RAISE = (
    r"(?:please |it should |should )*(?:raise|throw)s? (?:an? )?"
    r"[`'\"]?(?P<error>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|NotFound))[`'\"]?(?P<call>\([^()]*\))?"
    r"(?:,? (?:with )?(?:the )?(?:message )?(?P<text>\"[^\"]*\"|'[^']*'))?"
)
_NOT_FOUND = (
    r"no (?P<what>\w+)(?: (?:is|was|can be|could be))? (?:found|matches|there)|there is no (?P<no>\w+)"
    r"|(?:the |an? )?(?:(?P<one>\w+) )?(?:is not|isn't|was not|wasn't|not|cannot be|can't be|could not be) found"
    r"|nothing (?:is |was )?(?:found|matches)|none (?:is |was )?found"
)
_FORMS = (
    re.compile(rf"{_RAISE},? (?:if|when) (?:{_NOT_FOUND})"),
    re.compile(rf"{_RAISE},? (?:instead of|rather than) (?:returning|giving back|return) None"),
)


def raises_at_end(before: Snippet, words: str) -> list[Ops]:
    """The error at the end of the one function that loops, returns what it finds, and falls through to None."""
    bare = without_place(before, words)
    for told in filter(None, (form.fullmatch(bare) for form in _FORMS)):
        for function in the_function(before, words):
            if (target := _looked_for(function)) and (last := _last(function)) is not None:
                wanted = _wanted(function) or target
                error = told["error"] + (told["call"] or f"({told['text'] or quote(before, _message(told, wanted))})")
                return [_put(before, last, f"raise {error}")]
    return []


def _message(told: re.Match[str], target: str) -> str:
    groups = told.groupdict()
    return f"{groups.get('what') or groups.get('one') or groups.get('no') or target} not found"


def _wanted(function: Function) -> str:
    """The one parameter that a loop over indices compares what it comes to with, or ""."""
    given = set(argument_names(function)) - {"self", "cls"}
    loops = [one for one in body_after_docstring(function) if isinstance(one, ast.For) and _counts(one)]
    tests = [one for loop in loops for one in ast.walk(loop) if isinstance(one, ast.Compare)]
    sides = [side for one in tests for side in (one.left, *one.comparators)]
    found = {side.id for side in sides if isinstance(side, ast.Name)} & given
    return found.pop() if len(found) == 1 else ""


def _counts(loop: ast.For) -> bool:
    match loop.iter:
        case ast.Call(func=ast.Name(id="range")):
            return True
    return False


def _looked_for(function: Function) -> str:
    """What the loop of a function goes over, where it returns something from within; or ""."""
    for node in body_after_docstring(function):
        if isinstance(node, ast.For | ast.AsyncFor) and isinstance(node.target, ast.Name):
            found = (part for part in ast.walk(node) if isinstance(part, ast.Return) and part.value)
            if any(not isinstance(one.value, ast.Constant) for one in found):
                return node.target.id
    return ""


def _last(function: Function) -> ast.stmt | None:
    """The statement that a function falls through to: its last one; None where it gives something back."""
    last = function.body[-1]
    match last:
        case ast.Return(value=None | ast.Constant(value=None)):
            return last
    return last if isinstance(last, ast.For | ast.AsyncFor) and not ends(function.body) else None


def _put(before: Snippet, last: ast.stmt, line: str) -> Ops:
    first, stop = statement_lines(last)
    text = (indentation(before.lines[first]) + line,)
    return (Replace(first, stop, text),) if isinstance(last, ast.Return) else (Insert(stop, text),)
