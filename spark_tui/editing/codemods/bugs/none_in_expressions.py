"""A value that is None where something else is needed, with that after `or`: `(x or "").strip()`, `(n or 0) + 1`.

An error message tells where it is None and so what is needed there; else the words call it None or missing, and tell
what it counts as.
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
from spark_tui.editing.statements import quote

_NO_ATTRIBUTE = re.compile(r"NoneType\W+(?:object )?has no attribute\W+(\w+)")
_OPERANDS = re.compile(
    r"NoneType.{0,30}?\b(?:and|to)\b\W+'?(?P<one>\w+)|'?(?P<two>\w+)'?\W+and\W+'?NoneType"
    r"|concatenate (?P<three>\w+) \(not \W?NoneType",
)
_ITERATED = re.compile(r"NoneType\W+(?:object )?(?:is )?not iterable|of type \W?NoneType\W? is not iterable")
_SIZED = re.compile(r"type \W?NoneType\W? has no len")
_SUBSCRIPTED = re.compile(r"NoneType\W+(?:object )?(?:is )?not subscriptable")
_EXPECTED = re.compile(
    r"expected (?:str|string|a string|bytes)\b.{0,40}NoneType|must be (?:str|a string).{0,20}NoneType"
)
_CALLED_NONE = re.compile(
    r"\bNone\b|\bnull\b|\bNoneType\b|\bunset\b|\bwithout (?:an? )?value\b|\bvalueless\b|\bmissing\b"
)
_OF_METHODS = {
    **dict.fromkeys(dir(str), "''"), **dict.fromkeys(["append", "extend", "sort", "pop"], "[]"),
    **dict.fromkeys(["items", "keys", "values", "get", "update", "setdefault"], "{}"),
}  # fmt: skip
_OF_TYPES = {
    "int": "0", "float": "0", "str": "''", "bytes": "b''", "list": "[]", "tuple": "()", "dict": "{}", "set": "set()",
    "datetime": "0", "timedelta": "timedelta()",
}  # fmt: skip
_WHOLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Await)
_FALLBACK = re.compile(
    r"\bfall(?:s|ing)?[ -]?back\b|\bdefault|\botherwise\b|\bor else\b|\bif not\b|\bempty\b|\bunless\b"
)
_MOST, _MOST_HELD = 8, 3


def none_in_expressions(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each value that may be the one that is None, with what stands for it after `or`; the likeliest first."""
    words = request.instruction
    if not _CALLED_NONE.search(words):
        yield from _fallen_back(before, request)
        return
    told = [value for value, _, _ in values_told(before, words) if value != "None"]
    told += [value for value in re.findall(r"\bb?(?:\"\"|'')", words) if value not in told]
    if re.search(r"\b(?:empty|blank)\b", words) and not told:
        told = ["''"]
    found = [(spot, *_needed(spot, words)) for spot in spots(before.tree) if _may_be_none(before, spot)]
    sure = {id(spot.node): value for spot, value, is_sure in found if is_sure}
    maybe = {id(spot.node): value for spot, value, is_sure in found if value} if told and not sure else sure
    parents = {id(spot.node): spot for spot, _, _ in found}
    nodes = [spot.node for spot, _, _ in found if id(spot.node) in maybe]
    count = 0
    for node in places_meant(before, request, nodes) or nodes:
        for value in dict.fromkeys((*told[:2], *([maybe[id(node)]] if sure else []))):
            if ops := _with(before, parents[id(node)], value.replace("''", quote(before, "")[0] * 2)):
                yield ops
                count += 1
            if count >= _MOST:
                return


def _fallen_back(before: Snippet, request: Request) -> Iterator[Ops]:
    """A value that is set, passed or returned with what the words tell to fall back to."""
    if not _FALLBACK.search(request.instruction):
        return
    told = [value for value, _, _ in values_told(before, request.instruction) if value != "None"][:2]
    found = {id(spot.node): spot for spot in spots(before.tree) if _may_be_none(before, spot) and _is_held(spot)}
    for node in places_meant(before, request, [spot.node for spot in found.values()])[:_MOST_HELD] if told else ():
        for value in told:
            text = text_of(before, node)
            if value not in text and (ops := _with(before, found[id(node)], value)):
                yield ops


def _is_held(spot: Spot) -> bool:
    return isinstance(spot.parent, ast.Assign | ast.AnnAssign | ast.Return | ast.keyword | ast.Dict)


def _may_be_none(before: Snippet, spot: Spot) -> bool:
    node = spot.node
    read = isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)
    modules = isinstance(node, ast.Name) and (node.id in ("self", "cls") or node.id[0].isupper())
    return isinstance(node, _WHOLE) and read and not modules and bool(text_of(before, node))


def _needed(spot: Spot, words: str) -> tuple[str, bool]:
    """What is needed where a value stands, as far as that shows; and whether an error message is about such a place."""
    node, parent = spot.node, spot.parent
    if isinstance(parent, ast.Attribute):
        told = _NO_ATTRIBUTE.search(words)
        return _OF_METHODS.get(parent.attr, ""), bool(told and told[1] == parent.attr and told[1] in _OF_METHODS)
    if isinstance(parent, ast.BinOp | ast.AugAssign | ast.Compare):
        return _operand(node, parent, words)
    for pattern, needed, stands in (
        (_ITERATED, "()", isinstance(parent, ast.For | ast.comprehension) and parent.iter is node),
        (_SIZED, "()", isinstance(parent, ast.Call) and ast.unparse(parent.func) == "len"),
        (_EXPECTED, "''", isinstance(parent, ast.Call) and parent.func is not node),
        (_SUBSCRIPTED, "{}", isinstance(parent, ast.Subscript) and parent.value is node),
    ):
        if stands:
            return needed, bool(pattern.search(words))
    held = isinstance(parent, ast.Assign | ast.AnnAssign | ast.Return | ast.keyword | ast.Dict)
    return "''" if held else "", False


def _operand(node: ast.expr, parent: ast.BinOp | ast.AugAssign | ast.Compare, words: str) -> tuple[str, bool]:
    operands = _OPERANDS.search(words)
    if isinstance(parent, ast.Compare) and isinstance(parent.ops[0], ast.In | ast.NotIn):
        return "()", bool(_ITERATED.search(words)) and node is parent.comparators[0]
    kind = next((one for one in operands.groups() if one), "") if operands else ""
    other = "0"
    if isinstance(parent, ast.BinOp):
        other = _of(parent.right if parent.left is node else parent.left)
    return _OF_TYPES.get(kind) or other, operands is not None


def _of(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return "''"
        case ast.Constant(value=bytes()):
            return "b''"
        case ast.List() | ast.ListComp():
            return "[]"
    return "0"


def _with(before: Snippet, spot: Spot, value: str) -> Ops | None:
    text = text_of(before, spot.node)
    inner = f"({text})" if strength(before, spot.node) < OR else text
    alone = isinstance(spot.parent, ast.Assign | ast.AnnAssign | ast.Return | ast.keyword | ast.Call | ast.For)
    put = f"{inner} or {value}" if alone else f"({inner} or {value})"
    return respelled(before, start_of(before, spot.node), end_of(before, spot.node), put)
