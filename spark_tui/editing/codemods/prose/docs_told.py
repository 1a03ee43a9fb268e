"""Docstrings with what they are told to say, not in quotes: new ones, in the place of `pass` too, and more in old."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, Function, docstring_node, end_of, header, indentation, start_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.named import surely_named
from spark_tui.editing.codemods.prose.sentences_told import as_remark, as_summary, sentences_told
from spark_tui.editing.snippet import Snippet

_DOC = re.compile(r"(?i)\bdoc(?:s?tr\w*|s|umentation|ument)?\b|\bsummary\b|\bdescri\w+")
_MORE = re.compile(
    r"(?i)\b(?:mention|also|add|append|say|tell|note|clear|remark|state|document|should|warn|explain|another)\w*\b"
)
_FRESH = re.compile(
    r"(?i)(?:\b(?:an?|needs?|no|missing|lacks?|short|line|new|real)|^)[ -](?:\w+[ -]){0,2}?doc(?:s?tr\w*|s)?\b|^doc\w*:"
    r"|\bno doc|\bpass\b"
)
_FORM = re.compile(
    r"(?i)\bwrap|\bgramm|\bspell|\bmisspel|\bquotes?\b|\bdash|\bhyphen|\bperiods?\b|\bcapital|\bblank|\bempty line"
    r"|\btypos?\b|\bstutter|\bdrop\b|\bremove\b|\bbackticks?\b|\bspaces?\b|\bcommas?\b|\bcolons?\b|\bshorten|\bdoctests?\b"
)
"""Words about the form of what is written."""
_POINTS = re.compile(r"(?i)(?:\b(?:this|that|the|it|please|functions?|methods?|class|module|file|code)\b\W*)+")
"""Words for what is to be documented, which say nothing of it."""
_Scope = Function | ast.ClassDef
_MOST = 12


def docs_told(before: Snippet, words: str) -> Iterator[Ops]:
    """Every docstring that the words may mean: a new one for what has none, a sentence more for the others."""
    if not _DOC.search(words) or _FORM.search(words):
        return
    scopes: list[_Scope] = [node for node in before.nodes if isinstance(node, Function | ast.ClassDef)]
    named = surely_named(words, (one.name for one in scopes))
    meant = [one for one in scopes if one.name in named] or scopes
    bare = [one for one in meant if docstring_node(one) is None]
    texts = [text for text in sentences_told(words) if not _POINTS.fullmatch(text)]
    full = [node for one in [*meant, *([] if before.margin else [before.tree])] if (node := docstring_node(one))]
    fresh = _FRESH.search(words) or not full
    made = [
        lines
        for text in texts
        for one in (bare[:2] if fresh else ())
        for new in as_summary(text)
        for lines in with_docstring(before, one, new)
    ]
    if _MORE.search(words) and not (bare and fresh):
        made += [
            lines
            for text in texts
            for node in full[:2]
            for new in as_remark(text)
            for lines in with_remark(before, node, new)
        ]
    seen: set[tuple[str, ...]] = set()
    for lines in made:
        if tuple(lines) not in seen and len(seen) < _MOST and parses(lines):
            seen.add(tuple(lines))
            yield between(before, lines)


def with_docstring(before: Snippet, scope: _Scope, text: str) -> Iterator[list[str]]:
    """With a docstring as the first statement; alone where nothing was done."""
    row, first = _body(before, scope), scope.body[0]
    if row is None:
        return
    indent = indentation(before.lines[_top(first) - 1])
    if len(indent) + len(text) + 6 > MAX_WIDTH or "\\" in text:
        return
    lines = [f'{indent}"""{text}"""']
    if _opens_below(before):
        lines = [f'{indent}"""', indent + text, f'{indent}"""']
    if _does_nothing(first) and len(scope.body) == 1:
        last = first.end_lineno or first.lineno
        yield [*before.lines[: first.lineno - 1], *lines, *before.lines[last:]]
    else:
        gap = [""] if isinstance(scope, ast.ClassDef) else []
        yield [*before.lines[:row], *lines, *gap, *before.lines[row:]]


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
    )


def _top(node: ast.stmt) -> int:
    heads: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in heads)])


def _body(before: Snippet, scope: _Scope) -> int | None:
    """How many lines there are up to the header's end; None where the body begins on its line."""
    if isinstance(scope, ast.ClassDef):
        rows = range(scope.lineno - 1, _top(scope.body[0]) - 1)
        return next((row + 1 for row in rows if re.search(r":\s*(#.*)?$", before.lines[row])), None)
    found = header(before, scope)
    return found.colon[0] + 1 if found and scope.body[0].lineno > found.colon[0] + 1 else None


def _opens_below(before: Snippet) -> bool:
    """Whether the docstrings there begin on the line below their marks."""
    found = [node for one in before.nodes if isinstance(one, _Scope) and (node := docstring_node(one))]
    heads = [before.lines[start_of(before, node)[0]].strip() for node in found]
    return bool(heads) and all(head in ('"""', "'''", 'r"""') for head in heads)


def with_remark(before: Snippet, node: ast.Expr, text: str) -> Iterator[list[str]]:
    """With a sentence more: as the last paragraph, behind the last one, behind the summary."""
    (top, left), (bottom, right) = start_of(before, node), end_of(before, node)
    mark = re.match(r"[rRuU]?(\"{3}|'{3})", before.lines[top][left:])
    if not mark or len(text) > MAX_WIDTH - len(indentation(before.lines[top])):
        return
    head, tail = before.lines[top][: left + mark.end()], before.lines[bottom][right - 3 :]
    rows = [before.lines[top][left + mark.end() :], *before.lines[top + 1 : bottom + 1]]
    rows[-1] = rows[-1][: right - 3 - (left + mark.end() if top == bottom else 0)]
    indent = before.lines[top][:left]
    body = [*rows[:-1], *([rows[-1].rstrip()] if rows[-1].strip() or top == bottom else [])]
    above, below = [*before.lines[:top]], before.lines[bottom + 1 :]
    end = [indent + tail] if top == bottom or not rows[-1].strip() else []

    def whole(lines: list[str]) -> list[str]:
        closed = lines if end else [*lines[:-1], lines[-1] + tail]
        return [*above, head + closed[0], *closed[1:], *end, *below]

    yield whole([*body, "", indent + text])
    full = [at for at, row in enumerate(body) if row.strip()]
    summary = next((at for at in full if at + 1 == len(body) or not body[at + 1].strip()), None)
    for at in dict.fromkeys([full[-1], summary] if full and summary is not None else []):
        stop = "" if re.search(r"[.!?:]$", body[at].rstrip()) else "."
        joined = f"{body[at].rstrip()}{stop} {text}"
        if len(head + joined) <= MAX_WIDTH + 10:
            lines = [*body[:at], joined, *body[at + 1 :]]
            yield [*above, head + joined + tail, *below] if top == bottom else whole(lines)
        if len(joined) > 80 and at:
            yield whole([*body[:at], body[at].rstrip() + stop, indent + text, *body[at + 1 :]])
    if summary is not None and summary != full[-1]:
        yield whole([*body[: summary + 1], "", indent + text, *body[summary + 1 :]])
