"""Which statements of a region are meant by the words that they share with what is said of a place."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, Place, calls_of, dotted, movable, places

SIDE = re.compile(
    r"\b(?:(?P<before>before|above|ahead of|in front of|prior to)"
    r"|(?P<after>after|below|under|beneath|behind|once|following))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"([\w.]+)\(")
_PART = re.compile(r"[^\W\d_]{3,}")
_GLUE = frozenset(["the", "a", "an", "line", "call", "it", "is", "that", "this", "to", "of", "in", "with", "self"])


def statements_meant(before: Snippet, where: str) -> list[Place]:
    """The simple statements that share most words with what is said of the place; none where no word is shared."""
    said = {word.lower() for word in _WORD.findall(where)} - _GLUE
    found = [place for place in places(before) if movable(place.node)]
    shared = [len(said & _words(before, place)) for place in found]
    most = max(shared, default=0)
    return [place for place, count in zip(found, shared, strict=True) if count == most] if most else []


def likely_statements(
    before: Snippet, among: Sequence[Place], instruction: str, *, calling: bool = True
) -> list[Place]:
    """The simple statements, those with the names of calls told first, then those that share most words.

    Args: calling: only those that call something.
    """
    told = {call.rpartition(".")[2] for call in _CALLED.findall(instruction)}
    said = {word.lower()[:5] for word in _PART.findall(instruction)}
    scored: list[tuple[int, Place]] = []
    for place in among:
        names = {(dotted(call.func) or "").rpartition(".")[2] for call in calls_of(place.node)}
        if isinstance(place.node, (*COMPOUND, ast.Raise, ast.Assert)) or (calling and not names):
            continue
        rows = before.lines[place.first : place.last + 1]
        shared = {word.lower()[:5] for row in rows for word in _PART.findall(row)} & said
        scored.append((10 * len(told & names) + len(shared), place))
    return [place for _, place in sorted(scored, key=lambda one: -one[0])]


def _words(before: Snippet, place: Place) -> set[str]:
    """The words of a statement's first line, and their past and -ing forms."""
    line = before.lines[place.first].lower()
    words = {*_WORD.findall(line), *_PART.findall(line)}
    return words | kinds_of(place) | {f"{word.rstrip('e')}{end}" for word in words for end in ("ed", "ing")}


def kinds_of(place: Place) -> set[str]:
    """What a statement is called."""
    kind = type(place.node).__name__.lower().removeprefix("async")
    return {kind, *(["loop"] if kind in ("for", "while") else [])}
