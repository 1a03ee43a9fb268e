"""Finds names by some of their letters: what is typed need not be together, only in its order.

Letters count more side by side, at the beginning of a word (after / _ - . or as a capital) and in a path's last part.
Capitals are told apart once there is one in the query.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LETTER, BESIDE, IN_NAME = 16, 10, 4
AT_PART, AT_WORD, AT_CAPITAL = 14, 11, 9
GAP, FURTHER = 3, 1
FIRST = 2
"""How many times the place of the first letter counts."""
WHOLE_NAME = 40
SEPARATORS = "_-. "
LONGEST = 400
"""Characters of a name that are looked at; of a path the last ones."""


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


def has_capital(query: str) -> bool:
    """Whether capitals are told apart."""
    return query != query.lower()


def lower(text: str) -> str:
    """Small letters, as many as there were: places in one are places in the other."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def names_of(path: str) -> tuple[str, str]:
    """The last part of a path, and the same without what follows its last dot."""
    name = path[path.rfind("/") + 1 :]
    return name, name.rpartition(".")[0]
