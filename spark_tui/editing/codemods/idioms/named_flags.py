"""Flags that are kept as 0 and 1, as False and True: all that a variable gets, and all that a function gives back."""

import ast
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, walk_scope
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_Given = list[tuple[ast.expr, ast.expr]]


def _flags(before: Snippet, _: str) -> Iterator[Fold]:
    for function in (one for one in before.nodes if isinstance(one, Function)):
        nodes = list(walk_scope(function))
        reckoned = set(_reckoned(nodes))
        for name, given in _by_name(nodes).items():
            if name not in reckoned and (spots := _truths(before, [value for _, value in given])):
                yield Fold(given[0][0], tuple(spot for one in spots for spot in one.spots))
        returned = [one.value for one in nodes if isinstance(one, ast.Return)]
        values = [one for one in returned if one is not None]
        if len(values) == len(returned) and (spots := _truths(before, values)):
            yield Fold(values[0], tuple(spot for one in spots for spot in one.spots))


def _by_name(nodes: Sequence[ast.AST]) -> dict[str, _Given]:
    """What variables and attributes get, with where that is written."""
    found: dict[str, _Given] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    found.setdefault(dotted(target) or "", []).append((target, value))
            case ast.AnnAssign(target=target, value=ast.expr() as value, annotation=ast.Name(id="bool")):
                found.setdefault(dotted(target) or "", []).append((target, value))
    found.pop("", None)
    return found


def _truths(before: Snippet, values: Sequence[ast.expr]) -> list[Fold]:
    """The 0s and 1s as what they stand for; none where there are not both, or anything but truths beside them."""
    numbers = [one for one in values if isinstance(one, ast.Constant) and type(one.value) is int]
    others = [one for one in values if one not in numbers and not _is_truth(one)]
    if others or {one.value for one in numbers} != {0, 1}:
        return []
    return [said(before, one, str(bool(one.value))) for one in dict.fromkeys(numbers)]


def _is_truth(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _reckoned(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """What is added to, compared with a number, an index or set in other ways, as flags are not."""
    for node in nodes:
        parts: Sequence[ast.AST] = ()
        match node:
            case ast.BinOp(left=left, right=right):
                parts = left, right
            case ast.Compare(left=left, comparators=others):
                parts = left, *others
            case ast.AugAssign(target=target) | ast.For(target=target):
                parts = (target,)
            case ast.Subscript(slice=index):
                parts = list(ast.walk(index))
            case ast.Tuple(elts=elts, ctx=ast.Store()):
                parts = elts
        yield from (dotted(one) or "" for one in parts if isinstance(one, ast.expr))


FLAGS: tuple[tuple[str, Rule], ...] = (
    (r"\bbool(?:ean)?s?\b(?! \w*(?:type|hint|param|arg|flag|expr|operator))|\btrue\b.*\bfalse\b", _flags),
)
"""What names a rule, and the rule."""
