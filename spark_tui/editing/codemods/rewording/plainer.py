"""The rules of `simplify`: what a small expression is in plainer words."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.common.tidy import Spot, on_node
from spark_tui.editing.snippet import Snippet

TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
"""Expressions that need no parentheses anywhere."""

SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_EMPTY = {("==", 0): "not ", ("<", 1): "not ", ("<=", 0): "not ", ("!=", 0): "", (">", 0): "", (">=", 1): ""}
Sides = tuple[str, str, str]


def sides(before: Snippet, node: ast.expr) -> Sides | None:
    """A comparison of two as (left, operator, right), when no parentheses or comments stand between."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not text_of(before, node):
        return None
    (row, start), (_, stop) = end_of(before, node.left), start_of(before, node.comparators[0])
    symbol = SYMBOLS.get(type(node.ops[0]), "")
    whole = start_of(before, node) == start_of(before, node.left) and end_of(before, node) == end_of(
        before, node.comparators[0]
    )
    if not whole or before.lines[row][start:stop].strip() != symbol or not symbol:
        return None
    return text_of(before, node.left), symbol, text_of(before, node.comparators[0])


def plainer(before: Snippet, node: ast.expr, tested: bool) -> Iterator[tuple[str, str]]:
    """The plainer forms of an expression on one line, with the name of the rule.

    Args: tested: only its truth is looked at.
    """
    match node:
        case ast.Compare(left=left, comparators=[right]):
            yield from _compared(before, node, left, right, tested)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            if isinstance(operand, ast.Call) and _is_len(operand):
                yield f"not {text_of(before, operand.args[0])}", "len"
            elif (parts := sides(before, operand)) and parts[1] in ("==", "!="):
                yield f"{parts[0]} {_OPPOSITE[parts[1]]} {parts[2]}", "not"
        case ast.IfExp():
            yield from _chosen(before, node)
        case ast.Call():
            yield from _called(before, node, tested)
        case ast.Subscript():
            yield from _sliced(before, node)
        case ast.Lambda():
            yield from _wrapping(before, node)


def _sliced(before: Snippet, node: ast.Subscript) -> Iterator[tuple[str, str]]:
    match node.slice:
        case ast.Slice(lower=ast.Constant(value=0) as lower, upper=ast.expr()) if type(lower.value) is int:
            (_, start), (_, zero), (_, end) = start_of(before, node), start_of(before, lower), end_of(before, node)
            line = before.lines[node.lineno - 1]
            yield line[start:zero] + line[zero + 1 : end].lstrip(), "slice"


def _wrapping(before: Snippet, node: ast.Lambda) -> Iterator[tuple[str, str]]:
    """A lambda that hands its parameters on to a function as they are."""
    match node.body:
        case ast.Call(func=ast.Name() | ast.Attribute() as func, args=passed, keywords=[]):
            names = [one.arg for one in node.args.args]
            same = names == [one.id if isinstance(one, ast.Name) else "" for one in passed]
            own = any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(func))
            if names and same and not own and ast.unparse(node.args) == ", ".join(names):
                yield text_of(before, func), "lambda"


def _compared(
    before: Snippet, node: ast.Compare, left: ast.expr, right: ast.expr, tested: bool
) -> Iterator[tuple[str, str]]:
    if isinstance(node.ops[0], ast.In | ast.NotIn):
        if isinstance(right, ast.Call) and _is_keys(right) and text_of(before, node).endswith(".keys()"):
            yield text_of(before, node).removesuffix(".keys()"), "keys"
        return
    parts = sides(before, node)
    if parts is None or not isinstance(left, TIGHT):
        return
    match right:
        case ast.Constant(value=bool() as value) if parts[1] in ("==", "!="):
            yield ("" if value is (parts[1] == "==") else "not ") + parts[0], "true"
        case ast.Constant(value=int() as value) if _is_len(left) and (parts[1], value) in _EMPTY:
            assert isinstance(left, ast.Call)
            negation, inner = _EMPTY[parts[1], value], text_of(before, left.args[0])
            if negation or tested:
                yield negation + inner, "len"
        case ast.Constant(value="") | ast.List(elts=[]) | ast.Dict(keys=[]) if parts[1] == "==" or (
            tested and parts[1] == "!="
        ):
            yield ("not " if parts[1] == "==" else "") + parts[0], "empty"


def _chosen(before: Snippet, node: ast.IfExp) -> Iterator[tuple[str, str]]:
    test, body, other = (text_of(before, one) for one in (node.test, node.body, node.orelse))
    if start_of(before, node) != start_of(before, node.body) or end_of(before, node) != end_of(before, node.orelse):
        return
    match node.body, node.orelse:
        case ast.Constant(value=True), ast.Constant(value=False):
            boolean = isinstance(node.test, ast.Compare) or (
                isinstance(node.test, ast.UnaryOp) and test.startswith("not")
            )
            yield test if boolean else f"bool({test})", "ternary"
        case ast.Constant(value=False), ast.Constant(value=True) if isinstance(node.test, TIGHT):
            yield f"not {test}", "ternary"
        case ((ast.Name() | ast.Attribute() | ast.Subscript()), ast.expr()) if body == test and isinstance(
            node.orelse, (*TIGHT, ast.Constant, ast.List, ast.Dict)
        ):
            yield f"{body} or {other}", "or"


def _called(before: Snippet, node: ast.Call, tested: bool) -> Iterator[tuple[str, str]]:
    line, (_, start), (_, end) = before.lines[node.lineno - 1], start_of(before, node), end_of(before, node)
    match node:
        case ast.Call(func=ast.Name(id="len")) if tested and _is_len(node):
            yield text_of(before, node.args[0]), "len"
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0), stop], keywords=[]) if not isinstance(
            stop, ast.Starred
        ):
            yield f"range({line[start_of(before, stop)[1] : end]}", "range"
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, ast.Constant(value=None)], keywords=[]):
            yield f"{line[start : end_of(before, key)[1]]})", "get"
        case ast.Call(
            func=ast.Name(id="list" | "sorted" | "set" | "len" | "tuple"), args=[ast.Call() as inner], keywords=[]
        ) if _is_keys(inner):
            yield line[start:end].rpartition(".keys()")[0] + ")", "keys"


def _is_len(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[only], keywords=[]):
            return isinstance(only, TIGHT)
    return False


def _is_keys(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args and not node.keywords


def comparisons(before: Snippet, node: ast.BoolOp) -> Iterator[Spot]:
    """Neighbours in an `and` that share a side, and equalities in an `or` that share their left one."""
    parts = [(one, sides(before, one)) for one in node.values]
    if isinstance(node.op, ast.Or):
        yield from _membership(before, node, [found for _, found in parts])
        return
    for (left, one), (right, two) in pairwise(parts):
        end, start = end_of(before, left), start_of(before, right)
        calls = any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(left))
        text = _chained(one, two) if one and two and not calls else ""
        if text and before.lines[end[0]][end[1] : start[1]].strip() == "and":
            yield Spot(start_of(before, left), end_of(before, right), text, "chain")


def _chained(one: Sides, two: Sides) -> str:
    found = []
    for first in (one, _turned(one)):
        for second in (two, _turned(two)):
            if first and second and first[2] == second[0] and first[1][0] == second[1][0]:
                found.append((first[1][0] != "<", f"{first[0]} {first[1]} {first[2]} {second[1]} {second[2]}"))
            elif first and second and second[2] == first[0] and first[1][0] == second[1][0]:
                found.append((first[1][0] != "<", f"{second[0]} {second[1]} {second[2]} {first[1]} {first[2]}"))
    if not found or one[1] not in _FLIPPED or two[1] not in _FLIPPED:
        return ""
    return found[0][1] if one[2] == two[0] and one[1][0] == two[1][0] else min(found)[1]


def _turned(parts: Sides) -> Sides | None:
    return (parts[2], _FLIPPED[parts[1]], parts[0]) if parts[1] in _FLIPPED else None


def _membership(before: Snippet, node: ast.BoolOp, parts: Sequence[Sides | None]) -> Iterator[Spot]:
    known = [one for one in parts if one and one[1] == "=="]
    joined = " or ".join(" == ".join((one[0], one[2])) for one in known)
    if len(known) == len(parts) and len({one[0] for one in known}) == 1 and joined == text_of(before, node):
        first = node.values[0]
        if isinstance(first, ast.Compare) and not isinstance(first.left, ast.Constant):
            yield on_node(before, node, f"{known[0][0]} in ({', '.join(one[2] for one in known)})", "member")
