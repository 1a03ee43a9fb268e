"""Text put together by an f-string."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.changes import Change, choices
from spark_tui.editing.formats import concatenations, formattings
from spark_tui.editing.snippet import Snippet

_PERCENT = re.compile(r"%|percent|printf")
_FORMAT = re.compile(r"\.format|format (?:call|method)|format\(\)")
_PLUS = re.compile(r"concat|\+|\bplus\b|\bstr\(|glu(?:e|ing)")


class FString(Codemod):
    """`%` formatting, `.format()` and sums of strings become f-strings."""

    kind: ClassVar[str] = "fstring"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One or all; sums only where they are named or there is nothing else."""
        changes = [Change(node, text) for node, text in formattings(before)]
        sums = [Change(node, text) for node, text in concatenations(before)]
        asked = request.instruction.lower()
        wanted = [sort for sort, words in ((ast.BinOp, _PERCENT), (ast.Call, _FORMAT)) if words.search(asked)]
        if _PLUS.search(asked) and sums:
            changes = sums
        elif wanted:
            changes = [one for one in changes if isinstance(one.node, tuple(wanted))] or changes
        found = False
        for ops in choices(before, changes, request):
            found = True
            yield ops
        if not found:
            yield from choices(before, sums, request)
