"""A value that is worked out only where what it needs is there: `a.name if a else None`, `a / b if b else 0`.

The words, or an error message, tell that something is None, empty or zero.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.bugs.slips import Spot, respelled, spots
from spark_tui.editing.codemods.common.expression_places import places_meant
from spark_tui.editing.codemods.common.negation import OR, strength
from spark_tui.editing.codemods.common.values_told import values_told
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_NONE = re.compile(r"\bnone\b|\bnull\b|\bmissing\b|\bunset\b|\bno \w+\b|\bwithout\b|\bnot set\b", re.IGNORECASE)
_EMPTY = re.compile(r"\bempty\b|\bnothing\b|\bIndexError\b|\bout of range\b")
_ZERO = re.compile(r"\bzero\b|\b0\b|ZeroDivision|\bdivi\w+ by\b")
_NO_ATTRIBUTE = re.compile(r"NoneType\W+(?:object )?has no attribute\W+(\w+)")
_MOST = 6


def guarded_values(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each value that is set, passed or returned, where the words say when it cannot be worked out."""
    words = request.instruction
    none, empty, zero = (pattern.search(words) is not None for pattern in (_NONE, _EMPTY, _ZERO))
    if not (none or empty or zero):
        return
    told = [value for value, _, _ in values_told(before, words)][:1]
    found = {id(spot.node): spot for spot in spots(before.tree) if _is_held(spot) and text_of(before, spot.node)}
    count = 0
    for node in places_meant(before, request, [spot.node for spot in found.values()]):
        for need, sort in _needs(before, node, words):
            if not {"value": none, "items": empty or none, "number": zero}[sort]:
                continue
            for text in _forms(before, node, need, sort, told):
                if ops := respelled(before, start_of(before, node), end_of(before, node), text):
                    yield ops
                    count += 1
            if count >= _MOST:
                return


def _is_held(spot: Spot) -> bool:
    held = isinstance(spot.parent, ast.Assign | ast.AnnAssign | ast.Return | ast.keyword | ast.Dict)
    return held and isinstance(spot.node, ast.Attribute | ast.Subscript | ast.BinOp | ast.Call | ast.ListComp)


def _needs(before: Snippet, node: ast.expr, words: str) -> Iterator[tuple[str, str]]:
    """What a value needs, and how: that has to be there, have items, or be no zero."""
    said = set(re.findall(r"[^\W\d]\w*", words))
    told = _NO_ATTRIBUTE.search(words)
    found: dict[tuple[str, str], None] = {}
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name() | ast.Attribute() as owner, attr=attr):
                path = dotted(owner) or ""
                if path not in ("", "self", "cls") and (_last(path) in said or (told and told[1] == attr)):
                    found[path, "value"] = None
            case ast.Subscript(value=ast.Name() | ast.Attribute() as owner):
                found[text_of(before, owner), "items"] = None
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), left=left, right=right):
                if not isinstance(left, ast.Constant | ast.JoinedStr) and not isinstance(right, ast.Constant):
                    found[text_of(before, right), "number"] = None
            case ast.Call(args=args):
                for one in args:
                    path = dotted(one) or ""
                    if path and _last(path) in said:
                        found[path, "value"] = None
    yield from (one for one in found if one[0])


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _forms(before: Snippet, node: ast.expr, need: str, sort: str, told: list[str]) -> Iterator[str]:
    text = text_of(before, node)
    own = f"({text})" if strength(before, node) < OR else text
    other = told[0] if told and told[0] not in text else "0" if sort == "number" else "None"
    yield f"{own} if {need} else {other}"
    if sort == "value":
        yield f"{own} if {need} is not None else {other}"
        if isinstance(node, ast.Attribute) and text == f"{need}.{node.attr}":
            yield f'getattr({need}, "{node.attr}", {other})'
