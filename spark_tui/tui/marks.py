"""Text made safe and legible for a terminal: every odd character shown as a mark, changed words found.

Nothing here is ever parsed as markup, and no control or direction character reaches the screen.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum, auto
from functools import lru_cache

from spark_tui.marks import is_plain, mark

TAB_WIDTH = 4
_MAX_COMPARED = 400
_LEAST_ALIKE = 0.35
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]
"""Offsets [start, end) in a line."""


class Ink(Enum):
    """How a piece of a line is to be drawn."""

    PLAIN = auto()
    WORD = auto()
    MARK = auto()


def inked(text: str, words: Sequence[Span] = ()) -> Iterator[tuple[str, Ink]]:
    """A line as drawable pieces, left to right: tabs expanded, odd characters as marks, `words` set apart."""
    column = 0
    for piece, ink in _cut(text, words):
        for run, plain in _runs(piece):
            if plain:
                column += len(run)
                yield run, ink
                continue
            for character in run:
                shown = _tab(column) if character == "\t" else mark(character)
                column += len(shown)
                yield shown, Ink.MARK


def _cut(text: str, words: Iterable[Span]) -> Iterator[tuple[str, Ink]]:
    at = 0
    for start, end in words:
        yield text[at:start], Ink.PLAIN
        yield text[start:end], Ink.WORD
        at = end
    yield text[at:], Ink.PLAIN


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Stretches of plain and of odd characters, as (stretch, is plain)."""
    if not text:
        return
    if is_plain(text):
        yield text, True
        return
    start, plain = 0, is_plain(text[0])
    for at, character in enumerate(text):
        if is_plain(character) != plain:
            yield text[start:at], plain
            start, plain = at, not plain
    yield text[start:], plain


def _tab(column: int) -> str:
    return "→".ljust(TAB_WIDTH - column % TAB_WIDTH)


@lru_cache(maxsize=2048)
def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Where two versions of a line differ, word by word: spans in `old` and in `new`.

    Both are empty when the lines have too little in common (or are too long) for marks to help.
    """
    if max(len(old), len(new)) > _MAX_COMPARED:
        return (), ()
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return (), ()
    changes = [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    return (
        _offsets(left, [(i1, i2) for i1, i2, _, _ in changes]),
        _offsets(right, [(j1, j2) for _, _, j1, j2 in changes]),
    )


def _offsets(words: Sequence[str], ranges: Iterable[Span]) -> tuple[Span, ...]:
    """Ranges of words as ranges of characters; indentation and empty ranges are left out."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    first_word = len(words[0]) if words and words[0].isspace() else 0
    spans = ((max(starts[first], first_word), starts[last]) for first, last in ranges)
    return tuple((start, end) for start, end in spans if end > start)
