"""Reads places as a user writes them, in an instruction and behind `--at`.

The forms are `@file`, `@"a file"`, `@file:10-20` and `@file::name`.
"""

import re  # noqa: TID251 - reads what is typed, by its shape
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from spark_tui.editing.syntax import language_of
from spark_tui.errors import UsageError
from spark_tui.safe_text import visible

# A path in quotes, or one without spaces and colons that does not end a sentence.
_FILE = r'(?:"(?P<quoted>(?:[^"\\]|\\.)+)"|(?P<path>[^\s:"][^\s:]*(?<![,;.)])))'
_NAME = r"[^\W\d]\w*(?:(?:\.|::|-)\w+)*"
_SYMBOL = rf"(?P<symbol>(?>{_NAME})(?!::))(?:\(\))?"
"""A qualified name; test runners write it with more colons in it."""
# An `@` within a word (an address of mail) begins no place. What follows ends the place.
_PLACE = re.compile(
    rf"(?<![^\s(])@{_FILE}(?:::{_SYMBOL}|:(?P<first>\d+)(?:-(?P<last>\d+))?)?(?=[\s,;.)]|:\s|$)"
)
_AT_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_AT_SYMBOL = re.compile(rf"(?P<path>.+?)::(?P<symbol>{_NAME})")
_PLAIN = re.compile(r'[^\s:"][^\s:]*(?<![,;.)])')
_ESCAPED = re.compile(r"\\(.)")
_OUTSIDE = ("/", "~/", "../")
"""The beginnings of paths that can be nothing else, such as a decorator."""

DECORATORS = frozenset(
    {
        "abstractmethod",
        "cache",
        "cached_property",
        "classmethod",
        "contextmanager",
        "dataclass",
        "final",
        "lru_cache",
        "overload",
        "override",
        "property",
        "singledispatch",
        "staticmethod",
        "total_ordering",
        "wraps",
    }
)
"""Python's own decorators: behind an `@` they are meant more often than files of these names."""


class Mention(NamedTuple):
    """A place as it is written, whether it exists or not.

    Attributes:
        path: The file.
        symbol: The function or class, if one is named.
        lines: The first and the last line, from 1, if lines are named.
        start: Where the place begins in the instruction.
        stop: Where the place ends in the instruction.
    """

    path: str
    symbol: str | None
    lines: tuple[int, int] | None
    start: int
    stop: int

    @property
    def is_certain(self) -> bool:
        """Whether the mention can be nothing but a place."""
        return bool(self.symbol or self.lines) or self.path.startswith(_OUTSIDE)


def mentions_in(text: str) -> Iterator[Mention]:
    """Yield what looks like a place behind an `@`, in order; it may be a decorator."""
    for match in _PLACE.finditer(text):
        first = match["first"]
        lines = (int(first), int(match["last"] or first)) if first else None
        name = unquoted(match["quoted"]) if match["quoted"] else match["path"]
        symbol = match["symbol"] and match["symbol"].replace("::", ".")
        yield Mention(name, symbol, lines, match.start(), match.end())


def read_request(text: str, file_named: Callable[[str], str | None]) -> dict[str, Any]:
    """Return an instruction without its place, and the place, as the fields of a Request.

    In the middle of the words the name of the place stays: "make @a.py::load faster" becomes "make
    load faster". A look-alike that names no file, such as a decorator, is left alone.

    Args:
        file_named: The file that a name as it is written means, or None.
    """
    for mention in mentions_in(text):
        if (path := file_named(mention.path)) is not None:
            before = text[: mention.start]
            behind = text[mention.stop :]
            # At either end of the instruction the place only says where; in the middle the sentence
            # needs a name in its stead.
            called = (
                (mention.symbol or mention.path) if before.strip() and behind.strip(" ,;.)") else ""
            )
            words = " ".join((before + called + behind).split()).removeprefix(": ")
            request: dict[str, Any] = {
                "instruction": words or text,
                "path": path,
                "symbol": mention.symbol,
            }
            return request | ({"lines": mention.lines} if mention.lines else {})
    return {"instruction": text}


def names_place(text: str, file_named: Callable[[str], str | None]) -> bool:
    """Whether an instruction names a place, which need not exist.

    A place is a file, `@gone.py`, `@gone:3` or `@gone::name`.
    """
    return any(
        mention.is_certain or language_of(mention.path) or file_named(mention.path) is not None
        for mention in mentions_in(text)
    )


def mention(path: str, *, symbol: str | None = None, lines: tuple[int, int] | None = None) -> str:
    """Return a place as it is written in an instruction.

    Odd characters are shown as marks; a section whose title is no name is given by its lines.
    """
    name = visible(path)
    if not _PLAIN.fullmatch(name):
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if symbol and (not lines or can_be_told(symbol)):
        return f"@{name}::{symbol}"
    return f"@{name}:{lines[0]}-{lines[1]}" if lines else f"@{name}"


def can_be_told(symbol: str) -> bool:
    """Whether a function, class or section can be given by name; a title may be any words."""
    return re.fullmatch(_NAME, symbol) is not None


def at_place(text: str, place: str, file_named: Callable[[str], str | None]) -> str:
    """Return an instruction with another place instead of its own, or with a place at its end."""
    for mention in mentions_in(text):
        if file_named(mention.path) is not None:
            return text[: mention.start] + place + text[mention.stop :]
    return f"{text.rstrip()} {place}".lstrip()


def unquoted(name: str) -> str:
    """Return a name that stood between quotes, without its escapes."""
    return _ESCAPED.sub(r"\1", name)


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and lines (1-based, inclusive) or a symbol in it where these are given."""

    path: str
    lines: tuple[int, int] | None = None
    symbol: str | None = None


def parse_place(text: str) -> Place:
    """Read what follows --at.

    Raises:
        UsageError: The text is no place.
    """
    if found := _AT_SYMBOL.fullmatch(text):
        return Place(found["path"], symbol=found["symbol"].replace("::", "."))
    if found := _AT_LINES.fullmatch(text):
        first = int(found["first"])
        last = int(found["last"] or first)
        if 1 <= first <= last:
            return Place(found["path"], lines=(first, last))
    if text.strip() and ":" not in text:
        return Place(text)
    raise UsageError(
        f"--at {text!r}: write PATH:FIRST-LAST with lines from 1, PATH::Symbol.name, or PATH"
    )
