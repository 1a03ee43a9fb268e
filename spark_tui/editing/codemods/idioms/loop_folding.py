"""Loops that set a variable on the way, with that folded into what follows, as a comprehension needs it."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.common.additions import parsed
from spark_tui.editing.codemods.idioms.idioms import walruses
from spark_tui.editing.codemods.inline_variable import inlined, variables
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import places

_MOST = 10


def folded(before: Snippet) -> Iterator[Snippet]:
    """The region with variables of a for loop inlined, or, where they are used again, as a walrus of a test."""
    waiting, seen = [before], {before.lines}
    while waiting and len(seen) <= _MOST:
        for lines in _steps(waiting.pop(0)):
            if lines not in seen and parsed(lines):
                seen.add(lines)
                waiting.append(Snippet(lines))
                yield waiting[-1]


def _steps(before: Snippet) -> Iterator[tuple[str, ...]]:
    """The region with one of the variables folded."""
    rows = {row for node in before.nodes if isinstance(node, ast.For | ast.AsyncFor) for row in _body_rows(node)}
    single = {variable.place.first: variable for variable in variables(before)} if rows else {}
    for place in places(before) if rows else ():
        if place.first in rows and isinstance(place.node, ast.Assign):
            variable = single.get(place.first)
            lines = inlined(before, variable) if variable and len(variable.uses) == 1 else None
            yield from [tuple(lines)] if lines else (tuple(applied(before, ops)) for ops in walruses(before, place))


def _body_rows(loop: ast.For | ast.AsyncFor) -> range:
    return range(loop.lineno, loop.end_lineno or loop.lineno)
