"""An `if` over several conditions split into several."""

import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.flow import Branches, FlowCodemod, Site, branch, is_elif, leaves, moved
from spark_tui.editing.codemods.common.negation import enclosed, grouped
from spark_tui.editing.codemods.statements.split_statements import split
from spark_tui.editing.snippet import Snippet

_LONGEST_COPY = 3


class SplitIf(FlowCodemod):
    """`if a and b:` becomes an `if` within an `if`; `if a or b:` becomes two with the same body."""

    kind: ClassVar[str] = "split_if"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The sites; then other statements that are asked to be several."""
        yield from super().edits(before, request)
        yield from (between(before, lines) for lines in split(before, request))

    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """Fully split first, then with the first or last condition alone."""
        for node in before.nodes:
            if not isinstance(node, ast.If) or not isinstance(node.test, ast.BoolOp):
                continue
            read = branch(before, node)
            if read is not None:
                split = _nested if isinstance(node.test.op, ast.And) else _in_a_row
                yield from split(before, node, node.test, read)


def _nested(before: Snippet, node: ast.If, test: ast.BoolOp, read: Branches) -> Iterator[Site]:
    if node.orelse:
        return
    values = test.values
    yield from _levels(before, test, read, [[value] for value in values], {"test": read.test, "nested": ""})
    if len(values) > 2:
        for at in (1, len(values) - 1):
            part = grouped(before, values[0 if at == 1 else -1], test)
            yield from _levels(before, test, read, [values[:at], values[at:]], {"part": part}, minor=True)


def _levels(
    before: Snippet,
    test: ast.BoolOp,
    read: Branches,
    groups: Sequence[list[ast.expr]],
    names: dict[str, str],
    *,
    minor: bool = False,
) -> Iterator[Site]:
    unit = read.inner.removeprefix(read.indent)
    lines: list[str] = []
    for depth, values in enumerate(groups):
        text = _joined(before, test, values)
        if not text:
            return
        word = "if" if depth else before.lines[read.row].strip().partition(" ")[0]
        lines.append(f"{read.indent}{unit * depth}{word} {text}:")
    body = moved(read.body, read.inner, read.inner + unit * (len(groups) - 1))
    if body is not None:
        yield Site(read.row, read.last, (*lines, *body), names, minor)


def _joined(before: Snippet, test: ast.BoolOp, values: list[ast.expr]) -> str:
    if len(values) == 1:
        return enclosed(before, values[0], 1)
    texts = [grouped(before, value, test) for value in values]
    return " and ".join(texts) if all(texts) else ""


def _in_a_row(before: Snippet, node: ast.If, test: ast.BoolOp, read: Branches) -> Iterator[Site]:
    if len(read.body) > _LONGEST_COPY:
        return
    plain = leaves(node.body) and not node.orelse and not is_elif(before, node)
    lines: list[str] = []
    for number, value in enumerate(test.values):
        text = enclosed(before, value, 1)
        if not text:
            return
        first = before.lines[read.row].strip().partition(" ")[0]
        word = first if number == 0 else "if" if plain else "elif"
        lines += [f"{read.indent}{word} {text}:", *read.body]
    yield Site(read.row, read.last, tuple(lines), {"test": read.test, "alike": ""})
