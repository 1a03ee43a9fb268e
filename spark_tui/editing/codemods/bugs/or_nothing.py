"""`x or ""` where Python says that it got None: the empty value of the sort that it wanted, where one is taken."""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import parameters, text_of
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.none_guards import none_defaults
from spark_tui.editing.codemods.bugs.slips import Found, Spot, replaced, spots
from spark_tui.editing.codemods.common.negation import OR, strength
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_TEXT = re.compile(
    r"must be (?:str|a string), not None|concatenate str \(not \"NoneType|expected str instance, NoneType"
    r"|expected string or bytes-like object"
    r"|NoneType' object has no attribute '(?:strip|lower|upper|split|encode|replace|startswith|endswith)"
)
_ITEMS = re.compile(
    r"after \* must be an iterable|NoneType' object is not iterable|argument of type 'NoneType'"
    r"|type 'NoneType' has no len|concatenate (?:list|tuple) \(not \"NoneType"
)
_KEYS = re.compile(r"after \*\* must be a mapping|NoneType' object has no attribute '(?:items|keys|values|get)")
_NUMBER = re.compile(
    r"unsupported operand type\(s\).*NoneType|'[<>]=?' not supported.*NoneType|NoneType' object cannot be interpreted"
)
_MOST = 10


def or_nothing(before: Snippet, instruction: str) -> Iterator[Found]:
    """Each value that may be None with what is to be taken then; those set or passed on by name first."""
    empty = ((_TEXT, quote(before, "")), (_ITEMS, "()"), (_KEYS, "{}"), (_NUMBER, "0"))
    wanted = next((value for pattern, value in empty if pattern.search(instruction)), "")
    if not wanted:
        return
    nothing = ["()", "[]"] if wanted == "()" else [wanted]
    said = set(re.findall(r"\w+", instruction))
    every = [spot for spot in spots(before.tree) if _may_lack(spot)]
    every.sort(key=lambda spot: (not _names(spot.node) & said, not _unset(spot)))
    yield from islice(
        ((spot.function, _with(before, spot, value)) for spot in every for value in nothing[: 1 + _looped(spot)]), _MOST
    )


def _may_lack(spot: Spot) -> bool:
    """Whether a value is kept, added or unpacked, and may be None."""
    node, parent = spot.node, spot.parent
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        return False
    match parent:
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Starred() | ast.keyword(arg=None):
            return parent.value is node
        case ast.For() | ast.comprehension():
            return parent.iter is node
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.Call(func=ast.Name() | ast.Attribute()):
            return parent.func is not node
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub)


def _looped(spot: Spot) -> bool:
    return isinstance(spot.parent, ast.For | ast.Assign)


def _unset(spot: Spot) -> bool:
    """Whether a value is a parameter that may be left out, or one that a method may give nothing for."""
    if isinstance(spot.node, ast.Name) and spot.function:
        return spot.node.id in (none_defaults(spot.function) or [one.arg for one in parameters(spot.function)])
    return isinstance(spot.node, ast.Call) and isinstance(spot.parent, ast.AugAssign | ast.BinOp)


def _names(node: ast.expr) -> set[str]:
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return found | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def _with(before: Snippet, spot: Spot, value: str) -> Ops | None:
    source = text_of(before, spot.node)
    if not source or strength(before, spot.node) < OR:
        return None
    loose = isinstance(spot.parent, ast.BinOp | ast.Compare)
    return replaced(before, spot.node, f"({source} or {value})" if loose else f"{source} or {value}")
