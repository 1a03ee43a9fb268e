"""Statements that lack a return, a break or a continue, have the wrong keyword, or stand a level or a line off."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.code import Function, docstring_node, indentation, parameters, statement_lines, walk_scope
from spark_tui.editing.mutations.base import (
    LEAVING,
    LOOPS,
    RECEIVERS,
    SCOPES,
    Block,
    Lines,
    Source,
    called,
    dotted,
    given,
    inner_blocks,
    is_generator,
    is_stub,
    read,
    stored,
)

_EFFECTS = re.compile(
    r"print|append|extend|add|update|insert|remove|discard|clear|sort|reverse|write\w*|close|flush|put|info|debug|log"
    r"|warning|warn|error|exception|critical|setattr|delattr|start|stop|acquire|release|set|exit|assert\w*|__init__"
)
_SILENT = re.compile(r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__")
_ERROR = re.compile(r"(?:Error|Exception)$")
_OPEN = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
_WORDS: dict[type[ast.stmt], tuple[tuple[str, str], ...]] = {
    ast.Raise: (("raise ", "return "),), ast.While: (("while ", "if "),), ast.If: (("if ", "while "),),
    ast.Break: (("break", "continue"), ("break", "return")),
    ast.Continue: (("continue", "break"), ("continue", "return")),
    ast.Return: (("return ", "yield "), ("return ", "raise ")),
}  # fmt: skip
_YIELDS = {ast.Yield: ("yield ", ("yield from ", "return ")), ast.YieldFrom: ("yield from ", ("yield ", "return "))}
_MOST_MOVED = 3


def returns(source: Source) -> Iterator[Lines]:
    """A value that stands for nothing returned, or a return where a block ends without one."""
    for function in source.snippet.functions:
        none = isinstance(function.returns, ast.Constant) and function.returns.value is None
        if not (none or _SILENT.fullmatch(function.name) or is_generator(function) or is_stub(function.body)):
            yield from _returns(source, function)


def _returns(source: Source, function: Function) -> Iterator[Lines]:
    blocks = [one for one in source.blocks if one.function is function]
    ends = [one.statements[-1] for one in blocks if source.alone(one.statements[-1])]
    ends = [one for one in ends if one is not docstring_node(function)]
    for end in ends:
        if isinstance(end, ast.Expr) and _has_value(end.value):
            yield source.before(end, "return ")
    last = function.body[-1]
    if last in ends and not isinstance(last, LEAVING):
        yield from (source.below(last, f"return {name}") for name in _results(function))
    for end in ends:
        if end is not last and (name := _assigned(end)):
            yield source.below(end, f"return {name}")
    if not any(isinstance(one, ast.Return) and one.value for one in walk_scope(function)):
        yield from (source.below(end, "return") for end in ends if end is not last and not isinstance(end, LEAVING))


def _has_value(node: ast.expr) -> bool:
    """Whether an expression that stands alone may be there for its value."""
    node = node.value if isinstance(node, ast.Await) else node
    if isinstance(node, ast.Call):
        return not _EFFECTS.fullmatch(called(node))
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str) and node.value is not ...
    return not isinstance(node, ast.Yield | ast.YieldFrom | ast.NamedExpr)


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
    own = [name for one in reversed(function.body) if (name := _assigned(one)) and "." not in name]
    values = [one.value for one in walk_scope(function) if isinstance(one, ast.Return)]
    flags = {one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, bool)}
    last = function.body[-1]
    kept = [last.value.id] if isinstance(last, ast.Assign) and isinstance(last.value, ast.Name) else []
    receiver = [one.arg for one in parameters(function)[:1] if one.arg in RECEIVERS]
    told = [_assigned(last), *kept, *([str(not flags.pop())] if len(flags) == 1 else []), *own]
    every = dict.fromkeys([*told, *stored(function), *given(function), *receiver])
    return [one for one in every if one not in ("", "_")]


def leavings(source: Source) -> Iterator[Lines]:
    """A branch in a loop that leaves the loop or goes on to the next round; another keyword for a statement."""
    for block in source.blocks:
        end = block.statements[-1]
        if _may_leave(block) and source.alone(end) and not isinstance(end, LEAVING):
            for word in ("break", "continue") if block.follows else ("break",):
                yield source.put(end, word) if isinstance(end, ast.Pass) else source.below(end, word)
    for block in source.blocks:
        for statement in block.statements:
            yield from _otherwise(source, statement, block)


def _may_leave(block: Block) -> bool:
    """Whether statements are a branch within a loop."""
    if not block.in_loop or not isinstance(block.owner, ast.If | ast.Try | ast.Match):
        return False
    elif_branch = isinstance(block.owner, ast.If) and isinstance(block.statements[0], ast.If)
    last = isinstance(block.owner, ast.Try) and block.statements is block.owner.finalbody
    return not last and not (elif_branch and block.statements is getattr(block.owner, "orelse", None))


def _otherwise(source: Source, node: ast.stmt, block: Block) -> Iterator[Lines]:
    """Another keyword for a statement."""
    pairs = list(_WORDS.get(type(node), ()))
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as value):
            old, others = _YIELDS[type(value)]
            pairs = [(old, new) for new in others]
        case ast.Return(value=value) if value is None or (isinstance(value, ast.Constant) and value.value is None):
            yield from (source.put(node, word) for word in ("continue", "break", "pass") if block.in_loop)
        case ast.Return(value=value) if not _ERROR.search(called(value or node) or dotted(value)):
            pairs = pairs[:1]
        case ast.While(orelse=[_, *_]) | ast.If(orelse=[_, *_]):
            pairs = []
    row, column = source.start(node)
    for old, new in pairs:
        if source.lines[row][column:].startswith(old):
            yield source.splice((row, column), (row, column + len(old)), new)


def moves(source: Source) -> Iterator[Lines]:
    """The last statements of a block out of it, those after a block into it; then neighbours in the other order."""
    for count in range(1, _MOST_MOVED + 1):
        for block in source.blocks:
            for index, node in enumerate(block.statements):
                if isinstance(node, _OPEN) and not source.lines[node.lineno - 1].lstrip().startswith("elif"):
                    following = block.statements[index + 1 : index + 1 + count]
                    inner = max(inner_blocks(node), key=lambda one: one[0].lineno)
                    yield from _moved_out(source, node, inner, count, following)
                    yield from _moved_in(source, node, inner, count, following)
    for block in source.blocks:
        for one, other in pairwise(block.statements):
            yield from _exchanged(source, one, other)


def _moved_out(
    source: Source, node: ast.stmt, inner: Sequence[ast.stmt], count: int, following: Sequence[ast.stmt]
) -> Iterator[Lines]:
    moved, level = inner[-count:], indentation(source.lines[node.lineno - 1])
    never = isinstance(moved[-1], ast.Break | ast.Continue) or (isinstance(moved[-1], LEAVING) and following)
    rows = _rows(source, moved)
    if len(inner) > count and not never and rows and indentation(source.lines[rows[0]]) == level + source.unit:
        yield _shifted(source, *rows, -1)


def _moved_in(
    source: Source, node: ast.stmt, inner: Sequence[ast.stmt], count: int, following: Sequence[ast.stmt]
) -> Iterator[Lines]:
    level, rows = indentation(source.lines[node.lineno - 1]), _rows(source, following)
    fits = indentation(source.lines[inner[-1].lineno - 1]) == level + source.unit and source.alone(inner[-1])
    if len(following) == count and rows and fits and not isinstance(inner[-1], LEAVING):
        yield _shifted(source, *rows, 1)


def _rows(source: Source, moved: Sequence[ast.stmt]) -> tuple[int, int] | None:
    """The lines of statements, with the comments right above; None when they cannot move sideways."""
    if not moved or not all(source.alone(one) and _movable(one) for one in moved):
        return None
    first, last = statement_lines(moved[0])[0], statement_lines(moved[-1])[1]
    level = indentation(source.lines[first])
    while first and source.lines[first - 1].startswith(level + "#"):
        first -= 1
    return first, last


def _movable(node: ast.stmt) -> bool:
    """Whether no text on several lines would change with its indentation."""
    texts = (one for one in ast.walk(node) if isinstance(one, ast.JoinedStr | ast.Constant))
    return not isinstance(node, SCOPES) and all(one.lineno == one.end_lineno for one in texts)


def _shifted(source: Source, first: int, last: int, by: int) -> Lines:
    """Rows one level further in or out."""
    unit, rows = source.unit, source.lines[first : last + 1]
    moved = [one and unit + one if by > 0 else one.removeprefix(unit) for one in rows]
    return [*source.lines[:first], *moved, *source.lines[last + 1 :]]


def _exchanged(source: Source, one: ast.stmt, other: ast.stmt) -> Iterator[Lines]:
    """Two neighbours in the other order, where one changes what the other one uses."""
    fixed = (*LEAVING, *SCOPES, ast.Import, ast.ImportFrom, *LOOPS)
    if isinstance(one, fixed) or isinstance(other, fixed) or not (source.alone(one) and source.alone(other)):
        return
    (first, end), (begin, last) = statement_lines(one), statement_lines(other)
    depends = _changed(one) & _used(other) or _changed(other) & _used(one)
    if depends and begin == end + 1 and first < begin:
        lines = source.lines
        yield [*lines[:first], *lines[begin : last + 1], *lines[first : end + 1], *lines[last + 1 :]]


def _used(node: ast.AST) -> set[str]:
    return {*read(node), *stored(node)} - RECEIVERS


def _changed(node: ast.AST) -> set[str]:
    """The names that are set, written into, or told to do something."""
    found = set(stored(node))
    for part in ast.walk(node):
        match part:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.add(name)
    return found
