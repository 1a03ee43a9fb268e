"""Defaults of parameters changed to what the instruction says."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, end_of, parameters, quote_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.said import literal, narrowed, plain_word, said, values, word_said
from spark_tui.editing.codemods.signatures.defaults_told import defaults_told
from spark_tui.editing.codemods.signatures.defaults_worded import defaults_worded
from spark_tui.editing.codemods.signatures.none_for_empty import none_for_empty
from spark_tui.editing.codemods.signatures.none_stood_in import none_stood_in
from spark_tui.editing.codemods.signatures.signature_told import told_here
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse


@dataclass(frozen=True, slots=True)
class Default:
    """A parameter's default on one line."""

    function: Function
    name: str
    node: ast.expr
    source: str


_DEFAULT = re.compile(
    r"\bdefaults?(?: value)?(?: to| is| of| should be| be)? ([a-z][\w-]*)\b"
    r"|\b([a-z][\w-]*) (?:by|as(?: the)?) default\b"
)
_FEW = 3


class ChangeDefault(Codemod):
    """`def f(n=1):` becomes `def f(n=5):`."""

    kind: ClassVar[str] = "change_default"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Every default that may be meant with every value that is said; one given or taken as the words tell."""
        if whole := told_here(before, request, self.kind):
            yield from whole
            return
        yield from defaults_told(before, request)
        yield from none_for_empty(before, request)
        yield from defaults_worded(before, request)
        yield from none_stood_in(before, request)
        said_here = request.instruction
        found = [one for one in defaults(before) if said(said_here, one.function.name)] or defaults(before)
        chosen = narrowed(said_here, found, lambda one: (one.name,))
        if len(chosen) == len(found):
            chosen = [one for one in found if word_said(said_here, one.name)] or chosen
        told = values(said_here, quote_of(before))
        for one in chosen:
            words = _words(one, said_here, quote_of(before)) if len(chosen) < _FEW else ()
            for value in _new(one, [*found], [*told, *words]):
                after = splice(before.lines, start_of(before, one.node), end_of(before, one.node), value)
                if len(after[one.node.lineno - 1]) <= MAX_WIDTH:
                    yield between(before, after)


def defaults(snippet: Snippet) -> list[Default]:
    """Every default that stands on one line."""
    return [
        Default(function, parameter.arg, node, source)
        for function in snippet.functions
        for parameter in parameters(function)
        if (node := default_of(function, parameter)) is not None and (source := text_of(snippet, node))
    ]


def _new(one: Default, found: Sequence[Default], told: Sequence[str]) -> list[str]:
    """The values for one default: those of its own sort first; names of functions and parameters are none."""
    names = {name for other in found for name in (other.name, other.function.name, f"{other.function.name}()")}
    fit = [value for value in told if value not in names and value != one.source and _changes(one.node, value)]
    sort = type(one.node.value) if isinstance(one.node, ast.Constant) else None
    return sorted(fit, key=lambda value: _sort(value) is not sort)


def _words(one: Default, instruction: str, quote: str) -> list[str]:
    """The plain words that are told for a text of one word: "default seconds", "seconds by default"."""
    if not isinstance(one.node, ast.Constant) or not re.fullmatch(r"[\w-]+", str(one.node.value)):
        return []
    found = [match[1] or match[2] for match in _DEFAULT.finditer(instruction)]
    told = [word for word in found if not plain_word(word)] if isinstance(one.node.value, str) else []
    return [literal(word, quote) for word in told]


def _changes(node: ast.expr, value: str) -> bool:
    return ast.dump(parse(value, mode="eval").body) != ast.dump(node)


def _sort(value: str) -> type | None:
    node = parse(value, mode="eval").body
    return type(node.value) if isinstance(node, ast.Constant) else None
