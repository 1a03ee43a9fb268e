"""Arguments that a call lacks, has too many of or passes by the wrong name, and neighbours in the wrong order."""

import ast
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise

from spark_tui.editing.code import Function, indentation, is_receiver, parameters
from spark_tui.editing.mutations.base import Lines, Source, called, given, is_text, read, stored
from spark_tui.editing.trees import parse

Argument = ast.expr | ast.keyword
_USUAL = {
    "pop": (0, "0", False), "count": (0, "1", False), "range": (1, "1", True), "enumerate": (1, "1", False),
    "getattr": (2, "None", False), "next": (1, "None", False), "split": (1, "1", False), "get": (1, "None", False),
}  # fmt: skip
"""Functions that often get one more: behind how many, what, and whether it comes first."""
_LEFT_OUT = (ast.Starred, ast.GeneratorExp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Lambda)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
_SIDED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_SIMILAR = 0.6


def arguments(source: Source) -> Iterator[Lines]:
    """One argument more, less, or passed by another name."""
    every = [_Called(source, node, function) for node, _, function in source.spots if isinstance(node, ast.Call)]
    for finder in (_Called.otherwise_named, _Called.unused, _Called.fewer, _Called.passed_on):
        for one in every:
            yield from finder(one)


class _Called:
    """A call and what could be passed to it."""

    def __init__(self, source: Source, node: ast.Call, function: Function | None) -> None:
        self._source, self._node, self._function = source, node, function
        self._arguments: list[Argument] = [*node.args, *node.keywords]
        self._keywords = {one.arg for one in node.keywords}
        self._open = None in self._keywords or any(isinstance(one, ast.Starred) for one in node.args)

    @cached_property
    def _in_scope(self) -> list[str]:
        """What could be passed: the parameters of the function around, and what it sets above."""
        if self._function is None:
            return []
        stores = (one for one in ast.walk(self._function) if isinstance(one, ast.Name))
        above = {one.id for one in stores if isinstance(one.ctx, ast.Store) and one.lineno < self._node.lineno}
        names = dict.fromkeys([*given(self._function), *(one for one in stored(self._function) if one in above)])
        return [one for one in names if not one.startswith("_")]

    def otherwise_named(self) -> Iterator[Lines]:
        """Keywords of the snippet that look like one that is passed, and those known to be meant."""
        others = {one.arg for spot in self._source.spots for one in getattr(spot.node, "keywords", ()) if one.arg}
        others |= {one.arg for function in self._source.snippet.functions for one in parameters(function)}
        for keyword in self._node.keywords:
            old = keyword.arg or ""
            near = get_close_matches(old, sorted(others - self._keywords), cutoff=_SIMILAR)
            if old:
                yield from (self._named(keyword, one) for one in (*self._source.meant.get(old, ()), *near))

    def unused(self) -> Iterator[Lines]:
        """Names that nothing in the function reads, at either end of the positional arguments; what is usual."""
        if self._function is None or self._open:
            return
        used = read(*self._function.body)
        for name in (one for one in self._in_scope if one not in used):
            places = dict.fromkeys((len(self._node.args), 0))
            yield from (lines for place in places for lines in self._with(name, place))
            yield from self._with(f"{name}={name}", len(self._arguments)) if self._arguments else ()
        count, text, first = _USUAL.get(called(self._node), (-1, "", False))
        if len(self._arguments) == count:
            yield from self._with(text, 0 if first else count)

    def fewer(self) -> Iterator[Lines]:
        """Without one argument."""
        ordered = sorted(self._arguments, key=lambda one: (one.lineno, one.col_offset))
        for place, one in enumerate(ordered):
            beside = ordered[place + 1] if place + 1 < len(ordered) else ordered[place - 1] if place else None
            yield from self._without(one, beside, last=place + 1 == len(ordered))

    def passed_on(self) -> Iterator[Lines]:
        """The `*args` and `**kwargs` of the function around that nothing reads, and those passed as one thing."""
        if self._function is None:
            return
        spec, used = self._function.args, read(*self._function.body)
        marks = {one.arg: mark for mark, one in (("*", spec.vararg), ("**", spec.kwarg)) if one}
        lost = [mark + name for name, mark in marks.items() if name not in used]
        yield from self._with(", ".join(lost), len(self._arguments)) if lost else ()
        for one in self._node.args:
            if isinstance(one, ast.Name) and one.id in marks:
                yield self._source.before(one, marks[one.id])

    def _named(self, keyword: ast.keyword, name: str) -> Lines:
        row, column = self._source.start(keyword)
        return self._source.splice((row, column), (row, column + len(keyword.arg or "")), name)

    def _with(self, text: str, place: int) -> Iterator[Lines]:
        """The call with one argument more before the one at a place, or behind all; on a line of its own if all are."""
        source, ordered = self._source, self._arguments
        if not ordered:
            row, end = source.end(self._node)
            if source.lines[row][:end].endswith("()"):
                yield source.splice((row, end - 1), (row, end - 1), text)
            return
        at_end = place >= len(ordered)
        one = ordered[-1 if at_end else place]
        (row, start), (last, end) = source.start(one), source.end(one)
        own_line = not source.lines[row][:start].strip()
        if own_line and (not at_end or source.lines[last][end:].strip() == ","):
            yield source.insert(last + 1 if at_end else row, f"{indentation(source.lines[row])}{text},")
        elif not isinstance(one, ast.GeneratorExp):
            yield source.behind(one, f", {text}") if at_end else source.before(one, f"{text}, ")

    def _without(self, one: Argument, beside: Argument | None, *, last: bool) -> Iterator[Lines]:
        source = self._source
        (row, start), (end_row, end) = source.start(one), source.end(one)
        if beside and not source.lines[row][:start].strip() and source.lines[end_row][end:].strip() == ",":
            yield [*source.lines[:row], *source.lines[end_row + 1 :]]
        elif row == end_row and beside and last:
            yield source.splice(source.end(beside), (row, end), "")
        elif row == end_row and beside:
            yield source.splice((row, start), source.start(beside), "")
        elif row == end_row and source.lines[row][end : end + 1] == ")":
            yield source.put(one, "")


def swapped(source: Source) -> Iterator[Lines]:
    """Two neighbours in each other's place: arguments first, then elements, operands and fields."""
    for node, *_ in source.spots:
        if isinstance(node, ast.Call):
            yield from _pairs(source, node.args)
            yield from _pairs(source, [one.value for one in node.keywords if one.arg])
    for node, *_ in source.spots:
        yield from _elements(source, node)
        yield from _operands(source, node)


def _elements(source: Source, node: ast.AST) -> Iterator[Lines]:
    match node:
        case ast.Tuple(elts=parts) if len(parts) < 8:
            yield from _pairs(source, parts)
        case ast.DictComp(key=key, value=value):
            yield from _pairs(source, [key, value])
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as owner), args=[one], keywords=[]):
            if isinstance(one, ast.Name | ast.Attribute):
                yield from _exchanged(source, owner, one)
        case ast.Call(func=ast.Name(id="min" | "max"), args=[ast.Call(args=[_, inner]), bound]):
            yield from _exchanged(source, inner, bound)
        case ast.FunctionDef(args=spec) | ast.AsyncFunctionDef(args=spec):
            plain = [one for one in spec.args[: len(spec.args) - len(spec.defaults)] if not is_receiver(node, one)]
            yield from (lines for left, right in pairwise(plain) for lines in _exchanged(source, left, right))
        case ast.Assign(targets=[ast.Name() as left], value=ast.Name() as right):
            yield from _exchanged(source, left, right)


def _operands(source: Source, node: ast.AST) -> Iterator[Lines]:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ONE_SIDED) or _joins(left, op, right):
            if not (isinstance(op, ast.Mod) and is_text(left)):
                yield from _around(source, node, left, right)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _SIDED):
            yield from _around(source, node, left, right)
        case ast.IfExp(body=left, orelse=right) | ast.BoolOp(op=ast.Or(), values=[left, right]):
            yield from _around(source, node, left, right)


def _joins(left: ast.expr, op: ast.operator, right: ast.expr) -> bool:
    lists = any(is_text(one) or isinstance(one, ast.List | ast.Tuple) for one in (left, right))
    return isinstance(op, ast.Add) and lists


def _pairs(source: Source, parts: Sequence[ast.expr]) -> Iterator[Lines]:
    for left, right in pairwise(parts):
        if not isinstance(left, _LEFT_OUT) and not isinstance(right, _LEFT_OUT):
            yield from _exchanged(source, left, right)


def _exchanged(source: Source, left: ast.expr | ast.arg, right: ast.expr | ast.arg) -> Iterator[Lines]:
    """Each in the place of the other, whatever stands between them; on one line, or on two that follow each other."""
    one, two = source.text(left), source.text(right)
    (row, end), (other, start) = source.end(left), source.start(right)
    if one and two and one != two and other - row <= 1:
        apart = f"{source.lines[row][end:]}\n{source.lines[other][:start]}"
        glue = source.lines[row][end:start] if row == other else apart
        yield source.splice(source.start(left), source.end(right), two + glue + one)


def _around(source: Source, node: ast.expr, left: ast.expr, right: ast.expr) -> Iterator[Lines]:
    """The operands swapped with the parentheses they have; only where that is what the new text means."""
    text = source.text(node)
    if not text:
        return
    begin, one_end, two_start = source.start(node)[1], source.end(left)[1], source.start(right)[1]
    middle = text[one_end - begin : two_start - begin]
    ends = len(middle) - len(middle.lstrip(" )")), len(middle.rstrip(" ("))
    if isinstance(node, ast.IfExp):
        ends = 0, len(middle)
    cut = one_end - begin + ends[0], one_end - begin + ends[1]
    one, sign, two = text[: cut[0]], text[cut[0] : cut[1]], text[cut[1] :]
    pads = one[len(one.rstrip()) :], two[: len(two) - len(two.lstrip())]
    new = f"{two.strip()}{pads[0]}{sign}{pads[1]}{one.strip()}"
    if one.strip() != two.strip() and _means(new, node, left, right):
        yield source.put(node, new)


def _means(text: str, node: ast.expr, left: ast.expr, right: ast.expr) -> bool:
    try:
        new = parse(text).body
    except (SyntaxError, ValueError):
        return False
    match new:
        case [ast.Expr(value=ast.expr() as value)] if type(value) is type(node):
            parts = map(ast.dump, ast.iter_child_nodes(value))
        case _:
            return False
    return {ast.dump(left), ast.dump(right)} <= set(parts)
