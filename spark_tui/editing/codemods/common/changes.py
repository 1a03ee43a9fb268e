"""Expressions of one sort changed for better ones: one of them, those of a function, those selected, or all."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing import code
from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.said import narrowed, said
from spark_tui.editing.snippet import Snippet

_PLURAL = re.compile(
    r"\b(?:all|every|everywhere|each|these|those|throughout|everything"
    r"|(?:check|test|comparison|call|super|negation|condition|f-?string|f string|string|message|format|literal)s)\b"
)


@dataclass(frozen=True, slots=True)
class Change:
    """An expression, the text that is to stand in its place, and what people tell it by."""

    node: ast.expr
    text: str
    names: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """The 0-based line it begins on."""
        return self.node.lineno - 1

    @property
    def last(self) -> int:
        """The 0-based line it ends on."""
        return (self.node.end_lineno or self.node.lineno) - 1


def changed(snippet: Snippet, changes: Iterable[Change]) -> list[str] | None:
    """The lines with all the changes made, or None where a line would get too long.

    Lines that are aligned with a bracket to the right of a change move along with it.
    """
    lines = list(snippet.lines)
    for one in sorted(changes, key=lambda one: (one.node.lineno, one.node.col_offset), reverse=True):
        start, end = code.start_of(snippet, one.node), code.end_of(snippet, one.node)
        moved = start[1] + len(one.text) - end[1] if "\n" not in one.text else 0
        lines = _realigned(lines, end, moved)
        lines = code.splice(lines, start, end, one.text)
        if len(lines[start[0]]) > max(MAX_WIDTH, len(snippet.lines[start[0]])):
            return None
    return lines


def _realigned(lines: list[str], end: code.Position, moved: int) -> list[str]:
    row, column = end
    below = lines[row + 1] if row + 1 < len(lines) else ""
    width = len(code.indentation(below))
    if not moved or width <= column or lines[row][width - 1 : width] not in ("(", "[", "{"):
        return lines
    last = row + 1
    while last < len(lines) and len(code.indentation(lines[last])) >= width:
        last += 1
    shifted = [" " * (len(code.indentation(line)) + moved) + line.lstrip() for line in lines[row + 1 : last]]
    return [*lines[: row + 1], *shifted, *lines[last:]]


def choices(snippet: Snippet, changes: Sequence[Change], request: Request) -> Iterator[Ops]:
    """The edits that make changes: all of them; unless several are asked for, one alone or those of one function."""
    found = [one for one in _apart(changes) if changed(snippet, [one]) is not None]
    if request.selected:
        first, last = request.selected
        found = [one for one in found if one.first <= last and first <= one.last]
    found = _in_named_functions(snippet, found, request.instruction)
    found = list(narrowed(request.instruction, found, lambda one: one.names))
    groups = [found]
    if not _PLURAL.search(request.instruction.lower()):
        groups += [[one] for one in found]
        groups += [[one for one in found if _within(one, function)] for function in snippet.functions]
    for group in groups:
        after = changed(snippet, group)
        if group and after is not None:
            yield between(snippet, after)


def _apart(changes: Iterable[Change]) -> list[Change]:
    """The changes in source order, without those that lie in another one."""
    covered: set[int] = set()
    found: list[Change] = []
    for one in sorted(changes, key=lambda one: (one.node.lineno, one.node.col_offset, -one.last)):
        if id(one.node) not in covered:
            covered.update(map(id, ast.walk(one.node)))
            found.append(one)
    return found


def _within(one: Change, function: code.Function) -> bool:
    return function.lineno <= one.node.lineno and one.last < (function.end_lineno or 0)


def _in_named_functions(snippet: Snippet, found: list[Change], instruction: str) -> list[Change]:
    named = [function for function in snippet.functions if said(instruction, function.name)]
    return [one for one in found if any(_within(one, function) for function in named)] or found
