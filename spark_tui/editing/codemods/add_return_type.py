"""Return types: those told, or those that the returns give away where there are none."""

from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH, Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.codemods.hints.hints_told import IN_QUOTES, changed_hints
from spark_tui.editing.codemods.hints.typing_words import delegates, names_used, return_type_of, types_said
from spark_tui.editing.codemods.plain.plain_returned import forgotten, returned, tells_of_none
from spark_tui.editing.codemods.plain.plain_types import plain_hints
from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet

_SPECIAL = {
    "__str__": "str", "__repr__": "str", "__len__": "int", "__bool__": "bool", "__eq__": "bool", "__hash__": "int",
    "__contains__": "bool", "__init__": "None", "__bytes__": "bytes", "__index__": "int", "__format__": "str",
}  # fmt: skip


class AddReturnType(Codemod):
    """`def f(x):` becomes `def f(x) -> T:`."""

    kind: ClassVar[str] = "add_return_type"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_hints`."""
        return [] if _tells_a_bug(before, request) else list(plain_hints(before, request.instruction, "return"))

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Hints changed as told; each type told on each function named, or on each that has none."""
        if _tells_a_bug(before, request):
            return
        yield from changed_hints(before, request, "return")
        names = {function.name for function in before.functions}
        told = [one for one in types_said(request.instruction, names_used(before.tree)) if one not in names]
        told += [
            f'"{one}"' for one in told if f'"{one}"' in request.instruction or IN_QUOTES.search(request.instruction)
        ]
        known = delegates(before.functions)
        for function in functions_meant(before, request.instruction):
            usual = _SPECIAL.get(function.name) or return_type_of(function, known)
            for source in told or filter(None, [usual]):
                if ops := returning(before, function, source):
                    yield ops


def _tells_a_bug(before: Snippet, request: Request) -> bool:
    """Whether None comes back, the words say, where something is made that should."""
    return tells_of_none(request.instruction) and any(forgotten(one) or returned(one) for one in before.functions)


def returning(snippet: Snippet, function: Function, source: str) -> Ops | None:
    """The edit that says what a function returns, or None where it says so already or the line gets too long."""
    head = code.header(snippet, function) if function.returns is None else None
    if head is None or head.closing[0] != head.colon[0]:
        return None
    (row, column), line = head.closing, snippet.lines[head.closing[0]]
    if line[column + 1 : head.colon[1]].strip():
        return None
    new = f"{line[: column + 1]} -> {source}{line[head.colon[1] :]}"
    return (Replace(row, row, (new,)),) if len(new) <= MAX_WIDTH else None
