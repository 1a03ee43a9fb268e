"""One alternative more where a test has none of its kind yet: `x == "a"` as `x in ("a", "b")`, `f("a") or f("b")`.

Also a type that is a case of another one and is not meant: `isinstance(x, int) and not isinstance(x, bool)`.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import places_meant
from spark_tui.editing.codemods.common.said import plain_word, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_TOO = re.compile(
    r"\b(?:too|also|as well|like|same|either|both|likewise|another|plus|or|allow|accept\w*|support|and|fine|ok)\b",
    re.IGNORECASE,
)
_CASES = re.compile(r"\b(?P<type>bool|str|string|bytes|boolean)s?\b", re.IGNORECASE)
_REFUSED = re.compile(
    r"\brejec\w*|\brefus\w*|\b(?:is|are) (?:an? )?\w+ (?:too|also|as well)|\bnot\b|n't\b|\bno\b|\bwithout\b|\bexcept\b"
    r"|\bexclud\w*|\bforbid\w*|\bdisallow",
    re.IGNORECASE,
)
_NO_MEMBER = frozenset("sensitive insensitive case check please empty none null true false also same accept".split())  # noqa: SIM905
_SORTS = {"string": "str", "boolean": "bool"}
_MOST_VALUES, _MOST, _LONGER = 3, 9, 40


def alternatives_told(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after a test got one alternative more, the places that are meant alone."""
    changes: dict[int, list[str]] = {}
    found = list(spots(before.tree))
    values = _values(request.instruction) if _TOO.search(request.instruction) else []
    for spot in found if values else ():
        if texts := list(_widened(before, spot, values)):
            changes[id(spot.node)] = texts
    if _REFUSED.search(request.instruction) and (told := _CASES.search(request.instruction)):
        sort = _SORTS.get(told["type"].lower(), told["type"].lower())
        for spot in found:
            if texts := list(_without(before, spot, sort)):
                changes[id(spot.node)] = texts
    nodes = places_meant(before, request, [spot.node for spot in found if id(spot.node) in changes])
    count = 0
    for node in reversed(nodes):
        for text in changes[id(node)]:
            lines = splice(before.lines, start_of(before, node), end_of(before, node), text)
            row = node.lineno - 1
            limit = max(MAX_WIDTH, len(before.lines[row]) + _LONGER * (len(before.lines[row]) > MAX_WIDTH))
            if len(lines[row]) <= limit and count < _MOST:
                count += 1
                yield lines


def _values(instruction: str) -> list[str]:
    """The texts and numbers that may be the alternative, the likeliest first: what is quoted, what looks like code."""
    found: list[tuple[int, str]] = []
    for span in spans(instruction):
        text = span.text.strip("'\"")
        if number := re.fullmatch(r"(\d+)s?", text):
            found.append((1, number[1]))
        elif span.mark and text and "\n" not in text and not re.fullmatch(r"[\w.]+\(.*\)", text):
            found.append((0, text))
        elif re.search(r"[_./:-]", text) and re.fullmatch(r"[\w./:-]+", text):
            found.append((1, text))
        elif text.isalpha() and len(text) > 2 and not plain_word(text) and text.lower() not in _NO_MEMBER:
            found += [(2, text)] + [(2, text[:-1])] * text.endswith("s")
    return list(dict.fromkeys(text for _, text in sorted(found, key=lambda one: one[0])))[: 2 * _MOST_VALUES]


def _alike(values: list[str], node: ast.expr) -> list[str]:
    """Those of the values that could stand where a constant does."""
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool | None):
        return []
    digits = isinstance(node.value, int) or (isinstance(node.value, str) and node.value.isdigit())
    fit = [one for one in values if one.isdigit() is digits and one != str(node.value)]
    if isinstance(node.value, bytes):
        return [one for one in fit if one.isascii() and one != node.value.decode(errors="ignore")][:_MOST_VALUES]
    return fit[:_MOST_VALUES] if isinstance(node.value, str | int) else []


def _like(before: Snippet, value: str, node: ast.Constant) -> str:
    """A value as source, written as a constant beside it is."""
    if isinstance(node.value, int):
        return value
    mark = quote(before, value)
    return (
        f"b{mark}" if isinstance(node.value, bytes) else text_of(before, node)[:1] + value + text_of(before, node)[-1:]
    )


def _widened(before: Snippet, spot: Spot, values: list[str]) -> Iterator[str]:
    match spot.node:
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant() as right])
        ):
            for value in _alike(values, right) if text_of(before, spot.node) else ():
                yield f"{text_of(before, left)} not in ({text_of(before, right)}, {_like(before, value, right)})"
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant() as right]):
            one, two = text_of(before, left), text_of(before, right)
            for value in _alike(values, right) if one and two else ():
                more = _like(before, value, right)
                yield f"{one} {'not in' if isinstance(op, ast.NotEq) else 'in'} ({two}, {more})"
        case ast.Call(func=func, args=[*rest, ast.Constant() as last], keywords=[]) if _is_test(spot):
            head, given = text_of(before, func), [text_of(before, one) for one in rest]
            for value in _alike(values, last) if head and all(given) and text_of(before, spot.node) else ():
                whole = f"{text_of(before, spot.node)} or {head}({', '.join([*given, _like(before, value, last)])})"
                loose = isinstance(spot.parent, ast.UnaryOp) or (
                    isinstance(spot.parent, ast.BoolOp) and isinstance(spot.parent.op, ast.And)
                )
                yield f"({whole})" if loose else whole


def _is_test(spot: Spot) -> bool:
    """Whether only the truth of an expression is looked at."""
    match spot.parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test is spot.node
        case ast.BoolOp():
            return True
        case ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _without(before: Snippet, spot: Spot, sort: str) -> Iterator[str]:
    """`isinstance(x, T)` for all but one case of T."""
    match spot.node:
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]) as call
        ) if (text := text_of(before, call)) and sort not in text_of(before, kinds):
            part = f"isinstance({text_of(before, subject)}, {sort})"
            for whole in (f"not {text} or {part}", f"{part} or not {text}"):
                yield f"({whole})" if _inside(spot, ast.And) else whole
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]) if (
            not isinstance(spot.parent, ast.UnaryOp)
            and (text := text_of(before, spot.node))
            and sort not in text_of(before, kinds)
        ):
            part = f"not isinstance({text_of(before, subject)}, {sort})"
            yield f"{text} and {part}"
            yield f"{part} and {text}"


def _inside(spot: Spot, sort: type[ast.boolop]) -> bool:
    return isinstance(spot.parent, ast.BoolOp) and isinstance(spot.parent.op, sort)
