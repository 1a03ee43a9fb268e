"""Type hints where they lack: of the types that are certain, or told."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.tidy import Spot, rewritten
from spark_tui.editing.codemods.hints.certain_types import parameter_types, return_type, told_types
from spark_tui.editing.codemods.hints.hint_spots import bare_names, spots
from spark_tui.editing.codemods.hints.quoted_hints import quoted_hints
from spark_tui.editing.codemods.hints.types_aligned import types_aligned
from spark_tui.editing.codemods.plain.plain_types import plain_hints
from spark_tui.editing.snippet import Snippet

_MOST_ALIGNED = 2


class CompleteHints(Codemod):
    """The parameters and the return of functions that lack hints get them."""

    kind: ClassVar[str] = "complete_hints"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_hints`."""
        return list(plain_hints(before, request.instruction, "several"))

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What is told, alone and with what is certain; else what is certain: in all, in each function, by part."""
        yield from quoted_hints(before, request)
        seen: set[Ops] = {()}
        for chosen in _choices(before, request):
            after = rewritten(before, chosen)
            new = set(after) - set(before.lines)
            ops = between(before, after)
            if ops not in seen and all(len(line) <= MAX_WIDTH for line in new):
                seen.add(ops)
                yield ops


def _choices(before: Snippet, request: Request) -> Iterator[Sequence[Spot]]:
    words = set(re.findall(r"\w+", request.instruction))
    functions = sorted(before.functions, key=lambda one: one.name not in words)
    for function in functions:
        if told := told_types(request.instruction, bare_names(function)):
            told = {name: type_ for name, type_ in told.items() if name != "return" or function.returns is None}
            yield list(spots(before, function, told))
            yield list(spots(before, function, {**certain(function), **told}))
    for function in functions[:_MOST_ALIGNED]:
        for told in types_aligned(before, function, bare_names(function), request.instruction):
            yield list(spots(before, function, told))
            yield list(spots(before, function, {**certain(function), **told}))
    each = [list(spots(before, one, certain(one))) for one in functions]
    yield [spot for one in each for spot in one]
    for sort in ("parameter", "return"):
        yield [spot for one in each for spot in one if spot.sort == sort]
    for found in each if len(each) > 1 else ():
        yield found
        for sort in ("parameter", "return"):
            yield [spot for spot in found if spot.sort == sort]


def certain(function: Function) -> dict[str, str]:
    """The types of the parameters and of `return` that lack hints and are certain."""
    found = parameter_types(function)
    result = return_type(function)
    return {**found, **({"return": result} if result else {})}
