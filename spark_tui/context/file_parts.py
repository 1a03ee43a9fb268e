"""Cuts files into the parts that a request may be about, and counts the words of each.

Code and prose (comments, docstrings, longer strings) are counted apart. Nothing here knows what a
word means: only how often a word, or a piece of a name, stands in a part.
"""

import re  # noqa: TID251 - reads source code
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest

from spark_tui.context.regions import MAX_LINES, Region, Source
from spark_tui.context.symbols import Symbol

LONG = 40
"""Lines from which on a stretch outside of functions is cut at blank lines."""
WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?")
# `HTTPServer2_row` has the pieces HTTP, Server, 2 and row.
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
# In this order: docstrings, `#` (but for C's directives), `//` (but for URLs), block comments of C
# and of HTML, strings.
_PROSE = re.compile(
    r"""[a-zA-Z]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z))
    | (?<!["'\w])\#(?!(?:define|undef|include|ifn?(?:def)?|elif|pragma)\b)[^\n]*
    | (?<!:)//[^\n]*
    | /\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE,
)
"""Comments and longer texts; a string of one word counts as code, as C's directives do."""


@lru_cache(maxsize=50_000)
def pieces_of(word: str) -> tuple[str, ...]:
    """Return the pieces of a name, in lower case."""
    return tuple(piece.lower() for piece in _PIECE.findall(word))


def pieces(words: Sequence[str]) -> list[str]:
    """Return the pieces of names, one after the other."""
    found: list[str] = []
    for word in words:
        found += pieces_of(word)
    return found


@dataclass(frozen=True, slots=True)
class WordCounts:
    """The counts of the words of a text, whole and in pieces."""

    words: Counter[str]
    pieces: Counter[str]
    order: tuple[str, ...]
    """The pieces in their order."""

    @classmethod
    def of(cls, text: str) -> "WordCounts":
        """Count the words of a text."""
        words = WORD.findall(text)
        word_pieces = pieces(words)
        return cls(Counter(words), Counter(word_pieces), tuple(word_pieces))

    def count_pair(self, first: str, second: str) -> int:
        """Return how often two pieces follow one another."""
        return sum(pair == (first, second) for pair in pairwise(self.order))


@dataclass(frozen=True)
class FilePart:
    """Lines of a file (1-based, inclusive) that may become a region.

    Attributes:
        symbol: The symbol that the lines are, or lie in.
    """

    source: Source
    first: int
    last: int
    symbol: Symbol | None

    @property
    def opens(self) -> bool:
        """Whether a function or class begins with the part."""
        return self.symbol is not None and self.symbol.start_line == self.first

    @property
    def name(self) -> str:
        """The last part of the name of the symbol that begins here, or ""."""
        if self.symbol is None or not self.opens:
            return ""
        return self.symbol.name.rpartition(".")[2]

    @property
    def is_function(self) -> bool:
        """Whether a function or method begins with the part."""
        return self.symbol is not None and self.opens and self.symbol.kind in {"function", "method"}

    @cached_property
    def name_pieces(self) -> tuple[str, ...]:
        """The pieces of the name."""
        return pieces_of(self.name)

    @cached_property
    def text(self) -> str:
        """The lines, joined by line feeds."""
        return "\n".join(self.source.lines[self.first - 1 : self.last])

    @cached_property
    def _code_and_prose(self) -> tuple[WordCounts, WordCounts]:
        prose = list[str]()

        def take_prose(match: re.Match[str]) -> str:
            is_one_word = match["text"] is not None and len(match["text"].split()) == 1
            if is_one_word:
                return match["text"]
            prose.append(match[0])
            return " "

        code = _PROSE.sub(take_prose, self.text)
        return WordCounts.of(code), WordCounts.of("\n".join(prose))

    @property
    def code(self) -> WordCounts:
        """The words of the code."""
        return self._code_and_prose[0]

    @property
    def prose(self) -> WordCounts:
        """The words of comments and texts."""
        return self._code_and_prose[1]

    @cached_property
    def size(self) -> int:
        """The number of words, counting the pieces of names."""
        return self.code.pieces.total() + self.prose.pieces.total()

    def region(self) -> Region:
        """Return the part as a region."""
        name = None
        if self.symbol is not None and self.opens and self.symbol.end_line == self.last:
            name = self.symbol.name
        return self.source.region(self.first, self.last, symbol=name)


def parts_of(source: Source, most: int = MAX_LINES) -> tuple[FilePart, ...]:
    """Cut a file into parts, in order: functions, the lines between, stretches of long ones.

    Args:
        source: The file.
        most: The most lines of a part.
    """
    parts = list[FilePart]()
    first = 1
    around = list[Symbol]()
    # Symbols that hold others stay open in `around` while their members are cut out of them.
    for symbol, is_whole in _symbols_to_cut(source.symbols):
        parts += _between(source, first, symbol.start_line - 1, around, most)
        first = max(first, symbol.start_line)
        if not is_whole:
            around.append(symbol)
            continue
        if symbol.length <= most:
            parts.append(FilePart(source, symbol.start_line, symbol.end_line, symbol))
        else:
            parts += _cut(source, symbol.start_line, symbol.end_line, symbol, most)
        first = symbol.end_line + 1
    return (*parts, *_between(source, first, len(source.lines), around, most))


def _symbols_to_cut(symbols: Sequence[Symbol]) -> Iterator[tuple[Symbol, bool]]:
    """Yield the symbols to cut a file at, in order, and whether each is one part.

    Functions that fit, and symbols that hold no others, are one part. Of a class come its head and
    each method.
    """
    end = 0
    for symbol, following in zip_longest(symbols, symbols[1:]):
        # within a function that is one part already
        if symbol.start_line <= end:
            continue
        is_whole = following is None or not symbol.contains(
            following.start_line, following.end_line
        )
        if symbol.kind in {"function", "method"} and symbol.length <= MAX_LINES:
            is_whole = True
        if is_whole:
            end = symbol.end_line
        yield symbol, is_whole


def _between(
    source: Source, first: int, last: int, around: list[Symbol], most: int
) -> Iterator[FilePart]:
    """Yield the parts outside of functions: the head of a class, the top of a file, a page of text.

    Args:
        source: The file.
        first: The first line.
        last: The last line.
        around: The symbols that began above and hold others; those that ended are removed.
        most: The most lines of a part.
    """
    while around and around[-1].end_line < first:
        around.pop()
    # The innermost symbol ends among these lines: what is behind belongs to the next outer one.
    if around and around[-1].end_line < last:
        yield from _between(source, first, around[-1].end_line, around, most)
        yield from _between(source, around[-1].end_line + 1, last, around, most)
        return
    while first <= last and not source.lines[first - 1].strip():
        first += 1
    while first <= last and not source.lines[last - 1].strip():
        last -= 1
    innermost = around[-1] if around else None
    yield from _cut(source, first, last, innermost, min(most, LONG))


def _cut(
    source: Source, first: int, last: int, symbol: Symbol | None, most: int
) -> Iterator[FilePart]:
    """Yield stretches of at most `most` lines, each ending at the last blank line that fits."""
    # Cut behind a blank line, where a paragraph or a definition ends; without one, after `most`
    # lines.
    while last - first >= most:
        stop = first + most - 1
        for number in range(stop, first, -1):
            if not source.lines[number - 1].strip():
                stop = number
                break
        yield FilePart(source, first, stop, symbol)
        first = stop + 1
    if first <= last:
        yield FilePart(source, first, last, symbol)
