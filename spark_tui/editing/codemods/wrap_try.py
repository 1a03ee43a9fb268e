"""Statements and bodies put into try/except, with the exceptions and handlers that are told."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.checks.fallbacks import usual_actions
from spark_tui.editing.codemods.checks.handling import Told, clause, told
from spark_tui.editing.codemods.checks.tries_told import tries_told
from spark_tui.editing.codemods.checks.troubles import troubles_of
from spark_tui.editing.codemods.common.named import functions_meant
from spark_tui.editing.codemods.imports.imported_too import imported_too
from spark_tui.editing.codemods.remove_statement import statements_meant
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES, Place, is_string, movable, places, quote, top_of

_MOST_TROUBLED = 3
_ENOUGH = 4
_UNFIT = (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Break, ast.Continue, ast.Try, *SCOPES)
_BODY = re.compile(
    r"\b(?:body|everything(?! else)|all of it|(?<!so )the code(?! is)|whole function|entire function)\b", re.IGNORECASE
)
_IGNORED = re.compile(
    r"^\W*(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b.*[,;.:] *"
    r"(?:please |just |so )*ignore (?:it|that|this|those)\W*$"
)


class WrapTry(Codemod):
    """`try:`, statements one level deeper, `except ...:` and what to do then."""

    kind: ClassVar[str] = "wrap_try"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """The one try there can be, where an error is told and that it is to be ignored."""
        found = list(self.edits(before, request)) if _IGNORED.match(request.instruction) else []
        return found if len(found) == 1 else []

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The statements that may be meant, with each exception and handler that is told."""
        first, last = request.selected or (0, len(before.lines))
        told_in_full = tries_told(before, wrappable(before), request.instruction, first, last)
        in_full = list(imported_too(before, told_in_full))
        yield from in_full
        if len(in_full) >= _ENOUGH:
            return
        empty = quote(before, "")
        said = told(request.instruction, empty)
        if not (said.exceptions or request.selected or _BODY.search(request.instruction)):
            found = list(islice(_troubled(before, said, empty), _MOST_TROUBLED))
            yield from found
            if found:
                return
        for place in _meant(before, request, said):
            for exception in said.exceptions or troubles_of(place.node, said.rest) or ("Exception",):
                for action in _actions(place, said, exception, empty):
                    yield wrapped(before, place, exception, action)


def wrapped(snippet: Snippet, place: Place, exception: str, action: str) -> Ops:
    """The edit that puts the lines of a place into a try."""
    return (
        Insert(place.first - 1, (f"{place.indent}try:",)),
        Indent(place.first, place.last),
        Insert(place.last, (place.indent + clause(exception, action), place.indent + snippet.layout.unit + action)),
    )


def wrappable(snippet: Snippet) -> list[Place]:
    """The statements that a try can hold by themselves."""
    return [
        place
        for place in places(snippet)
        if snippet.lines[place.first - 1].strip() != "try:" or not place.first
        if not (isinstance(place.node, _UNFIT) or is_string(place.node)) and movable(place.node)
    ]


def body_of(snippet: Snippet, function: Function) -> Place | None:
    """The body of a function without its docstring, as one place; None where a try cannot hold it."""
    top = top_of(snippet, function)
    body = code.body_after_docstring(function)
    if top is None or not all(movable(node) for node in body) or not code.stands_alone(snippet, body[-1]):
        return None
    return Place(body[0], body, 0, function, False, top[0] + 1, code.statement_lines(body[-1])[1], top[1])


def _troubled(snippet: Snippet, said: Told, empty: str) -> Iterator[Ops]:
    """The statements that may raise what the words tell, each in a try: first all in the likeliest way."""
    found = [
        (place, exception, _actions(place, said, exception, empty))
        for place in wrappable(snippet)
        for exception in troubles_of(place.node, said.rest)
        if not is_caught(snippet, place, exception)
    ]
    for rank in range(max((len(actions) for *_, actions in found), default=0)):
        for place, exception, actions in found:
            yield from (wrapped(snippet, place, exception, action) for action in actions[rank : rank + 1])


def is_caught(snippet: Snippet, place: Place, exception: str) -> bool:
    """Whether a try around the place catches the exception already."""
    return any(
        node.body[0].lineno - 1 <= place.first and place.last < (node.body[-1].end_lineno or 0)
        for node in snippet.nodes
        if isinstance(node, ast.Try)
        if any(one.type is None or exception in ast.unparse(one.type) for one in node.handlers)
    )


def _actions(place: Place, said: Told, exception: str, empty: str) -> list[str]:
    usual = usual_actions(place, exception, empty) if said.unsure or not said.actions else []
    found = dict.fromkeys([*said.actions, *usual])
    return [action for action in found if action not in ("continue", "break") or place.in_loop]


def _meant(snippet: Snippet, request: Request, said: Told) -> Iterator[Place]:
    among = wrappable(snippet)
    if _BODY.search(request.instruction):
        found = [place for one in functions_meant(snippet, said.rest) if (place := body_of(snippet, one))]
        yield from found
        if found and not request.selected:
            return
    if request.selected:
        yield from _selected(among, *request.selected)
        return
    yield from _verbatim(snippet, among, request.instruction) or statements_meant(snippet, among, said.rest)


def _verbatim(snippet: Snippet, among: Sequence[Place], instruction: str) -> list[Place]:
    """The statements whose first line the instruction repeats: the longest such line."""
    said = " ".join(instruction.split())
    found = [
        place
        for place in among
        if len(text := snippet.lines[place.first].strip()) > 3 and " ".join(text.split()) in said
    ]
    most = max((len(snippet.lines[place.first].strip()) for place in found), default=0)
    return [place for place in found if len(snippet.lines[place.first].strip()) == most]


def _selected(among: Sequence[Place], first: int, last: int) -> Iterator[Place]:
    """The statement selected; else those within the lines together, then each that they touch."""
    exact = [place for place in among if (place.first, place.last) == (first, last)]
    if exact:
        yield from exact
        return
    inside = [place for place in among if first <= place.first and place.last <= last]
    run = [place for place in inside if place.block is inside[0].block]
    if len(run) > 1:
        head = run[0]
        yield Place(
            head.node, head.block, head.index, head.function, head.in_loop, head.first, run[-1].last, head.indent
        )
    yield from inside or [place for place in among if place.first <= last and first <= place.last]
