"""Finds names by some of their letters: what is typed need not be together, only in its order.

Letters count more side by side, at the beginning of a word (after / _ - . or as a capital) and in a path's last part.
Capitals are told apart once there is one in the query.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

_LETTER, _BESIDE, _IN_NAME = 16, 10, 4
_AT_PART, _AT_WORD, _AT_CAPITAL = 14, 11, 9
_GAP, _FURTHER, _WIDEST = 3, 1, 12
_FIRST = 2
"""How many times the place of the first letter counts."""
_WHOLE_NAME = 40
_SEPARATORS = "_-. "
_ONE_SEPARATOR = str.maketrans(dict.fromkeys(_SEPARATORS, "_"))
_MOST_SCORED, _MOST_OF_A_KIND = 400, 64
"""Names that are looked at closely; where there are more, the shortest of each kind."""
_LONGEST = 400
"""Characters of a name that are looked at; of a path the last ones."""


@dataclass(frozen=True, slots=True)
class Match:
    """A name that fits. `at`: where the letters of the query are in it, for marking them."""

    text: str
    score: int
    at: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """How well a name fits, or None where it does not. An empty query fits everything."""
    skipped = max(0, len(text) - _LONGEST)
    seen = text[skipped:]
    compared = seen if _has_capital(query) else _lower(seen)
    ends = _alignment(query, seen, compared, seen.rfind("/") + 1)
    if ends is None:
        return None
    score, at = ends
    stem = compared[seen.rfind("/") + 1 :]
    if query and query in {stem, stem.rpartition(".")[0]}:
        score += _WHOLE_NAME
    return Match(text, score, tuple(place + skipped for place in at))


def _alignment(query: str, seen: str, compared: str, name_start: int) -> tuple[int, tuple[int, ...]] | None:
    """The best score, and the places that have it: for each letter the best end of what came before it."""
    if not query:
        return 0, ()
    row: list[tuple[int, int, int]] = []
    rows = []
    for number, letter in enumerate(query):
        row = _next_row(row, number, letter, seen, compared, name_start)
        if not row:
            return None
        rows.append(row)
    best = max(range(len(row)), key=lambda i: row[i][1])
    score, at = row[best][1], []
    for each in reversed(rows):
        at.append(each[best][0])
        best = each[best][2]
    return score, tuple(reversed(at))


def _next_row(
    before: Sequence[tuple[int, int, int]], number: int, letter: str, seen: str, compared: str, name_start: int
) -> list[tuple[int, int, int]]:
    """Each place of a letter with its best score and the index, in the row before, of the place that leads there."""
    row = []
    place = compared.find(letter, before[0][0] + 1 if before else 0)
    behind, from_gap, gap_index = 0, -(1 << 30), -1
    while place >= 0:
        here = _bonus(seen, place) * (1 if number else _FIRST) + _LETTER + (_IN_NAME if place >= name_start else 0)
        if not number:
            row.append((place, here, -1))
        else:
            while behind < len(before) and before[behind][0] < place - 1:
                if before[behind][1] + before[behind][0] * _FURTHER > from_gap:
                    from_gap, gap_index = before[behind][1] + before[behind][0] * _FURTHER, behind
                behind += 1
            score, source = from_gap - (place - 1) * _FURTHER - _GAP + here, gap_index
            if behind < len(before) and before[behind][0] == place - 1:
                beside = before[behind][1] + here + _BESIDE
                if beside >= score or source < 0:
                    score, source = beside, behind
            if source >= 0:
                row.append((place, score, source))
        place = compared.find(letter, place + 1)
    return row


def _bonus(seen: str, place: int) -> int:
    if place == 0 or seen[place - 1] == "/":
        return _AT_PART
    before = seen[place - 1]
    if before in _SEPARATORS:
        return _AT_WORD
    return _AT_CAPITAL if seen[place].isupper() and not before.isupper() else 0


class Names:
    """Names to find among, at most some 100,000. `best` is quickest where a query grows letter by letter.

    Of names that fit equally well the shorter comes first, then the order of the alphabet.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        self._lower = [_lower(text) for text in self._texts]
        self._stems = [text[text.rfind("/") + 1 :] for text in self._lower]
        self._words = [f"_{stem.translate(_ONE_SEPARATOR)}" for stem in self._stems]
        self._letters = [_bits(text) for text in self._lower]
        self._narrowed: list[tuple[str, list[int]]] = []

    def __len__(self) -> int:
        return len(self._texts)

    def best(self, query: str, limit: int) -> list[Match]:
        """The names that fit best, the best first."""
        if not query:
            return [Match(text, 0, ()) for text in self._texts[:limit]]
        fitting = self._fitting(query)
        chosen = fitting if len(fitting) <= _MOST_SCORED else self._likeliest(_lower(query), fitting)
        found = [found for i in chosen if (found := match(query, self._texts[i])) is not None]
        return sorted(found, key=lambda each: (-each.score, len(each.text), each.text))[:limit]

    def _fitting(self, query: str) -> list[int]:
        """The numbers of the names that have the letters in this order, whatever their case."""
        lower = _lower(query)
        while self._narrowed and not lower.startswith(self._narrowed[-1][0]):
            self._narrowed.pop()
        if self._narrowed and self._narrowed[-1][0] == lower:
            return self._narrowed[-1][1]
        among = self._narrowed[-1][1] if self._narrowed else range(len(self._texts))
        wanted, letters, names, fits = _bits(lower), self._letters, self._lower, _in_order(lower).match
        fitting = [i for i in among if letters[i] & wanted == wanted and fits(names[i])]
        self._narrowed.append((lower, fitting))
        return fitting

    def _likeliest(self, query: str, fitting: Sequence[int]) -> list[int]:
        """A selection, some of each: the query begins the last part, begins a word, is in it, is scattered over it."""
        stems, names, fits = self._stems, self._lower, _in_order(query).match
        word = f"_{query.translate(_ONE_SEPARATOR)}"
        groups: tuple[Iterable[int], ...] = (
            (i for i in fitting if stems[i].startswith(query)),
            (i for i in fitting if word in self._words[i]),
            (i for i in fitting if query in stems[i]),
            (i for i in fitting if query in names[i]),
            (i for i in fitting if fits(stems[i])),
        )
        chosen: dict[int, None] = {}
        for group in groups:
            chosen |= dict.fromkeys(islice(group, _MOST_OF_A_KIND))
        return list(chosen | dict.fromkeys(islice(fitting, _MOST_SCORED - len(chosen))))


def _has_capital(query: str) -> bool:
    return query != query.lower()


def _lower(text: str) -> str:
    """Small letters, as many as there were: places in one are places in the other."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _bits(text: str) -> int:
    """Which letters there are, roughly: a set of 64."""
    bits = 0
    for code in set(text):
        bits |= 1 << (ord(code) & 63)
    return bits


@lru_cache(maxsize=64)
def _in_order(query: str) -> re.Pattern[str]:
    return re.compile("".join(f"[^{letter}]*+{letter}" for letter in map(re.escape, query)))
