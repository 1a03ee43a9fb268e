"""Look-ups that may find nothing: `x = d.pop(k)` made `d.pop(k, None)` with a check of `x` below."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.named import calls
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.statements.statements_meant import likely_statements
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, has_tail, places

_NOTHING = re.compile(
    r"(?i)\b(?:unknown|missing|absent|unseen|no such|gone|already|(?:not|n't) (?:there|known|found|exist|in)|KeyError"
    r"|no longer|stale|late|dropped|removed|StopIteration)\b"
)
_LEAVES = re.compile(
    r"(?i)\b(?:ignor\w+|skip\w*|just return|simply return|return early|nothing|leave|continue|go on|return)\b"
)
_GIVES = re.compile(
    r"\b(?:return|returns|give back|gives|answer) "
    rf"(?P<value>None|True|False|{SIGNED}|\"[^\"]*\"|'[^']*'|\[\]|\{{\}}|\(\))(?!\w)"
)
_MOST = 6


def lookups_checked(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each look-up that may be meant with a check, and what is done where nothing is found."""
    words = request.instruction
    ways = _ways(words) if _NOTHING.search(words) else []
    if not ways:
        return
    first, last = request.selected or (0, len(before.lines))
    among = [one for one in places(before) if first <= one.first and one.last <= last and one.first == one.last]
    made: list[Ops] = []
    for place in likely_statements(before, among, words, calling=False):
        match place.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not has_tail(before, place):
                for way in ways if len(made) < _MOST else ():
                    made += [between(before, one) for one in _checked(before, place, name, value, way) if parses(one)]
    yield from made


def _ways(words: str) -> list[str]:
    """What is to be done then."""
    raised = [
        f"raise {call}"
        for call in calls(words)
        if call.endswith(")") and call.partition("(")[0].rpartition(".")[2][:1].isupper() and is_expression(call)
    ]
    if raised:
        return raised[:1]
    if given := _GIVES.search(words):
        return [f"return {given['value']}"]
    return ["return", "continue"] if _LEAVES.search(words) else []


def _checked(before: Snippet, place: Place, name: str, value: ast.expr, way: str) -> Iterator[list[str]]:
    """The lines with the look-up giving None where it finds nothing, if it can, and a check below it."""
    if way == "continue" and not place.in_loop:
        return
    indent = place.indent
    check = [f"{indent}if {name} is None:", f"{indent}{before.layout.unit}{way}"]
    source = text_of(before, value)
    match value:
        case ast.Call(func=ast.Attribute(attr="pop"), args=[_], keywords=[]):
            new = f"{source[:-1]}, None)"
        case ast.Call(func=ast.Name(id="next"), args=[_], keywords=[]):
            new = f"{source[:-1]}, None)"
        case ast.Subscript(value=owner, slice=ast.expr() as key) if not isinstance(key, ast.Slice | ast.Constant):
            new = f"{text_of(before, owner)}.get({text_of(before, key)})"
        case ast.Subscript(value=owner, slice=ast.Constant(value=str()) as key):
            new = f"{text_of(before, owner)}.get({text_of(before, key)})"
        case _:
            return
    if source:
        lines = splice(before.lines, start_of(before, value), end_of(before, value), new)
        yield [*lines[: place.last + 1], *check, *lines[place.last + 1 :]]
