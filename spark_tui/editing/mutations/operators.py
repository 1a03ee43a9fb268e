"""Every operator that could be another one, signs that are missing or too many, terms that those beside have."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutations.base import RECEIVERS, Lines, Source, Spot

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("==", "!=", "in", "is", "<=", ">=", "<", ">"), ast.NotEq: ("!=", "==", "not in", "is not", "<", ">"),
    ast.Lt: ("<", ">", ">=", "=="), ast.Gt: (">", "<", "<=", "!=", "=="),
    ast.LtE: ("<=", ">=", ">", "=="), ast.GtE: (">=", "<=", "<", "=="),
    ast.Is: ("is", "is not", "=="), ast.IsNot: ("is not", "is", "!="),
    ast.In: ("in", "not in", "=="), ast.NotIn: ("not in", "in", "!="),
}  # fmt: skip
"""Each operator with those it may be mistaken for; a comparison made strict or not so strict is one of the bounds."""
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("+", "-", "*"), ast.Sub: ("-", "+", "/", "*"), ast.Mult: ("*", "/", "+", "**", "//", "-"),
    ast.Div: ("/", "//", "*", "%", "-"), ast.FloorDiv: ("//", "/", "%"), ast.Mod: ("%", "//", "/"),
    ast.Pow: ("**", "*"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"), ast.BitAnd: ("&", "|", "^"),
    ast.BitOr: ("|", "&", "^"), ast.BitXor: ("^", "**", "|", "&"), ast.MatMult: ("@", "*"),
}  # fmt: skip
_ORDERS = {"<", ">", "<=", ">="}


def operators(source: Source) -> Iterator[Lines]:
    """One operator changed, then one sign, then one term more."""
    names = (one.node for one in source.spots if isinstance(one.node, ast.Name))
    counts = Counter(one.id for one in names if isinstance(one.ctx, ast.Store))
    for node, *_ in source.spots:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if counts[name] > 1:
                yield from _others(source, target, value, ("=", "+=", "-="))
            case _:
                yield from _changed(source, node)
    for spot in source.spots:
        yield from _signed(source, spot)
    for node, *_ in source.spots:
        yield from _terms(source, node) if isinstance(node, ast.Call) else ()


def _changed(source: Source, node: ast.AST) -> Iterator[Lines]:
    match node:
        case ast.Expr(value=ast.Compare(left=ast.Name() | ast.Attribute() as left, ops=[ast.Eq()], comparators=[one])):
            yield from _others(source, left, one, ("==", "="))
        case ast.Compare():
            yield from _compared(source, node)
        case ast.BoolOp():
            yield from _joined(source, node)
        case ast.BinOp(left=left, op=op, right=right) if not _formats(node):
            yield from _others(source, left, right, _ARITHMETIC[type(op)])
        case ast.AugAssign(target=target, op=op, value=value):
            old, *others = _ARITHMETIC[type(op)]
            signs = [f"{old}=", *(f"{one}=" for one in others if one != "*" or old != "+"), "="]
            yield from _others(source, target, value, signs)


def _compared(source: Source, node: ast.Compare) -> Iterator[Lines]:
    for (left, right), op in zip(pairwise((node.left, *node.comparators)), node.ops, strict=True):
        old, *others = _COMPARISONS[type(op)]
        wrong = _senseless(op, right) | ({"in", "not in", "is", "is not"} if len(node.ops) > 1 else set())
        yield from _others(source, left, right, (old, *(one for one in others if one not in wrong)))


def _senseless(op: ast.cmpop, right: ast.expr) -> set[str]:
    """The comparisons that make no sense with what is compared."""
    match right:
        case ast.Constant(value=None):
            return _ORDERS | {"in", "not in"} | ({"==", "!="} if isinstance(op, ast.Is | ast.IsNot) else set())
        case ast.Constant(value=int() | float()):
            return {"in", "not in"}
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.SetComp():
            return _ORDERS | {"is", "is not"}
    return set()


def _joined(source: Source, node: ast.BoolOp) -> Iterator[Lines]:
    """One `and` as `or`, or the reverse; all of several, too."""
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    places = [source.between(left, right, old) for left, right in pairwise(node.values)]
    yield from (source.splice(*place, new) for place in places if place)
    if len(places) > 1 and all(places) and (text := source.text(node)):
        begin = source.start(node)[1]
        for place in reversed(places):
            assert place is not None
            text = text[: place[0][1] - begin] + new + text[place[1][1] - begin :]
        yield source.put(node, text)


def _others(source: Source, left: ast.expr, right: ast.expr, signs: Sequence[str]) -> Iterator[Lines]:
    """Args: signs: the one that stands there, then the others."""
    if place := source.between(left, right, signs[0]):
        (row, start), (_, end) = place
        line = source.lines[row]
        for sign in signs[1:]:
            apart = (" " * (not line[start - 1].isspace()), " " * (line[end : end + 1].strip() != ""))
            yield source.splice(*place, sign.join(apart) if sign[0].isalpha() else sign)


def _formats(node: ast.BinOp) -> bool:
    """Whether this is `"..." % values`, or a union with None."""
    match node:
        case ast.BinOp(left=ast.JoinedStr() | ast.Constant(value=str() | bytes())):
            return True
        case ast.BinOp(op=ast.BitOr(), right=ast.Constant(value=None)):
            return True
    return False


def _signed(source: Source, spot: Spot) -> Iterator[Lines]:
    """A minus taken away, or put before what is returned, cut off, passed, compared or multiplied."""
    match spot.node:
        case ast.UnaryOp(op=ast.USub(), operand=operand) if text := source.text(operand):
            yield source.put(spot.node, text)
            return
        case ast.Constant(value=int() | float() as number) if number and not isinstance(number, bool):
            pass
        case ast.Name(id=name, ctx=ast.Load()) if name not in RECEIVERS:
            pass
        case ast.Attribute(ctx=ast.Load()) | ast.Call() | ast.Subscript(ctx=ast.Load()):
            pass
        case _:
            return
    if _may_be_negative(spot.node, spot.parent):
        yield source.before(spot.node, "-")


def _may_be_negative(node: ast.expr, parent: ast.AST) -> bool:
    match parent:
        case ast.Return() | ast.Lambda() | ast.keyword() | ast.Slice():
            return True
        case ast.Subscript(slice=ast.Constant() as index):
            return index is node
        case ast.Compare(comparators=[value], ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE() | ast.Eq()]):
            return value is node
        case ast.BinOp(op=ast.Mult(), left=value):
            return value is node
        case ast.Call(args=args):
            return node in args and isinstance(node, ast.Constant | ast.Name)
    return False


def _terms(source: Source, call: ast.Call) -> Iterator[Lines]:
    """What one argument adds added to a plain one beside it: `f(a + n, b)` as `f(a + n, b + n)`; all signs turned."""
    sums = [one for one in call.args if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub)]
    added = [f" {'+' if isinstance(one.op, ast.Add) else '-'} {source.text(one.right)}" for one in sums]
    for other in call.args if added else ():
        if isinstance(other, ast.Name | ast.Attribute | ast.Subscript):
            yield from (source.behind(other, term) for term in added if term[3:] != source.text(other))
    text = source.text(call)
    if len(sums) > 1 and text:
        yield source.put(call, text.translate(str.maketrans("+-", "-+")))
