"""The small changes of a piece of code, each of which could be the fix of a bug: a search tries them with a command.

`of` lists them by looking at the code alone; no words of a user come in here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from typing import NamedTuple

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.mutations import (
    arguments,
    bounds,
    calls,
    conditions,
    defaults,
    literals,
    missing_lines,
    names,
    operators,
    qualifiers,
    statements,
)
from spark_tui.editing.mutations.base import Lines, Source
from spark_tui.editing.mutations.pieces import Pieces, edges
from spark_tui.editing.snippet import Snippet

GROUPS: Mapping[str, Callable[[Source], Iterator[Lines]]] = {
    "operator": operators.operators,
    "bound": bounds.bounds,
    "condition": conditions.conditions,
    "name": names.names,
    "attribute": names.attributes,
    "literal": literals.literals,
    "call": calls.calls,
    "argument": arguments.arguments,
    "order": arguments.swapped,
    "return": statements.returns,
    "leaving": statements.leavings,
    "await": qualifiers.awaits,
    "self": qualifiers.selves,
    "indent": statements.moves,
    "default": defaults.mutable_defaults,
    "none": defaults.none_guards,
    "line": missing_lines.missing_lines,
    "case": missing_lines.ending_cases,
    "step": missing_lines.steps,
}
"""What lists each group of mutations."""
MOST = 500
"""Of one group; what comes later is left out."""


class Mutation(NamedTuple):
    """One change: the group that it is of, and the lines as they are after it."""

    group: str
    after: tuple[str, ...]


def of(
    snippet: Snippet, *, lines: tuple[int, int] | None = None, meant: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Mutation]:
    """Every mutation, none twice, each of them Python: the first of each group before the second of any.

    Args: lines: the 0-based first and last line that a mutation must touch one of. meant: for names and keys that are
        known to be wrong, those that may be meant.
    """
    try:
        empty = not snippet.tree.body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    with suppress(RecursionError, MemoryError):
        yield from () if empty else _listed(Source(snippet, meant), lines)


def _listed(source: Source, lines: tuple[int, int] | None) -> Iterator[Mutation]:
    before = source.lines
    widest = max([MAX_WIDTH, *map(len, before)])
    seen, pieces = {before}, Pieces(source)
    lists = [[(group, tuple(after)) for after in islice(find(source), MOST)] for group, find in GROUPS.items()]
    for row in zip_longest(*lists):
        for group, after in filter(None, row):
            if after in seen or (lines and not _touches(before, after, *lines)):
                continue
            seen.add(after)
            if max(map(len, after), default=0) <= widest and pieces.parses(after):
                yield Mutation(group, after)


def _touches(before: Sequence[str], after: Sequence[str], first: int, last: int) -> bool:
    """Whether the lines that change are among some, or right beside them."""
    head, tail = edges(before, after)
    changed = len(before) - tail - 1
    return head <= last + (changed < head) and changed >= first - 1 * (changed < head)
