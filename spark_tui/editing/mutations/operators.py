"""Operators, bounds and conditions: every sign that could be another one, every bound one off, every test negated."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutations.source import RECEIVERS, Lines, Source, called, dotted, is_text

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
_STRICT: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
}  # fmt: skip
_COUNTING = frozenset("len index rindex find rfind count tell".split())  # noqa: SIM905
_QUESTIONS = frozenset("startswith endswith isinstance issubclass hasattr callable any all".split())  # noqa: SIM905
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)
"""What needs parentheses within a condition."""


def operators(source: Source) -> Iterator[Lines]:
    """One operator changed, then the terms that the arguments of a call add."""
    names = (one.node for one in source.spots if isinstance(one.node, ast.Name))
    counts = Counter(one.id for one in names if isinstance(one.ctx, ast.Store))
    for node, *_ in source.spots:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if counts[name] > 1:
                yield from _others(source, target, value, ("=", "+=", "-="))
            case ast.Compare(left=first, ops=ops, comparators=rest):
                for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                    yield from _others(source, left, right, _COMPARISONS[type(op)], _senseless(op, right))
            case ast.BoolOp(op=op, values=values):
                signs = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from (lines for pair in pairwise(values) for lines in _others(source, *pair, signs))
            case ast.BinOp(left=left, op=op, right=right) if not (is_text(left) and isinstance(op, ast.Mod)):
                yield from _others(source, left, right, _ARITHMETIC[type(op)])
            case ast.AugAssign(target=target, op=op, value=value):
                yield from _others(source, target, value, (*(f"{one}=" for one in _ARITHMETIC[type(op)]), "="))
    for node, *_ in source.spots:
        yield from _terms(source, node) if isinstance(node, ast.Call) else ()


def _senseless(op: ast.cmpop, right: ast.expr) -> set[str]:
    """The comparisons that make no sense with what is compared."""
    match right:
        case ast.Constant(value=None):
            return {"<", ">", "<=", ">=", "in", "not in"} | (
                {"==", "!="} if isinstance(op, ast.Is | ast.IsNot) else set()
            )
        case ast.Constant(value=int() | float()):
            return {"in", "not in"}
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.SetComp():
            return {"<", ">", "<=", ">=", "is", "is not"}
    return set()


def _others(
    source: Source, left: ast.expr, right: ast.expr, signs: Sequence[str], wrong: Collection[str] = ()
) -> Iterator[Lines]:
    """Args: signs: the one that stands there, then the others. wrong: those of them that cannot be meant."""
    if place := source.between(left, right, signs[0]):
        (row, start), (_, end) = place
        line = source.lines[row]
        for sign in (one for one in signs[1:] if one not in wrong):
            apart = (" " * (not line[start - 1].isspace()), " " * (line[end : end + 1].strip() != ""))
            yield source.splice(*place, sign.join(apart) if sign[0].isalpha() else sign)


def _terms(source: Source, call: ast.Call) -> Iterator[Lines]:
    """What one argument adds added to a plain one beside it: `f(a + n, b)` as `f(a + n, b + n)`; all signs turned."""
    sums = [one for one in call.args if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub)]
    added = [f" {'+' if isinstance(one.op, ast.Add) else '-'} {source.text(one.right)}" for one in sums]
    for other in call.args if added else ():
        if isinstance(other, ast.Name | ast.Attribute | ast.Subscript):
            yield from (source.behind(other, term) for term in added if term[3:] != source.text(other))
    if len(sums) > 1 and (text := source.text(call)):
        yield source.put(call, text.translate(str.maketrans("+-", "-+")))


def bounds(source: Source) -> Iterator[Lines]:
    """One comparison made strict or not, or one bound, index, count or step one more or one less."""
    for node, *_ in source.spots:
        match node:
            case ast.Compare(left=first, ops=ops, comparators=rest):
                for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                    yield from _others(source, left, right, _STRICT.get(type(op), ("==",)))
                    yield from _moved(source, right) if isinstance(op, ast.Eq | ast.Lt) else ()
            case ast.Call(func=ast.Name(id="range"), args=[*_, _] as args):
                yield from (lines for one in reversed(args[:2]) for lines in _moved(source, one))
                yield from [source.before(args[0], "1, ")] if len(args) == 1 else ()
            case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
                yield from (lines for one in (upper, lower) if one for lines in _moved(source, one))
                yield from _last_off(source, node) if lower and not upper else ()
            case ast.Subscript(slice=ast.expr() as index, ctx=ast.Load()):
                yield from _moved(source, index)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if source.text(left):
                yield source.put(node, source.text(left))
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                yield from _moved(source, value) if _counts(value) or isinstance(value, ast.BinOp) else ()
            case ast.Call(args=args):
                yield from (lines for one in args if _counts(one) for lines in _moved(source, one))


def _counts(node: ast.expr) -> bool:
    """Whether an expression finds a position or a count."""
    return called(node) in _COUNTING


def _moved(source: Source, node: ast.expr) -> Iterator[Lines]:
    """An expression one more and one less."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            yield from (source.put(node, str(value + step)) for step in (-1, 1) if value + step >= 0)
        case ast.BinOp(right=ast.Constant(value=1)):
            return
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript() | ast.BinOp(op=ast.Add() | ast.Sub()):
            yield source.behind(node, " - 1")
            yield source.behind(node, " + 1")


def _last_off(source: Source, node: ast.expr) -> Iterator[Lines]:
    """`rows[1:]` as `rows[1:-1]`."""
    row, end = source.end(node)
    if source.lines[row][:end].endswith(":]"):
        yield source.splice((row, end - 1), (row, end - 1), "-1")


def conditions(source: Source) -> Iterator[Lines]:
    """One condition negated, or with a check; the opposite of a comparison is another operator."""
    found = list(_conditions(source))
    for node, parent in found:
        yield from _negated(source, node, parent)
    for node, parent in found:
        yield from _checked(source, node) if not isinstance(parent, ast.BoolOp) else ()


def _conditions(source: Source) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every condition, and every part of one, with what it stands in."""
    for parent, *_ in source.spots:
        match parent:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield test, parent
            case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp() as test):
                yield test, parent
            case ast.comprehension(ifs=tests) | ast.BoolOp(values=tests):
                yield from ((test, parent) for test in tests)
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value) if _asks(value):
                yield value, parent


def _asks(node: ast.expr) -> bool:
    """Whether an expression is true or false by what it is."""
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    name = called(node)
    return negated or isinstance(node, ast.BoolOp) or name in _QUESTIONS or name.startswith(("is_", "has_", "can_"))


def _negated(source: Source, node: ast.expr, parent: ast.AST) -> Iterator[Lines]:
    """With a `not`, or without the one that it has."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if text := source.text(operand):
            loose = isinstance(operand, _LOOSE) and isinstance(parent, ast.BoolOp)
            yield source.put(node, f"({text})" if loose else text)
        case ast.Compare(ops=[_]) | ast.Constant() | ast.UnaryOp(op=ast.Not()):
            return
        case _ if text := source.text(node):
            yield source.put(node, f"not ({text})" if isinstance(node, _LOOSE) else f"not {text}")


def _checked(source: Source, node: ast.expr) -> Iterator[Lines]:
    """What a condition reads something of checked to be there, before and instead of it."""
    if not (text := source.text(node)):
        return
    owners = [one.value for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Subscript)]
    for path in dict.fromkeys(filter(None, map(dotted, owners))):
        if path not in RECEIVERS and not isinstance(node, _LOOSE):
            yield source.put(node, f"{path} and {text}")
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
            yield source.put(node, f"{name} is None or {text}")
        case ast.Name() | ast.Attribute() | ast.Call():
            yield from (source.put(node, f"{text} is{form} None") for form in (" not", ""))
