"""Statements that lack a return, an await or a break, have the wrong keyword, or stand in the wrong place."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutations.source import (
    DOING,
    LEAVING,
    LOOPS,
    RECEIVERS,
    Function,
    Lines,
    Source,
    Spot,
    called,
    dotted,
    given,
    indentation,
    inner_blocks,
    read,
    statement_lines,
    stored,
)

_SILENT = re.compile(r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__")
_OPEN = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
_FIXED = (*LEAVING, *LOOPS, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_WORDS: dict[type[ast.stmt], tuple[tuple[str, str], ...]] = {
    ast.Raise: (("raise ", "return "),), ast.While: (("while ", "if "),), ast.If: (("if ", "while "),),
    ast.Break: (("break", "continue"),), ast.Continue: (("continue", "break"),),
    ast.Return: (("return ", "yield "), ("return ", "raise ")),
    ast.Expr: (("yield from ", "yield "), ("yield ", "yield from ")),
}  # fmt: skip
"""How a statement begins, and how it may have to."""
_MOST_MOVED = 3
_HANDLING = frozenset("create_task ensure_future gather wait wait_for shield run run_until_complete".split())  # noqa: SIM905
"""What is handed calls that it waits for itself."""
_UNAWAITED = (ast.Await, ast.Raise, ast.withitem, ast.GeneratorExp, ast.Starred, Function, ast.arguments, ast.Lambda)


def returns(source: Source) -> Iterator[Lines]:
    """A value that stands for nothing returned, or a return where a block ends without one."""
    for function in source.snippet.functions:
        if not _SILENT.fullmatch(function.name):
            yield from _returns(source, function)


def _returns(source: Source, function: Function) -> Iterator[Lines]:
    last = function.body[-1]
    inner = (statements[-1] for statements, spot in source.blocks if spot.function is function)
    ends = [one for one in inner if source.alone(one) and not isinstance(one, LEAVING)]
    for end in ends:
        if isinstance(end, ast.Expr) and _has_value(end.value):
            yield source.before(end, "return ")
    for end in ends:
        own = _results(function) if end is last else [_assigned(end)]
        yield from (source.below(end, f"return {name}") for name in own if name not in ("", "_"))
    if not any(isinstance(one, ast.Return) and one.value for one in ast.walk(function)):
        yield from (source.below(end, "return") for end in ends if end is not last)


def _has_value(node: ast.expr) -> bool:
    """Whether an expression that stands alone may be there for its value."""
    return called(node) not in DOING and not (isinstance(node, ast.Constant) and node.value is ...)


def _assigned(statement: ast.stmt) -> str:
    """What a statement gives a value to."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return dotted(target)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return ""


def _results(function: Function) -> list[str]:
    """The names that a function could return at its end, the likeliest first."""
    own = [name for name in map(_assigned, function.body[-2::-1]) if "." not in name]
    every = [_assigned(function.body[-1]), *own, *stored(function), *given(function), *read(function) & RECEIVERS]
    return list(dict.fromkeys(every))


def leavings(source: Source) -> Iterator[Lines]:
    """A branch in a loop that leaves the loop or goes on to the next round; another keyword for a statement."""
    for (*_, end), spot in source.blocks:
        branch = spot.in_loop and isinstance(spot.parent, ast.If | ast.ExceptHandler | ast.match_case)
        if branch and source.alone(end) and not isinstance(end, LEAVING):
            for word in ("break", "continue"):
                yield source.put(end, word) if isinstance(end, ast.Pass) else source.below(end, word)
    for one in (one for statements, _ in source.blocks for one in statements):
        row, column = source.start(one)
        for old, new in _WORDS.get(type(one), ()):
            if source.lines[row].startswith(old, column) and not getattr(one, "orelse", None):
                yield source.splice((row, column), (row, column + len(old)), new)


def moves(source: Source) -> Iterator[Lines]:
    """The last statements of a block out of it, those after a block into it; then neighbours in the other order."""
    for count in range(1, _MOST_MOVED + 1):
        for statements, _ in source.blocks:
            for index, node in enumerate(statements):
                if isinstance(node, _OPEN):
                    inner = max(inner_blocks(node), key=lambda one: one[0].lineno)
                    following = statements[index + 1 : index + 1 + count]
                    yield from _shifted(source, inner[-count:], -1) if len(inner) > count else ()
                    yield from _shifted(source, following, 1) if not isinstance(inner[-1], LEAVING) else ()
    for statements, _ in source.blocks:
        for one, other in pairwise(statements):
            yield from _exchanged(source, one, other)


def _shifted(source: Source, moved: Sequence[ast.stmt], by: int) -> Iterator[Lines]:
    """Statements one level further in or out, with the comments right above; no text on several lines is changed."""
    parts = [one for each in moved for one in ast.walk(each) if isinstance(one, ast.JoinedStr | ast.Constant)]
    if not moved or not all(map(source.alone, moved)) or any(one.lineno != one.end_lineno for one in parts):
        return
    first, last = statement_lines(moved[0])[0], statement_lines(moved[-1])[1]
    level = indentation(source.lines[first])
    while first and source.lines[first - 1].startswith(level + "#"):
        first -= 1
    rows = source.lines[first : last + 1]
    changed = [one and source.unit + one if by > 0 else one.removeprefix(source.unit) for one in rows]
    yield [*source.lines[:first], *changed, *source.lines[last + 1 :]]


def _exchanged(source: Source, one: ast.stmt, other: ast.stmt) -> Iterator[Lines]:
    """Two neighbours in the other order, where they name the same."""
    if isinstance(one, _FIXED) or isinstance(other, _FIXED) or not (source.alone(one) and source.alone(other)):
        return
    (first, end), (begin, last) = statement_lines(one), statement_lines(other)
    shared = {*read(one), *stored(one)} & {*read(other), *stored(other)}
    if shared - RECEIVERS and begin == end + 1:
        lines = source.lines
        yield [*lines[:first], *lines[begin : last + 1], *lines[first : end + 1], *lines[last + 1 :]]


def awaits(source: Source) -> Iterator[Lines]:
    """In a coroutine, a call awaited, a loop or a with made async, an await taken away."""
    for spot in source.spots:
        if isinstance(spot.function, ast.AsyncFunctionDef):
            yield from _awaited(source, spot)


def _awaited(source: Source, spot: Spot) -> Iterator[Lines]:
    binds = isinstance(spot.parent, ast.Attribute | ast.Subscript)
    match spot.node:
        case ast.Call() as call if not isinstance(spot.parent, _UNAWAITED) and called(spot.parent) not in _HANDLING:
            name, text = called(call), source.text(call)
            if name and not name[0].isupper() and not hasattr(builtins, name):
                yield source.put(call, f"(await {text})") if binds and text else source.before(call, "await ")
        case ast.Await(value=value) if binds:
            (row, start), (last, end) = source.start(spot.node), source.end(spot.node)
            yield source.splice((row, start - 1), (last, end + 1), source.text(value))
        case ast.Await(value=value):
            yield source.splice(source.start(spot.node), source.start(value), "")
        case ast.For() | ast.With():
            yield source.before(spot.node, "async ")
