"""Mutations of operators, bounds and conditions: small changes of Python code.

The search for a repair tries them one by one (`session.repair.search`).
"""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutation_source import (
    RECEIVERS,
    Lines,
    MutableSnippet,
    called,
    dotted,
    is_text,
)

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("==", "!=", "in", "is", "<=", ">=", "<", ">"),
    ast.NotEq: ("!=", "==", "not in", "is not", "<", ">"),
    ast.Lt: ("<", ">", ">=", "=="),
    ast.Gt: (">", "<", "<=", "!=", "=="),
    ast.LtE: ("<=", ">=", ">", "=="),
    ast.GtE: (">=", "<=", "<", "=="),
    ast.Is: ("is", "is not", "=="),
    ast.IsNot: ("is not", "is", "!="),
    ast.In: ("in", "not in", "=="),
    ast.NotIn: ("not in", "in", "!="),
}
"""Each operator and those it may be mistaken for.

A strict comparison in place of one that is not, or the other way round, is one of the bounds.
"""
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("+", "-", "*"),
    ast.Sub: ("-", "+", "/", "*"),
    ast.Mult: ("*", "/", "+", "**", "//", "-"),
    ast.Div: ("/", "//", "*", "%", "-"),
    ast.FloorDiv: ("//", "/", "%"),
    ast.Mod: ("%", "//", "/"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|", "^"),
    ast.BitOr: ("|", "&", "^"),
    ast.BitXor: ("^", "**", "|", "&"),
    ast.MatMult: ("@", "*"),
}
_STRICT: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
_COUNTING = frozenset("len index rindex find rfind count tell".split())
_QUESTIONS = frozenset("startswith endswith isinstance issubclass hasattr callable any all".split())
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)
"""Expressions that need parentheses within a condition."""


def operators(source: MutableSnippet) -> Iterator[Lines]:
    """One operator changed, or the term of one argument added to another one of the same call."""
    nodes = [spot.node for spot in source.spots]
    # `+=` reads the name, so it makes sense only where the name is set elsewhere, too.
    names = (node for node in nodes if isinstance(node, ast.Name))
    counts = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if counts[name] > 1:
                yield from _others(source, target, value, ("=", "+=", "-="))
            case _:
                yield from _operators_of(source, node)
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _terms(source, node)


def _operators_of(source: MutableSnippet, node: ast.AST) -> Iterator[Lines]:
    """The lines with another operator in one expression or augmented assignment."""
    match node:
        case ast.Compare(left=first, ops=ops, comparators=rest):
            for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                senseless = _senseless(op, right)
                yield from _others(source, left, right, _COMPARISONS[type(op)], senseless)
        case ast.BoolOp(op=op, values=values):
            signs = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            for left, right in pairwise(values):
                yield from _others(source, left, right, signs)
        case ast.BinOp(left=left, op=ast.Mod()) if is_text(left):
            return  # the formatting of a string
        case ast.BinOp(left=left, op=op, right=right):
            yield from _others(source, left, right, _ARITHMETIC[type(op)])
        case ast.AugAssign(target=target, op=op, value=value):
            assignments = [f"{sign}=" for sign in _ARITHMETIC[type(op)]]
            yield from _others(source, target, value, [*assignments, "="])


def _senseless(op: ast.cmpop, right: ast.expr) -> set[str]:
    """The comparisons that make no sense with a right operand."""
    match right:
        case ast.Constant(value=None):
            senseless = {"<", ">", "<=", ">=", "in", "not in"}
            if isinstance(op, ast.Is | ast.IsNot):
                senseless |= {"==", "!="}
            return senseless
        case ast.Constant(value=int() | float()):
            return {"in", "not in"}
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.SetComp():
            return {"<", ">", "<=", ">=", "is", "is not"}
    return set()


def _others(
    source: MutableSnippet,
    left: ast.expr,
    right: ast.expr,
    signs: Sequence[str],
    wrong: Collection[str] = (),
) -> Iterator[Lines]:
    """The lines with other operators between two operands.

    Args:
        signs: The operator that stands there, then the others.
        wrong: The operators among them that cannot be meant.
    """
    place = source.between(left, right, signs[0])
    if place is None:
        return
    (row, start), (_, end) = place
    line = source.lines[row]
    # a word needs a space on either side: `a<b` becomes `a in b`; signs may stand close
    space_before = "" if line[start - 1].isspace() else " "
    space_after = " " if line[end : end + 1].strip() else ""
    for sign in signs[1:]:
        if sign in wrong:
            continue
        if sign[0].isalpha():
            yield source.splice(*place, space_before + sign + space_after)
        else:
            yield source.splice(*place, sign)


def _terms(source: MutableSnippet, call: ast.Call) -> Iterator[Lines]:
    """The term of one argument added to a plain argument, too; then the signs of all turned.

    `f(a + n, b)` becomes `f(a + n, b + n)`.
    """
    terms: list[tuple[str, str]] = []
    for argument in call.args:
        match argument:
            case ast.BinOp(op=ast.Add(), right=right):
                terms.append(("+", source.text(right)))
            case ast.BinOp(op=ast.Sub(), right=right):
                terms.append(("-", source.text(right)))
    for argument in call.args:
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
            for sign, term in terms:
                if term != source.text(argument):
                    yield source.behind(argument, f" {sign} {term}")
    if len(terms) > 1 and (text := source.text(call)):
        yield source.put(call, text.translate(str.maketrans("+-", "-+")))


def bounds(source: MutableSnippet) -> Iterator[Lines]:
    """One comparison made strict or not strict, or one bound, index, count or step moved by one."""
    for node, *_ in source.spots:
        match node:
            # the first case counts, so `range` stands before other calls
            case ast.Compare():
                yield from _bounds_of_comparison(source, node)
            case ast.Call(func=ast.Name(id="range"), args=[*_, _] as args):
                yield from _bounds_of_range(source, args)
            case ast.Subscript():
                yield from _bounds_of_subscript(source, node)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if (
                source.text(left)
            ):
                yield source.put(node, source.text(left))
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                if _counts(value) or isinstance(value, ast.BinOp):
                    yield from _moved(source, value)
            case ast.Call(args=args):
                for argument in filter(_counts, args):
                    yield from _moved(source, argument)


def _bounds_of_comparison(source: MutableSnippet, node: ast.Compare) -> Iterator[Lines]:
    for (left, right), op in zip(pairwise((node.left, *node.comparators)), node.ops, strict=True):
        yield from _others(source, left, right, _STRICT.get(type(op), ("==",)))
        if isinstance(op, ast.Eq | ast.Lt):
            yield from _moved(source, right)


def _bounds_of_range(source: MutableSnippet, args: Sequence[ast.expr]) -> Iterator[Lines]:
    # of start, stop and step the first two, the stop first; a lone argument is the stop
    for bound in reversed(args[:2]):
        yield from _moved(source, bound)
    if len(args) == 1:
        yield source.before(args[0], "1, ")


def _bounds_of_subscript(source: MutableSnippet, node: ast.Subscript) -> Iterator[Lines]:
    match node:
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
            for bound in filter(None, (upper, lower)):
                yield from _moved(source, bound)
            if lower and not upper:
                yield from _last_off(source, node)
        case ast.Subscript(slice=index, ctx=ast.Load()):
            yield from _moved(source, index)


def _counts(node: ast.expr) -> bool:
    """Whether an expression is a call that returns a position or a count."""
    return called(node) in _COUNTING


def _moved(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """An expression one more and one less."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            for changed in (value - 1, value + 1):
                if changed >= 0:
                    yield source.put(node, str(changed))
        # `n + 1` becomes `n` (`bounds`), and never `n + 1 - 1`
        case ast.BinOp(right=ast.Constant(value=1)):
            return
        case (
            ast.Name()
            | ast.Attribute()
            | ast.Call()
            | ast.Subscript()
            | ast.BinOp(op=ast.Add() | ast.Sub())
        ):
            yield source.behind(node, " - 1")
            yield source.behind(node, " + 1")


def _last_off(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """`rows[1:]` as `rows[1:-1]`."""
    row, end = source.end(node)
    if source.lines[row][:end].endswith(":]"):
        yield source.splice((row, end - 1), (row, end - 1), "-1")


def conditions(source: MutableSnippet) -> Iterator[Lines]:
    """One condition negated, or with a check added.

    Comparisons are not negated here: the opposite of a comparison is another operator.
    """
    tests = list(_conditions(source))
    for node, parent in tests:
        yield from _negated(source, node, parent)
    for node, parent in tests:
        if not isinstance(parent, ast.BoolOp):
            yield from _checked(source, node)


def _conditions(source: MutableSnippet) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every condition, and every part of a condition, with its parent."""
    for parent, *_ in source.spots:
        match parent:
            case (
                ast.If(test=test)
                | ast.While(test=test)
                | ast.IfExp(test=test)
                | ast.Assert(test=test)
            ):
                yield test, parent
            case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp() as test):
                yield test, parent
            case ast.comprehension(ifs=tests) | ast.BoolOp(values=tests):
                yield from ((test, parent) for test in tests)
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value) if _asks(value):
                yield value, parent


def _asks(node: ast.expr) -> bool:
    """Whether an expression is true or false by its form or by the name of what is called."""
    match node:
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
            return True
    name = called(node)
    return name in _QUESTIONS or name.startswith(("is_", "has_", "can_"))


def _negated(source: MutableSnippet, node: ast.expr, parent: ast.AST) -> Iterator[Lines]:
    """The lines with a `not` before a condition, or without the `not` that is there."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if text := source.text(operand):
            # Without the `not`, an `and` or `or` around it would bind tighter than what is left.
            if isinstance(operand, _LOOSE) and isinstance(parent, ast.BoolOp):
                text = f"({text})"
            yield source.put(node, text)
        case ast.Compare(ops=[_]) | ast.Constant() | ast.UnaryOp(op=ast.Not()):
            return
        case _ if text := source.text(node):
            if isinstance(node, _LOOSE):
                text = f"({text})"
            yield source.put(node, f"not {text}")


def _checked(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """The lines with a check for None or emptiness added to a condition, or in its place."""
    text = source.text(node)
    if not text:
        return
    # Whatever has an attribute or an index may be None or empty: `a.b` becomes `a and a.b`. Before
    # a loose expression, the check would cover only the first part.
    owners = [
        inner.value for inner in ast.walk(node) if isinstance(inner, ast.Attribute | ast.Subscript)
    ]
    for path in dict.fromkeys(filter(None, map(dotted, owners))):
        if path not in RECEIVERS and not isinstance(node, _LOOSE):
            yield source.put(node, f"{path} and {text}")
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
            yield source.put(node, f"{name} is None or {text}")
        case ast.Name() | ast.Attribute() | ast.Call():
            yield source.put(node, f"{text} is not None")
            yield source.put(node, f"{text} is None")
