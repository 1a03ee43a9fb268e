"""Expressions and statements said in other words, which the instruction tells by their name.

Each rule lists its places only where the words hold its name, so that nobody has to choose among what was not asked.
"""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.bugs.slips import spots
from spark_tui.editing.codemods.common.expression_places import all_or_each, places_meant
from spark_tui.editing.codemods.rewording.calls_otherwise import CALLED
from spark_tui.editing.codemods.rewording.calls_swapped import SWAPPED
from spark_tui.editing.codemods.rewording.collected_otherwise import COLLECTED
from spark_tui.editing.codemods.rewording.compared_otherwise import COMPARED
from spark_tui.editing.codemods.rewording.done_otherwise import DONE
from spark_tui.editing.codemods.rewording.known_otherwise import KNOWN
from spark_tui.editing.codemods.rewording.raised_in_place import RAISED
from spark_tui.editing.codemods.rewording.said_otherwise import SAID, source_of
from spark_tui.editing.codemods.rewording.stated_otherwise import STATED
from spark_tui.editing.codemods.rewording.stood_in import STOOD_IN
from spark_tui.editing.codemods.rewording.truths_otherwise import TRUTHS
from spark_tui.editing.codemods.rewording.written_otherwise import WRITTEN
from spark_tui.editing.snippet import Snippet

_ALL = (*COMPARED, *SAID, *KNOWN, *DONE, *CALLED, *STATED, *COLLECTED, *TRUTHS, *RAISED, *STOOD_IN, *SWAPPED, *WRITTEN)
_RULES = [(re.compile(words), rule) for words, rule in _ALL]
_WORDS = re.compile("|".join(f"(?:{words})" for words, _ in _ALL))
_MOST = 12


def rewordings(before: Snippet, request: Request) -> Iterator[Ops]:
    """The lines after each place that may be meant reads as the words say: each alone, and all of them."""
    if not _WORDS.search(request.instruction.lower()):
        return
    count = 0
    for words, rule in _RULES:
        if not words.search(request.instruction.lower()):
            continue
        found: dict[int, list[tuple[ast.expr, str]]] = {}
        for node, parent in _nodes(before):
            for at, text in enumerate(rule(before, node, parent, request.instruction)):
                found.setdefault(at, []).append((node, text))
        for ways in found.values():
            for lines in _edited(before, request, ways):
                yield between(before, lines)
                count += 1
                if count == _MOST:
                    return


def _nodes(before: Snippet) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Expressions with what they stand in, and statements; a statement passes for an expression, it has a place too."""
    yield from ((spot.node, spot.parent) for spot in spots(before.tree))
    yield from ((node, node) for node in before.nodes if isinstance(node, ast.stmt))  # type: ignore[misc]


def _edited(before: Snippet, request: Request, ways: list[tuple[ast.expr, str]]) -> Iterator[list[str]]:
    texts = {id(node): text for node, text in ways}
    for group in all_or_each(places_meant(before, request, [node for node, _ in ways]), request.instruction):
        lines = list(before.lines)
        for node in sorted(group, key=lambda one: (one.lineno, one.col_offset), reverse=True):
            if source_of(before, node).count("#") > texts[id(node)].count("#"):
                break
            lines = splice(lines, start_of(before, node), end_of(before, node), texts[id(node)])
        else:
            if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines) and parses(lines):
                yield lines
