"""How the user says where: `--at PATH:L1-L2`, `--at PATH:L`, `--at PATH::Symbol.name` or `--at PATH`."""

import re
from dataclasses import dataclass

from spark_tui.errors import UsageError

_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_SYMBOL = re.compile(r"(?P<path>.+?)::(?P<symbol>[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*)")


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and lines (1-based, inclusive) or a symbol in it where they are told."""

    path: str
    lines: tuple[int, int] | None = None
    symbol: str | None = None


def parse_place(text: str) -> Place:
    """Read what follows --at. Raises: UsageError."""
    if found := _SYMBOL.fullmatch(text):
        return Place(found["path"], symbol=found["symbol"].replace("::", "."))
    if found := _LINES.fullmatch(text):
        first = int(found["first"])
        last = int(found["last"] or first)
        if 1 <= first <= last:
            return Place(found["path"], lines=(first, last))
    if text.strip() and ":" not in text:
        return Place(text)
    raise UsageError(f"--at {text!r}: write PATH:FIRST-LAST with lines from 1, PATH::Symbol.name, or PATH")
