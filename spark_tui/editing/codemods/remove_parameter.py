"""Every parameter that a signature can do without."""

from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.named import functions_meant, words
from spark_tui.editing.signatures import drop_parameter
from spark_tui.editing.snippet import Snippet


class RemoveParameter(Codemod):
    """`def f(a, b):` becomes `def f(a):`; the body stays."""

    kind: ClassVar[str] = "remove_parameter"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The parameters that are named; when none is, first those that nothing uses."""
        found = [
            (function, one.arg)
            for function in functions_meant(before, request.instruction)
            for one in code.parameters(function)
            if not code.is_receiver(function, one)
        ]
        said = words(request.instruction)
        found = [one for one in found if one[1] in said] or found
        for function, name in sorted(found, key=lambda one: code.mentions(before, one[1]) > 1):
            if after := drop_parameter(before, function, name):
                yield between(before, after)
