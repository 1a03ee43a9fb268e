"""The stretches of a region that are written for people: docstrings, comments and texts, line by line."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import Function, docstring_node, end_of, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.comment_places import comments
from spark_tui.editing.codemods.texts import texts
from spark_tui.editing.snippet import Snippet

_SORTS = {
    "docstring": r"\bdoc(?:s|string)?s?\b", "comment": r"\bcomments?\b",
    "text": r"\b(?:message|error|exception|text|string|log|print|warning|literal|output)s?\b",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prose:
    """What is written for people on one line; `block`: which of the docstrings, comments or texts it belongs to."""

    sort: str
    row: int
    start: int
    end: int
    block: int


def prose(snippet: Snippet) -> list[Prose]:
    """Every such stretch in source order."""
    return sorted(_prose(snippet), key=lambda one: (one.row, one.start))


def _prose(snippet: Snippet) -> Iterator[Prose]:
    for node in docstrings(snippet):
        (top, left), (bottom, right) = start_of(snippet, node), end_of(snippet, node)
        mark = re.match(r"""[rRuU]?("{3}|'{3}|"|')""", snippet.lines[top][left:])
        for row in range(top, bottom + 1) if mark else ():
            line = snippet.lines[row]
            start = left + mark.end() if row == top and mark else len(line) - len(line.lstrip())
            yield Prose("docstring", row, start, right - len(mark[1]) if row == bottom and mark else len(line), top)
    above = -2
    block = -1
    for one in comments(snippet):
        block = block if one.own and one.line == above + 1 else one.line
        above = one.line
        yield Prose("comment", one.line, one.column, len(snippet.lines[one.line]), block)
    for text in texts(snippet):
        yield Prose("text", text.row, text.start, text.end, text.row)


def docstrings(snippet: Snippet) -> Iterator[ast.Expr]:
    """The docstrings of functions and classes."""
    for node in snippet.nodes:
        if isinstance(node, Function | ast.ClassDef | ast.Module) and (found := docstring_node(node)):
            yield found


def prose_meant(snippet: Snippet, request: Request) -> Sequence[Prose]:
    """The stretches of the sort that the words name, in the selected lines where there are any."""
    found = prose(snippet)
    if request.selected:
        first, last = request.selected
        found = [one for one in found if first <= one.row <= last] or found
    sorts = [sort for sort, pattern in _SORTS.items() if re.search(pattern, request.instruction, re.IGNORECASE)]
    return [one for one in found if one.sort in sorts] or found
