"""Every comparison made strict or not, and every bound, index, count or step one more or one less."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.mutations.base import Lines, Source, dotted

_STRICT: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
}  # fmt: skip
_COUNTER = re.compile(
    r"_?(?:[i-nrcpqxyst]|\w*(?:idx|index|pos|position|offset|start|stop|end|row|col|column|line|lineno|depth|level|count|size"
    r"|current|number|limit|num|length|lo|hi|low|high|left|right|mid|first|last|cur|cursor|ptr|pointer|step|width|height))\d?"
)
"""Names of what counts or tells a place."""
_FINDING = frozenset("index find rfind tell count len".split())  # noqa: SIM905
_MEASURING = frozenset("range print str int min max isinstance abs".split())  # noqa: SIM905


def bounds(source: Source) -> Iterator[Lines]:
    """One bound changed."""
    for node, *_ in source.spots:
        yield from _bounds(source, node)
        yield from _counted(source, node)


def _bounds(source: Source, node: ast.AST) -> Iterator[Lines]:
    match node:
        case ast.Compare():
            yield from _compared(source, node)
        case (
            ast.For(target=ast.Name(), iter=ast.Call(func=ast.Name(id="range"), args=args))
            | ast.comprehension(target=ast.Name(), iter=ast.Call(func=ast.Name(id="range"), args=args))
        ):
            yield from _ranged(source, args)
        case ast.Call(func=ast.Name(id="enumerate"), args=[items], keywords=[]):
            yield source.behind(items, ", 1")
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if text := source.text(left):
            yield source.put(node, text)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=None)):
            yield from _sliced(source, node, lower, upper)
        case ast.Subscript(slice=ast.expr() as index, ctx=ast.Load()):
            if isinstance(index, ast.BinOp | ast.Constant) or _is_place(index):
                yield from moved(source, index)


def _counted(source: Source, node: ast.AST) -> Iterator[Lines]:
    """What is kept, given back or passed on that is a position, a count, or one more or less than something."""
    match node:
        case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
            if _steps(value) or _counts(value) or isinstance(value, ast.BinOp | ast.Attribute):
                yield from moved(source, value)
        case ast.Call(func=func, args=args, keywords=keywords) if dotted(func) not in _MEASURING:
            for value in (*args, *(one.value for one in keywords)):
                yield from moved(source, value) if _counts(value) else ()


def _compared(source: Source, node: ast.Compare) -> Iterator[Lines]:
    """The other strictness; less of a length; a counter that is to equal a name, with that one more or less."""
    for left, sort, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
        old, new = _STRICT.get(type(sort), ("==", ""))
        place = source.between(left, right, old)
        if new and place:
            yield source.splice(*place, new)
        if isinstance(sort, ast.Lt) and source.text(right).startswith("len("):
            yield source.behind(right, " - 1")
        if isinstance(sort, ast.Eq) and isinstance(right, ast.Name | ast.Attribute) and _is_place(left):
            yield from moved(source, right)


def _ranged(source: Source, args: Sequence[ast.expr]) -> Iterator[Lines]:
    match args:
        case [stop]:
            yield from moved(source, stop)
            yield source.before(stop, "1, ")
        case [start, stop, *_]:
            yield from moved(source, stop)
            if isinstance(start, ast.Constant) and start.value == 1 and len(args) == 2:
                yield source.splice(source.start(start), source.start(stop), "")
            yield from moved(source, start)


def _sliced(source: Source, node: ast.Subscript, lower: ast.expr | None, upper: ast.expr | None) -> Iterator[Lines]:
    for bound in filter(None, (upper, lower)):
        yield from moved(source, bound)
    row, end = source.end(node)
    if lower and not upper and source.lines[row][:end].endswith(":]"):
        yield source.splice((row, end - 1), (row, end - 1), "-1")
    row, start = source.end(node.value)
    if upper and not lower and source.lines[row][start:].startswith("[:"):
        yield source.splice((row, start + 1), (row, start + 1), "1")


def moved(source: Source, node: ast.expr) -> Iterator[Lines]:
    """An expression one more and one less."""
    text = source.text(node)
    match node:
        case _ if not text:
            return
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if source.text(left):
            yield source.put(node, source.text(left))
        case ast.Constant(value=int() as value) if text.isdigit():
            yield from (source.put(node, str(value + step)) for step in (-1, 1) if value + step >= 0)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript() | ast.BinOp(op=ast.Add() | ast.Sub()):
            yield source.behind(node, " - 1")
            yield source.behind(node, " + 1")


def _steps(node: ast.expr) -> bool:
    """Whether an expression is something plus or minus one."""
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1


def _counts(node: ast.expr) -> bool:
    """Whether an expression is a position or a count by its name, or what finds one."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _FINDING
    return _is_place(node) and len(dotted(node)) > 1


def _is_place(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return bool(_COUNTER.fullmatch(name))
    return False
