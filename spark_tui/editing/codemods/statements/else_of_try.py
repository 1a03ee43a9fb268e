"""Statements that go into the `else` of a try, a loop or an if, where that is asked for."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import statement_lines
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.flow import LEAVING, leaves
from spark_tui.editing.codemods.common.taking_out import without
from spark_tui.editing.codemods.statements.statement_words import stems, stems_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places

_ASKED = re.compile(
    r"\b(?:in|into|to|an?|own|the|its|return|with|as) (?:an? |the |its |own )?`?else`?\b"
    r"|\btry/(?:except/)?else\b|\bTRY300\b"
    r"|\belse (?:branch|block|clause|part) (?:for|with|of)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no|without|drop|remove|needless|unnecessary|lose|superfluous)\b(?: \w+)? `?else\b|\belse away\b"
)


def into_else(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after the end of a try, or what follows it or an if that leaves, went into an `else`."""
    if not _ASKED.search(request.instruction) or _NO.search(request.instruction):
        return
    said = stems(request.instruction)
    found = places(before)
    for place in found:
        block = [one for one in found if one.block is place.block and one.index > place.index]
        match place.node:
            case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=end) if handlers:
                yield from _end_of_body(before, [one for one in found if one.block is body], handlers, said)
                if not end and all(leaves(one.body) for one in handlers):
                    yield from _following(before, place, block, said)
            case ast.If(body=body, orelse=[]) if isinstance(body[-1], LEAVING):
                yield from _following(before, place, block, said)


def _end_of_body(
    before: Snippet, body: Sequence[Place], handlers: Sequence[ast.ExceptHandler], said: set[str]
) -> Iterator[list[str]]:
    """From a statement of the body on; first those that the words speak of, and a return."""
    last = statement_lines(handlers[-1].body[-1])[1]
    starts = sorted(body[1:], key=lambda one: -len(said & stems_of(before, one)) - isinstance(one.node, ast.Return))
    for start in starts[:2]:
        rows = range(start.first, body[-1].last + 1)
        outer = start.indent.removesuffix(before.layout.unit)
        kept = without(before.lines, start.first, body[-1].last)
        gone = len(before.lines) - len(kept)
        at = last + 1 - gone
        yield [*kept[:at], f"{outer}else:", *(before.lines[row] for row in rows), *kept[at:]]


def _following(before: Snippet, place: Place, block: Sequence[Place], said: set[str]) -> Iterator[list[str]]:
    """What comes right behind, up to a statement that the words speak of."""
    told = [index for index, one in enumerate(block) if said & stems_of(before, one)]
    counts = dict.fromkeys([*(index + 1 for index in told[:2]), 1, len(block)] if block else [])
    for count in list(counts)[:2]:
        moved = block[:count]
        if all(movable(one.node) for one in moved):
            rows = before.lines[moved[0].first : moved[-1].last + 1]
            inner = [before.layout.unit + line if line.strip() else line for line in rows]
            head = before.lines[: place.last + 1]
            yield [*head, f"{place.indent}else:", *inner, *before.lines[moved[-1].last + 1 :]]
