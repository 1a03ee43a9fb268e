"""How well a query fits very many names, worked out for all of them at once; `fuzzy.match` does the same for one.

A query that grows by a letter goes on from what was worked out for it before.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_tui.tui.fuzzy import (
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

_APART_BITS = 15
_APART = 1 << _APART_BITS
"""Between the places of two names: more than any score, so that no way from one name to another is worth it."""
_NO_WAY = -_APART // 4

Numbers = NDArray[np.int64]


class _Places(NamedTuple):
    """Where a letter is, in order, what it is worth there in any case, and for standing at a beginning."""

    at: Numbers
    worth: NDArray[np.int8]
    bonus: NDArray[np.int8]


class _Row(NamedTuple):
    """Where the last letter of a query can be, in order, and the best score up to there."""

    at: Numbers
    scores: Numbers


_EMPTY = _Row(np.empty(0, np.int64), np.empty(0, np.int64))


class Alignments:
    """Names with the letters of all of them side by side. Safe to ask from several threads."""

    def __init__(self, texts: Sequence[str]) -> None:
        seen = [text[-LONGEST:] for text in texts]
        exact = _codes("".join(seen))
        self._codes = {True: exact, False: _codes(lower("".join(seen)))}
        lengths = np.fromiter(map(len, seen), np.int64, len(seen))
        self._starts = np.cumsum(lengths) - lengths
        self._number = np.repeat(np.arange(len(seen), dtype=np.int32), lengths)
        self._bonus = _bonus(exact, self._starts)
        slashes = np.flatnonzero(exact == ord("/"))
        name_starts = self._starts.copy()
        name_starts[self._number[slashes]] = slashes + 1  # of several the last one stays
        in_name = np.arange(len(exact)) >= name_starts[self._number]
        self._worth = np.where(in_name, np.int8(LETTER + IN_NAME), np.int8(LETTER))
        self._wholes = {True: _hashes(seen), False: _hashes([*map(lower, seen)])}
        self._places: dict[tuple[bool, str], _Places] = {}
        self._rows: dict[tuple[bool, str], _Row] = {}

    def best(self, query: str, limit: int) -> list[int]:
        """The numbers of the names that fit best, the best first; of those that fit equally well the first ones."""
        exact = has_capital(query)
        at, scores = self._row(exact, query)
        if not len(at):
            return []
        numbers = at >> _APART_BITS
        firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
        numbers, best = numbers[firsts], np.maximum.reduceat(scores, firsts)
        best += WHOLE_NAME * (self._wholes[exact] == hash(query)).any(axis=0)[numbers]
        chosen = np.argsort((-best).astype(np.int16), kind="stable")[:limit]
        found: list[int] = numbers[chosen].tolist()
        return found

    def _row(self, exact: bool, query: str) -> _Row:
        """The row of a query's last letter; the rows of what it begins with are kept for the next one."""
        known, kept = self._rows, {}
        row = _EMPTY
        for end, letter in enumerate(query, 1):
            begun = exact, query[:end]
            row = known[begun] if begun in known else self._next(row, self._of(exact, letter), is_first=end == 1)
            kept[begun] = row
        self._rows = kept
        return row

    def _next(self, row: _Row, letter: _Places, *, is_first: bool) -> _Row:
        """The row of one more letter: each of its places with the best way there from a place of the row before."""
        if is_first:
            return _Row(letter.at, letter.worth + np.int64(FIRST) * letter.bonus)
        if not len(row.at) or not len(letter.at):
            return _EMPTY
        beside = np.searchsorted(letter.at, row.at + 1)
        is_beside = letter.at.take(beside, mode="clip") == row.at + 1
        behind = np.cumsum(np.bincount(beside + is_beside, minlength=len(letter.at) + 1)[:-1])
        leads = np.concatenate([[_NO_WAY], np.maximum.accumulate(row.scores + row.at * FURTHER)])
        scores = leads[behind] - (letter.at - 1) * FURTHER - GAP
        runs = beside[is_beside]
        scores[runs] = np.maximum(scores[runs], row.scores[is_beside] + BESIDE)
        fits = scores > _NO_WAY
        return _Row(letter.at[fits], (scores + letter.worth + letter.bonus)[fits])

    def _of(self, exact: bool, letter: str) -> _Places:
        if (exact, letter) not in self._places:
            at = np.flatnonzero(self._codes[exact] == ord(letter))
            number = self._number[at].astype(np.int64)
            apart = at - self._starts[number] + (number << _APART_BITS)
            self._places[exact, letter] = _Places(apart, self._worth[at], self._bonus[at])
        return self._places[exact, letter]


def _codes(text: str) -> NDArray[np.unsignedinteger]:
    """The characters as numbers, as small as they can be."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes.astype(np.min_scalar_type(codes.max(initial=0)))


def _bonus(codes: NDArray[np.unsignedinteger], starts: Numbers) -> NDArray[np.int8]:
    """What each character is worth for standing at a beginning."""
    capitals = np.zeros(int(codes.max(initial=0)) + 1, bool)
    used = np.flatnonzero(np.bincount(codes))
    capitals[used] = [chr(code).isupper() for code in used]
    is_capital, begins = capitals[codes], np.roll(codes == ord("/"), 1)
    begins[starts[starts < len(codes)]] = True
    bonus = np.where(is_capital & ~np.roll(is_capital, 1), np.int8(AT_CAPITAL), np.int8(0))
    bonus[np.roll(np.isin(codes, [*map(ord, SEPARATORS)]), 1)] = AT_WORD
    bonus[begins] = AT_PART
    return bonus


def _hashes(texts: Sequence[str]) -> Numbers:
    """Hashes of the names that each text goes by, one row each; see `names_of`."""
    return np.array([[*map(hash, names_of(text))] for text in texts], np.int64).reshape(-1, 2).T
