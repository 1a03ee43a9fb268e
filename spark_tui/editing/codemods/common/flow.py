"""Where branches stand in a snippet, and the edits made of them: shared by the codemods about control flow."""

import ast
import io
import tokenize
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, stands_alone, start_of, statement_lines, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.flat import flat
from spark_tui.editing.snippet import Snippet

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class Site:
    """Lines first..last of a snippet and what stands there after the edit.

    `names` are what the edit can be told by. `minor`: another edit of the same lines is what people mean when they
    do not say more.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    minor: bool = False

    def after(self, before: Snippet) -> list[str]:
        """All the lines after the edit."""
        return [*before.lines[: self.first], *self.lines, *before.lines[self.last + 1 :]]

    def fits(self, before: Snippet) -> bool:
        """Whether no line gets too long that was not."""
        old = max(map(len, before.lines[self.first : self.last + 1]), default=0)
        return all(len(line) <= max(MAX_WIDTH, old) for line in self.lines)


class FlowCodemod(Codemod):
    """A codemod whose edits each replace one stretch of lines."""

    @abstractmethod
    def sites(self, before: Snippet, request: Request) -> Iterator[Site]:
        """Every edit, the likeliest first."""

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """The sites whose lines do not get too long; then those that are there once each statement is on one line."""
        own = set()
        for site in self.sites(before, request):
            own.add(site.first)
            if site.fits(before):
                yield between(before, site.after(before))
        yield from self._through_flat(before, request, own)

    def _through_flat(self, before: Snippet, request: Request, own: Collection[int]) -> Iterator[Ops]:
        joined = flat(before)
        for site in self.sites(joined.snippet, request) if joined else ():
            if joined and joined.rows[site.first] not in own and joined.touched(site.first, site.last):
                yield between(before, joined.restored(site.after(joined.snippet), before.layout.unit))


@dataclass(frozen=True, slots=True)
class Branches:
    """An `if` with its test on one line and its branches on lines of their own.

    `row` is its line, `body` and `other` the lines of its branches (`other` is empty without an `else:`), `last` its
    last line. `inner` is the indentation of the body.
    """

    row: int
    indent: str
    inner: str
    test: str
    body: tuple[str, ...]
    other: tuple[str, ...]
    last: int


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, the outer ones first."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        children = getattr(node, name, None)
        if not isinstance(children, list) or not children:
            continue
        if isinstance(children[0], ast.stmt):
            yield children
        for child in children:
            yield from blocks(child)


def is_elif(snippet: Snippet, node: ast.If) -> bool:
    """Whether an `if` is written as `elif`."""
    row, column = start_of(snippet, node)
    return snippet.lines[row].startswith("elif", column)


def branch(snippet: Snippet, node: ast.If) -> Branches | None:
    """The lines of an `if` without what follows its body, unless its head is longer than a line or has a comment."""
    row, column = start_of(snippet, node)
    line, test = snippet.lines[row], text_of(snippet, node.test)
    start, end = statement_lines(node.body[0])[0], _body_end(snippet, node.body)
    rest = line[end_of(snippet, node.test)[1] :].replace(")", "").strip()
    if not test or line[:column].strip() or rest != ":" or start <= row:
        return None
    body = tuple(snippet.lines[row + 1 : end + 1])
    return Branches(row, line[:column], indentation(snippet.lines[start]), test, body, (), end)


def branches(snippet: Snippet, node: ast.If) -> Branches | None:
    """The lines of an `if` and its `else`, unless there is an `elif`, or a comment that would lose its place."""
    read = branch(snippet, node)
    if read is None or not node.orelse:
        return read
    first, last = statement_lines(node.orelse[0])[0], _body_end(snippet, node.orelse)
    middle = [at for at in range(read.last + 1, first) if snippet.lines[at].strip()]
    if not middle or snippet.lines[middle[0]].rstrip() != f"{read.indent}else:":
        return None
    if indentation(snippet.lines[first]) != read.inner:
        return None
    return replace(read, other=tuple(snippet.lines[middle[0] + 1 : last + 1]), last=last)


def _body_end(snippet: Snippet, block: Sequence[ast.stmt]) -> int:
    """The last line of a block, with the comments below that are indented like it."""
    last = statement_lines(block[-1])[1]
    inner = len(indentation(snippet.lines[statement_lines(block[0])[0]]))
    at = last + 1
    while at < len(snippet.lines) and (line := snippet.lines[at]).lstrip()[:1] in ("", "#"):
        if line.strip() and len(indentation(line)) < inner:
            break
        last = at if line.strip() else last
        at += 1
    return last


def moved(lines: Iterable[str], old: str, new: str) -> tuple[str, ...] | None:
    """The lines with their common indentation `old` made `new`, or None when that would change a string."""
    result = []
    for line in lines:
        text = line.strip()
        if text and not line.startswith(old):
            return None
        if line.endswith("\\") or line.count('"""') % 2 or line.count("'''") % 2:
            return None
        result.append(new + line.removeprefix(old) if text else line)
    return tuple(result)


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether the end of a block is never reached."""
    last = block[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and leaves(last.body) and leaves(last.orelse)
    return isinstance(last, LEAVING)


def same(one: object, other: object) -> bool:
    """Whether two nodes or lists of nodes say the same."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, ast.AST) and isinstance(other, ast.AST) and ast.dump(one) == ast.dump(other)


def uncommented(snippet: Snippet, first: int, last: int) -> bool:
    """Whether no comment stands on lines first..last."""
    if not any("#" in line for line in snippet.lines[first : last + 1]):
        return True
    return _comment_rows(snippet.lines).isdisjoint(range(first, last + 1))


@lru_cache(8)
def _comment_rows(lines: tuple[str, ...]) -> frozenset[int]:
    reader = io.StringIO("\n".join(["if 1:", *(f" {line}" for line in lines)]) + "\n").readline
    try:
        return frozenset(one.start[0] - 2 for one in tokenize.generate_tokens(reader) if one.type == tokenize.COMMENT)
    except (tokenize.TokenError, SyntaxError):
        return frozenset(number for number, line in enumerate(lines) if "#" in line)


def simple(snippet: Snippet, node: ast.stmt) -> bool:
    """Whether a statement has its lines to itself and no comment on them."""
    return stands_alone(snippet, node) and uncommented(snippet, *statement_lines(node))
