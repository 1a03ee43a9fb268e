"""`x or y` made a test against None of its own, where the words say that what is empty counts as well."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, Place, dotted, places, spliced

_ASKED = re.compile(r"\bNone\b|(?i:\bnull\b)")
_OR = re.compile(r"(?i)`or`|\bor\b|\bfalsy\b|\bempty\b|\bzero\b|=0\b|\b0\b|\blegal\b|\bvalid\b|\bfall(?:s|ing)? ?back")
_MOST = 4


def or_written_out(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each `or` between a value and its stand-in as an `if ... is None:` above."""
    if not (_ASKED.search(request.instruction) and _OR.search(request.instruction)):
        return
    first, last = request.selected or (0, len(before.lines))
    made = [
        lines
        for place in places(before)
        if first <= place.last and place.first <= last and not isinstance(place.node, COMPOUND)
        for lines in _written(before, place)
    ]
    yield from (between(before, lines) for lines in made[:_MOST])


def _written(before: Snippet, place: Place) -> Iterator[list[str]]:
    for node in ast.walk(place.node):
        match node:
            case ast.BoolOp(op=ast.Or(), values=[left, right]) if (path := dotted(left)) and text_of(before, right):
                yield from _tested(before, place, node, path, text_of(before, right))


def _tested(before: Snippet, place: Place, node: ast.BoolOp, path: str, other: str) -> Iterator[list[str]]:
    above, below = list(before.lines[: place.first]), list(before.lines[place.last + 1 :])
    indent, inner = place.indent, place.indent + before.layout.unit
    match place.node:
        case ast.Return(value=value) if value is node and place.first == place.last:
            yield [*above, f"{indent}if {path} is None:", f"{inner}return {other}", f"{indent}return {path}", *below]
        case ast.Assign(targets=[target], value=value) if value is node and text_of(before, target) == path:
            yield [*above, f"{indent}if {path} is None:", f"{inner}{path} = {other}", *below]
        case _ if "." not in path:
            lines = spliced(before, [(node, path)])
            yield [*above, f"{indent}if {path} is None:", f"{inner}{path} = {other}", *lines[place.first :]]
