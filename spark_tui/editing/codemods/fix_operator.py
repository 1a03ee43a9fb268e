"""Every operator that may be the wrong one."""

import ast
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import ClassVar

from spark_tui.editing.code import Position, end_of, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.factors import factor_slips
from spark_tui.editing.codemods.bugs.forms_cured import BOUNDS, forms_cured
from spark_tui.editing.codemods.bugs.mistaken import Slip, edits_of, operator_between, plain_nodes
from spark_tui.editing.codemods.bugs.near_misses import lengths_mistaken, words_mistaken
from spark_tui.editing.codemods.bugs.terms import argument_terms, told_terms
from spark_tui.editing.snippet import Snippet

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("==", "!=", "in", "is", "<=", ">=", "<", ">"), ast.NotEq: ("!=", "==", "not in", "is not", "<", ">"),
    ast.Lt: ("<", ">", ">=", "=="), ast.Gt: (">", "<", "<=", "!=", "=="),
    ast.LtE: ("<=", ">=", ">", "=="), ast.GtE: (">=", "<=", "<", "=="),
    ast.Is: ("is", "is not", "=="), ast.IsNot: ("is not", "is", "!="),
    ast.In: ("in", "not in", "=="), ast.NotIn: ("not in", "in", "!="),
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("+", "-", "*"), ast.Sub: ("-", "+", "/", "*"), ast.Mult: ("*", "/", "+", "**", "//", "-"),
    ast.Div: ("/", "//", "*", "%", "-"), ast.FloorDiv: ("//", "/", "%"), ast.Mod: ("%", "//", "/"),
    ast.Pow: ("**", "*"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"), ast.BitAnd: ("&", "|", "^"),
    ast.BitOr: ("|", "&", "^"), ast.BitXor: ("^", "**", "|", "&"), ast.MatMult: ("@", "*"),
}  # fmt: skip
_BITWISE = (ast.BitAnd, ast.BitOr)
_SIGNED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


class FixOperator(Codemod):
    """A comparison, `and` or `or`, an arithmetic operator, an augmented assignment or a sign."""

    kind: ClassVar[str] = "fix_operator"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Terms that the words miss, then one operator changed, signs, terms that arguments beside have."""
        slips = chain(
            told_terms(before, request.instruction),
            factor_slips(before, request.instruction),
            operator_slips(before),
            argument_terms(before),
            words_mistaken(before),
            lengths_mistaken(before),
        )
        yield from edits_of(before, request, slips)
        yield from forms_cured(before, request, BOUNDS)


def operator_slips(before: Snippet) -> Iterator[Slip]:
    """Every operator that could be another one."""
    nodes = list(plain_nodes(before.tree))
    known = _assigned_twice(nodes)
    for node in nodes:
        match node:
            case ast.Expr(
                value=ast.Compare(left=ast.Name() | ast.Attribute() as left, ops=[ast.Eq()], comparators=[one])
            ):
                yield from _others(before, left, one, ("==", "="))
            case ast.Compare():
                yield from _compared(before, node)
            case ast.BoolOp():
                yield from _joined(before, node)
            case ast.BinOp(left=left, op=op, right=right) if not _formats(node):
                yield from _others(before, left, right, _ARITHMETIC[type(op)])
            case ast.AugAssign(target=target, op=op, value=value):
                old, *others = _ARITHMETIC[type(op)]
                names = [f"{old}=", *(f"{one}=" for one in others if one != "*" or old != "+"), "="]
                yield from _others(before, target, value, names)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name in known:
                yield from _others(before, target, value, ("=", "+=", "-="))
            case ast.UnaryOp(op=ast.USub(), operand=operand) if text := text_of(before, operand):
                yield Slip(start_of(before, node), end_of(before, node), text, ("sign", "minus", text))
    for node in nodes:
        yield from _signs(before, node)


def _assigned_twice(nodes: list[ast.AST]) -> set[str]:
    """Names that get a value more than once, so that one of the times could be meant to add to it."""
    seen: set[str] = set()
    again: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            (again if node.id in seen else seen).add(node.id)
    return again


def _formats(node: ast.BinOp) -> bool:
    """Whether this is `"..." % values`, or a union of types."""
    text = isinstance(node.left, ast.Constant | ast.JoinedStr) and not isinstance(
        getattr(node.left, "value", ""), int | float | complex
    )
    return text or (
        isinstance(node.op, ast.BitOr) and isinstance(node.right, ast.Constant) and node.right.value is None
    )


def _compared(before: Snippet, node: ast.Compare) -> Iterator[Slip]:
    for (left, right), op in zip(pairwise((node.left, *node.comparators)), node.ops, strict=True):
        texts = _COMPARISONS[type(op)]
        none = isinstance(right, ast.Constant) and right.value is None
        numeric = isinstance(right, ast.Constant) and isinstance(right.value, int | float)
        container = isinstance(right, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.ListComp | ast.SetComp)
        wrong = {"<", ">", "<=", ">=", "in", "not in"} if none else set()
        wrong |= {"in", "not in"} if numeric else {"<", ">", "<=", ">=", "is", "is not"} if container else set()
        if isinstance(op, ast.Is | ast.IsNot) and none:
            wrong |= {"==", "!="}
        if len(node.ops) > 1:
            wrong |= {"in", "not in", "is", "is not"}
        yield from _others(before, left, right, [texts[0], *(one for one in texts[1:] if one not in wrong)])


def _joined(before: Snippet, node: ast.BoolOp) -> Iterator[Slip]:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in pairwise(node.values):
        yield from _others(before, left, right, (old, new))
    text = text_of(before, node)
    if len(node.values) > 2 and text:
        start, end = start_of(before, node), end_of(before, node)
        places = [operator_between(before, left, right, old) for left, right in pairwise(node.values)]
        found = [place for place in places if place]
        for first, last in reversed(found):
            text = text[: first[1] - start[1]] + new + text[last[1] - start[1] :]
        if len(found) == len(places):
            yield Slip(start, end, text, (old, new, f"{new}s"))


def _others(before: Snippet, left: ast.expr, right: ast.expr, texts: list[str] | tuple[str, ...]) -> Iterator[Slip]:
    place = operator_between(before, left, right, texts[0])
    if place:
        near = (text_of(before, left), text_of(before, right), texts[0])
        for text in texts[1:]:
            yield Slip(*place, _apart(before, place, text), (*near, text))


def _apart(before: Snippet, place: tuple[Position, Position], text: str) -> str:
    """A word such as `in` with the spaces it needs where there was a sign without them."""
    (row, start), (_, end) = place
    if not text[0].isalpha():
        return text
    line = before.lines[row]
    left = "" if line[start - 1 : start].isspace() else " "
    right = "" if end >= len(line) or line[end].isspace() else " "
    return f"{left}{text}{right}"


def _signs(before: Snippet, node: ast.AST) -> Iterator[Slip]:
    """A minus that may be missing: in what is returned, a key, a bound of a slice, what is added or compared."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Lambda(body=value) | ast.keyword(value=value):
            found = [value]
        case ast.Slice(lower=lower, upper=upper, step=step):
            found = [one for one in (lower, upper, step) if one]
        case ast.Subscript(slice=ast.Constant() as value):
            found = [value]
        case ast.Compare(comparators=[value], ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE() | ast.Eq()]):
            found = [value]
        case ast.BinOp(op=ast.Mult(), left=value):
            found = [value]
        case ast.Call(args=args):
            found = [one for one in args if isinstance(one, ast.Constant | ast.Name)]
        case _:
            return
    for value in found:
        number = isinstance(value, ast.Constant) and type(value.value) in (int, float) and value.value != 0
        named = isinstance(value, _SIGNED) and getattr(value, "id", "") not in ("self", "cls")
        if (number or named) and (text := text_of(before, value)):
            yield Slip(start_of(before, value), end_of(before, value), f"-{text}", (text, f"-{text}", "minus", "sign"))
