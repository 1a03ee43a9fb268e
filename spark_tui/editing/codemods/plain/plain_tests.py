"""Conditions that plain words want wider or narrower: "0 should be allowed", "the check should be case insensitive"."""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced

_GOOD = (
    r"(?:(?:should|must|can|may|is|has to|ought to)(?: also| still)?(?: be)?"
    r"(?: allowed| valid| ok(?:ay)?| fine| accepted| legal| possible| work(?:s|ing)?| count(?:ed)?)(?: too| as well)?)"
)
_BAD = (
    r"(?:(?:shouldn'?t|should not|must not|mustn'?t|can'?t|cannot|may not|isn'?t|is not)(?: be)?"
    r"(?: allowed| valid| ok(?:ay)?| fine| accepted| legal| possible| work| count(?:ed)?))"
)
_ZERO = r"(?:0|zero|an empty \w+|empty \w+|\"\"|'')"
_ALLOWED = re.compile(
    rf"(?:(?:a |an )?(?P<name>[^\W\d]\w*)(?: of| =+| being)? )?{_ZERO} {_GOOD}"
    r"|(?:allow|accept|permit|support) (?:a |an )?(?:(?P<of>[^\W\d]\w*)(?: of| =+| being)? )?"
    rf"{_ZERO}(?: for (?P<for>\w+))?"
    rf"|(?P<empty>[^\W\d]\w*) (?:may|can|could|should|is allowed to) (?:also )?be {_ZERO}",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    rf"(?:(?:a |an )?(?P<name>[^\W\d]\w*)(?: of| =+)? )?(?:0|zero) {_BAD}"
    r"|(?:don'?t|do not|never) (?:allow|accept|permit) (?:a |an )?(?:(?P<of>[^\W\d]\w*)(?: of)? )?(?:0|zero)"
    r"|(?:disallow|forbid|reject) (?:a |an )?(?:(?P<bad>[^\W\d]\w*)(?: of)? )?(?:0|zero)",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"(?:(?:the |this |that )?(?P<what>[\w ]+?) (?:should|must|ought to|has to) (?:be (?:done )?)?)?(?:be )?"
    r"(?:case[- ]?insensitive(?:ly)?|not case[- ]sensitive|ignore (?:the )?case|not care about (?:the )?case)"
    r"|(?:make|do|compare) (?:(?:the |this |that )?(?P<makes>[\w ]+?) )?(?:be )?case[- ]?insensitive(?:ly)?"
    r"|(?:compare|match)(?: [\w ]+?)? (?:ignoring|regardless of|without regard to) (?:the )?case",
    re.IGNORECASE,
)
_THING = frozenset("check comparison test it this that condition compare match lookup search".split())  # noqa: SIM905


def plain_tests(before: Snippet, words: str) -> list[Ops]:
    """The one condition that is meant, as told; else []."""
    said = bare(before, words)
    for form, mended in ((_ALLOWED, _allowing), (_FORBIDDEN, _forbidding), (_CASE, _any_case)):
        if told := form.fullmatch(said):
            name = next((one for one in told.groups() if one), "")
            found = list(_in_functions(before, words, name, mended))
            if len(found) == 1 and (lines := spliced(before, found)) != list(before.lines):
                return [between(before, lines)]
    return []


_Mending = Callable[[Snippet, ast.AST, str], Iterator[tuple[ast.expr, str]]]


def _in_functions(before: Snippet, words: str, name: str, mended: _Mending) -> Iterator[tuple[ast.expr, str]]:
    for function in functions_named(before, words) or before.functions:
        yield from mended(before, function, name)


def _tests(within: ast.AST) -> Iterator[ast.expr]:
    """The conditions, down to what an `and`, an `or` or a `not` joins."""
    waiting = [one.test for one in outside_fstrings(within) if isinstance(one, ast.If | ast.While | ast.IfExp)]
    waiting += [one for part in ast.walk(within) if isinstance(part, ast.comprehension) for one in part.ifs]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BoolOp):
            waiting += node.values
        else:
            yield node


def _is(node: ast.expr, name: str) -> bool:
    path = dotted(node) or ""
    return bool(path) and (not name or path.rpartition(".")[2].strip("_") == name)


def _allowing(before: Snippet, function: ast.AST, name: str) -> Iterator[tuple[ast.expr, str]]:
    """`if x` as `if x is not None`, `x > 0` as `x >= 0`; of any value where it is not told."""
    for node in _tests(function):
        match node:
            case ast.Name() | ast.Attribute() if name and _is(node, name):
                yield node, f"{text_of(before, node)} is not None"
            case ast.UnaryOp(op=ast.Not(), operand=operand) if name and _is(operand, name):
                yield node, f"{text_of(before, operand)} is None"
            case ast.Compare(left=left, ops=[ast.LtE() | ast.Gt() as op], comparators=[ast.Constant(value=0)]):
                if _is(left, name):
                    yield node, f"{text_of(before, left)} {'<' if isinstance(op, ast.LtE) else '>='} 0"


def _forbidding(before: Snippet, function: ast.AST, name: str) -> Iterator[tuple[ast.expr, str]]:
    """`x < 0` as `x <= 0`, `x >= 0` as `x > 0`."""
    for node in _tests(function):
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.GtE() as op], comparators=[ast.Constant(value=0)]):
                if _is(left, name):
                    yield node, f"{text_of(before, left)} {'<=' if isinstance(op, ast.Lt) else '>'} 0"


def _any_case(before: Snippet, function: ast.AST, name: str) -> Iterator[tuple[ast.expr, str]]:
    """Both sides in lower case: of the only comparison with a text, or of that of which words are told."""
    said = {word for word in name.lower().split() if word not in _THING}
    for node in outside_fstrings(function):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                sides = [_lowered(before, one) for one in (left, right)]
                known = {word.lower() for word in re.findall(r"[^\W_]+", text_of(before, node))}
                if any(_is_word(one) for one in (left, right)) and all(sides) and said <= known:
                    yield node, f"{sides[0]} {'==' if isinstance(node.ops[0], ast.Eq) else '!='} {sides[1]}"


def _is_word(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() as value):
            return any(letter.isalpha() for letter in value)
    return False


def _lowered(before: Snippet, node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as value):
            return text_of(before, node).lower() if value.isascii() and "\\" not in text_of(before, node) else ""
        case ast.Call(func=ast.Attribute(attr="lower")):
            return text_of(before, node)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            return f"{text_of(before, node)}.lower()"
    return ""
