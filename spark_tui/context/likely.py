"""How likely each part of some files is what a request is about, by the words they share.

BM25 over code and prose apart. A word of the request counts for as much as the code is what it stands in here: "value"
may be a name, "because" is none. Nothing knows what a word means.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from spark_tui.context.parts import WORD, Part, pieces
from spark_tui.context.terms import is_shaped, quoted

SATURATION, LENGTH = 1.5, 0.8
IN_NAME, PIECE, PAIR, QUOTED = 0.7, 0.5, 0.5, 1.5
"""What a find is worth beside that of a whole name in the code: in the part's own name, of a part of a name, of two
parts behind one another, of all that stands between quotation marks."""
PROSE = 0.25
"""What a word of a comment or a text is worth beside that."""

_MOST_PARTS, _RARE = 10_000, 200
"""Of more parts only those are weighed that have a word of the request which few have."""


def sieved(parts: Sequence[Part], words: str) -> Sequence[Part]:
    """The parts that are worth weighing."""
    if len(parts) <= _MOST_PARTS:
        return parts
    chosen = set[int]()
    for word in {word for word in WORD.findall(words) if len(word) > 1}:
        having = [at for at, part in enumerate(parts) if word in part.text]
        chosen.update(having if len(having) <= _RARE else ())
    return [parts[at] for at in sorted(chosen)]


def likelihoods(words: str, parts: Sequence[Part]) -> list[float]:
    """A number for each part, which only means something beside the others'."""
    scores = _Scores(parts)
    told = dict.fromkeys(WORD.findall(words))
    each = pieces(list(told))
    in_order = pieces(WORD.findall(words))
    for word in told:
        share = 1.0 if is_shaped(word) else _share(word, [(p.code.words, p.prose.words) for p in parts])
        scores.add([p.code.words[word] for p in parts], share)
        scores.add([int(p.name == word) for p in parts], IN_NAME * share)
    shares = {one: _share(one, [(p.code.pieces, p.prose.pieces) for p in parts]) for one in dict.fromkeys(each)}
    for one, share in shares.items():
        scores.add([p.code.pieces[one] for p in parts], PIECE * share)
        scores.add([p.prose.pieces[one] for p in parts], PROSE * (0.2 + share))
    for pair in dict.fromkeys(pairwise(in_order)):
        scores.add([p.code.pairs[pair] for p in parts], PAIR)
        scores.add([p.prose.pairs[pair] for p in parts], PAIR * (shares.get(pair[0], 0) + shares.get(pair[1], 0)) / 2)
    for text in quoted(words):
        if len(text) > 2:
            scores.add([p.text.count(text) for p in parts], QUOTED)
    return scores.each


class _Scores:
    """The sums of what is found in each part."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.each = [0.0] * len(parts)
        average = sum(part.size for part in parts) / max(len(parts), 1) or 1.0
        self._slack = [SATURATION * (1 - LENGTH + LENGTH * part.size / average) for part in parts]

    def add(self, counts: Sequence[int], worth: float) -> None:
        """Add finds: the rarer they are, the more they count, and many in one part little more than one."""
        having = sum(count > 0 for count in counts)
        if not having or worth <= 0:
            return
        rarity = worth * max(math.log((len(counts) + 1) / (having + 0.5)), 0.0)
        for at, count in enumerate(counts):
            if count:
                self.each[at] += rarity * count * (1 + SATURATION) / (count + self._slack[at])


def _share(word: str, counts: Sequence[tuple[Mapping[str, int], Mapping[str, int]]]) -> float:
    """How much of a word's use is in code, from 0 to 1."""
    code, prose = (sum(each[at].get(word, 0) for each in counts) for at in (0, 1))
    return code / (code + prose) if code else 0.0
