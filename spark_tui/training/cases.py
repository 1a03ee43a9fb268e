"""Chooses the frozen evaluation cases: so many requests of every kind, from code and with phrasings held out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from spark_tui.editing.snippet import Snippet
from spark_tui.training.data import balanced_weights, groups
from spark_tui.training.examples import Example, Group

MOST_PER_REGION = 2


def choose_cases(snippets: Sequence[Snippet], wanted: int, *, seed: int) -> Iterator[Group]:
    """Groups with at most MOST_PER_REGION requests each, until every kind has `wanted` in both splits.

    Each snippet is used once, alternately for known and for held-out phrasings.
    """
    order = list(snippets)
    Random(seed).shuffle(order)
    weights = balanced_weights(order[:500])
    for held_out in (False, True):
        found = groups(order[held_out::2], seed=seed + 1 + held_out, held_out=held_out, weights=weights)
        yield from _thinned(found, wanted)


def _thinned(found: Iterable[Group], wanted: int) -> Iterator[Group]:
    counts: Counter[str] = Counter()
    for group in found:
        kept: list[Example] = []
        for example in sorted(group.examples, key=lambda one: counts[one.kind]):
            if counts[example.kind] < wanted and len(kept) < MOST_PER_REGION:
                counts[example.kind] += 1
                kept.append(example)
        if kept:
            yield Group(group.before, tuple(kept))
