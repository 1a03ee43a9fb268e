"""Which function, method or top of a module an instruction is about, by the words they share (BM25).

Knows neither files nor paths: it ranks parts of documents, which have lines and symbols.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from spark_tui.context.symbols import Symbol
from spark_tui.context.wording import CODE
from spark_tui.editing.format import MAX_LINES

CLEARLY = 1.25
"""The best part must score so many times the second best."""
ENOUGH = 0.55
"""The share of what could be found that the best part must have; ordinary words count half."""
EVIDENCE = 2.5
"""What the terms found in the best part must be worth together, where any file may be meant."""
FAR_AHEAD, LITTLE = 2.5, 1.25
"""Where the best part scores so many times the second best, so little in it is enough: a telling word and another."""

_SATURATION, _LENGTH = 1.2, 0.4
_AT_ONCE = 500
"""Parts that are looked through for a pattern at a time: nothing else runs meanwhile."""
_IN_NAME = 4
"""A word in a part's name counts like so many in its body."""


class Document(Protocol):
    """Lines of code and the functions, methods and classes in them."""

    @property
    def lines(self) -> Sequence[str]:
        """Without line endings."""

    @property
    def symbols(self) -> Sequence[Symbol]:
        """In the order of their first lines."""


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a document (1-based, inclusive) that may be a region; `symbol`: the function or class they are."""

    document: int
    start_line: int
    end_line: int
    symbol: Symbol | None

    @property
    def length(self) -> int:
        """How many lines it has."""
        return self.end_line - self.start_line + 1


@dataclass(frozen=True, slots=True)
class Ranked:
    """Parts that have something of what was looked for, the best first; `clear`: the first is it, with a margin."""

    parts: tuple[Part, ...]
    clear: bool

    @property
    def best(self) -> Part | None:
        """The first part, if it is clearly ahead."""
        return self.parts[0] if self.clear else None


def rank(
    documents: Sequence[Document],
    terms: Mapping[str, float],
    *,
    named: Mapping[tuple[int, Symbol], float] | None = None,
    only: Collection[tuple[int, Symbol]] | None = None,
    within: Symbol | None = None,
    tops_only: bool = False,
    evidence: float = EVIDENCE,
) -> Ranked:
    """Rank the parts of documents.

    Args: terms: what to look for, and how much each find is worth. named: symbols (with their documents' numbers)
        that the instruction may name, and how much that is worth. only: those to choose from. within: only the
        parts of this symbol. tops_only: only the lines above a document's symbols. evidence: what the terms in
        the best part must be worth at least.
    """
    named = named or {}
    parts = [
        part
        for number, document in enumerate(documents)
        for part in _parts(number, document, within, named)
        if part.length <= MAX_LINES
        and (part.symbol is None or not tops_only)
        and (only is None or (part.symbol is not None and (number, part.symbol) in only))
    ]
    scores, found, most = _scores(documents, parts, terms)
    for number, part in enumerate(parts):
        worth = named.get((part.document, part.symbol), 0.0) if part.symbol else 0.0
        scores[number] += worth * math.log(1 + len(parts) / max(len(named), 1))
        found[number] += worth
    order = sorted((n for n in range(len(parts)) if scores[n] > 0), key=lambda n: (-scores[n], n))
    second = scores[order[1]] if len(order) > 1 else 0.0
    ahead = bool(order) and scores[order[0]] >= CLEARLY * second
    if ahead and scores[order[0]] >= FAR_AHEAD * second > 0:
        evidence = min(evidence, LITTLE)
    sure = ahead and scores[order[0]] >= ENOUGH * most and found[order[0]] >= evidence
    if len(order) == 1:  # nothing else has any of it, so a name is enough
        symbol = parts[order[0]].symbol
        sure = sure or (symbol is not None and (parts[order[0]].document, symbol) in named)
    return Ranked(tuple(parts[n] for n in order), sure)


def _parts(
    number: int, document: Document, within: Symbol | None, named: Mapping[tuple[int, Symbol], float]
) -> Iterator[Part]:
    """The lines above all symbols, outermost functions, the heads of classes, and what is named; in order."""
    lines, symbols = document.lines, document.symbols
    start = 1
    if within is not None:
        start, lines = within.start_line, lines[: within.end_line]
        symbols = [one for one in symbols if one != within and within.contains(one.start_line, one.end_line)]
    first = symbols[0].start_line if symbols else len(lines) + 1
    if any(lines[start - 1 : first - 1]):
        yield Part(number, start, first - 1, None)
    end = 0
    for at, symbol in enumerate(symbols):
        following = symbols[at + 1] if at + 1 < len(symbols) else None
        is_outer = symbol.start_line > end
        has_members = following is not None and symbol.contains(following.start_line, following.end_line)
        if is_outer and (symbol.kind != "class" or not has_members):
            end = symbol.end_line
        elif (number, symbol) not in named:
            continue
        yield Part(number, symbol.start_line, symbol.end_line, symbol)


def _scores(
    documents: Sequence[Document], parts: Sequence[Part], terms: Mapping[str, float]
) -> tuple[list[float], list[float], float]:
    """What the terms are worth in each part, by rarity and frequency; their plain worth; the most there could be.

    What most parts have tells none of them from the others, and counts for nothing.
    """
    scores, evidence, most = [0.0] * len(parts), [0.0] * len(parts), 0.0
    texts = [
        _Text(document, some, parts)
        for number, document in enumerate(documents)
        for some in _some([n for n, part in enumerate(parts) if part.document == number])
    ]
    average = sum(part.length for part in parts) / max(len(parts), 1)
    for term, worth in terms.items():
        pattern = pattern_of(term, worth)
        counts = {n: count for text in texts for n, count in text.counts(pattern).items()}
        if not counts or 2 * len(counts) > len(parts) + 1:
            continue
        rarity = worth * math.log((len(parts) + 1) / len(counts))
        most += rarity if worth >= CODE else rarity / 2
        for n, count in counts.items():
            symbol = parts[n].symbol
            frequency = count + (_IN_NAME if symbol and pattern.search(symbol.name) else 0)
            slack = _SATURATION * (1 - _LENGTH + _LENGTH * parts[n].length / average)
            evidence[n] += worth
            scores[n] += rarity * frequency * (1 + _SATURATION) / (frequency + slack)
    return scores, evidence, most


def _some(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Numbers of parts, not too many at a time."""
    return (numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE))


class _Text:
    """The stretch of a document that has the parts as one string, and which of them an offset lies in."""

    def __init__(self, document: Document, numbers: Sequence[int], parts: Sequence[Part]) -> None:
        self._numbers = sorted(numbers, key=lambda n: parts[n].start_line)
        first = parts[self._numbers[0]].start_line - 1 if numbers else 0
        lines = document.lines[first : max((parts[n].end_line for n in numbers), default=0)]
        self._text = "\n".join(lines)
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._starts = [starts[parts[n].start_line - 1 - first] for n in self._numbers]
        self._stops = [starts[parts[n].end_line - first] for n in self._numbers]

    def counts(self, pattern: re.Pattern[str]) -> dict[int, int]:
        """How often a pattern is found in each part; the innermost one counts."""
        found: dict[int, int] = {}
        for match in pattern.finditer(self._text):
            at = bisect_right(self._starts, match.start()) - 1
            if at >= 0 and match.start() < self._stops[at]:
                found[self._numbers[at]] = found.get(self._numbers[at], 0) + 1
        return found


def pattern_of(term: str, worth: float) -> re.Pattern[str]:
    """Code as it stands; a word also as a part of an identifier (max_rows, maxRows), with or without a plural s."""
    if worth >= CODE:
        before = r"(?<!\w)" if term[0].isalnum() or term[0] == "_" else ""
        return re.compile(before + re.escape(term) + (r"(?!\w)" if term[-1].isalnum() or term[-1] == "_" else ""))
    stem = re.escape(term.removesuffix("s") if len(term) > 3 else term)
    title, upper = stem[0].upper() + stem[1:], stem.upper()
    forms = rf"(?<![a-zA-Z]){stem}s?(?![a-z])|{title}s?(?![a-z])|(?<![a-zA-Z]){upper}S?(?![a-zA-Z])"
    return re.compile(forms)
