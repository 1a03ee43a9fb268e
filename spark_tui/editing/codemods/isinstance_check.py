"""Types checked by isinstance."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.checks.states_told import BUILT_IN
from spark_tui.editing.codemods.common.changes import Change, choices
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings

_ACCEPTED = re.compile(
    r"(?i)(?<!not )(?<!n't )(?<!never )\b(?:accept|allow|permit|support|handle|include|take)(?:s|ing)?\b"
    r"(?! only)(?P<kinds>.*)"
)
_ONE = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
_SEVERAL = (ast.In, ast.NotIn)
_NEGATED = (ast.NotEq, ast.IsNot, ast.NotIn)


class IsinstanceCheck(Codemod):
    """`type(x) == T` becomes `isinstance(x, T)`, `type(x) in (S, T)` becomes `isinstance(x, (S, T))`."""

    kind: ClassVar[str] = "isinstance_check"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One comparison of types or all of them."""
        if any("type(" in line or "__class__" in line for line in before.lines):
            yield from choices(before, type_tests(before, _accepted(request.instruction)), request)


def type_tests(snippet: Snippet, more: Sequence[str] = ()) -> list[Change]:
    """Every comparison of a type with a class, told by whose type it is. Args: more: types to accept as well."""
    found: list[Change] = []
    for node in outside_fstrings(snippet.tree):
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as test):
                outer = True
            case ast.Compare() as test:
                outer = False
            case _:
                continue
        parts = _value_and_class(snippet, test)
        if parts and text_of(snippet, node):
            negated = isinstance(test.ops[0], _NEGATED) != outer
            text = f"{'not ' * negated}isinstance({parts[0]}, {_widened(parts[1], more)})"
            found.append(Change(node, text, (parts[0], f"type({parts[0]})", parts[1])))
    return found


def _accepted(words: str) -> list[str]:
    """The types of Python that are told to be accepted too."""
    told = _ACCEPTED.search(words)
    found = re.findall(r"[a-z]+", told["kinds"].lower()) if told else []
    return list(dict.fromkeys(BUILT_IN[one] for word in found if (one := word.removesuffix("s")) in BUILT_IN))


def _widened(kind: str, more: Sequence[str]) -> str:
    """The source of a class or of a tuple of such, with those that it lacks."""
    lacking = [one for one in more if one not in re.findall(r"\w+", kind)]
    held = kind[1:-1].rstrip(", ") if kind[0] == "(" else kind
    return f"({', '.join([held, *lacking])})" if lacking else kind


def _value_and_class(snippet: Snippet, test: ast.Compare) -> tuple[str, str] | None:
    """The sources of the two arguments for isinstance."""
    if len(test.ops) != 1:
        return None
    left, right, op = test.left, test.comparators[0], test.ops[0]
    if isinstance(op, _ONE) and _typed(left) is None:
        left, right = right, left
    value, kind = _typed(left), text_of(snippet, right)
    if value is None or (isinstance(op, _ONE) and not _is_class(right)):
        return None
    if isinstance(op, _SEVERAL):
        if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not all(map(_is_class, right.elts)):
            return None
        kind = _as_tuple(kind, len(right.elts)) if kind else ""
    elif not isinstance(op, _ONE):
        return None
    source = text_of(snippet, value)
    return (source, kind) if source and kind else None


def _typed(node: ast.expr) -> ast.expr | None:
    """What `type(x)` and `x.__class__` give the type of."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[value], keywords=[]) if not isinstance(value, ast.Starred):
            return value
        case ast.Attribute(value=value, attr="__class__"):
            return value
    return None


def _is_class(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) or _typed(node) is not None


def _as_tuple(source: str, count: int) -> str:
    if source[0] == "(":
        return source
    inner = source[1:-1].strip()
    return f"({inner},)" if count == 1 and not inner.endswith(",") else f"({inner})"
