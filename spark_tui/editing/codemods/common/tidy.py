"""Spots of a region to be rewritten, and the choices among them: shared by the codemods that tidy up."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, Position, end_of, start_of, statement_lines
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.snippet import Snippet

MOST_ALONE = 120
"""How many spots are listed one by one."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of source from `start` to `end` (exclusive) that becomes `text`; `sort` says by which rule."""

    start: Position
    end: Position
    text: str
    sort: str = ""
    whole: bool = False
    """Whether whole lines go away, with the end of the line before them."""

    @property
    def rows(self) -> tuple[int, int]:
        """The first and last line it is on, 0-based."""
        return self.start[0] + self.whole, self.end[0]


def on_node(before: Snippet, node: ast.expr | ast.stmt, text: str, sort: str = "") -> Spot:
    """The spot that a node takes up."""
    return Spot(start_of(before, node), end_of(before, node), text, sort)


def taken_out(before: Snippet, first: int, last: int, sort: str, stand_in: str = "") -> Spot | None:
    """Lines first..last go away, with the blank lines that would be doubled; `stand_in` comes in their place.

    None when nothing comes before them.
    """
    lines = before.lines
    if stand_in:
        return Spot((first, 0), (last, len(lines[last])), stand_in, sort)
    if first == 0:
        return None
    if not lines[first - 1].strip():
        while last + 1 < len(lines) and not lines[last + 1].strip():
            last += 1
    if last + 1 == len(lines):
        while first > 1 and not lines[first - 1].strip():
            first -= 1
    return Spot((first - 1, len(lines[first - 1])), (last, len(lines[last])), "", sort, whole=True)


def rewritten(before: Snippet, spots: Iterable[Spot]) -> list[str]:
    """The lines after the spots are done; of two that overlap, the one that begins first (and is longer)."""
    chosen: list[Spot] = []
    for spot in sorted(dict.fromkeys(spots), key=lambda one: (one.start, (-one.end[0], -one.end[1]))):
        if not chosen or chosen[-1].end <= spot.start:
            chosen.append(spot)
    lines = list(before.lines)
    for spot in reversed(chosen):
        (first, start), (last, end) = spot.start, spot.end
        joined = lines[first][:start] + spot.text + lines[last][end:]
        lines[first : last + 1] = joined.split("\n")
    return lines


def fits(before: Snippet, spot: Spot) -> bool:
    """Whether no line gets too long that was not."""
    known = set(before.lines)
    return all(len(line) <= MAX_WIDTH or line in known for line in rewritten(before, [spot]))


def choices(before: Snippet, spots: Sequence[Spot], request: Request) -> Iterator[Ops]:
    """All spots, those of a sort, those of a function, each alone; only among those on the lines selected."""
    seen: set[Ops] = set()
    for group in groups(before, selected(spots, request)):
        ops = between(before, rewritten(before, group))
        if ops and ops not in seen:
            seen.add(ops)
            yield ops


def selected(spots: Sequence[Spot], request: Request) -> Sequence[Spot]:
    """The spots on the selected lines, or all when none is."""
    if request.selected is None:
        return spots
    first, last = request.selected
    return [one for one in spots if one.rows[0] <= last and first <= one.rows[1]]


def groups(before: Snippet, spots: Sequence[Spot]) -> Iterator[Sequence[Spot]]:
    """The subsets that people ask for, the likeliest first. One spot alone comes once."""
    if not spots:
        return
    yield spots
    sorts = dict.fromkeys(one.sort for one in spots)
    if len(sorts) > 1:
        yield from ([one for one in spots if one.sort == sort] for sort in sorts)
    if len(spots) > 1:
        yield from by_function(before, spots)
        yield from ([one] for one in spots[:MOST_ALONE])


def by_function(before: Snippet, spots: Sequence[Spot]) -> Iterator[Sequence[Spot]]:
    """For each function with some of the spots, those in it, and those of each sort."""
    for function in before.functions:
        first, last = statement_lines(function)
        inside = [one for one in spots if first <= one.rows[0] and one.rows[1] <= last]
        if not 1 < len(inside) < len(spots):
            continue
        yield inside
        sorts = dict.fromkeys(one.sort for one in inside)
        yield from ([one for one in inside if one.sort == sort] for sort in sorts if len(sorts) > 1)


def blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """Every list of statements, with the node it belongs to, in source order."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield node, block
