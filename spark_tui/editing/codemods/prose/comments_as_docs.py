"""Comments of a function or class that are to be its docstring: those in its body, and the one right above it."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import MAX_WIDTH, Function, docstring_node, header, indentation
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.prose.comment_places import Comment, blocks, comments
from spark_tui.editing.codemods.prose.sentences_told import as_summary, capital, ended, sentences_told
from spark_tui.editing.snippet import Snippet

_TOLD = re.compile(
    r"(?i)\bcomm?ents?\b.*\bdoc(?:s?tr\w*|s)?\b"
    r"|\bdoc(?:s?tr\w*|s)?\b.*\b(?:of|from|rather than|not|for|in place of) .*\bcomm?ents?\b"
    r"|\b(?:turn|make|convert|change|promote) (?:this|that|it|these)\b.*\b(?:into|to|in|a|the) .*\bdocstring"
)
_MOST = 8


def comments_as_docs(before: Snippet, request: Request) -> Iterator[Ops]:
    """Every comment that may be meant as the docstring of what it stands in or above."""
    words = request.instruction
    if not _TOLD.search(words) or not (found := [one for one in comments(before) if one.own]):
        return
    seen: set[tuple[str, ...]] = set()
    for scope in before.nodes:
        if not isinstance(scope, Function | ast.ClassDef) or docstring_node(scope):
            continue
        for block in _blocks(before, scope, found, request):
            for lines in _as_doc(before, scope, block, sentences_told(words)):
                if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
                    seen.add(tuple(lines))
                    yield between(before, lines)


def _blocks(
    before: Snippet, scope: Function | ast.ClassDef, found: Sequence[Comment], request: Request
) -> list[list[Comment]]:
    """The comments within, those that are selected first; then the one above."""
    top = min([scope.lineno, *(one.lineno for one in scope.decorator_list)]) - 1
    column = len(indentation(before.lines[scope.body[0].lineno - 1]))
    inner = [one for one in blocks(found) if top < one[0].line < (scope.end_lineno or top) and one[0].column == column]
    above = [
        one for one in blocks(found) if one[-1].line == top - 1 and one[0].column == len(indentation(before.lines[top]))
    ]
    if request.selected:
        first, last = request.selected
        inner = [one for one in inner if any(first <= line.line <= last for line in one)] or inner
    return [*inner[:2], *above]


def _as_doc(
    before: Snippet, scope: Function | ast.ClassDef, block: Sequence[Comment], told: Sequence[str]
) -> Iterator[list[str]]:
    end = (
        scope.lineno
        if isinstance(scope, ast.ClassDef)
        else found.colon[0] + 1
        if (found := header(before, scope))
        else 0
    )
    first = scope.body[0]
    inside = block[0].line >= end
    if not end or first.lineno <= end:
        return
    indent = indentation(before.lines[block[0].line]) if inside else indentation(before.lines[first.lineno - 1])
    taken = {one.line for one in block}
    alone = inside and _does_nothing(first) and len(scope.body) == 1
    taken |= {first.lineno - 1} if alone else set()
    above = [line for row, line in enumerate(before.lines[:end]) if row not in taken]
    below = [line for row, line in enumerate(before.lines) if row >= end and row not in taken]
    while below and not below[0].strip():
        below = below[1:]
    gap = [""] if isinstance(scope, ast.ClassDef) and below else []
    for doc in _docs(indent, [one.text for one in block], told):
        yield [*above, *doc, *gap, *below]


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass)


def _docs(indent: str, rows: Sequence[str], told: Sequence[str]) -> Iterator[list[str]]:
    """What is told; else the comment as it is, with a period and a capital, its lines apart or joined."""
    texts = [new for text in told for new in as_summary(text)]
    joined = " ".join(row for row in rows if row)
    texts += [joined, ended(capital(joined)), ended(joined), capital(joined)]
    if len(rows) == 2:
        texts += [rows[1], rows[0]]
    if len(rows) > 1:
        for head in dict.fromkeys((rows[0], capital(rows[0]))):
            apart = [head, *rows[1:]]
            stopped = [*apart[:-1], ended(apart[-1])]
            for one in (apart, stopped):
                deep = [indent + row if row else "" for row in one[1:]]
                yield [f'{indent}"""{one[0]}', *deep, f'{indent}"""']
                yield [f'{indent}"""{one[0]}', *deep[:-1], f'{deep[-1]}"""']
                yield [f'{indent}"""', *(indent + row if row else "" for row in one), f'{indent}"""']
    for text in dict.fromkeys(texts):
        if text and '"""' not in text and len(indent + text) + 6 <= MAX_WIDTH:
            yield [f'{indent}"""{text}"""']
