"""The small changes of a piece of code, each of which could be the fix of a bug: a search tries them with a command.

`of` lists them by looking at the code alone; no words of a user come in here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from typing import NamedTuple

from spark_tui.editing.mutations import names, operators, order, returns
from spark_tui.editing.mutations.source import Lines, Source
from spark_tui.editing.snippet import Snippet

GROUPS: Mapping[str, Callable[[Source], Iterator[Lines]]] = {
    "operator": operators.operators,
    "bound": operators.bounds,
    "condition": operators.conditions,
    "name": names.names,
    "attribute": names.attributes,
    "literal": names.literals,
    "order": order.swapped,
    "return": returns.returns,
}
"""What lists each group of mutations."""
MAX_WIDTH = 110
"""No mutation makes a line longer than this, unless one of the lines is."""
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
    if snippet.is_python:
        with suppress(RecursionError, MemoryError):
            yield from _listed(Source(snippet, meant), lines)


def _listed(source: Source, lines: tuple[int, int] | None) -> Iterator[Mutation]:
    before = source.lines
    widest, seen = max([MAX_WIDTH, *map(len, before)]), {before}
    lists = [[(group, tuple(after)) for after in islice(find(source), MOST)] for group, find in GROUPS.items()]
    for row in zip_longest(*lists):
        for group, after in filter(None, row):
            if after in seen or (lines and not _touches(before, after, *lines)):
                continue
            seen.add(after)
            if max(map(len, after), default=0) <= widest and Snippet(after).is_python:
                yield Mutation(group, after)


def _touches(before: Sequence[str], after: Sequence[str], first: int, last: int) -> bool:
    """Whether the lines that change are among some, or right beside them."""
    most = min(len(before), len(after))
    head = next((row for row in range(most) if before[row] != after[row]), most)
    tail = next((row for row in range(most - head) if before[-1 - row] != after[-1 - row]), most - head)
    changed = len(before) - tail - 1
    return head <= last + (changed < head) and changed >= first - 1 * (changed < head)
