"""A region with each statement on one line, for rules that look at lines, and back again."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from spark_tui.editing.code import indentation, statement_lines
from spark_tui.editing.codemods.base import Ops, Request, applied, between
from spark_tui.editing.codemods.common.broken_lines import broken
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND

Listing = Callable[[Snippet, Request], Iterable[Ops]]
_SOME = re.compile(r"[(\[{,]\s*$|\\$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Flat:
    """A region with statements and heads on one line each, `rows` where its rows were, `old` the lines of each."""

    snippet: Snippet
    rows: Mapping[int, int]
    old: Mapping[str, tuple[str, ...]]

    def touched(self, first: int, last: int) -> bool:
        """Whether any of the rows was several."""
        return any(self.snippet.lines[row].strip() in self.old for row in range(first, last + 1))

    def restored(self, lines: Iterable[str], unit: str) -> list[str]:
        """Lines with what was several again, and what is too long broken."""
        return [made for line in lines for made in self._restored(line, unit)]

    def _restored(self, line: str, unit: str) -> Iterable[str]:
        old = self.old.get(line.strip())
        if old is None:
            return broken(line, unit)
        before, now = indentation(old[0]), indentation(line)
        return [now + row.removeprefix(before) if row.startswith(before) else row for row in old]


@lru_cache(maxsize=8)
def flat(before: Snippet) -> Flat | None:
    """The region with one line a statement; None where it is so already."""
    stretches = {first: (last, line) for first, last, line in _stretches(before)} if _several(before) else {}
    if not stretches:
        return None
    lines: list[str] = []
    rows: dict[int, int] = {}
    old: dict[str, tuple[str, ...]] = {}
    row = 0
    while row < len(before.lines):
        last, line = stretches.get(row, (row, before.lines[row]))
        rows[len(lines)] = row
        if row in stretches:
            old[line.strip()] = before.lines[row : last + 1]
        lines.append(line)
        row = last + 1
    made = Snippet(tuple(lines))
    try:
        return Flat(made, rows, old) if made.tree.body else None
    except SyntaxError:
        return None


def through_flat(edits: Listing, before: Snippet, request: Request) -> Iterator[Ops]:
    """What a codemod lists for the region with one line a statement, where that changes one that had several."""
    joined = flat(before)
    if joined is None:
        return
    place = {old: new for new, old in joined.rows.items()}
    span = request.selected
    if span:
        rows = [max((old for old in place if old <= row), default=0) for row in span]
        span = place[rows[0]], place[rows[1]]
    for ops in edits(joined.snippet, Request(request.instruction, span)):
        after = applied(joined.snippet, ops)
        if not joined.old.keys() <= {line.strip() for line in after}:
            yield between(before, joined.restored(after, before.layout.unit))


def _several(before: Snippet) -> bool:
    return _SOME.search("\n".join(before.lines)) is not None


def _stretches(before: Snippet) -> Iterator[tuple[int, int, str]]:
    """The statements and heads of several lines without comments and long strings, and each as one line."""
    for node in before.nodes:
        if not isinstance(node, ast.stmt):
            continue
        first, last = statement_lines(node)
        if isinstance(node, ast.If | ast.While | ast.For):
            last = max(one.end_lineno or 0 for one in _head(node)) - 1
            closing = before.lines[last + 1].strip() if last + 1 < len(before.lines) else ""
            last += closing == "):"
        elif isinstance(node, COMPOUND):
            continue
        text = "\n".join(before.lines[first : last + 1])
        if first < last and "#" not in text and '"""' not in text and "'''" not in text:
            yield first, last, indentation(before.lines[first]) + _line(before, node, first)


def _head(node: ast.If | ast.While | ast.For) -> list[ast.expr]:
    return [node.target, node.iter] if isinstance(node, ast.For) else [node.test]


def _line(before: Snippet, node: ast.stmt, first: int) -> str:
    """A statement, or the head of one, as one line."""
    match node:
        case ast.For(target=target, iter=over):
            return f"for {ast.unparse(target).removeprefix('(').removesuffix(')')} in {ast.unparse(over)}:"
        case ast.If(test=test) | ast.While(test=test):
            word = before.lines[first].split(None, 1)[0].partition("(")[0]
            return f"{word} {ast.unparse(test)}:"
    return ast.unparse(node)
