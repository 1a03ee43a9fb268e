"""How likely each part of some files is what a request is about, by the words they share.

BM25F over the names of the code and over its prose, words that are alike counted in part. The weights are those of a
softmax over all parts of a package, fitted to 287 requests whose place is known, so that a score is a log-probability
up to a constant. Nothing knows what a word means.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from spark_tui.context.parts import WORD, Part, pieces
from spark_tui.context.terms import is_shaped, quoted

SATURATION = 1.2
"""Many finds in a part of average size count at most 1 + SATURATION times what one does."""
CODE, PROSE, ALIKE, WHOLE, PAIR, QUOTED, NAME = 0.32, 0.14, 0.5, 0.3, 0.11, 0.7, 0.28
"""The weights of a piece of a name in the code, of one in the prose, of one that is alike, of a
whole name, of two pieces behind one another, of all that stands between quotation marks, and of
a piece of the part's own name.

With weights fitted to the packages of the other half, 34 % of 287 development requests have the
right part first and 60 % among six; each one left out costs 1 to 4 points.
"""
LIKENESS = 0.5
"""How many of their trigrams pieces of names share that are alike: the forms of one word."""

_MOST_PARTS, _RARE = 10_000, 200
"""Of more parts only those are weighed that have a word of the request which few have."""
_BEGINNING = 3
"""Letters that pieces of names which are alike begin with."""


def sieved(parts: Sequence[Part], words: str) -> Sequence[Part]:
    """The parts that are worth weighing."""
    if len(parts) <= _MOST_PARTS:
        return parts
    chosen = set[int]()
    for word in {word for word in WORD.findall(words) if len(word) > 1}:
        having = [at for at, part in enumerate(parts) if word in part.text]
        chosen.update(having if len(having) <= _RARE else ())
    # Where no word is rare, the first are as good as any, and better than none.
    return [parts[at] for at in sorted(chosen)] or parts[:_MOST_PARTS]


def likelihoods(words: str, parts: Sequence[Part]) -> list[float]:
    """A log-probability for each part, up to a constant."""
    whole = list(dict.fromkeys(WORD.findall(words)))
    asked = list(dict.fromkeys(pieces(whole)))
    scores = _Scores(parts)
    code = _Postings(part.code.pieces for part in parts)
    prose = _Postings(part.prose.pieces for part in parts)
    alike = {piece: _alike(piece, code.beginning(piece)) for piece in asked}
    shares = dict[str, float]()
    for piece in asked:
        in_code, in_prose = code[piece], prose[piece]
        rarity = scores.rarity(len(in_code.keys() | in_prose.keys()))
        shares[piece] = len(in_code) / (len(in_code) + len(in_prose)) if in_code else 0.0
        scores.add(in_code, CODE * rarity)
        scores.add(in_prose, PROSE * rarity)
        named = (at for at in in_code if piece in parts[at].name_pieces)
        scores.add_flat(named, NAME * rarity * shares[piece])
        for other, likeness in alike[piece].items():
            finds = code[other]
            scores.add(finds, ALIKE * likeness**2 * min(rarity, scores.rarity(len(finds))))
    for word in whole:
        finds = {at: count for at, part in enumerate(parts) if (count := part.code.words.get(word, 0))}
        own = pieces([word])
        share = 1.0 if is_shaped(word) or len(own) != 1 else shares[own[0]]
        scores.add(finds, WHOLE * share * scores.rarity(len(finds)))
    for pair in dict.fromkeys(pairwise(pieces(WORD.findall(words)))):
        holding = (code[pair[0]].keys() | prose[pair[0]].keys()) & (code[pair[1]].keys() | prose[pair[1]].keys())
        counts = {at: parts[at].code.count_pair(*pair) + parts[at].prose.count_pair(*pair) for at in holding}
        finds = {at: count for at, count in counts.items() if count}
        scores.add(finds, PAIR * scores.rarity(len(finds)))
    for text in quoted(words):
        if len(text) > 2:
            holds = [at for at, part in enumerate(parts) if text in part.text]
            scores.add_flat(holds, QUOTED * scores.rarity(len(holds)))
    return scores.of_parts


class _Scores:
    """The sums of what is found in the parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.of_parts = [0.0] * len(parts)
        average = sum(part.size for part in parts) / max(len(parts), 1) or 1.0
        self._slack = [SATURATION * part.size / average for part in parts]

    def rarity(self, having: int) -> float:
        """How much it tells that a part is among so many that have something."""
        return math.log(1 + (len(self.of_parts) - having + 0.5) / (having + 0.5))

    def add(self, finds: Mapping[int, int], weight: float) -> None:
        """Add how often parts have something: often in one counts little more than once, in a long one less."""
        for at, count in finds.items():
            self.of_parts[at] += weight * count * (1 + SATURATION) / (count + self._slack[at])

    def add_flat(self, holding: Iterable[int], weight: float) -> None:
        """Add that parts have something, however long they are."""
        for at in holding:
            self.of_parts[at] += weight


class _Postings:
    """Which parts have a piece of a name, and how often."""

    def __init__(self, counts: Iterable[Mapping[str, int]]) -> None:
        self._having = dict[str, dict[int, int]]()
        for at, counted in enumerate(counts):
            for piece, count in counted.items():
                self._having.setdefault(piece, {})[at] = count
        self._beginnings: dict[str, list[str]] | None = None

    def __getitem__(self, piece: str) -> Mapping[int, int]:
        return self._having.get(piece, {})

    def beginning(self, piece: str) -> Sequence[str]:
        """The other pieces that begin as one does."""
        if self._beginnings is None:
            self._beginnings = {}
            for known in self._having:
                self._beginnings.setdefault(known[:_BEGINNING], []).append(known)
        return [known for known in self._beginnings.get(piece[:_BEGINNING], ()) if known != piece]


def _alike(piece: str, others: Iterable[str]) -> dict[str, float]:
    """The pieces that are alike, and how much they are, from `LIKENESS` to 1."""
    if len(piece) <= _BEGINNING:
        return {}
    likeness = {other: likeness_of(piece, other) for other in others if len(other) > _BEGINNING}
    return {other: value for other, value in likeness.items() if value >= LIKENESS}


def likeness_of(piece: str, other: str) -> float:
    """How many of their trigrams two pieces share, from 0 to 1 (Dice)."""
    own, others = _trigrams(piece), _trigrams(other)
    return 2 * len(own & others) / (len(own) + len(others))


@lru_cache(maxsize=50_000)
def _trigrams(piece: str) -> frozenset[str]:
    bounded = f"^{piece}$"
    return frozenset(bounded[at : at + 3] for at in range(len(bounded) - 2))
