"""Searches by what they are made with: `in` for find and for a loop, next() for a loop that returns what it finds."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from spark_tui.editing.codemods.common.negation import ATOM, IF_ELSE
from spark_tui.editing.codemods.folding.fold_sources import enclosed_source, following, last_row, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, places

_THERE = {("!=", -1), (">=", 0), (">", -1)}
_NOT_THERE = {("==", -1), ("<", 0), ("<=", -1)}
_COUNTED = {("!=", 0): "in", (">", 0): "in", (">=", 1): "in", ("==", 0): "not in", ("<", 1): "not in"}
_SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def _member(before: Snippet, _: str) -> Iterator[Fold]:
    """`s.find(x) != -1` and `xs.count(x) > 0` as `x in s`, and a loop that looks for what is equal."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[one], keywords=[]),
                ops=[op],
                comparators=[bound],
            ) if type(op) in _SIGNS and (word := _asked(attr, _SIGNS[type(op)], ast.unparse(bound))):
                yield said(before, node, _in(before, one, word, owner))
            case ast.Call(func=ast.Attribute(value=owner, attr="__contains__" | "has_key"), args=[one], keywords=[]):
                yield said(before, node, _in(before, one, "in", owner))
            case ast.Compare(
                left=one,
                ops=[ast.In() | ast.NotIn() as op],
                comparators=[ast.Call(func=ast.Attribute(value=owner, attr="keys"), args=[])],
            ):
                yield said(before, node, _in(before, one, "in" if isinstance(op, ast.In) else "not in", owner))
    yield from _looked_for(before)


def _asked(attr: str, sign: str, bound: str) -> str:
    if not bound.lstrip("-").isdigit():
        return ""
    if attr in ("find", "rfind"):
        return "in" if (sign, int(bound)) in _THERE else "not in" if (sign, int(bound)) in _NOT_THERE else ""
    return _COUNTED.get((sign, int(bound)), "") if attr == "count" else ""


def _in(before: Snippet, one: ast.expr, word: str, owner: ast.expr) -> str:
    return f"{enclosed_source(before, one, ATOM)} {word} {enclosed_source(before, owner, ATOM)}"


def _looked_for(before: Snippet) -> Iterator[Fold]:
    """`for x in xs: if x == y: return True` and `return False` as `return y in xs`."""
    for place in places(before):
        match place.node, following(place):
            case ast.For(
                target=ast.Name(id=name),
                iter=over,
                body=[
                    ast.If(
                        test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]),
                        body=[ast.Return(value=ast.Constant(value=bool(hit)))],
                        orelse=[],
                    )
                ],
                orelse=[],
            ), [ast.Return(value=ast.Constant(value=bool(miss))) as end] if hit is not miss:
                sought = [one for one in (left, right) if not (isinstance(one, ast.Name) and one.id == name)]
                if len(sought) == 1 and name not in {
                    one.id for one in ast.walk(sought[0]) if isinstance(one, ast.Name)
                }:
                    text = _in(before, sought[0], "in" if hit else "not in", over)
                    yield folded(before, place, last_row(end), f"return {text}")


def _next(before: Snippet, _: str) -> Iterator[Fold]:
    """A loop that returns, or keeps, the first that fits as `next(..., default)`."""
    for place in places(before):
        match place.node:
            case ast.For(target=target, iter=over, body=[ast.If(test=test, body=body, orelse=[])], orelse=[]):
                each = f"for {source_of(before, target)} in {source_of(before, over)}"
                clause = f"{each} if {enclosed_source(before, test, IF_ELSE)}"
            case _:
                continue
        match body, following(place), place.block[place.index - 1] if place.index else None:
            case [ast.Return(value=ast.expr() as value)], [ast.Return() as end], _ if not _is_flag(value):
                default = source_of(before, end.value) if end.value else "None"
                yield folded(
                    before,
                    place,
                    last_row(end),
                    f"return next(({enclosed_source(before, value, IF_ELSE)} {clause}), {default})",
                )
            case [ast.Return(value=ast.expr() as value)], [], _ if place.function and not _is_flag(value):
                if place.block is place.function.body:
                    text = f"return next(({enclosed_source(before, value, IF_ELSE)} {clause}), None)"
                    yield folded(before, place, place.last, text)
            case (
                [ast.Assign(targets=[kept], value=value), ast.Break()],
                _,
                ast.Assign(targets=[begun], value=default_value) as above,
            ) if same(kept, begun):
                text = f"next(({enclosed_source(before, value, IF_ELSE)} {clause}), {source_of(before, default_value)})"
                begins = replace(place, first=above.lineno - 1)
                yield folded(before, begins, place.last, f"{source_of(before, kept)} = {text}")


def _is_flag(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


SEARCHES: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"\buse\W+(?:the\W+)?in\b(?! (?:a|an|the)\b(?! (?:test|check|operator)))|`in`|\bin operator|\bmembership\b"
            r"|\binstead of (?:the |a |calling |using )?\W?\.?(?:find|count|index)\b"
        ),
        _member,
    ),
    (r"\bnext\b(?! (?:line|step|to|one|item)\b)", _next),
)
"""What names a rule, and the rule."""
