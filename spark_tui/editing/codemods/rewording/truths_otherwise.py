"""Other words for tests of truth: `not x` for `x == 0`, `x` for `x is not None and len(x) > 0`, `elif` for `if`."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import AND, COMPARE, NOT
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, same, source_of, within
from spark_tui.editing.snippet import Snippet

_SAME = (ast.Eq, ast.Is)
_OTHER = (ast.NotEq, ast.IsNot, ast.Gt)


def _plain_truth(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """A comparison with 0, a flag or an empty value as a test of truth."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            holds = _holds(left, op, right)
            if holds is None:
                return
            match left:
                case ast.Call(func=ast.Name(id="len"), args=[counted]):
                    yield f"{'' if holds else 'not '}{within(before, counted, COMPARE)}"
            yield f"{'' if holds else 'not '}{within(before, left, COMPARE)}"
        case ast.BoolOp(op=ast.And(), values=[first, second, *rest]):
            match first, second:
                case ast.Compare(left=one, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]), tested:
                    if same(one, _subject(tested)):
                        yield " and ".join([source_of(before, one), *(within(before, each, AND) for each in rest)])


def _subject(test: ast.expr) -> ast.expr:
    """What a test of size or of what is empty looks at."""
    match test:
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[inner]), ops=[ast.Gt() | ast.NotEq()]):
            return inner
        case ast.Call(func=ast.Name(id="len"), args=[inner]) | ast.Compare(left=inner, ops=[ast.NotEq()]):
            return inner
    return test


def _holds(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    """Whether a comparison says that its left side is true; None where it is about something else."""
    match right:
        case ast.Constant(value=bool() as flag) if isinstance(op, (*_SAME, *_OTHER)):
            return flag is isinstance(op, _SAME)
        case ast.Constant(value=0 | None | "" | b"") | ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Tuple(elts=[]):
            return False if isinstance(op, _SAME) else True if isinstance(op, _OTHER) else None
        case ast.Constant(value=1) if isinstance(left, ast.Call) and source_of_len(left):
            return False if isinstance(op, ast.Lt) else True if isinstance(op, ast.GtE) else None
    return None


def source_of_len(call: ast.Call) -> bool:
    """Whether a call is one of `len`."""
    return isinstance(call.func, ast.Name) and call.func.id == "len"


def _or_else(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x if x is not None else y` as `x or y`."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=other):
            match test:
                case ast.Compare(left=held, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]) if same(
                    held, body
                ):
                    yield f"{source_of(before, body)} or {within(before, other, AND)}"
                case ast.Compare(left=held, ops=[ast.Is()], comparators=[ast.Constant(value=None)]) if same(
                    held, other
                ):
                    yield f"{source_of(before, other)} or {within(before, body, AND)}"


def _one_not(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`not a or not b` as `not (a and b)`."""
    match node:
        case ast.BoolOp(op=op, values=values):
            inner = [one.operand for one in values if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not)]
            if len(inner) == len(values):
                word = " and " if isinstance(op, ast.Or) else " or "
                yield f"not ({word.join(within(before, one, NOT) for one in inner)})"


def _either_bool(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x is True or x is False` as `isinstance(x, bool)`."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[ast.Compare(left=one) as first, ast.Compare(left=two) as second]):
            flags = {getattr(test.comparators[0], "value", "") for test in (first, second)}
            if same(one, two) and flags == {True, False}:
                yield f"isinstance({source_of(before, one)}, bool)"
        case ast.Compare(left=one, ops=[ast.In()], comparators=[ast.Tuple(elts=elts) | ast.List(elts=elts)]):
            if [getattr(each, "value", "") for each in elts] in ([True, False], [False, True]):
                yield f"isinstance({source_of(before, one)}, bool)"


def _else_if(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """An `if` right below another one as its `elif`, and an `elif` as an `if` of its own."""
    if not isinstance(node, ast.If):
        return
    source = source_of(before, node)
    if source.startswith("elif"):
        yield source.removeprefix("el")
        return
    for owner in before.nodes:
        for block in (getattr(owner, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and node in block[1:]:
                above = block[block.index(node) - 1]
                if isinstance(above, ast.If) and not _has_else(above):
                    yield f"el{source}"


def _has_else(node: ast.If) -> bool:
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return bool(node.orelse)


def _flags(_: Snippet, node: ast.AST, parent: ast.AST, __: str) -> Iterator[str]:
    """`True` for a 1 and `False` for a 0."""
    places = ast.While | ast.keyword | ast.Assign | ast.Return | ast.arguments | ast.Call | ast.AnnAssign
    if isinstance(node, ast.Constant) and type(node.value) is int and isinstance(parent, places):
        yield from {0: ["False"], 1: ["True"]}.get(node.value, [])


def _unread(before: Snippet, node: ast.AST, parent: ast.AST, _: str) -> Iterator[str]:
    """The variables of a loop that nobody reads as underscores."""
    match node:
        case ast.Tuple(elts=elts, ctx=ast.Store()) if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension):
            read = {one.id for one in before.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            names = [one.id if isinstance(one, ast.Name) and one.id not in read else "" for one in elts]
            text = ", ".join("_" if name else source_of(before, one) for name, one in zip(names, elts, strict=True))
            if any(names):
                yield f"({text})" if source_of(before, node).startswith("(") else text


TRUTHS: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"\bnot\b|\btruth|\bfals|\bsimpl|\bzero\b|\bempt|\bidentity\b"
            r"|\bbool|\bis true\b|[=>] ?0|\blen\b|\bcompar|\bif \S+:"
        ),
        _plain_truth,
    ),
    (r"\bor\b|\bsimpl|\bfallback", _or_else),
    (r"de ?morgan|\bnot \(|\bone not\b|\bsingle not\b|\bfactor|\bonce\b", _one_not),
    (r"\bisinstance\b|\bbool", _either_bool),
    (r"\belif\b|\belse if\b", _else_if),
    (r"\bbool|while 1\b|\btrue\b|\bfalse\b|\b1s\b|\bflags?\b", _flags),
    (r"\bunderscore|\b_\b|\bunused\b|n't used\b", _unread),
)
"""What names a rule in lower case, and the rule."""
