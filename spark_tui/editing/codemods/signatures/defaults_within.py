"""Where a function gives a parameter that is None by default the value that it then has."""

import ast
from collections.abc import Iterator

from spark_tui.editing.code import Function, walk_scope


def defaults_within(function: Function, name: str) -> list[ast.expr]:
    """What stands for a parameter that is None: "if n is None: n = 3", "n or 3", "3 if n is None else n"."""
    return [one for node in walk_scope(function) for one in _of(node, name)]


def _of(node: ast.AST, name: str) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test, body=[ast.Assign(targets=[ast.Name(id=target)], value=value)], orelse=[]):
            if target == name and _lacks(test, name) is True:
                yield value
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=first), other]) if first == name:
            yield other
        case ast.IfExp(test=test, body=body, orelse=orelse):
            lacks = _lacks(test, name)
            for kept, other in ((orelse, body), (body, orelse)) if lacks is not None else ():
                if isinstance(kept, ast.Name) and kept.id == name and lacks is (other is body):
                    yield other


def _lacks(test: ast.expr, name: str) -> bool | None:
    """Whether a test holds where a name is None (True) or where it is not (False); None: it tests something else."""
    match test:
        case ast.Compare(left=ast.Name(id=left), ops=[op], comparators=[ast.Constant(value=None)]) if left == name:
            return isinstance(op, ast.Is | ast.Eq)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=left)) if left == name:
            return True
        case ast.Name(id=left) if left == name:
            return False
    return None
