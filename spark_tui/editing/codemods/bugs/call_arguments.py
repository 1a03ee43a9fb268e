"""Arguments of a call put in, taken out or given another keyword: the edits that fix_arguments lists."""

import ast
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.code import (
    MAX_WIDTH,
    Function,
    end_of,
    indentation,
    is_receiver,
    parameters,
    start_of,
    text_of,
    walk_scope,
)
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.slips import respelled
from spark_tui.editing.script import Delete, Insert, Replace
from spark_tui.editing.snippet import Snippet

Argument = ast.expr | ast.keyword


@dataclass(frozen=True, slots=True)
class Called:
    """A call, the function it stands in, and the signature of what it calls where the snippet holds it."""

    node: ast.Call
    function: Function | None
    signature: Function | None
    bound: bool

    @property
    def name(self) -> str:
        """The last part of what is called."""
        match self.node.func:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name
        return ""

    @property
    def arguments(self) -> list[Argument]:
        """Positional arguments, then keywords."""
        return [*self.node.args, *self.node.keywords]

    def accepted(self) -> list[str]:
        """The names of the parameters of the signature, without the receiver."""
        return [one.arg for one in parameters(self.signature)][self.bound :] if self.signature else []

    def required(self) -> list[str]:
        """The parameters that have no default and that the call does not give."""
        if self.signature is None:
            return []
        spec = self.signature.args
        placed = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        needed = placed[self.bound : len(placed) - len(spec.defaults)][len(self.node.args) :]
        needed += [one.arg for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None]
        return [name for name in needed if name not in {one.arg for one in self.node.keywords}]

    def is_open(self) -> bool:
        """Whether the call unpacks arguments, so that one cannot tell what it gives."""
        starred = any(isinstance(one, ast.Starred) for one in self.node.args)
        return starred or any(one.arg is None for one in self.node.keywords)


def names_in_scope(function: Function | None, call: ast.Call) -> list[str]:
    """What could be passed at a call: the function's parameters, and what it sets above."""
    if function is None:
        return []
    given = [one.arg for one in parameters(function) if not is_receiver(function, one)]
    set_above = [name for name, line in _stores(function) if line < call.lineno]
    return list(dict.fromkeys([*given, *set_above]))


@lru_cache(maxsize=32)
def _stores(function: Function) -> tuple[tuple[str, int], ...]:
    """The names that a function sets, each with its line."""
    names = (one for one in walk_scope(function) if isinstance(one, ast.Name))
    return tuple((one.id, one.lineno) for one in names if isinstance(one.ctx, ast.Store))


@lru_cache(maxsize=32)
def names_read(function: Function) -> frozenset[str]:
    """The names that a function, or what is defined in it, reads."""
    names = (one for one in ast.walk(function) if isinstance(one, ast.Name))
    return frozenset(one.id for one in names if isinstance(one.ctx, ast.Load))


def without(before: Snippet, called: Called, argument: Argument) -> Ops | None:
    """The call without one of its arguments; None where the source is laid out otherwise."""
    start, end = start_of(before, argument), end_of(before, argument)
    line = before.lines[start[0]]
    if (
        start[0] == end[0]
        and not line[: start[1]].strip()
        and line[end[1] :].strip() == ","
        and len(called.arguments) > 1
    ):
        return (Delete(start[0], start[0]),)
    place = called.arguments.index(argument)
    ordered = sorted(called.arguments, key=lambda one: (one.lineno, one.col_offset))
    if start[0] != end[0] or ordered[place] is not argument:
        return None
    if place + 1 < len(ordered):
        following = start_of(before, ordered[place + 1])
        between = line[end[1] : following[1]] if following[0] == end[0] else ""
        return respelled(before, start, following, "") if between.strip() == "," else None
    if place:
        previous = end_of(before, ordered[place - 1])
        between = line[previous[1] : start[1]] if previous[0] == start[0] else ""
        return respelled(before, previous, end, "") if between.strip() == "," else None
    only = line[start[1] - 1 : start[1]] == "(" and line[end[1] : end[1] + 1] == ")"
    return respelled(before, start, end, "") if only else None


def with_argument(before: Snippet, called: Called, text: str, place: int) -> Ops | None:
    """The call with one argument more before the one at `place`, or behind all."""
    row, column = end_of(before, called.node)
    arguments = called.arguments
    if not arguments:
        closing = (row, column - 1)
        empty = before.lines[row][column - 2 : column] == "()"
        return respelled(before, closing, closing, text) if empty else None
    if place < len(arguments):
        start = start_of(before, arguments[place])
        line = before.lines[start[0]]
        if not line[: start[1]].strip():
            return (Insert(start[0] - 1, (f"{line[: start[1]]}{text},",)),)
        return respelled(before, start, start, f"{text}, ") if line[start[1] - 1] in "( " else None
    return _behind(before, arguments[-1], text)


def _behind(before: Snippet, last: Argument, text: str) -> Ops | None:
    """An argument behind the last one; on a line of its own where that one has its own or the line gets too long."""
    start, end = start_of(before, last), end_of(before, last)
    rest = before.lines[end[0]][end[1] :]
    if isinstance(last, ast.GeneratorExp):
        return None
    if rest.strip() == "," and not before.lines[start[0]][: start[1]].strip():
        return (Insert(end[0], (f"{indentation(before.lines[start[0]])}{text},",)),)
    alone = not rest.strip()
    own_line = alone and not before.lines[start[0]][: start[1]].strip()
    if own_line and len(before.lines[end[0]]) + len(text) + 2 > MAX_WIDTH:
        line = before.lines[end[0]].rstrip()
        return (Replace(end[0], end[0], (f"{line},", f"{indentation(before.lines[start[0]])}{text},")),)
    return respelled(before, end, end, f", {text}") if alone or rest.startswith((")", ",")) else None


def with_keyword(before: Snippet, keyword: ast.keyword, name: str) -> Ops | None:
    """The same value for another keyword."""
    row, column = start_of(before, keyword)
    old = keyword.arg or ""
    written = before.lines[row].startswith(old, column)
    return respelled(before, (row, column), (row, column + len(old)), name) if written else None


def passed(before: Snippet, argument: Argument) -> str:
    """What an argument passes, as source on one line, or ""."""
    return text_of(before, argument.value if isinstance(argument, ast.keyword) else argument)
