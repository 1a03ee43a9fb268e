"""Asking for one spot, those of a function, or all: shared by the kinds whose codemod lists spots."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from spark_tui.editing.code import Function, statement_lines
from spark_tui.editing.codemods.common.tidy import Spot, rewritten
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Planted

Slots = Mapping[str, str]


def function_of(snippet: Snippet, spots: Sequence[Spot]) -> Function | None:
    """The innermost function that holds all the spots."""
    inside = [one for one in snippet.functions if all(_holds(one, spot) for spot in spots)]
    return inside[-1] if inside else None


def _holds(function: Function, spot: Spot) -> bool:
    first, last = statement_lines(function)
    return first <= spot.rows[0] and spot.rows[1] <= last


def propose_spots(
    snippet: Snippet,
    spots: Sequence[Spot],
    rng: Random,
    *,
    one: Callable[[Spot], Slots | None],
    many: Callable[[Sequence[Spot]], Slots | None],
    alone: float = 0.4,
) -> Edit | None:
    """One spot that a name or a selection tells, or all of them, or all in a function.

    Args: one: the slots of a spot, {} when only a selection tells it. many: the slots of several (or of the only one).
    alone: the share of one spot among several.
    """
    if not spots:
        return None
    spot = rng.choice(spots)
    if len(spots) > 1 and rng.random() < alone:
        slots, first, last = one(spot), *spot.rows
        shared = sum(other.rows[0] <= last and first <= other.rows[1] for other in spots) > 1
        by_line = not shared and (not slots or rng.random() < 0.4)
        if slots is None or not (slots or by_line):
            return None
        return edit_of(
            snippet, [spot], {} if by_line and rng.random() < 0.5 else slots, (first, last) if by_line else None
        )
    chosen, slots = list(spots), many(spots)
    inside = function_of(snippet, [spot])
    if inside and rng.random() < 0.4:
        within = [other for other in spots if _holds(inside, other)]
        if len(within) < len(spots) and (more := many(within)) is not None:
            chosen, slots = within, more
            slots = {**slots, "function": inside.name}
    if slots is None:
        return None
    by_line = len(chosen) == 1 and sum(_meet(one, chosen[0]) for one in spots) == 1 and rng.random() < 0.2
    return edit_of(snippet, chosen, slots, chosen[0].rows if by_line else None)


def _meet(one: Spot, two: Spot) -> bool:
    return one.rows[0] <= two.rows[1] and two.rows[0] <= one.rows[1]


def edit_of(
    snippet: Snippet, spots: Sequence[Spot], slots: Slots, selected: tuple[int, int] | None = None
) -> Edit | None:
    """The edit that does the spots; the function is told when it holds them all and no more can be meant."""
    function = function_of(snippet, spots)
    where = {"function": function.name} if function and (len(spots) == 1 or len(snippet.functions) == 1) else {}
    edit = Edit.between(snippet, rewritten(snippet, spots), {**where, **slots}, selected)
    return edit if edit.ops else None


def plant_spots(snippet: Snippet, spots: Sequence[Spot], rng: Random, *, all_of: float = 0.35) -> Planted | None:
    """Do one spot, some, or all: for inverse rewrites."""
    if not spots:
        return None
    count = len(spots) if rng.random() < all_of else rng.choice([1, 1, 2, 3])
    chosen = rng.sample(list(spots), min(count, len(spots)))
    return Planted(Snippet(tuple(rewritten(snippet, chosen))))


def said(rng: Random, words: str) -> str:
    """One of the words parted by `|`."""
    return rng.choice(words.split("|"))
