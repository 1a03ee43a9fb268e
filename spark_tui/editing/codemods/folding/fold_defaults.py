"""Defaults and flags in fewer statements: an `or` where a value is given on, a condition assigned, a choice undone."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import IF_ELSE, OR
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    ToldRule,
    enclosed_source,
    following,
    last_row,
    opposite,
    same,
    source_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place

_OR = re.compile(r"\bor\b|`or`", re.IGNORECASE)


def _given_on(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """`if x is None: x = y` with the assignment of x below as one."""
    match place.node, following(place):
        case ast.If(test=test, body=[ast.Assign(targets=[ast.Name(id=name)], value=value)], orelse=[]), [
            ast.Assign(targets=[target], value=ast.Name(id=given)) as end
        ] if name == given and _falls_back(test, name):  # fmt: skip
            head, text = f"{source_of(before, target)} = ", enclosed_source(before, value, OR)
            either = f"{head}{name} or {text}"
            chosen = f"{head}{text} if {source_of(before, test)} else {name}"
            for line in (either, chosen) if _OR.search(words) else (chosen, either):
                yield place.first, last_row(end), [line]


def _falls_back(test: ast.expr, name: str) -> bool:
    match test:
        case (
            ast.Compare(left=ast.Name(id=left), ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=left))
        ):
            return left == name
    return False


def _first_found(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A value that is returned if it is true and another one that is else, as one return with `or`."""
    match place.node, following(place, 2):
        case ast.Assign(targets=[ast.Name(id=name)], value=value), [
            ast.If(test=test, body=[ast.Return(value=ast.Name(id=given))]) as check, *rest
        ] if name == given and _asks(test, name):  # fmt: skip
            match check.orelse or rest:
                case [ast.Return(value=ast.expr() as other) as end, *_]:
                    text = f"{enclosed_source(before, value, OR)} or {enclosed_source(before, other, OR)}"
                    yield place.first, last_row(end), [f"return {text}"]
        case ast.Assign(targets=[target], value=value), [ast.If(test=test, orelse=[]) as check, *rest]:
            match check.body, rest:
                case [ast.Assign(targets=[again], value=other)], [ast.Return(value=back) as end] if same(
                    again, target
                ) and same(back, target):
                    yield place.first, last_row(end), [f"return {_choice(before, test, other, value)}"]


def _asks(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return isinstance(left, ast.Name) and left.id == name
        case ast.Name(id=asked):
            return asked == name
    return False


def _choice(before: Snippet, test: ast.expr, one: ast.expr, other: ast.expr) -> str:
    parts = enclosed_source(before, one, OR), enclosed_source(before, test, OR)
    return f"{parts[0]} if {parts[1]} else {enclosed_source(before, other, IF_ELSE)}"


def _set_over(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A value that is set over under a condition as a choice, whichever way round it reads better."""
    match place.node:
        case ast.If(test=test, body=[ast.Assign(targets=[ast.Name(id=name) as target], value=value)], orelse=[]):
            yield place.first, place.last, [f"{name} = {_choice(before, test, value, target)}"]
            match test:
                case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.Is() | ast.NotEq() | ast.IsNot() | ast.NotIn()]):
                    text = enclosed_source(before, value, IF_ELSE)
                    yield place.first, place.last, [f"{name} = {name} if {opposite(before, test)} else {text}"]


def _flagged(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """What is set to True under a condition set to the condition."""
    match place.node:
        case ast.If(test=test, body=[ast.Assign(targets=[target], value=ast.Constant(value=bool(flag)))]):
            match place.node.orelse:
                case []:
                    pass
                case [ast.Assign(targets=[again], value=ast.Constant(value=bool()))] if same(again, target):
                    pass
                case _:
                    return
            text = source_of(before, test) if flag else opposite(before, test)
            yield place.first, place.last, [f"{source_of(before, target)} = {text}"]


def _chosen_apart(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """A choice that is returned as an `if` with a return and another one below, either one first."""
    match place.node:
        case ast.Return(value=ast.IfExp(test=test, body=one, orelse=other)):
            first, second = f"return {source_of(before, one)}", f"return {source_of(before, other)}"
            unit = before.layout.unit
            yield place.first, place.last, [f"if {opposite(before, test)}:", unit + second, first]
            yield place.first, place.last, [f"if {source_of(before, test)}:", unit + first, second]


DEFAULTS: tuple[tuple[str, ToldRule], ...] = (
    (r"\bor\b|`or`|\bternar|\bconditional|\bsimpl|\bone line", _given_on),
    (r"\bor\b|`or`|\bternar|\bconditional|\bone[- ]?line|\bsingle\b", _first_found),
    (r"\bternar|\bconditional exp|\bone[- ]line\w* cond|\bfold\b", _set_over),
    (r"\bassign|\bdirectly\b|\bbool|\bno ifs?\b|\bcondition\b|\bcomparison\b|\bsimplif\w*: ", _flagged),
    (
        (
            r"\bifs?\b|\bearly\b|\btwo returns\b|\bunreadable\b|\bhard to (?:read|follow)\b|\bspell|\bno ternar"
            r"|\b(?:not|instead of|rather than) (?:the |a |an )?(?:ternary|conditional|inline)"
        ),
        _chosen_apart,
    ),
)
