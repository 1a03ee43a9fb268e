"""Every condition as its opposite, without one of its parts, with a check of what it looks at, and for all or any."""

import ast
from collections.abc import Iterator

from spark_tui.editing.mutations.base import Lines, Source, called, dotted

IF_ELSE, OR, AND, NOT, COMPARE, ATOM = range(1, 7)
_STRENGTH: dict[type[ast.expr], int] = {
    ast.NamedExpr: 0, ast.Yield: 0, ast.YieldFrom: 0, ast.Starred: 0, ast.IfExp: IF_ELSE, ast.Lambda: IF_ELSE,
    ast.Compare: COMPARE, ast.Tuple: 0,
}  # fmt: skip
_OPPOSITE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Lt: ("<", ">="), ast.GtE: (">=", "<"),
    ast.Gt: (">", "<="), ast.LtE: ("<=", ">"),
}  # fmt: skip
_QUESTIONS = frozenset("startswith endswith isinstance issubclass hasattr callable any all".split())  # noqa: SIM905


def conditions(source: Source) -> Iterator[Lines]:
    """One condition changed."""
    found = list(_conditions(source))
    for node, parent in found:
        if text := _opposite(source, node, parent):
            yield source.put(node, text)
        if isinstance(node, ast.BoolOp):
            yield from _without_part(source, node, parent)
    for node, parent in found:
        if not isinstance(parent, ast.BoolOp):
            yield from _checked(source, node)


def strength(node: ast.expr) -> int:
    """How strongly an expression holds together: 0 for what needs parentheses nearly everywhere."""
    match node:
        case ast.BoolOp(op=op):
            return OR if isinstance(op, ast.Or) else AND
        case ast.UnaryOp(op=op):
            return NOT if isinstance(op, ast.Not) else ATOM
    return _STRENGTH.get(type(node), ATOM)


def enclosed(source: Source, node: ast.expr, least: int) -> str:
    """The source of an expression on one line, in parentheses if it holds together less than `least`; else ""."""
    text = source.text(node)
    return f"({text})" if text and strength(node) < least else text


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
            case (
                ast.Return(value=ast.expr() as value)
                | ast.Assign(value=value)
                | ast.Lambda(body=value)
                | ast.keyword(value=value)
            ) if _is_test(value):
                yield value, parent


def _is_test(node: ast.expr) -> bool:
    """Whether an expression is true or false by what it is."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    name = called(node)
    return isinstance(node, ast.Compare | ast.BoolOp) or name in _QUESTIONS or name.startswith(("is_", "has_", "can_"))


def _opposite(source: Source, node: ast.expr, parent: ast.AST) -> str:
    match node, parent:
        case (ast.Constant() | ast.BoolOp(), ast.BoolOp()) | (ast.NamedExpr(), _):
            return ""
        case (ast.UnaryOp(op=ast.Not(), operand=operand), ast.BoolOp(op=op)):
            return enclosed(source, operand, AND if isinstance(op, ast.And) else OR)
    return negated(source, node)


def negated(source: Source, node: ast.expr) -> str:
    """The opposite of a condition as one would write it by hand, or "" when it stands on several lines."""
    text = source.text(node)
    match node:
        case _ if not text:
            return ""
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return enclosed(source, operand, IF_ELSE)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            old, new = _OPPOSITE[type(op)]
            place, column = source.between(left, right, old), source.start(node)[1]
            return f"{text[: place[0][1] - column]}{new}{text[place[1][1] - column :]}" if place else ""
    return f"not {enclosed(source, node, NOT)}"


def _without_part(source: Source, node: ast.BoolOp, parent: ast.AST) -> Iterator[Lines]:
    """The condition without one of its parts: on one line, or with that part's own line gone."""
    joint = "and" if isinstance(node.op, ast.And) else "or"
    if not source.text(node):
        for value in node.values[1:]:
            row = source.start(value)[0]
            if source.lines[row].strip() == f"{joint} {source.text(value)}":
                yield [*source.lines[:row], *source.lines[row + 1 :]]
        return
    least = NOT if isinstance(parent, ast.BoolOp | ast.UnaryOp) else IF_ELSE if len(node.values) == 2 else NOT
    parts = [enclosed(source, value, least) for value in node.values]
    for index in range(len(parts)):
        yield source.put(node, f" {joint} ".join(parts[:index] + parts[index + 1 :]))


def _checked(source: Source, node: ast.expr) -> Iterator[Lines]:
    """What a condition reads something of checked to be there, before and instead of it."""
    text = enclosed(source, node, AND)
    owners = [one.value for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Subscript)]
    for path in dict.fromkeys(dotted(one) for one in owners if not isinstance(one, ast.Constant)):
        if text and path not in ("", "self", "cls"):
            yield source.put(node, f"{path} and {text}")
            yield source.put(node, f"{path} is not None and {text}")
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
            yield source.put(node, f"{name} is None or {text}")
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[counted]), comparators=[ast.Constant()]):
            yield from (source.put(node, form + source.text(counted)) for form in ("not ", ""))
        case ast.Name() | ast.Attribute() | ast.Call() if text:
            yield from (source.put(node, f"{text} is{form} None") for form in (" not", ""))
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            yield source.put(node, "not " * isinstance(op, ast.Is) + source.text(left))
