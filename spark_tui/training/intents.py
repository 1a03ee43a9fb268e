"""Fits what words speak for which kind of edit: the generator's, everyday ones, requests written one by one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from spark_tui.editing.intents import CODE, Intents, features, plain
from spark_tui.training.fitting import UNIT, fit_log_linear
from spark_tui.training.kinds.base import Kind
from spark_tui.training.kinds.registry import kinds
from spark_tui.training.phrasing import Phrasebook
from spark_tui.training.skeletons import Choice, Family, Sequence, Slot, expand, parse_skeleton
from spark_tui.training.written import asked

EVERYDAY = Path(__file__).with_name("everyday.txt")
_WAYS, _EVERYDAY_WAYS = 6, 8
"""How many ways to say a family are used."""
_EVERYDAY_WEIGHT, _WRITTEN_WEIGHT = 3, 3
_RAREST = 3
"""How often a feature must be said to count."""

Way = tuple[str, str]
"""A kind, and one way to ask for it."""


def fit_intents(*, without: int | None = None) -> Intents:
    """The weights over all kinds. Deterministic; takes half a minute. Args: without: a fold of the wishes."""
    trained, common, written_ways = list(trained_ways()), list(everyday_ways()), list(_written(without))
    ways = [*trained, *_EVERYDAY_WEIGHT * common, *_WRITTEN_WEIGHT * written_ways]
    said = [features(words) for _, words in ways]
    counts = Counter(feature for _, words in (*trained, *common, *written_ways) for feature in features(words))
    places = {feature: place for place, feature in enumerate(sorted(f for f in counts if counts[f] >= _RAREST), 1)}
    names = tuple(kind.name for kind in kinds())
    rows = [[0, *sorted(places[feature] for feature in found if feature in places)] for found in said]
    weights = fit_log_linear(rows, [names.index(kind) for kind, _ in ways], (len(places) + 1, len(names)))
    words = {
        name: frozenset(_words(f for (kind, _), f in zip(ways, said, strict=True) if kind == name)) for name in names
    }
    return Intents(names, places, weights, words, UNIT)


def trained_ways() -> Iterator[Way]:
    """The generator's ways to ask, but those held out, what stands for code blank."""
    for kind in kinds():
        yield from dict.fromkeys(_ways(kind))


def _ways(kind: Kind) -> Iterator[Way]:
    rng = Random(kind.name)
    for family in Phrasebook(kind.skeletons).families:
        if not family.held_out:
            yield from ((kind.name, _blank(family, rng)) for _ in range(_WAYS))


def everyday() -> Iterator[tuple[str, str]]:
    """The everyday skeletons, each with its kind."""
    kind = ""
    for line in EVERYDAY.read_text("utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and kind:
            yield kind, line


def everyday_ways() -> Iterator[Way]:
    """The everyday skeletons, said in several ways, what stands for code blank."""
    rng = Random("everyday")
    for kind, line in everyday():
        tree = parse_skeleton(line)
        said = ["".join(part.text for part in expand(tree, {}, rng)) for _ in range(_EVERYDAY_WAYS)]
        yield from ((kind, words) for words in dict.fromkeys(said))


def _written(without: int | None) -> Iterator[Way]:
    return ((kind, plain(words, lines)) for kind, words, lines in asked(without=without))


def _words(found: Iterable[set[str]]) -> set[str]:
    return {word for said in found for word in said if word.isalpha()}


def _blank(family: Family, rng: Random) -> str:
    slots = dict.fromkeys(_slots(family.tree), f" {CODE} ")
    return "".join(part.text for part in expand(family.tree, slots, rng))


def _slots(tree: Sequence) -> set[str]:
    names = {node.name for node in tree if isinstance(node, Slot)}
    choices = [option for node in tree if isinstance(node, Choice) for option in node.options]
    return names.union(*map(_slots, choices))
