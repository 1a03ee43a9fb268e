"""Every statement that can go, and every group of calls of one sort."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between, parses
from spark_tui.editing.codemods.checks.checks_gone import checks_gone
from spark_tui.editing.codemods.common.named import functions_named, surely_named
from spark_tui.editing.codemods.pieces.pieces_gone import pieces_gone
from spark_tui.editing.codemods.plain.plain_calls import plain_counted, plain_uncalled
from spark_tui.editing.codemods.plain.plain_entries import plain_dropped
from spark_tui.editing.codemods.plain.plain_members import plain_members_dropped
from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, Place, dotted, is_string, places

_THE = r"(?<!in )(?<!inside )(?<!before )(?<!after )\bthe "
_SORTS: tuple[tuple[str, str | type[ast.stmt]], ...] = (
    (r"\bprint", "print"),
    (r"\b(breakpoint|debugger|debug stop)", "breakpoint"),
    (_THE + r"return\b", ast.Return),
    (_THE + r"raise\b", ast.Raise),
    (_THE + r"assert(ion)?\b", ast.Assert),
    (_THE + r"try\b", ast.Try),
    (_THE + r"while\b", ast.While),
    (_THE + r"for\b", ast.For),
    (_THE + r"(with\b|context manager)", ast.With),
    (_THE + r"if\b", ast.If),
)
_MANY = re.compile(
    r"\bprints\b|\bprint\(\)s|\bprint (statement|call|line)s|\bbreakpoints|\bprinting things", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d]\w*")


class RemoveStatement(Codemod):
    """Whole statements go; a block keeps at least one."""

    kind: ClassVar[str] = "remove_statement"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_uncalled`, `plain_counted` and `plain_dropped`."""
        words = request.instruction
        readings = (plain_uncalled, plain_counted, plain_members_dropped, plain_dropped)
        return next((found for read in readings if (found := read(before, words))), [])

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The statements selected, all calls of one function, then each statement; those with the names told."""
        yield from checks_gone(before, request)
        among = [place for place in places(before) if not is_string(place.node)]
        if request.selected:
            yield from _listed(before, _selected(among, *request.selected))
        meant = statements_meant(before, among, request.instruction)
        groups = list(_alike(meant))
        for group in groups:
            yield from _listed(before, group)
        for place in meant if not (groups and _MANY.search(request.instruction)) else ():
            yield from _listed(before, [place])
        yield from (between(before, lines) for lines in pieces_gone(before, request) if parses(lines))


def removal(snippet: Snippet, gone: Sequence[Place]) -> Ops | None:
    """The edit that deletes statements, or None when a block would be left empty."""
    for place in gone:
        if all(any(node is other.node for other in gone) for node in place.block):
            return None
    ranges: list[Delete] = []
    for place in sorted(gone, key=lambda place: place.first):
        if ranges and ranges[-1].last >= place.first:
            continue
        if ranges and ranges[-1].last + 1 == place.first:
            ranges[-1] = Delete(ranges[-1].first, place.last)
        else:
            ranges.append(Delete(place.first, place.last))
    return tuple(_with_blank_line(snippet, one) for one in ranges) if ranges else None


def _with_blank_line(snippet: Snippet, gone: Delete) -> Delete:
    """What stood between blank lines takes one of them along."""
    around = [
        snippet.lines[at].strip() if 0 <= at < len(snippet.lines) else "" for at in (gone.first - 1, gone.last + 1)
    ]
    return Delete(gone.first, gone.last + 1) if not any(around) and gone.last + 1 < len(snippet.lines) else gone


def _listed(snippet: Snippet, gone: Sequence[Place]) -> Iterator[Ops]:
    ops = removal(snippet, gone)
    if ops:
        yield ops


def _selected(among: Sequence[Place], first: int, last: int) -> list[Place]:
    """The outermost statements that lie within the lines, all of one block."""
    inside = [place for place in among if first <= place.first and place.last <= last]
    return [place for place in inside if place.block is inside[0].block]


def _alike(among: Sequence[Place]) -> Iterator[list[Place]]:
    """Calls of one function that stand alone, where there are several; those of one function first."""
    groups: dict[str, list[Place]] = defaultdict(list)
    for place in among:
        match place.node:
            case ast.Expr(value=ast.Call(func=called)) if name := dotted(called):
                groups[name].append(place)
    for group in groups.values():
        if len(group) > 1:
            yield group
            parts = [list(part) for _, part in groupby(group, key=lambda place: id(place.function))]
            yield from (part for part in parts if 1 < len(part) < len(group))


def _of_sort(among: Sequence[Place], instruction: str) -> Sequence[Place]:
    """The statements of the sort that is told ("the prints", "the return statement"), or all."""
    for pattern, sort in _SORTS:
        if re.search(pattern, instruction, re.IGNORECASE):
            found = [place for place in among if _is(place.node, sort)]
            if found:
                return found
    return among


def _is(node: ast.stmt, sort: str | type[ast.stmt]) -> bool:
    if not isinstance(sort, str):
        return isinstance(node, sort)
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name == sort
    return False


def statements_meant(snippet: Snippet, among: Sequence[Place], instruction: str) -> Sequence[Place]:
    """Of the statements of the sort told, in the functions told, those that mention a name told for certain, or all."""
    among = _of_sort(among, instruction)
    heads = {place.first: _head(snippet, place) for place in among}
    functions = frozenset(one.name for one in snippet.functions)
    if named := functions_named(snippet, instruction):
        own = {one.name for one in named}
        among = [place for place in among if _within(place, named) or heads[place.first] & own]
    said = frozenset[str]().union(*(heads[place.first] for place in among)) - functions
    names = surely_named(instruction, said)
    return [place for place in among if heads[place.first] & names] or among


def _within(place: Place, functions: Sequence[Function]) -> bool:
    return any(one.lineno - 1 <= place.first and place.last < (one.end_lineno or 0) for one in functions)


def _head(snippet: Snippet, place: Place) -> frozenset[str]:
    """The words of a statement, for a compound one those above its body."""
    last = place.last
    body = getattr(place.node, "body", None)
    if isinstance(place.node, COMPOUND) and isinstance(body, list):
        last = max(place.first, code.statement_lines(body[0])[0] - 1)
    return frozenset(_NAME.findall(" ".join(snippet.lines[place.first : last + 1])))
