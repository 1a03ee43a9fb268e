"""Every `break` or `continue` that a branch within a loop could end in, and every one that could be another."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.slips import meant
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, inner_blocks, places

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ASKED = re.compile(
    r"\b(?:add|insert|missing|forgot(?:ten)?|without|lacks|put)(?: the| a| an| my| this)? [`'\"]?(break|continue)\b",
    re.IGNORECASE,
)
Found = tuple[Function | None, Ops | None]


class AddBreak(Codemod):
    """A branch within a loop leaves the loop, or goes on to the next round."""

    kind: ClassVar[str] = "add_break"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """`break` before `continue` (only where it skips something) for each branch, then one for the other."""
        asked = _ASKED.search(request.instruction)
        only = asked[1].lower() if asked else None
        found = [
            (function, _leaving(before, block, word))
            for function, block, words in _branches(before.tree.body, None, loop=False, more=False)
            for word in words
            if only in (None, word) and stands_alone(before, block[-1]) and not isinstance(block[-1], _LEAVING)
        ]
        found += [] if only else [(place.function, ops) for place in places(before) for ops in _otherwise(place)]
        yield from meant(before, request.instruction, found)


def _branches(
    block: Sequence[ast.stmt], function: Function | None, *, loop: bool, more: bool
) -> Iterator[tuple[Function | None, Sequence[ast.stmt], tuple[str, ...]]]:
    """Every branch within a loop, with the words it could end in. `more`: something follows in the round."""
    for index, node in enumerate(block):
        follows = more or index + 1 < len(block)
        inside = node if isinstance(node, Function) else None if isinstance(node, ast.ClassDef) else function
        for inner in inner_blocks(node):
            if isinstance(node, _LOOPS):
                body = inner is node.body
                yield from _branches(inner, function, loop=body or loop, more=not body and follows)
                continue
            if isinstance(node, ast.ClassDef | Function):
                yield from _branches(inner, inside, loop=False, more=False)
                continue
            if loop and isinstance(node, ast.If | ast.Try | ast.Match) and not _goes_on(node, inner):
                yield function, inner, ("break", "continue") if follows else ("break",)
            yield from _branches(inner, function, loop=loop, more=follows)


def _otherwise(place: Place) -> Iterator[Ops]:
    """A loop or round left in another way: `break` and `continue` swapped, neither where a function is left."""
    match place.node:
        case ast.Break():
            words: tuple[str, ...] = ("continue",)
        case ast.Continue():
            words = ("break",)
        case ast.Return(value=None | ast.Constant(value=None)) if place.in_loop:
            words = ("continue", "break", "pass")
        case _:
            words = ()
    yield from ((Replace(place.first, place.last, (place.indent + word,)),) for word in words)


def _goes_on(node: ast.stmt, inner: Sequence[ast.stmt]) -> bool:
    """Whether the block is an elif, or a part of a try that always comes by."""
    elif_branch = isinstance(node, ast.If) and inner is node.orelse and len(inner) == 1 and isinstance(inner[0], ast.If)
    return elif_branch or (isinstance(node, ast.Try) and inner is node.finalbody)


def _leaving(before: Snippet, block: Sequence[ast.stmt], word: str) -> Ops | None:
    first, last = statement_lines(block[-1])
    line = indentation(before.lines[first]) + word
    if len(block) == 1 and isinstance(block[0], ast.Pass):
        return (Replace(first, last, (line,)),) if before.lines[first].strip() == "pass" else None
    return (Insert(last, (line,)),)
