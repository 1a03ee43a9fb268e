"""A file cut into the parts that a request may be about, and the words in each: those of its code and of its prose."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from spark_tui.context.source import MAX_LINES, Region, Source
from spark_tui.context.symbols import Symbol

LONG = 40
"""Lines that belong to no function are cut at blank ones where they are more."""
WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_PROSE = re.compile(
    r"""[a-zA-Z]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)) | (?<!["'\w])\#[^\n]* | (?<!:)//[^\n]*
    | /\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE,
)
"""Comments and longer texts; a text of one word is code."""


@lru_cache(maxsize=50_000)
def pieces_of(word: str) -> tuple[str, ...]:
    """The parts of a name, in lower case."""
    return tuple(piece.lower() for piece in _PIECE.findall(word))


def pieces(words: Sequence[str]) -> list[str]:
    """The parts of names, one after the other."""
    return [piece for word in words for piece in pieces_of(word)]


@dataclass(frozen=True, slots=True)
class Said:
    """How often each word stands in some text: whole, and in its pieces."""

    words: Counter[str]
    pieces: Counter[str]
    order: tuple[str, ...]
    """The pieces one behind the other."""

    @classmethod
    def of(cls, text: str) -> "Said":
        """What a text says."""
        words = WORD.findall(text)
        each = pieces(words)
        return cls(Counter(words), Counter(each), tuple(each))

    def count_pair(self, first: str, second: str) -> int:
        """How often two pieces stand behind one another."""
        return sum(pair == (first, second) for pair in pairwise(self.order))


@dataclass(frozen=True)
class Part:
    """Lines of a file (1-based, inclusive) that may be a region. `symbol`: what they are, or are in."""

    source: Source
    first: int
    last: int
    symbol: Symbol | None

    @property
    def opens(self) -> bool:
        """Whether a function or class begins with it."""
        return self.symbol is not None and self.symbol.start_line == self.first

    @property
    def name(self) -> str:
        """The last part of the name of the function or class that it begins, or ""."""
        return self.symbol.name.rpartition(".")[2] if self.symbol and self.opens else ""

    @property
    def is_function(self) -> bool:
        """Whether a function or method begins with it."""
        return self.symbol is not None and self.opens and self.symbol.kind in {"function", "method"}

    @cached_property
    def name_pieces(self) -> tuple[str, ...]:
        """The pieces of its name."""
        return pieces_of(self.name)

    @cached_property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.source.lines[self.first - 1 : self.last])

    @cached_property
    def _both(self) -> tuple[Said, Said]:
        prose = list[str]()

        def sorted_out(match: re.Match[str]) -> str:
            if match["text"] is not None and len(match["text"].split()) == 1:
                return match["text"]
            prose.append(match[0])
            return " "

        code = _PROSE.sub(sorted_out, self.text)
        return Said.of(code), Said.of("\n".join(prose))

    @property
    def code(self) -> Said:
        """What its code says."""
        return self._both[0]

    @property
    def prose(self) -> Said:
        """What its comments and texts say."""
        return self._both[1]

    @cached_property
    def size(self) -> int:
        """How many words it has, those of names apart."""
        return self.code.pieces.total() + self.prose.pieces.total()

    def region(self) -> Region:
        """It as a region."""
        symbol = self.symbol
        is_whole = symbol is not None and (symbol.start_line, symbol.end_line) == (self.first, self.last)
        name = symbol.name if symbol and is_whole else None
        return self.source.region(self.first, self.last, symbol=name)


def parts_of(source: Source, most: int = MAX_LINES) -> tuple[Part, ...]:
    """All that stands in a file, in order: functions as they are, what is between them, and pieces of what is long.

    Args: most: lines of a part.
    """
    found, at, around = list[Part](), 1, list[Symbol]()
    for symbol, is_whole in _outermost(source.symbols):
        found += _between(source, at, symbol.start_line - 1, around, most)
        at = max(at, symbol.start_line)
        if not is_whole:
            around.append(symbol)
            continue
        if symbol.length <= most:
            found.append(Part(source, symbol.start_line, symbol.end_line, symbol))
        else:
            found += _cut(source, symbol.start_line, symbol.end_line, symbol, most)
        at = symbol.end_line + 1
    return (*found, *_between(source, at, len(source.lines), around, most))


def _outermost(symbols: Sequence[Symbol]) -> Iterator[tuple[Symbol, bool]]:
    """In order, the outermost functions and what has no symbols, which are whole; what holds such, even a long one."""
    end = 0
    for at, symbol in enumerate(symbols):
        following = symbols[at + 1] if at + 1 < len(symbols) else None
        holds = following is not None and symbol.contains(following.start_line, following.end_line)
        if symbol.start_line > end:
            is_whole = not holds or (symbol.kind in {"function", "method"} and symbol.length <= MAX_LINES)
            end = symbol.end_line if is_whole else end
            yield symbol, is_whole


def _between(source: Source, first: int, last: int, around: list[Symbol], most: int) -> Iterator[Part]:
    """What stands in no function: the head of a class, the top of a file, a page of text.

    Args: around: what began above and holds other symbols; what ended meanwhile is taken from it.
    """
    while around and around[-1].end_line < first:
        around.pop()
    if around and around[-1].end_line < last:
        yield from _between(source, first, around[-1].end_line, around, most)
        yield from _between(source, around[-1].end_line + 1, last, around, most)
        return
    while first <= last and not source.lines[first - 1].strip():
        first += 1
    while first <= last and not source.lines[last - 1].strip():
        last -= 1
    yield from _cut(source, first, last, around[-1] if around else None, min(most, LONG))


def _cut(source: Source, first: int, last: int, symbol: Symbol | None, most: int) -> Iterator[Part]:
    """Lines in pieces of at most so many, each ending at the last blank line that there is room for."""
    while last - first >= most:
        stop = first + most - 1
        stop = next((at for at in range(stop, first, -1) if not source.lines[at - 1].strip()), stop)
        yield Part(source, first, stop, symbol)
        first = stop + 1
    if first <= last:
        yield Part(source, first, last, symbol)
