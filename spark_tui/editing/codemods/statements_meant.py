"""Which statements of a region are meant by the words that they share with what is said of a place."""

import re

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, places

SIDE = re.compile(
    r"\b(?:(?P<before>before|above|ahead of|in front of|prior to)"
    r"|(?P<after>after|below|under|beneath|behind|once|following))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[^\W\d_]{3,}")
_GLUE = frozenset(["the", "a", "an", "line", "call", "it", "is", "that", "this", "to", "of", "in", "with", "self"])


def statements_meant(before: Snippet, where: str) -> list[Place]:
    """The simple statements that share most words with what is said of the place; none where no word is shared."""
    said = {word.lower() for word in _WORD.findall(where)} - _GLUE
    found = [place for place in places(before) if movable(place.node)]
    shared = [len(said & _words(before, place)) for place in found]
    most = max(shared, default=0)
    return [place for place, count in zip(found, shared, strict=True) if count == most] if most else []


def _words(before: Snippet, place: Place) -> set[str]:
    """The words of a statement's first line, and their past and -ing forms."""
    line = before.lines[place.first].lower()
    words = {*_WORD.findall(line), *_PART.findall(line)}
    return words | kinds_of(place) | {f"{word.rstrip('e')}{end}" for word in words for end in ("ed", "ing")}


def kinds_of(place: Place) -> set[str]:
    """What a statement is called."""
    kind = type(place.node).__name__.lower().removeprefix("async")
    return {kind, *(["loop"] if kind in ("for", "while") else [])}
