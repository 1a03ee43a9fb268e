"""Every parameter that a signature can do without."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.named import functions_meant, words
from spark_tui.editing.codemods.signatures.signature_pieces import name_in, pieces_of, with_pieces
from spark_tui.editing.signatures import drop_parameter
from spark_tui.editing.snippet import Snippet

_ALL_UNUSED = re.compile(
    r"\bunused (?:param(?:eter)?s|arg(?:ument)?s)\b"
    r"|\b(?:param(?:eter)?s|arg(?:ument)?s) that (?:are(?:n't| not| never) used|are unused|nothing uses)\b"
)


class RemoveParameter(Codemod):
    """`def f(a, b):` becomes `def f(a):`; the body stays."""

    kind: ClassVar[str] = "remove_parameter"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The parameters that are named; when none is, first those that nothing uses."""
        asked = before.functions and _ALL_UNUSED.search(request.instruction)
        if asked and (lines := _without_unused(before, request.instruction)):
            yield between(before, lines)
            return
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


def _without_unused(before: Snippet, instruction: str) -> list[str]:
    """The lines without any parameter that the body of the first function meant does not read; none if all are."""
    function = functions_meant(before, instruction)[0]
    read = {node.id for one in function.body for node in ast.walk(one) if isinstance(node, ast.Name)}
    own = {one.arg for one in code.parameters(function) if not code.is_receiver(function, one)}
    pieces = pieces_of(before, function)
    left = [one for one in pieces if name_in(one) not in own - read]
    bare = [at for at, one in enumerate(left) if one == "*" and (left[at + 1 :] or ["**"])[0].startswith("**")]
    left = [one for at, one in enumerate(left) if at not in bare]
    return with_pieces(before, function, left) or [] if left != pieces else []
