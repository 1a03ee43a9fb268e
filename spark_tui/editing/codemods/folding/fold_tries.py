"""A try, or a test for a key, as a call that needs none."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of
from spark_tui.editing.codemods.common.negation import negated
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    Rule,
    alike,
    body_lines,
    head_of,
    mark_of,
    same,
    source_of,
    value_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, dotted


def _tried(before: Snippet, place: Place) -> Iterator[New]:
    """A try around one statement and one in its handler as a call that needs none."""
    match place.node:
        case ast.Try(body=[one], handlers=[ast.ExceptHandler(type=caught, body=block)], orelse=[], finalbody=[]):
            sort = (dotted(caught) or "").rpartition(".")[2] if caught else ""
            for line in _caught(before, one, block[0], sort) if len(block) == 1 else ():
                yield place.first, place.last, [line]
            if test := _tested(before, one, sort):
                yield place.first, place.last, [f"if {test}:", *body_lines(before, place, block)]


def _caught(before: Snippet, one: ast.stmt, other: ast.stmt, sort: str) -> Iterator[str]:
    value, default = value_of(one), value_of(other)
    match one, other:
        case ast.Delete(targets=[ast.Subscript(value=owner, slice=key)]), ast.Pass():
            yield f"{source_of(before, owner)}.pop({source_of(before, key)}, None)"
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript() as held, attr=verb), args=[added])),
            ast.Assign(targets=[target], value=ast.List(elts=[first]) | ast.Set(elts=[first])),
        ) if same(held, target) and same(added, first):
            empty = "set()" if verb == "add" else "[]"
            call = f"{source_of(before, held.value)}.setdefault({source_of(before, held.slice)}, {empty})"
            yield f"{call}.{verb}({source_of(before, added)})"
    if value is None or default is None or not alike(one, other):
        return
    got = _got(before, value, default, sort)
    if got:
        yield head_of(before, one) + got
    match value:
        case ast.BoolOp(op=ast.Or(), values=[taken, again]) if same(again, default):
            if source := _got(before, taken, ast.Constant(None), sort):
                yield f"{head_of(before, one)}{source} or {source_of(before, again)}"


def _got(before: Snippet, value: ast.expr, default: ast.expr, sort: str) -> str:
    rest = "" if isinstance(default, ast.Constant) and default.value is None else f", {source_of(before, default)}"
    match value:
        case ast.Subscript(value=owner, slice=key) if sort in ("KeyError", "LookupError"):
            return f"{source_of(before, owner)}.get({source_of(before, key)}{rest})"
        case ast.Attribute(value=owner, attr=attr) if sort == "AttributeError":
            mark = mark_of(before)
            return f"getattr({source_of(before, owner)}, {mark}{attr}{mark}{rest or ', None'})"
        case ast.Call(func=ast.Name(id="next"), args=[over]) if sort == "StopIteration":
            return f"next({source_of(before, over)}{rest or ', None'})"
    return ""


def _tested(before: Snippet, one: ast.stmt, sort: str) -> str:
    """The test for what a statement raises an error for."""
    match one:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="index"), args=[what])) if (
            sort == "ValueError"
        ):
            return f"{source_of(before, what)} not in {source_of(before, owner)}"
        case ast.Expr(value=ast.Subscript(value=owner, slice=key)) if sort == "KeyError":
            return f"{source_of(before, key)} not in {source_of(before, owner)}"
        case ast.Expr(value=ast.Attribute(value=owner, attr=attr)) if sort == "AttributeError":
            mark = mark_of(before)
            return f"not hasattr({source_of(before, owner)}, {mark}{attr}{mark})"
        case ast.Assert(test=test) if sort == "AssertionError":
            return negated(before, test) or ""
    return ""


def _suppressed(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.Try(
            body=body, handlers=[ast.ExceptHandler(type=ast.expr() as caught, name=None, body=[ast.Pass()]) as handler],
            orelse=[], finalbody=[],
        ):  # fmt: skip
            names = source_of(before, caught).removeprefix("(").removesuffix(")")
            tail = before.lines[handler.lineno - 1][end_of(before, caught)[1] :].removeprefix(":")
            imported = any(re.search(r"import .*\bsuppress\b", line) for line in before.lines)
            head = f"with {'' if imported else 'contextlib.'}suppress({names}):{tail}"
            yield place.first, place.last, [head, *body_lines(before, place, body)]


def _popped(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.In()], comparators=[owner]),
            body=[ast.Delete(targets=[ast.Subscript(value=held, slice=used)])], orelse=[],
        ) if same(key, used) and same(owner, held):  # fmt: skip
            yield place.first, place.last, [f"{source_of(before, owner)}.pop({source_of(before, key)}, None)"]


TRIES: tuple[tuple[str, Rule], ...] = (
    (r"\bget\b|getattr|default|\bpop\b|setdefault|\btry\b|\bexcept\b|\bin\b|hasattr|plain if|KeyError|without", _tried),
    (r"supp?ress", _suppressed),
    (r"\bpop\b", _popped),
)
