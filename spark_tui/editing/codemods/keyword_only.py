"""A bare `*` in a signature, so that the parameters after it can only be given by name."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, indentation, is_receiver, parameters, splice, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.signatures.keyword_told import keyword_told
from spark_tui.editing.codemods.signatures.named_parameters import by_position, popped
from spark_tui.editing.codemods.signatures.signature_told import told_here
from spark_tui.editing.signatures import default_of, parameter_span
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import says

_OWN_PROTOCOL = ("__init__", "__call__", "__new__", "__init_subclass__")


@dataclass(frozen=True, slots=True)
class Star:
    """Where a `*` may go: before the parameter `first`. `free` are those that can be given by position now."""

    function: Function
    first: int
    free: tuple[ast.arg, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """The names of the parameters that this star makes keyword-only."""
        return tuple(one.arg for one in self.free[self.first :])


class KeywordOnly(Codemod):
    """A `*` before any of a function's parameters; a star that is there already moves to the left.

    Special methods, functions with `*args` and those called by position in the snippet itself are left out.
    """

    kind: ClassVar[str] = "keyword_only"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Right before or after a parameter that is named, else anywhere: before the first default comes first."""
        if told := told_here(before, request, self.kind):
            yield from told
            return
        for lines in (*popped(before, request), *by_position(before, request)):
            yield between(before, lines)
        for star in stars(before, request.instruction):
            after = with_star(before, star)
            if after is not None:
                yield between(before, after)
        yield from (between(before, lines) for lines in keyword_told(before, request))


def stars(snippet: Snippet, instruction: str = "") -> list[Star]:
    """Every place for a star that the words leave open, the likeliest first."""
    called = _called_by_position(snippet)
    fit = [one for one in snippet.functions if one.name not in called and not _has_its_callers(one)]
    found = [star for function in fit for star in _stars_of(function)]
    named = [star for star in found if _beside_named(star, instruction)]
    return sorted(named or found, key=lambda star: (not says(instruction, star.function.name), not _at_default(star)))


def _has_its_callers(function: Function) -> bool:
    """Whether Python itself calls the function, by position, or any number of arguments is meant."""
    name = function.name
    special = name.startswith("__") and name.endswith("__") and name not in _OWN_PROTOCOL
    setter = any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in function.decorator_list)
    return special or setter or function.args.vararg is not None


def _stars_of(function: Function) -> list[Star]:
    spec = function.args
    free = tuple(one for one in spec.args if not is_receiver(function, one))
    return [Star(function, first, free) for first in range(len(free))]


def _called_by_position(snippet: Snippet) -> set[str]:
    """The functions that the snippet itself calls so; a method of the same name of something else is another one."""
    names = set()
    for node in snippet.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[_, *_]):
                names.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name), args=[_, *_]):
                names.add(name)
    return names


def _beside_named(star: Star, instruction: str) -> bool:
    beside = star.free[max(star.first - 1, 0) : star.first + 1]
    return any(says(instruction, one.arg) for one in beside)


def _at_default(star: Star) -> bool:
    has = [default_of(star.function, one) is not None for one in star.free]
    return has[star.first] and not any(has[: star.first])


def with_star(snippet: Snippet, star: Star) -> list[str] | None:
    """The lines with the star in place, or None where the layout does not say how to write it."""
    function, parameter = star.function, star.free[star.first]
    span = parameter_span(snippet, function, parameter.arg)
    if span is None:
        return None
    row, column = start_of(snippet, parameter)
    lines = list(snippet.lines)
    if function.args.kwonlyargs:
        without = _without_star(snippet, function, (row, column))
        if without is None:
            return None
        lines = without
    own_line = not lines[row][:column].strip() and len({one.lineno for one in parameters(function)}) > 1
    alone = own_line and sum(one.lineno - 1 == row for one in parameters(function)) == 1
    glue = f"\n{indentation(lines[row])}" if alone else " "
    after = splice(lines, (row, column), (row, column), f"*,{glue}")
    return after if max(map(len, after[row : row + 2])) <= MAX_WIDTH else None


def _without_star(snippet: Snippet, function: Function, before: tuple[int, int]) -> list[str] | None:
    """The lines without the star before the first keyword-only parameter, which stands after `before`."""
    row, column = start_of(snippet, function.args.kwonlyargs[0])
    line = snippet.lines[row]
    if line[:column].endswith("*, "):
        return splice(snippet.lines, (row, column - 3), (row, column), "")
    if row and not line[:column].strip() and snippet.lines[row - 1].strip() == "*," and before[0] < row - 1:
        return [*snippet.lines[: row - 1], *snippet.lines[row:]]
    return None
