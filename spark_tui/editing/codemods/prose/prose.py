"""The stretches of a region that are written for people: docstrings, comments and texts, line by line."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.code import docstring_node, end_of, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.prose.comment_places import comments
from spark_tui.editing.codemods.texts.texts import texts
from spark_tui.editing.snippet import Snippet

_SORTS = {
    "docstring": re.compile(r"(?i)\bdoc(?:s|string)?s?\b"), "comment": re.compile(r"(?i)\bcomments?\b"),
    "text": re.compile(r"(?i)\b(?:message|error|exception|text|string|log|print|warning|literal|output)s?\b"),
}  # fmt: skip
_OWNERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
_SPEAKING = re.compile(
    r"(?i)\bdoc(?:s?tr\w*|s|umentation)?\b|\bcomm?ents?\b|\bsent[ea]nces?\b|\bsummary\b|\bparagraphs?\b|\bwording\b|\btypos?\b"
    r"|\bgramm[ae]r\b|\benglish\b|:\w+:|\bsays?\b|\breads\b|\bexamples?\b|\bnotes?\b|\busage\b|\bphras\w+"
    r"|\bclause\b|\bparenthes\w+|\bbrackets\b|\b(?:Args|Returns|Raises|Arguments|TODO|FIXME|XXX)\b|\bsphinx\b|\bplural\b"
    r"|\bsingular\b|\bheader\b|\bD\d{3}\b"
)


@dataclass(frozen=True, slots=True)
class Prose:
    """What is written for people on one line; `block`: which of the docstrings, comments or texts it belongs to."""

    sort: str
    row: int
    start: int
    end: int
    block: int


@lru_cache(8)
def prose(snippet: Snippet) -> tuple[Prose, ...]:
    """Every such stretch in source order."""
    return tuple(sorted(_prose(snippet), key=lambda one: (one.row, one.start)))


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


def _keys(snippet: Snippet) -> Iterator[tuple[int, int]]:
    """Where texts stand that something is looked up by, names of the environment, say: nobody reads those."""
    for node in snippet.nodes:
        match node:
            case (
                ast.Subscript(slice=ast.Constant() as key)
                | ast.Call(func=ast.Attribute(attr="get" | "getenv" | "setdefault"), args=[ast.Constant() as key, *_])
            ):
                yield start_of(snippet, key)


@lru_cache(8)
def docstrings(snippet: Snippet) -> tuple[ast.Expr, ...]:
    """The docstrings of functions and classes."""
    owners = (node for node in snippet.nodes if isinstance(node, _OWNERS))
    return tuple(found for node in owners if (found := docstring_node(node)))


@lru_cache(8)
def prose_meant(snippet: Snippet, request: Request) -> Sequence[Prose]:
    """The stretches of the sort that the words name, in the selected lines where there are any."""
    found: Sequence[Prose] = prose(snippet)
    if request.selected:
        first, last = request.selected
        found = [one for one in found if first <= one.row <= last] or found
    words = request.instruction
    for span in (span for span in spans(words) if span.mark and " " in span.text):
        words = words.replace(span.text, " ")
    sorts = [sort for sort, pattern in _SORTS.items() if pattern.search(words)]
    if "text" in sorts:  # no key is one: nobody reads those
        keys = set(_keys(snippet))
        found = [one for one in found if one.sort != "text" or (one.row, one.start - 1) not in keys]
    return tuple(one for one in found if one.sort in sorts) or tuple(found)


def speaks_of_prose(snippet: Snippet, request: Request) -> bool:
    """Whether the words name what is written for people, quote more than a word of it, or lines of it are selected."""
    words = request.instruction
    found = [one for one in prose(snippet) if one.sort != "text"]
    if not found or _SPEAKING.search(words):
        return bool(found)
    rows = {one.row for one in found}
    if request.selected and rows.issuperset(range(request.selected[0], request.selected[1] + 1)):
        return True
    quotes = [span.text for span in spans(words) if span.mark and " " in span.text]
    return any(quote in snippet.lines[row] for quote in quotes for row in rows)
