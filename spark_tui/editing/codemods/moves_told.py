"""Statements that are to stand elsewhere in their block: "set the name before the kind", "the check goes first"."""

import re
from collections.abc import Iterator

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.statements_meant import SIDE, statements_meant
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, is_string

_MOVES = re.compile(
    r"\b(?:move|shift|hoist|pull|bring|swap|reorder|should (?:come|go|be|happen|run)|belongs?|comes?|goes)\b"
)
_DOES = re.compile(
    r"\b(?:put|assign|set|call|do|update|reset|start|stop|compute|increment|initiali[sz]e|read|write|close|open|save)\w*\b"
)
_EDGE = re.compile(
    r"\b(?P<first>first\b|(?:to|at) the (?:very )?(?:top|start|beginning))"
    r"|\b(?:last|(?:to|at) the (?:very )?(?:end|bottom))\b"
)
_ADDS = re.compile(r"\b(?:add|insert|print|log|warn|introduce|another|new)\w*\b")
_MOST = 4


def moves_told(before: Snippet, request: Request) -> list[list[str]]:
    """The lines after each move that may be meant; of what stands already where it is told to there is none."""
    words = request.instruction.lower()
    does = _DOES.search(words) and not _ADDS.search(words)
    found = list(_beside(before, words)) if _MOVES.search(words) or does else []
    if not found and (edge := _EDGE.search(words)) and _MOVES.search(words):
        found = list(_to_edge(before, words[: edge.start()], first=edge["first"] is not None))
    return found if len(found) <= _MOST else []


def _beside(before: Snippet, words: str) -> Iterator[list[str]]:
    side = SIDE.search(words)
    if side is None:
        return
    moved, where = words[: side.start()], words[side.end() :]
    if not statements_meant(before, moved):
        where, _, moved = where.partition(",")
    for anchor in statements_meant(before, where):
        for place in statements_meant(before, moved):
            apart = place.block is anchor.block and place.node is not anchor.node
            if apart and (place.index < anchor.index) is (side["after"] is not None):
                yield _moved(before, place, anchor.last + 1 if side["after"] else anchor.first)


def _to_edge(before: Snippet, words: str, *, first: bool) -> Iterator[list[str]]:
    for place in statements_meant(before, words):
        block = [node for node in place.block if not is_string(node)]
        end = block[0] if first else block[-1]
        if end is not place.node:
            yield _moved(before, place, end.lineno - 1 if first else end.end_lineno or end.lineno)


def _moved(before: Snippet, place: Place, row: int) -> list[str]:
    """The lines with a statement in front of what is at a row now."""
    lines = list(before.lines)
    own = lines[place.first : place.last + 1]
    if row > place.last:
        return [*lines[: place.first], *lines[place.last + 1 : row], *own, *lines[row:]]
    return [*lines[:row], *own, *lines[row : place.first], *lines[place.last + 1 :]]
