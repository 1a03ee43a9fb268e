"""Which part of a long file an instruction is about, by the words the two share."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spark_tui.context.symbols import Symbol
from spark_tui.editing.format import MAX_LINES

CLEARLY = 1.5
"""The best part must score so many times the second best."""


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a file (1-based, inclusive) that may be a region; `symbol` is None for the lines above all symbols."""

    start_line: int
    end_line: int
    symbol: str | None


def best_part(
    lines: Sequence[str], symbols: Sequence[Symbol], terms: Mapping[str, float], *, start_line: int = 1
) -> Part | None:
    """The part that has the rarest of the terms, if it is clearly ahead of all others.

    Args: lines: the file's. symbols: those to choose from, in order. terms: what to look for, and how much each
        find is worth. start_line: where the lines above the first symbol begin.
    """
    parts = [part for part in _parts(lines, symbols, start_line) if part.end_line - part.start_line < MAX_LINES]
    scores = _scores(lines, parts, terms)
    ranked = sorted(zip(scores, range(len(parts)), strict=True), reverse=True)
    if not ranked or ranked[0][0] <= 0:
        return None
    if len(ranked) > 1 and ranked[0][0] < CLEARLY * ranked[1][0]:
        return None
    return parts[ranked[0][1]]


def _parts(lines: Sequence[str], symbols: Sequence[Symbol], start_line: int) -> Iterator[Part]:
    """The lines above all symbols, outermost functions, and classes without any; in order."""
    first = symbols[0].start_line if symbols else len(lines) + 1
    if any(lines[start_line - 1 : first - 1]):
        yield Part(start_line, first - 1, None)
    end = 0
    for number, symbol in enumerate(symbols):
        following = symbols[number + 1] if number + 1 < len(symbols) else None
        has_members = following is not None and symbol.contains(following.start_line, following.end_line)
        if symbol.start_line > end and (symbol.kind != "class" or not has_members):
            end = symbol.end_line
            yield Part(symbol.start_line, end, symbol.name)


def _scores(lines: Sequence[str], parts: Sequence[Part], terms: Mapping[str, float]) -> list[float]:
    """For each part, the sum over its terms of worth times rarity; a term in its name counts twice.

    What most parts have tells none of them from the others, and counts for nothing.
    """
    data = "\n".join(lines).encode("utf-8", "surrogateescape").lower()
    line_starts = [0, *(match.end() for match in re.finditer(b"\n", data)), len(data)]
    starts = [line_starts[part.start_line - 1] for part in parts]
    stops = [line_starts[part.end_line] for part in parts]
    scores = [0.0] * len(parts)
    for term, worth in terms.items():
        pattern = _pattern(term)
        places = [(match.start(), bisect_right(starts, match.start()) - 1) for match in pattern.finditer(data)]
        holders = {number for at, number in places if number >= 0 and at < stops[number]}
        if 2 * len(holders) > len(parts) + 1:
            continue
        for number in holders:
            in_name = pattern.search(_name(parts[number]))
            scores[number] += worth * math.log((len(parts) + 1) / len(holders)) * (2 if in_name else 1)
    return scores


def _pattern(term: str) -> re.Pattern[bytes]:
    """A term as a word or as a part of an identifier, with or without a plural s."""
    stem = term.removesuffix("s") if len(term) > 3 else term
    return re.compile(rb"(?<![a-z])%ss?(?![a-z])" % re.escape(stem.encode("utf-8", "replace")))


def _name(part: Part) -> bytes:
    return (part.symbol or "").lower().encode()
