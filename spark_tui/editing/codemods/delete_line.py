"""Every line that can go by itself."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from spark_tui.editing import code
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.named import meant_lines
from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet

_Item = ast.expr | ast.keyword
_BLANK = re.compile(
    r"\b(?:blank|empty)(?: \w+)? (?:line|row)"
    r"|\b(?:drop|no|remove|without|delete|kill|lose|rid of|cut)\b(?: the| that| this)?(?: \w+)? blanks?(?:[.,!?]|$)",
    re.IGNORECASE,
)


class DeleteLine(Codemod):
    """A line goes: a statement that is not the only one of its block, a comment, an item of a list, a decorator."""

    kind: ClassVar[str] = "delete_line"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Only the lines that hold what the instruction quotes, where it quotes code; blank ones if it says so."""
        if _BLANK.search(request.instruction):
            yield from ((Delete(at, at),) for at, line in enumerate(before.lines) if not line.strip())
        found = sorted(set(_free_lines(before)))
        chosen = found if request.selected else meant_lines(before, found, request.instruction)
        yield from ((Delete(at, at),) for at in chosen)


def _free_lines(snippet: Snippet) -> Iterator[int]:
    within = {at for node in snippet.nodes for at in _text_lines(node)}
    for node in snippet.nodes:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and len(block) > 1:
                yield from (one.lineno - 1 for one in block if _fits(snippet, one))
        yield from _items_of(snippet, node)
    yield from (at for at, line in enumerate(snippet.lines) if line.lstrip().startswith("#") and at not in within)


def _text_lines(node: ast.AST) -> Iterable[int]:
    if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
        return range(node.lineno - 1, node.end_lineno or 0)
    return ()


def _items_of(snippet: Snippet, node: ast.AST) -> Iterator[int]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            items: list[ast.expr] = node.elts
            yield from _items(snippet, [(one, one) for one in items])
        case ast.Dict(keys=keys, values=values):
            yield from _items(snippet, [(key or value, value) for key, value in zip(keys, values, strict=True)])
        case ast.Call(args=args, keywords=named):
            every: list[_Item] = [*args, *named]
            yield from _items(snippet, [(one, one) for one in every])
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from (one.lineno - 1 for one in node.decorator_list if one.lineno == one.end_lineno)


def _fits(snippet: Snippet, statement: ast.stmt) -> bool:
    first, last = code.statement_lines(statement)
    return first == last and code.stands_alone(snippet, statement) and not hasattr(statement, "body")


def _items(snippet: Snippet, items: Sequence[tuple[_Item, _Item]]) -> Iterator[int]:
    """The lines that hold one item, from its first to its second node, and a comma, where there are several items."""
    for first, item in items if len(items) > 1 else ():
        row, column = code.start_of(snippet, first)
        last, end = code.end_of(snippet, item)
        line = snippet.lines[row]
        if row == last and not line[:column].strip() and line[end:].split("#")[0].strip() == ",":
            yield row
