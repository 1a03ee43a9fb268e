"""Tests of truth and tests against None in the place of each other: `if x` as `if x is not None`."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip, plain_nodes
from spark_tui.editing.codemods.common.negation import AND, OR, enclosed, strength
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_NONE = re.compile(r"\b(?:none(?:type)?|null)\b|\bexplicit\w*\b", re.IGNORECASE)
_TRUTH = re.compile(
    r"\b(?:truth\w*|truthy|falsy|false|empty|blank|zeros?|enough|suffic\w+|simply|just|plain(?:ly)?)\b|(?<![\w.])0(?![\w.])"
    r"|\"\"|''|\[\]|\{\}|`or`",
    re.IGNORECASE,
)
_MOST = 12


def none_tests(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Each test of truth as one against None, and the reverse, as far as the words speak of either."""
    strict, loose = _NONE.search(instruction), _TRUTH.search(instruction)
    if not (strict or loose):
        return
    found: list[Slip] = []
    for parent in plain_nodes(before.tree):
        for node in _tested(parent):
            found += _exchanged(before, node, loose=loose is not None or strict is not None)
        found += _alternatives(before, parent)
    yield from found[:_MOST]


def _tested(parent: ast.AST) -> list[ast.expr]:
    """What is tested for its truth by a node itself, and the parts of that."""
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return [test]
        case ast.BoolOp(op=ast.And(), values=values) | ast.comprehension(ifs=values):
            return list(values)
        case ast.BoolOp(values=values):
            return [one for one in values if isinstance(one, ast.UnaryOp | ast.Compare)]
    return []


def _exchanged(before: Snippet, node: ast.expr, *, loose: bool) -> Iterator[Slip]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() | ast.Call() as inner):
            path = text_of(before, inner)
            yield from _slip(before, node, f"{path} is None" if path else "", path)
        case ast.Name() | ast.Attribute() | ast.Call():
            path = text_of(before, node)
            yield from _slip(before, node, f"{path} is not None" if path else "", path)
        case ast.NamedExpr(target=target):
            text = text_of(before, node)
            yield from _slip(before, node, f"({text.strip('()')}) is not None" if text else "", target.id)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            path = text_of(before, left)
            told = f"not {path}" if isinstance(op, ast.Is) else path
            yield from _slip(before, node, told if path and loose else "", path)
        case ast.BoolOp(values=[ast.Compare(left=left) as first, ast.Compare(left=other)]):
            path = text_of(before, left)
            if path and path == text_of(before, other) and isinstance(first.ops[0], ast.Is | ast.IsNot):
                negated = isinstance(node.op, ast.Or) and isinstance(first.ops[0], ast.Is)
                yield from _slip(before, node, f"not {path}" if negated else path, path)


def _alternatives(before: Snippet, node: ast.AST) -> Iterator[Slip]:
    """`x or y` with a test against None, and such a test as `x or y`."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[left, right]) if path := dotted(left):
            other = enclosed(before, right, OR)
            yield from _slip(before, node, f"{path} if {path} is not None else {other}", path)
            yield from _slip(before, node, f"{other} if {path} is None else {path}", path)
        case ast.IfExp(
            test=ast.Compare(left=value, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]),
            body=body,
            orelse=other_value,
        ) if dotted(value) and dotted(value) == dotted(body):
            other = enclosed(before, other_value, AND)
            yield from _slip(before, node, f"{dotted(value)} or {other}", dotted(value) or "")


def _slip(before: Snippet, node: ast.expr, text: str, path: str) -> Iterator[Slip]:
    if text and path and text_of(before, node) and strength(before, node) >= 0:
        words = (path, path.rpartition(".")[2].strip("_"), "is", "None") if "None" in text else (path,)
        yield Slip(start_of(before, node), end_of(before, node), text, words)
