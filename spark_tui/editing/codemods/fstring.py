"""Text put together by an f-string."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.changes import Change, choices
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.formats import concatenations, formattings, printed
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced

_PERCENT = re.compile(r"%|percent|printf")
_FORMAT = re.compile(r"\.format|format (?:call|method)|format\(\)")
_PLUS = re.compile(r"concat|\+|\bplus\b|\bstr\(|glu(?:e|ing)")
_ARGUMENTS = re.compile(r"\bprint\w*|\bcommas?\b|\barg(?:ument)?s?\b|\b(?:one|single|an) f-?\s?string", re.IGNORECASE)
_PLAIN_FIELD = re.compile(r"(?<!\{)\{(?:str\((\w[\w.]*)\)|(\w[\w.]*))\}(?!\})")
_FOR = re.compile(
    r"(?i)(?:use|make (?:it|that|this)|turn into) an? f-? ?string (?:for|in) the (?P<what>\w+)(?: line| part| one)?"
)
_EVERYWHERE = re.compile(r"\bf-? ?strings\b|\beverywhere\b|\ball\b|\bevery\b")


class FString(Codemod):
    """`%` formatting, `.format()` and sums of strings become f-strings."""

    kind: ClassVar[str] = "fstring"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one text as an f-string whose line has what it is told by: "use an f-string for the select"."""
        told = _FOR.fullmatch(bare(before, request.instruction))
        every = [*formattings(before), *concatenations(before)] if told else []
        found = [one for one in every if told and told["what"].lower() in before.lines[one[0].lineno - 1].lower()]
        return [between(before, spliced(before, found))] if len(found) == 1 else []

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One or all; sums only where they are named or there is nothing else."""
        if re.search(r"!r\b|\brepr\b", request.instruction) and (shown := list(_by_repr(before))):
            yield from choices(before, shown, request)
            return
        changes = [Change(node, text) for node, text in formattings(before)]
        sums = [Change(node, text) for node, text in concatenations(before)]
        if _ARGUMENTS.search(request.instruction) and (joined := [Change(*one) for one in printed(before)]):
            yield from choices(before, joined, request)
        asked = request.instruction.lower()
        wanted = [sort for sort, words in ((ast.BinOp, _PERCENT), (ast.Call, _FORMAT)) if words.search(asked)]
        if _PLUS.search(asked) and sums:
            changes = sums
        elif wanted:
            changes = [one for one in changes if isinstance(one.node, tuple(wanted))] or changes
        if sums and changes and not wanted and changes is not sums and _EVERYWHERE.search(asked):
            yield from choices(before, [*changes, *sums], request)
        found = False
        for ops in choices(before, changes, request):
            found = True
            yield ops
        if not found:
            yield from choices(before, sums, request)


def _by_repr(before: Snippet) -> Iterator[Change]:
    """F-strings with `!r` for each field that is shown plainly or by `str`."""
    for node in outside_fstrings(before.tree):
        if isinstance(node, ast.JoinedStr) and (text := text_of(before, node)):
            new = _PLAIN_FIELD.sub(lambda match: f"{{{match[1] or match[2]}!r}}", text)
            if new != text:
                yield Change(node, new, tuple(re.findall(r"\w[\w' ]+\w", re.sub(r"\{[^}]*\}", "\n", text))))
