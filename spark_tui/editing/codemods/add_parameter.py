"""The parameter asked for, at the end of a signature."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.codemods.plain.plain_chosen import plain_chosen
from spark_tui.editing.codemods.signatures.from_fixed import from_fixed
from spark_tui.editing.codemods.signatures.longer_signature import hinted, is_hinted, with_parameter
from spark_tui.editing.codemods.signatures.parameter_from_local import lifted
from spark_tui.editing.codemods.signatures.parameter_uses import used
from spark_tui.editing.codemods.signatures.parameter_words import parameters_said
from spark_tui.editing.codemods.signatures.signature_told import told_here
from spark_tui.editing.codemods.signatures.starred_parameters import in_place_of_stars, stars_added, taken_out
from spark_tui.editing.signatures import default_is_due
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, spliced

_USED = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|with (?:that|it)|becomes?|instead|configurable|hard-?coded|where|replac\w+"
    r"|turn\w*|into|make (?:the|that|this))\b"
)
"""Asks for more than the parameter: that something be done with it."""
_MOST_TAKEN_OUT = 3
_QUOTES = ("'\"", "\"'")


class AddParameter(Codemod):
    """`def f(a, **kw):` becomes `def f(a, n=1, **kw):`."""

    kind: ClassVar[str] = "add_parameter"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_chosen`."""
        return plain_chosen(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Each parameter that the instruction may ask for, in each function that may be meant."""
        if told := told_here(before, request, self.kind):
            yield from told
            return
        functions = functions_meant(before, request.instruction)
        names = {function.name for function in before.functions}
        for function in functions:
            yield from (between(before, after) for after in lifted(before, function, request.instruction))
            for listed in (in_place_of_stars, stars_added, from_fixed):
                yield from (between(before, after) for after in listed(before, function, request.instruction))
            taken = names | {one.arg for one in code.parameters(function)}
            sources = parameters_said(request.instruction, frozenset(taken))
            yield from (between(before, after) for after in taken_out(before, function, sources[:_MOST_TAKEN_OUT]))
            for source in sources:
                if not (default_is_due(function) and "=" not in source):
                    for made in (*([hinted(source)] if is_hinted(function) else []), source):
                        yield from _added(before, function, made, request.instruction)


def _added(before: Snippet, function: code.Function, source: str, words: str) -> Iterator[Ops]:
    """The parameter, and what the words tell to be done with it."""
    bodies = [*used(before, function, source, words)]
    if _USED.search(words) and (fixed := _in_place_of_literals(before, function, source)):
        bodies.append(fixed)
    for body in (*bodies, before):
        yield from (between(before, after) for after in with_parameter(body, function, source, words))


def _in_place_of_literals(before: Snippet, function: code.Function, source: str) -> Snippet | None:
    """The region with the parameter wherever the body has its default, which is a text or a number that stands out."""
    name, _, default = source.partition("=")
    same = [
        (node, name.partition(":")[0].strip())
        for statement in code.body_after_docstring(function)
        for node in outside_fstrings(statement)
        if isinstance(node, ast.Constant) and _same(code.text_of(before, node), default.strip())
    ]
    return Snippet(tuple(spliced(before, same))) if same else None


def _same(one: str, other: str) -> bool:
    """Whether two sources are the same literal, whatever its quotes."""
    return one == other != "" or (one[:1] + other[:1] in _QUOTES and one[1:-1] == other[1:-1])
