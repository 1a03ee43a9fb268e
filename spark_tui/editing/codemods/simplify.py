"""Small expressions written the plain way: `len(x) == 0` is `not x`, `x = x + 1` is `x += 1`."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices, fits, on_node
from spark_tui.editing.codemods.folding.folds import folds
from spark_tui.editing.codemods.idioms.idioms import idioms
from spark_tui.editing.codemods.idioms.named_idioms import named_idioms, names_only
from spark_tui.editing.codemods.plain.plain_collected import plain_collected
from spark_tui.editing.codemods.plain.plain_needless import plain_needless
from spark_tui.editing.codemods.rewording.forms_told import forms_told
from spark_tui.editing.codemods.rewording.plainer import TIGHT, comparisons, plainer
from spark_tui.editing.codemods.rewording.rewordings import rewordings
from spark_tui.editing.codemods.rewording.unwrapping import unwrapped
from spark_tui.editing.snippet import Snippet

_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip


class Simplify(Codemod):
    """One-line expressions with a plainer form that means the same."""

    kind: ClassVar[str] = "simplify"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one edit that an idiom named by itself can be; see `plain_collected` and `plain_needless`."""
        named = named_idioms(before, request) if names_only(before, request.instruction) else []
        if len(named) == 1:
            return named
        return plain_collected(before, request.instruction) or plain_needless(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Idioms named, alone where they are there whole; then all, those of a rule or a function, each alone."""
        if named := named_idioms(before, request):
            yield from named
            return
        yield from forms_told(before, request)
        yield from idioms(before, request.instruction)
        yield from folds(before, request)
        yield from rewordings(before, request)
        yield from unwrapped(before, request.instruction)
        yield from choices(before, meant(before, spots(before), request.instruction), request)


def meant(before: Snippet, found: Sequence[Spot], instruction: str) -> Sequence[Spot]:
    """Those whose source stands in the instruction, else all."""
    told = [one for one in found if len(text := source(before, one)) > 5 and text in instruction]
    longest = [
        one
        for one in told
        if not any(source(before, one) in source(before, other) != source(before, one) for other in told)
    ]
    return longest or found


def source(before: Snippet, spot: Spot) -> str:
    """What a spot is on one line now."""
    return before.lines[spot.start[0]][spot.start[1] : spot.end[1]]


def spots(before: Snippet) -> list[Spot]:
    """Every expression that can be plainer, outside f-strings; sorted by place."""
    found: list[Spot] = []
    waiting: list[tuple[ast.AST, bool]] = [(before.tree, False)]
    while waiting:
        node, tested = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        found += _at(before, node, tested)
        found += parentheses(before, node)
        waiting += [(child, is_tested(node, child, tested)) for child in ast.iter_child_nodes(node)]
    unchanged = {one for one in found if source(before, one) == one.text}
    return sorted(
        dict.fromkeys(one for one in found if one not in unchanged and fits(before, one)),
        key=lambda one: (one.start, one.end),
    )


def is_tested(parent: ast.AST, child: ast.AST, tested: bool) -> bool:
    """Whether only the truth of a child is looked at."""
    match parent:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            return child is parent.test
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp():
            return tested
        case ast.comprehension():
            return child in parent.ifs
    return False


def _at(before: Snippet, node: ast.AST, tested: bool) -> Iterator[Spot]:
    match node:
        case ast.BoolOp() if text_of(before, node):
            yield from comparisons(before, node)
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target], value=ast.BinOp() as value):
            yield from _augmented(before, node, target, value)
        case ast.ClassDef(bases=[] | [ast.Name(id="object")], keywords=[]):
            row = node.lineno - 1
            head = re.match(rf"\s*class {node.name}(\((?:object)?\)):", before.lines[row])
            if head:
                yield Spot((row, head.start(1)), (row, head.end(1)), "", "object")
        case ast.expr() if text_of(before, node):
            for text, sort in plainer(before, node, tested):
                yield on_node(before, node, text, sort)


def _augmented(before: Snippet, node: ast.Assign, target: ast.expr, value: ast.BinOp) -> Iterator[Spot]:
    name, symbol = text_of(before, target), _SYMBOLS[type(value.op)]
    (row, start), (last, stop), end = end_of(before, value.left), start_of(before, value.right), end_of(before, value)
    if (
        not name
        or name != text_of(before, value.left)
        or start_of(before, value)[0] != end[0]
        or end != end_of(before, node)
    ):
        return
    between = before.lines[row][start:stop]
    right = text_of(before, value.right)
    if re.sub(r"[\s(]", "", between) == symbol and row == last and right:
        yield on_node(before, node, f"{name} {symbol}= {right}", "aug")


def parentheses(before: Snippet, node: ast.AST) -> Iterator[Spot]:
    """Parentheses around the whole of what a statement or a `not` holds."""
    for child in whole_parts(node):
        if not text_of(before, child) or isinstance(child, ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Await):
            continue
        (row, start), (_, end) = start_of(before, child), end_of(before, child)
        line = before.lines[row]
        first, last = len(line[:start].rstrip()) - 1, end + len(line[end:]) - len(line[end:].lstrip())
        while first >= 0 and line[first] == "(" and line[last : last + 1] == ")":
            opened, closed = first, last
            first, last = (
                len(line[:first].rstrip()) - 1,
                last + 1 + len(line[last + 1 :]) - len(line[last + 1 :].lstrip()),
            )
            if first < 0 or line[first] != "(" or line[last : last + 1] != ")":
                space = " " if line[opened - 1].isalnum() else ""
                yield Spot((row, opened), (row, closed + 1), f"{space}{line[start:end]}", "parens")


def whole_parts(node: ast.AST) -> Sequence[ast.expr]:
    """The expressions whose place ends where they do, so that parentheses around them say nothing."""
    match node:
        case (
            ast.If(test=held)
            | ast.While(test=held)
            | ast.Assert(test=held)
            | ast.Return(value=ast.expr() as held)
            | ast.Assign(value=held)
            | ast.AugAssign(value=held)
            | ast.Raise(exc=ast.expr() as held)
            | ast.For(iter=held)
        ):
            return [held]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand] if isinstance(operand, TIGHT) else []
        case ast.BoolOp(values=values):
            return [one for one in values if isinstance(one, TIGHT)]
    return []
