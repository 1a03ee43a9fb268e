"""Two neighbours in each other's place: arguments, elements, parameters, operands."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutations.source import ORDERS, RECEIVERS, Lines, Source, is_text

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)


def swapped(source: Source) -> Iterator[Lines]:
    """Two neighbours in each other's place: arguments, elements, parameters, operands."""
    for node, *_ in source.spots:
        match node:
            case ast.Call(func=func, args=args, keywords=keywords):
                owner = [func.value] if isinstance(func, ast.Attribute) and len(args) == 1 else []
                yield from _pairs(source, [*owner, *args])
                yield from _pairs(source, [one.value for one in keywords if one.arg])
            case ast.Tuple(elts=parts):
                yield from _pairs(source, parts)
            case ast.DictComp(key=key, value=value):
                yield from _pairs(source, [key, value])
            case ast.FunctionDef(args=spec) | ast.AsyncFunctionDef(args=spec):
                plain = spec.args[: len(spec.args) - len(spec.defaults)]
                yield from _pairs(source, [one for one in plain if one.arg not in RECEIVERS])
            case ast.BinOp(left=left, op=op, right=right) if (
                isinstance(op, _ONE_SIDED) or is_text(left) or is_text(right)
            ):
                yield from _pairs(source, [left, right]) if _are_simple(left, right) else ()
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, (*ORDERS, ast.In, ast.NotIn)):
                yield from _pairs(source, [left, right]) if _are_simple(left, right) else ()
            case ast.BoolOp(op=ast.Or(), values=[left, right]) if _are_simple(left, right):
                yield from _pairs(source, [left, right])
            case ast.IfExp(body=left, orelse=right):
                yield from _pairs(source, [left, right])


def _are_simple(*operands: ast.expr) -> bool:
    """Whether operands need no parentheses anywhere."""
    return all(isinstance(one, (*_NAMED, ast.Call, ast.Constant)) for one in operands)


def _pairs(source: Source, parts: Sequence[ast.expr | ast.arg]) -> Iterator[Lines]:
    """Each in the place of its neighbour, whatever stands between them, on one line or on two in a row."""
    for left, right in pairwise(parts):
        one, two = source.text(left), source.text(right)
        (row, end), (other, start) = source.end(left), source.start(right)
        if one and two and one != two and other - row <= 1 and not isinstance(left, ast.Starred | ast.GeneratorExp):
            apart = f"{source.lines[row][end:]}\n{source.lines[other][:start]}"
            glue = source.lines[row][end:start] if row == other else apart
            yield source.splice(source.start(left), source.end(right), two + glue + one)
