"""The branches of an if/else swapped, its condition negated."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import end_of, splice, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import FlowCodemod, Site, branches, is_elif
from spark_tui.editing.codemods.common.negation import IF_ELSE, OR, grouped, negated, strength
from spark_tui.editing.snippet import Snippet


class InvertIf(FlowCodemod):
    """`if x: a else: b` becomes `if not x: b else: a`; also conditional expressions."""

    kind: ClassVar[str] = "invert_if"

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """First the statements, then the expressions on one line."""
        for node in before.nodes:
            if isinstance(node, ast.If) and node.orelse and (site := _statement(before, node)):
                yield site
        for node in _outside_fstrings(before.tree):
            if isinstance(node, ast.IfExp) and (site := _expression(before, node)):
                yield site


def _statement(before: Snippet, node: ast.If) -> Site | None:
    read, test = branches(before, node), negated(before, node.test)
    if read is None or not test or isinstance(node.test, ast.Constant):
        return None
    word = "elif" if is_elif(before, node) else "if"
    body = read.body
    swapped = (f"{read.indent}{word} {test}:", *read.other, f"{read.indent}else:", *body)
    return Site(read.row, read.last, swapped, {"test": read.test, "opposite": test} | _sort(node.test))


def _sort(test: ast.expr) -> dict[str, str]:
    """What says, by being there, that a condition is a negation."""
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.NotEq() | ast.NotIn() | ast.IsNot()]):
            return {"negated": ""}
    return {}


def _outside_fstrings(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _outside_fstrings(child)


def _expression(before: Snippet, node: ast.IfExp) -> Site | None:
    test = negated(before, node.test)
    one, other = grouped(before, node.body, node), grouped(before, node.orelse, node)
    if not (test and one and other) or isinstance(node.test, ast.Constant):
        return None
    if strength(before, node.orelse) < OR and not other.startswith("("):
        return None
    if strength(before, node.test) < IF_ELSE:
        return None
    start, end = start_of(before, node), end_of(before, node)
    row = start[0]
    lines = splice(before.lines, start, end, f"{other} if {test} else {one}")
    return Site(row, row, (lines[row],), {"ternary": grouped(before, node.test, node)} | _sort(node.test))
