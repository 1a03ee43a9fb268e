"""Every plain `def` made an `async def`."""

from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Function, splice, start_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.snippet import Snippet


class MakeAsync(Codemod):
    """One word more, before the `def` of a function that may wait."""

    kind: ClassVar[str] = "make_async"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Functions that await already come first."""
        for function in functions_meant(before, request.instruction):
            row, column = start_of(before, function)
            if may_wait(function) and before.lines[row].startswith("def ", column):
                yield between(before, splice(before.lines, (row, column), (row, column), "async "))


def may_wait(function: Function) -> bool:
    """Whether Python would let the function be a coroutine function: special methods are called without await."""
    special = function.name.startswith("__") and function.name.endswith("__")
    return not special or function.name == "__call__" or function.name.startswith("__a")
