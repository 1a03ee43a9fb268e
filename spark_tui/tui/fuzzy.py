"""Finds names by some of their letters: what is typed need not be together, only in its order.

Letters count more side by side, at the beginning of a word (after / _ - . or as a capital) and in a path's last part.
Capitals are told apart once there is one in the query.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.tui.fuzzy_scores import (
    AT_CAPITAL,
    AT_PART,
    AT_WORD,
    BESIDE,
    FIRST,
    FURTHER,
    GAP,
    IN_NAME,
    LETTER,
    LONGEST,
    SEPARATORS,
    WHOLE_NAME,
    has_capital,
    lower,
    names_of,
)


@dataclass(frozen=True, slots=True)
class Match:
    """A name that fits. `at`: where the letters of the query are in it, for marking them."""

    text: str
    score: int
    at: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """How well a name fits, or None where it does not. An empty query fits everything."""
    skipped = max(0, len(text) - LONGEST)
    seen = text[skipped:]
    compared = seen if has_capital(query) else lower(seen)
    ends = _alignment(query, seen, compared, seen.rfind("/") + 1)
    if ends is None:
        return None
    score, at = ends
    if query and query in names_of(compared):
        score += WHOLE_NAME
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
        here = _bonus(seen, place) * (1 if number else FIRST) + LETTER + (IN_NAME if place >= name_start else 0)
        if not number:
            row.append((place, here, -1))
        else:
            while behind < len(before) and before[behind][0] < place - 1:
                if before[behind][1] + before[behind][0] * FURTHER > from_gap:
                    from_gap, gap_index = before[behind][1] + before[behind][0] * FURTHER, behind
                behind += 1
            score, source = from_gap - (place - 1) * FURTHER - GAP + here, gap_index
            if behind < len(before) and before[behind][0] == place - 1:
                beside = before[behind][1] + here + BESIDE
                if beside >= score or source < 0:
                    score, source = beside, behind
            if source >= 0:
                row.append((place, score, source))
        place = compared.find(letter, place + 1)
    return row


def _bonus(seen: str, place: int) -> int:
    if place == 0 or seen[place - 1] == "/":
        return AT_PART
    before = seen[place - 1]
    if before in SEPARATORS:
        return AT_WORD
    return AT_CAPITAL if seen[place].isupper() and not before.isupper() else 0


class Names:
    """Names to find among. Of those that fit equally well the shorter comes first, then the order of the alphabet.

    `best` is quickest where a query grows letter by letter: some milliseconds a letter for 50,000 paths.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        if self._texts:
            from spark_tui.tui.alignments import Alignments  # noqa: PLC0415 - the first paint does not wait for numpy

            self._alignments = Alignments(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        """The shortest first."""
        return iter(self._texts)

    def best(self, query: str, limit: int) -> list[Match]:
        """The names that fit best, the best first."""
        if not query or not self._texts:
            return [Match(text, 0, ()) for text in self._texts[:limit]]
        likeliest = (self._texts[number] for number in self._alignments.best(query, limit))
        return [found for text in likeliest if (found := match(query, text)) is not None]
