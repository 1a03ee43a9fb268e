"""A value that stands for nothing returned, and a return where a block ends without one."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.mutations.source import (
    DOING,
    LEAVING,
    RECEIVERS,
    Function,
    Lines,
    Source,
    called,
    dotted,
    given,
    read,
    stored,
)

_SILENT = re.compile(r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__")


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
        if isinstance(end, ast.Expr) and called(end.value) not in DOING and source.text(end.value) != "...":
            yield source.before(end, "return ")
    for end in ends:
        own = _results(function) if end is last else [_assigned(end)]
        yield from (source.below(end, f"return {name}") for name in own if name not in ("", "_"))
    if not any(isinstance(one, ast.Return) and one.value for one in ast.walk(function)):
        yield from (source.below(end, "return") for end in ends if end is not last)


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
