"""Parts of a very large Python file that can be read alone: whole statements around some lines of it.

Python's parser lets no other thread run while it reads, so the screen would stand still for as long as that takes.
A part begins and ends at a line that surely begins a statement: with a word that no expression has, outside of texts.
Its first line, and that behind it, stay as they are in an edit. So with what is around it, it parses if it does alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text, declared_encoding

MOST_READ = 300_000
"""Characters of a Python file that is read as a whole."""
_MOST_AROUND = 100_000
"""Characters of a part."""
_TRIES = 3
"""How often a part is made larger where it does not parse."""
_PIECE = 20_000
"""Characters after which another part begins, where all of a file is read."""
_NEAR = 1000
"""Lines above an edit that are looked at for how deep the statements are that it is in."""
_BEGINNING = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:async[ \t]+)?(?:def|class|with)\b|(?:import|try|while)\b|@\w"
    r"|from[ \t]+(?!__future__\b)[\w.]+[ \t]+import\b)"
)
"""What begins a statement; not what only the top of a file may hold."""
_QUOTED = re.compile(r"""#.*|(?P<open>'''|\"{3})|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?""", re.DOTALL)
_CLOSING = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}", re.DOTALL) for quote in ("'''", '"""')}


def is_large(text: Text) -> bool:
    """Whether a file is only read in parts."""
    return text.size > MOST_READ


class Stretch(NamedTuple):
    """Lines [start, stop) (0-based) of a file: statements that begin with `indent`."""

    start: int
    stop: int
    indent: str

    @property
    def above(self) -> int:
        """How many lines of the file are above the first one of its source."""
        return self.start - bool(self.indent)

    def source(self, raw: Sequence[str]) -> bytes:
        """What Python is to read of it. Args: raw: its lines, as they are or with an edit."""
        text = "".join(raw)
        if self.indent:  # what follows stands as deep as it began
            end = "" if text.endswith("\n") else "\n"
            text = f"class _:\n{text}{end}{self.indent}pass\n"
        return text.encode("utf-8", "surrogateescape")

    def before(self, base: Text) -> bytes:
        """Its source in the file."""
        return self.source(base.raw[self.start : self.stop])

    def after(self, base: Text, hunks: Iterable[Hunk]) -> bytes:
        """Its source with an edit. Args: hunks: of the edit, those that lie in it, in order."""
        raw, at = list[str](), self.start
        for hunk in hunks:
            raw += (*base.raw[at : hunk.start], *hunk.new)
            at = hunk.stop
        return self.source([*raw, *base.raw[at : self.stop]])


def stretches_around(base: Text, first: int, stop: int) -> Iterator[Stretch]:
    """The stretches around lines [first, stop) (0-based), each with more than these on both sides, the best first.

    None where they would be very long, or Python would have to know the encoding.
    """
    if declared_encoding(base.raw):
        return
    lines = _Lines(base.raw, _quoted(base))
    for indent in lines.indents(first):
        starts, stops = (
            list(islice(lines.starts(first, indent), _TRIES)),
            list(islice(lines.stops(stop, indent), _TRIES)),
        )
        for number in range(max(len(starts), len(stops)) if starts and stops else 0):
            found = Stretch(starts[: number + 1][-1], stops[: number + 1][-1], indent)
            if sum(map(len, base.raw[found.start : found.stop])) <= _MOST_AROUND:
                yield found


def pieces(base: Text) -> Iterator[range]:
    """All lines (0-based) of a Python file, those of a very large one in parts that can be read alone."""
    lines, at, size = _Lines(base.raw, _quoted(base)), 0, 0
    for number, line in enumerate(base.raw) if is_large(base) else ():
        if size > _PIECE and lines.beginning(number) == "":
            yield range(at, number)
            at, size = number, 0
        size += len(line)
    yield range(at, len(base.raw))


class _Lines(NamedTuple):
    """The lines of a file, and for each whether it begins in a text."""

    raw: Sequence[str]
    quoted: bytes

    def indents(self, first: int) -> Iterator[str]:
        """How deep statements around a line are: at the top, and where those are no help, within one of them."""
        yield ""
        top = next(self.starts(first, ""), 0)
        inner = {indent for _, indent in self._beginnings(range(first - 1, top, -1)[:_NEAR]) if indent}
        yield from sorted(inner, key=len)[:1]

    def starts(self, first: int, indent: str) -> Iterator[int]:
        """The lines above one that surely begin a statement that deep, from there up; the first of all does."""
        for number, found in self._beginnings(range(first - 1, -1, -1)):
            if found == indent:
                yield number

    def stops(self, stop: int, indent: str) -> Iterator[int]:
        """The lines below one that surely begin a statement that deep or less, from there down, and the very end."""
        for number, found in self._beginnings(range(stop + 1, len(self.raw) + 1)):
            if indent.startswith(found):
                yield number

    def _beginnings(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Those of some lines, not very many, that surely begin a statement, each with how deep that is."""
        passed = 0
        for number in numbers:
            if number in {0, len(self.raw)}:
                yield number, ""
            elif passed > _MOST_AROUND:
                return
            else:
                passed += len(self.raw[number])
                if (indent := self.beginning(number)) is not None:
                    yield number, indent

    def beginning(self, number: int) -> str | None:
        """How deep the statement is that a line surely begins; None where it may begin none."""
        found, above = _BEGINNING.match(self.raw[number]), self.raw[number - 1].strip()
        goes_on = self.quoted[number] or above.endswith("\\") or above.startswith("@")
        return found["indent"] if found and not goes_on else None


@lru_cache(maxsize=2)
def _quoted(base: Text) -> bytes:
    """For each line whether it begins in a text with three quotes."""
    found, quote = bytearray(), ""
    for line in base.raw:
        found.append(bool(quote))
        if '"""' in line or "'''" in line:
            quote = _open_behind(line, quote)
    return bytes(found)


def _open_behind(line: str, quote: str) -> str:
    """The three quotes that are open behind a line, or "". Args: quote: those before it."""
    at = 0
    while True:
        if quote:
            if (end := _CLOSING[quote].match(line, at)) is None:
                return quote
            at = end.end()
        begins = next((found for found in _QUOTED.finditer(line, at) if found["open"]), None)
        if begins is None:
            return ""
        quote, at = begins["open"], begins.end()
