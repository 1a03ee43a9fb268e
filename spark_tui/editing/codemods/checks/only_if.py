"""Statements that are to be done on a condition only: "call it when there is one", "don't wipe what is there"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.checks.conditions_told import conditions, named_values
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.statements.statements_meant import likely_statements
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, dotted, movable, places, quote

_ONLY = re.compile(
    r"(?i)\bonly\b|\bunless\b|\bskip|\b(?:when|if|where) (?:there|it|nothing|no|not|none|any|one)\b|\bnothing should\b"
    r"|\bNoneType\b|\bhas no\b|\balready\b|\bsecond\b|\bagain\b|\btwice\b|\bover-?writ|\bforg[eo]t|\bwip|\breset"
    r"|\bmay be (?:None|missing|absent|empty)|\bno longer\b|\bdon't\b|\bdoes not\b|\bdoesn't\b|\bat EOF\b"
)
_LACKS = re.compile(
    r"(?i)\bhas no\b|\bno attribute\b|AttributeError|\blacks?\b|\bwithout an?\b|\bnot every\b|\bmay not have\b"
)
_NONE = re.compile(r"\bNone(?:Type)?\b|(?i:\bwhen there is (?:one|none)\b|\bmissing\b|\babsent\b)")
_KEPT = re.compile(
    r"(?i)\b(?:second|again|twice|forg[eo]t\w*|wip\w+|over-?writ\w*|already|reset\w*|clobber\w*|los[et]\w*|keeps?|kept)\b"
)
_GIVEN = re.compile(
    r"(?i)\bonly (?:when|if|where)\b.*\b(?:gave|given|set|there|present|passed|exists?)\b|\bif (?:given|present)\b"
)
_LEAVES = re.compile(r"(?i)\b(?:return|raise|rais|bail|leave|hand|give)\w*\b|Error\b")
_FALSY = re.compile(r"(?i)\bempty\b|\bnothing\b|\bfalsy\b|\bno\b|\bnone\b|\bthere is one\b")
_MOST_LIKELY, _MOST_TOLD, _MOST = 8, 2, 8


def only_if(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each statement that may be meant put under each condition that may be."""
    words = request.instruction
    if not _ONLY.search(words):
        return
    first, last = request.selected or (0, len(before.lines))
    among = [one for one in places(before) if first <= one.first and one.last <= last and movable(one.node)]
    simple = [one for one in among if isinstance(one.node, ast.Expr | ast.Assign | ast.AugAssign | ast.Delete)]
    told = [one.source for one in conditions(before, words)]
    likely = likely_statements(before, simple, words, calling=False)
    made = [_under(place, one) for place in likely[:_MOST_LIKELY] for one in _of_place(before, place, words)]
    yield from made[:_MOST]
    for place in likely[:_MOST_TOLD] if not _LEAVES.search(words) else ():
        found = dict.fromkeys([*told, *_of_names(before, place, words)])
        yield from (_under(place, one) for one in found if is_expression(one))


def _under(place: Place, condition: str) -> Ops:
    return (Insert(place.first - 1, (f"{place.indent}if {condition}:",)), Indent(place.first, place.last))


def _of_place(before: Snippet, place: Place, words: str) -> Iterator[str]:
    """What the statement itself suggests: the key is there or not, the object has the method, the value is one."""
    match place.node:
        case (
            ast.Assign(targets=[ast.Subscript(value=owner, slice=key)])
            | ast.Delete(targets=[ast.Subscript(value=owner, slice=key)])
        ):
            holder, inner = text_of(before, owner), text_of(before, key)
            if holder and inner and _KEPT.search(words) and isinstance(place.node, ast.Assign):
                yield f"{inner} not in {holder}"
            if holder and inner and (_GIVEN.search(words) or isinstance(place.node, ast.Delete)):
                yield f"{inner} in {holder}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name), args=passed)):
            yield from _of_call(before, owner, name, passed, words)


def _of_call(before: Snippet, owner: ast.expr, name: str, passed: list[ast.expr], words: str) -> Iterator[str]:
    holder, named = dotted(owner) or "", re.search(rf"\b{re.escape(name)}\b", words)
    if holder and holder not in ("self", "cls") and named:
        if _LACKS.search(words) and "NoneType" not in words:
            yield f"hasattr({holder}, {quote(before, name)})"
        if _NONE.search(words):
            yield f"{holder} is not None"
            yield holder
    for value in passed[:1]:
        if (path := dotted(value)) and len(passed) == 1 and (_NONE.search(words) or _FALSY.search(words)):
            yield path
            yield f"{path} is not None"


def _of_names(before: Snippet, place: Place, words: str) -> Iterator[str]:
    """Variables that are set above the statement and that the words name: "when nothing was skipped"."""
    known = named_values(before)
    said = re.findall(r"[^\W\d]\w+", words)
    set_above = {
        one.id
        for one in before.nodes
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and start_of(before, one)[0] < place.first
    }
    used = {one.id for one in ast.walk(place.node) if isinstance(one, ast.Name)}
    for name in dict.fromkeys(known[one] for one in said if one in known):
        if name in set_above and name not in used:
            yield name
