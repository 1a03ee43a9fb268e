"""Finds names by some of their letters: what is typed need not be together, only in its order.

Letters count more side by side, at the beginning of a word (after / _ - . or as a capital) and in a path's last part.
Capitals are told apart once there is one in the query.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice

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
_END = "\0"
"""No file's name has it."""
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
    """Names to find among, at most some 100,000.

    `best` is quickest where a query grows letter by letter. Of names that fit equally well the shorter comes first,
    then the order of the alphabet.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        names = [_lower(text) for text in self._texts]
        stems = [name[name.rfind("/") + 1 :] for name in names]
        self._names, self._stems = _Column(names), _Column(stems)
        self._words = _Column([f"_{stem.translate(_ONE_SEPARATOR)}" for stem in stems])
        self._few: tuple[str, Sequence[int]] = ("", ())
        """The last query that few names fit, and those: as it grows, no other ones will."""

    def __len__(self) -> int:
        return len(self._texts)

    def best(self, query: str, limit: int) -> list[Match]:
        """The names that fit best, the best first."""
        if not query:
            return [Match(text, 0, ()) for text in self._texts[:limit]]
        likeliest = (self._texts[number] for number in self._likeliest(_lower(query)))
        found = [found for text in likeliest if (found := match(query, text)) is not None]
        return sorted(found, key=lambda each: (-each.score, len(each.text), each.text))[:limit]

    def _likeliest(self, query: str) -> Sequence[int]:
        """All that fit, if they are not too many; else some of each kind.

        That is: the query begins the last part, begins a word, is in it, is scattered over it.
        """
        known, numbers = self._few
        if known and query.startswith(known):
            return [number for number in numbers if _fits(query, _lower(self._texts[number]))]
        scattered = list(islice(self._names.fitting(query), _MOST_SCORED + 1))
        if len(scattered) <= _MOST_SCORED:
            self._few = query, scattered
            return scattered
        groups = (
            self._stems.having(_END + query),
            self._words.having(f"_{query.translate(_ONE_SEPARATOR)}"),
            self._stems.having(query),
            self._names.having(query),
            self._stems.fitting(query),
        )
        chosen = dict.fromkeys(number for group in groups for number in islice(group, _MOST_OF_A_KIND))
        return list(chosen | dict.fromkeys(scattered))[:_MOST_SCORED]


class _Column:
    """Many short texts, one behind the other, so that those with some letters are found without a look at each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._all = _END.join(["", *texts, ""])
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=1))

    def having(self, part: str) -> Iterator[int]:
        """The numbers of the texts that have a part; `_END` and a part: of those that begin with it."""
        at = self._all.find(part)
        while at >= 0:
            number = bisect_right(self._starts, at + part.startswith(_END)) - 1
            yield number
            at = self._all.find(part, self._starts[number + 1] - 1)

    def fitting(self, letters: str) -> Iterator[int]:
        """The numbers of the texts that have letters in this order."""
        found = _in_order(letters).finditer(self._all)
        return (bisect_right(self._starts, each.start() + 1) - 1 for each in found)


def _has_capital(query: str) -> bool:
    return query != query.lower()


def _lower(text: str) -> str:
    """Small letters, as many as there were: places in one are places in the other."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _fits(query: str, name: str) -> bool:
    return _in_order(query).match(_END + name) is not None


@lru_cache(maxsize=64)
def _in_order(query: str) -> re.Pattern[str]:
    return re.compile(_END + "".join(f"[^{letter}{_END}]*+{letter}" for letter in map(re.escape, query)))
