"""Statements that may stand in the wrong place, whatever the words say of it: neighbours, and what a block holds.

A statement changes places with its neighbour, goes out of a block to before or after it, or into the block below.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.statements.moving import placed
from spark_tui.editing.codemods.statements.statement_words import stems, stems_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import SCOPES, Place, is_string, movable, places

_LEVEL = re.compile(r"\b(?:level|deep|indent\w*|dedent\w*|nested)\b")
_FIXED = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Import, ast.ImportFrom, ast.Pass, *SCOPES)
_OPEN = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith)
_MOST = 14


def statements_astray(before: Snippet, request: Request) -> Iterator[tuple[Function | None, Ops]]:
    """Each move with the function it is in: of what the words speak of first."""
    if len(request.instruction.split()) < 2:
        return
    first, last = request.selected or (0, len(before.lines))
    found = [
        one for one in places(before) if not is_string(one.node) and first - 1 <= one.first and one.last <= last + 1
    ]
    said = stems(request.instruction)
    moves = [*_taken_out(before, found), *_taken_in(before, found)]
    if not _LEVEL.search(request.instruction):
        moves += _swapped(before, found)
    weights = {id(place): len(said & stems_of(before, place)) for place, _ in moves}
    for place, lines in sorted(moves, key=lambda one: -weights[id(one[0])])[:_MOST]:
        yield place.function, between(before, lines)


Move = tuple[Place, list[str]]


def _swapped(before: Snippet, found: list[Place]) -> Iterator[Move]:
    by_block: dict[int, list[Place]] = {}
    for place in found:
        by_block.setdefault(id(place.block), []).append(place)
    for block in by_block.values():
        for one, two in pairwise(block):
            if two.index == one.index + 1 and not isinstance(one.node, _FIXED) and not isinstance(two.node, _FIXED):
                yield two, placed(before, two, one.first, one.indent)


def _taken_out(before: Snippet, found: list[Place]) -> Iterator[Move]:
    """Statements that go before the block that they begin, or after a `try` that they end."""
    by_node = {id(place.node): place for place in found}
    for owner in found:
        body = owner.node.body if isinstance(owner.node, _OPEN) else []
        if len(body) < 2:
            continue
        first, last = by_node.get(id(body[0])), by_node.get(id(body[-1]))
        free = first and not isinstance(first.node, (*_FIXED, *_OPEN)) and movable(first.node)
        if first and free and not _sets(owner.node) & _reads(first.node):
            yield first, placed(before, first, owner.first, owner.indent)
        ends = owner.node is owner.block[-1] or (last and not isinstance(last.node, _FIXED))
        if last and ends and movable(last.node) and isinstance(owner.node, ast.Try):
            yield last, placed(before, last, owner.last + 1, owner.indent)


def _taken_in(before: Snippet, found: list[Place]) -> Iterator[Move]:
    """A statement that goes into the block right below, to its top."""
    by_node = {id(place.node): place for place in found}
    for place in found:
        after = by_node.get(id(place.block[place.index + 1])) if place.index + 1 < len(place.block) else None
        if after is None or isinstance(place.node, (*_FIXED, *_OPEN)) or not isinstance(after.node, _OPEN):
            continue
        inner = by_node.get(id(after.node.body[0]))
        head = after.node.test if isinstance(after.node, ast.If | ast.While) else getattr(after.node, "iter", None)
        if inner and movable(place.node) and not (head and _sets(place.node) & _reads(head)):
            yield place, placed(before, place, inner.first, inner.indent)


def _sets(node: ast.stmt) -> set[str]:
    """The names that a statement sets, of a block those of its head."""
    heads = [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt | ast.excepthandler)]
    return {
        one.id
        for head in heads
        for one in ast.walk(head)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def _reads(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
