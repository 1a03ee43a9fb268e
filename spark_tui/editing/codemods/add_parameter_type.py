"""Types on parameters: those told, or those that the defaults give away where there are none."""

from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH, Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_meant, words
from spark_tui.editing.codemods.hints.hints_told import changed_hints
from spark_tui.editing.codemods.hints.type_prose import without_messages
from spark_tui.editing.codemods.hints.typing_words import names_used, type_of, types_said
from spark_tui.editing.codemods.plain.plain_types import plain_hints
from spark_tui.editing.script import Replace
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet


class AddParameterType(Codemod):
    """`def f(x, n=1):` becomes `def f(x, n: int = 1):`."""

    kind: ClassVar[str] = "add_parameter_type"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_hints`."""
        return list(plain_hints(before, request.instruction, "parameter"))

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Hints changed as told; each type told on each parameter named, or on each that has no type."""
        yield from changed_hints(before, request, "parameter")
        bare = [
            (function, parameter.arg)
            for function in functions_meant(before, request.instruction)
            for parameter in code.parameters(function)
            if parameter.annotation is None and not code.is_receiver(function, parameter)
        ]
        said = words(without_messages(request.instruction))
        named = {name for _, name in bare if name in said}
        told = [one for one in types_said(request.instruction, names_used(before.tree)) if one not in named]
        for function, name in [one for one in bare if one[1] in named] or bare:
            for source in told or _usual(function, name):
                if ops := typed(before, function, name, source):
                    yield ops


def typed(snippet: Snippet, function: Function, name: str, source: str) -> Ops | None:
    """The edit that gives a parameter a type; a default then gets spaces around its `=`."""
    parameter = next(one for one in code.parameters(function) if one.arg == name)
    default = default_of(function, parameter)
    row, column = code.end_of(snippet, parameter)
    until = (row, column) if default is None else code.start_of(snippet, default)
    line = snippet.lines[row]
    if until[0] != row or line[column : until[1]].strip() not in ("", "="):
        return None
    new = f"{line[:column]}: {source}{'' if default is None else ' = '}{line[until[1] :]}"
    return (Replace(row, row, (new,)),) if len(new) <= MAX_WIDTH else None


def _usual(function: Function, name: str) -> list[str]:
    parameter = next(one for one in code.parameters(function) if one.arg == name)
    kind = type_of(default_of(function, parameter))
    return [kind] if kind else []
