"""The parameter asked for, at the end of a signature."""

from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.named import functions_meant
from spark_tui.editing.codemods.parameter_words import parameters_said
from spark_tui.editing.signatures import append_parameter, default_is_due
from spark_tui.editing.snippet import Snippet


class AddParameter(Codemod):
    """`def f(a, **kw):` becomes `def f(a, n=1, **kw):`."""

    kind: ClassVar[str] = "add_parameter"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Each parameter that the instruction may ask for, in each function that may be meant."""
        functions = functions_meant(before, request.instruction)
        names = {function.name for function in before.functions}
        for function in functions:
            taken = names | {one.arg for one in code.parameters(function)}
            for source in parameters_said(request.instruction, frozenset(taken)):
                due = default_is_due(function) and "=" not in source
                if not due and (after := append_parameter(before, function, source)):
                    yield between(before, after)
