"""Fits what words speak for which kind of edit: the generator's, everyday ones, requests written one by one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import numpy as np

from spark_tui.editing.intents import CODE, Intents, Weights, features, plain
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
_EPOCHS, _BATCH, _RATE, _DROPPED, _SMOOTHING = 5, 512, 0.01, 0.3, 0.02
_UNIT = 1 / 16

Way = tuple[str, str]
"""A kind, and one way to ask for it."""


def fit_intents(*, without: int | None = None) -> Intents:
    """The weights over all kinds. Deterministic; takes half a minute. Args: without: a fold of the wishes."""
    trained, everyday_ways, written_ways = list(_trained()), list(_everyday()), list(_written(without))
    ways = [*trained, *_EVERYDAY_WEIGHT * everyday_ways, *_WRITTEN_WEIGHT * written_ways]
    said = [features(words) for _, words in ways]
    counts = Counter(feature for _, words in (*trained, *everyday_ways, *written_ways) for feature in features(words))
    places = {feature: place for place, feature in enumerate(sorted(f for f in counts if counts[f] >= _RAREST), 1)}
    names = tuple(kind.name for kind in kinds())
    rows = [[0, *sorted(places[feature] for feature in found if feature in places)] for found in said]
    weights = _fitted(rows, [names.index(kind) for kind, _ in ways], len(places) + 1, len(names))
    words = {
        name: frozenset(_words(f for (kind, _), f in zip(ways, said, strict=True) if kind == name)) for name in names
    }
    return Intents(names, places, weights, words, _UNIT)


def _trained() -> Iterator[Way]:
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


def _everyday() -> Iterator[Way]:
    rng = Random("everyday")
    for kind, line in everyday():
        tree = parse_skeleton(line)
        said = ["".join(part.text for part in expand(tree, {}, rng)) for _ in range(_EVERYDAY_WAYS)]
        yield from ((kind, words) for words in dict.fromkeys(said))


def _written(without: int | None) -> Iterator[Way]:
    return ((kind, plain(words, lines)) for kind, words, lines in asked(without=without))


def _words(found: Iterable[set[str]]) -> set[str]:
    return {word for said in found for word in said if word.isalpha()}


def _fitted(rows: list[list[int]], targets: list[int], features: int, kinds: int) -> Weights:
    """Log-linear weights, a third of the features left out at each look. Returns: (features, kinds)."""
    import torch  # noqa: PLC0415 - the rest of this room does without it

    weights = torch.nn.EmbeddingBag(features, kinds, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    optimizer = torch.optim.Adam(weights.parameters())
    rng, wanted = np.random.default_rng(0), torch.tensor(targets)
    for epoch in range(_EPOCHS):
        order = rng.permutation(len(rows))
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        for start in range(0, len(rows), _BATCH):
            chosen = order[start : start + _BATCH]
            said, starts = list[int](), list[int]()
            for one in chosen:
                starts.append(len(said))
                kept = rng.random(len(rows[one])) >= _DROPPED
                said += [0, *(row for row, keep in zip(rows[one][1:], kept[1:], strict=True) if keep)]
            scores = weights(torch.tensor(said), torch.tensor(starts))
            loss = torch.nn.functional.cross_entropy(scores, wanted[chosen], label_smoothing=_SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found: Weights = (weights.weight.detach() / _UNIT).round().clamp(-127, 127).to(torch.int8).numpy()
    return found


def _blank(family: Family, rng: Random) -> str:
    slots = dict.fromkeys(_slots(family.tree), f" {CODE} ")
    return "".join(part.text for part in expand(family.tree, slots, rng))


def _slots(tree: Sequence) -> set[str]:
    names = {node.name for node in tree if isinstance(node, Slot)}
    choices = [option for node in tree if isinstance(node, Choice) for option in node.options]
    return names.union(*map(_slots, choices))
