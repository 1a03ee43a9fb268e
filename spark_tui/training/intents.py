"""Counts the words in which each kind of edit is asked for; only the phrasings used in training."""

from collections import Counter
from random import Random

from spark_tui.editing.intents import CODE, Intents, features
from spark_tui.training.kinds.base import Kind
from spark_tui.training.kinds.registry import kinds
from spark_tui.training.phrasing import Phrasebook
from spark_tui.training.skeletons import Choice, Family, Sequence, Slot, expand

_WAYS = 6
"""How many ways to say a family are counted."""


def count_intents() -> Intents:
    """The counts over all kinds. Deterministic."""
    found = {kind.name: _counted(kind) for kind in kinds()}
    return Intents({name: counts for name, (counts, _) in found.items()}, {name: n for name, (_, n) in found.items()})


def _counted(kind: Kind) -> tuple[Counter[str], int]:
    rng = Random(kind.name)
    families = [family for family in Phrasebook(kind.skeletons).families if not family.held_out]
    ways = [_blank(family, rng) for family in families for _ in range(_WAYS)]
    return Counter(feature for way in ways for feature in features(way)), len(ways)


def _blank(family: Family, rng: Random) -> str:
    slots = dict.fromkeys(_slots(family.tree), f" {CODE} ")
    return "".join(part.text for part in expand(family.tree, slots, rng))


def _slots(tree: Sequence) -> set[str]:
    names = {node.name for node in tree if isinstance(node, Slot)}
    choices = [option for node in tree if isinstance(node, Choice) for option in node.options]
    return names.union(*map(_slots, choices))
