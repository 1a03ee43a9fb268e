"""Text made safe and legible for a terminal: every odd character shown as a mark, changed words found.

Nothing here is ever parsed as markup, and no control or direction character reaches the screen.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum, auto
from functools import lru_cache
from itertools import accumulate, groupby, pairwise

from rich.cells import cell_len, set_cell_size

from spark_tui.marks import is_plain, mark

TAB_WIDTH = 4
_MAX_COMPARED = 400
MOST_LED = 10_000
"""Characters of a line in which what changes is looked for at every paint."""
_STRIDE = 256
"""Characters whose width is found, and remembered, at once."""
_LEAST_ALIKE = 0.35
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]
"""Offsets [start, end) in a line."""

Part = tuple[int, int, str]
"""A span, and what it is in Python; see `syntax`."""


class Ink(Enum):
    """How a piece of a line is to be drawn, besides what it is in Python."""

    PLAIN = auto()
    WORD = auto()
    MARK = auto()


def inked(text: str, words: Sequence[Span] = ()) -> Iterator[tuple[str, Ink]]:
    """A line as drawable pieces, left to right: tabs expanded, odd characters as marks, `words` set apart."""
    return ((piece, ink) for piece, ink, _ in coloured(text, words, ()))


def coloured(
    text: str, words: Sequence[Span], parts: Sequence[Part], column: int = 0
) -> Iterator[tuple[str, Ink, str]]:
    """The same, with what each piece is in Python, or "".

    Args: words, parts: in order, none over another. column: where the text begins in its line.
    """
    for piece, ink, part in _cut(text, words, parts):
        for run, plain in _runs(piece):
            if plain:
                column += cell_len(run)
                yield run, ink, part
                continue
            for character in run:
                shown = "→".ljust(TAB_WIDTH - column % TAB_WIDTH) if character == "\t" else mark(character)
                column += len(shown)
                yield shown, Ink.MARK, ""


def skipped(text: str, columns: int) -> tuple[int, int]:
    """What need not be drawn of a line of which the first columns are left out.

    Returns: how many of its characters, about as many as fit there, and how many columns they take.
    """
    at = column = 0
    while at + _STRIDE <= len(text):
        wider = column + _cells(text[at : at + _STRIDE], column % TAB_WIDTH)
        if wider > columns:
            break
        at, column = at + _STRIDE, wider
    return at, column


def columns(text: str, end: int) -> int:
    """How many columns the first characters of a line take."""
    at, column = skipped(text[:end], sys.maxsize)
    return column + _cells(text[at:end], column % TAB_WIDTH)


@lru_cache(maxsize=2048)
def lead(one: str, other: str, room: int) -> int:
    """How many columns to leave out on the left of two versions of a line, so that what changes is in sight.

    Some of what is before and behind it is, too; where there is no room for all, where the change begins.
    """
    wide = max(columns(each, len(each)) for each in (one, other)) if max(len(one), len(other)) <= MOST_LED else 0
    if wide <= room:
        return 0
    same, around = _same(one, other), room // 4
    tail = _same(one[same:][::-1], other[same:][::-1])
    end = max(columns(each, len(each) - tail) for each in (one, other))
    return max(0, min(min(end + around, wide) - room, columns(one, same) - around))


def _same(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@lru_cache(maxsize=4096)
def _cells(text: str, column: int) -> int:
    return sum(cell_len(shown) for shown, _, _ in coloured(text, (), (), column))


def _cut(text: str, words: Sequence[Span], parts: Sequence[Part]) -> Iterator[tuple[str, Ink, str]]:
    """The line cut wherever one of the spans begins or ends."""
    edges = {0, len(text)}
    edges.update(edge for start, end in words for edge in (start, end))
    edges.update(edge for start, end, _ in parts for edge in (start, end))
    word = part = 0
    for start, end in pairwise(sorted(edge for edge in edges if edge <= len(text))):
        while word < len(words) and words[word][1] <= start:
            word += 1
        while part < len(parts) and parts[part][1] <= start:
            part += 1
        ink = Ink.WORD if word < len(words) and words[word][0] <= start else Ink.PLAIN
        yield text[start:end], ink, parts[part][2] if part < len(parts) and parts[part][0] <= start else ""


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Stretches of plain and of odd characters, as (stretch, is plain)."""
    if is_plain(text):  # as nearly all is
        yield text, True
    else:
        yield from (("".join(run), plain) for plain, run in groupby(text, is_plain))


def shortened(text: str, columns: int) -> str:
    """Words that fit into so many columns: all, or those up to the last whole one, with a sign that there are more.

    A word that takes half the room or more, say a path, is shown as far as it fits.
    """
    if cell_len(text) <= columns:
        return text
    head = set_cell_size(text, max(0, columns - 1))
    end = head.rfind(" ")
    if 2 * end > len(head) and not text[len(head.rstrip()) :].startswith(" "):
        head = head[:end]
    return f"{head.rstrip(' ,;:')}…"


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Where two versions of a line differ, word by word: spans in `old` and in `new`.

    Both are empty when the lines have too little in common (or are too long) for marks to help.
    """
    return ((), ()) if max(len(old), len(new)) > _MAX_COMPARED else _changed_words(old, new)


@lru_cache(maxsize=2048)
def _changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
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
    starts = list(accumulate(map(len, words), initial=0))
    first_word = len(words[0]) if words and words[0].isspace() else 0
    spans = ((max(starts[first], first_word), starts[last]) for first, last in ranges)
    return tuple((start, end) for start, end in spans if end > start)
