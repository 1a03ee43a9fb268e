"""How conditions are written: their negation, and the parentheses they need inside other ones."""

import ast

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.snippet import Snippet

IF_ELSE, OR, AND, NOT, COMPARE, ATOM = range(1, 7)
_STRENGTH: dict[type[ast.expr], int] = {
    ast.NamedExpr: 0, ast.Yield: 0, ast.YieldFrom: 0, ast.Starred: 0, ast.IfExp: IF_ELSE, ast.Lambda: IF_ELSE,
    ast.Compare: COMPARE,
}  # fmt: skip
_OPPOSITE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Lt: ("<", ">="), ast.GtE: (">=", "<"),
    ast.Gt: (">", "<="), ast.LtE: ("<=", ">"),
}  # fmt: skip


def strength(snippet: Snippet, node: ast.expr) -> int:
    """How strongly an expression holds together: 0 for what needs parentheses nearly everywhere."""
    if isinstance(node, ast.Tuple) and node.elts:
        row, column = end_of(snippet, node.elts[0])
        bare = start_of(snippet, node) == start_of(snippet, node.elts[0])
        return 0 if bare or snippet.lines[row].startswith(")", column) else ATOM
    if isinstance(node, ast.BoolOp):
        return OR if isinstance(node.op, ast.Or) else AND
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else ATOM
    return _STRENGTH.get(type(node), ATOM)


def enclosed(snippet: Snippet, node: ast.expr, least: int) -> str:
    """The source of an expression on one line, in parentheses if it holds together less than `least`; else ""."""
    text = text_of(snippet, node)
    return f"({text})" if text and strength(snippet, node) < least else text


def grouped(snippet: Snippet, node: ast.expr, parent: ast.expr) -> str:
    """The source of a part of an expression on one line, with the parentheses that are its own; else ""."""
    (row, start), (last, end) = start_of(snippet, node), end_of(snippet, node)
    low, high = start_of(snippet, parent), end_of(snippet, parent)
    if not row == last == low[0] == high[0]:
        return ""
    line = snippet.lines[row]
    while True:
        left, right = line[low[1] : start].rstrip(), line[end : high[1]].lstrip()
        if not (left.endswith("(") and right.startswith(")")):
            return line[start:end]
        start, end = low[1] + len(left) - 1, high[1] - len(right) + 1


def negated(snippet: Snippet, node: ast.expr) -> str:
    """The opposite of a condition as one would write it by hand, or "" when it stands on several lines."""
    text = text_of(snippet, node)
    match node:
        case _ if not text:
            return ""
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return enclosed(snippet, operand, IF_ELSE)
        case ast.Compare(ops=[_]) if flipped := _flipped(snippet, node):
            return flipped
        case ast.BoolOp(op=op, values=values) if len(values) <= 3 and not _has_choices(values):
            # Of `a or not b` the opposite reads well as `not a and b`; longer or nested ones do not.
            least, word = (AND, " and ") if isinstance(op, ast.Or) else (OR, " or ")
            return word.join(_operand(snippet, value, least) for value in values)
    return f"not {enclosed(snippet, node, NOT)}"


def _has_choices(values: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.BoolOp) for value in values for part in (value, getattr(value, "operand", value)))


def _operand(snippet: Snippet, node: ast.expr, least: int) -> str:
    text = negated(snippet, node)
    bare = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else None
    return f"({text})" if bare is not None and strength(snippet, bare) < least else text


def _flipped(snippet: Snippet, node: ast.Compare) -> str:
    left, right = grouped(snippet, node.left, node), grouped(snippet, node.comparators[0], node)
    _, new = _OPPOSITE[type(node.ops[0])]
    return f"{left} {new} {right}" if left and right else ""
