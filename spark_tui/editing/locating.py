"""Where lines that somebody quotes stand in a file, forgiving about white space."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.layout import common_indent


@dataclass(frozen=True, slots=True)
class Place:
    """Lines [start, stop) of a file, 0-based. `written`, `there`: indentation of the quotation and of the file.

    `lead`, `trail`: empty lines around the quotation that do not stand there.
    """

    start: int
    stop: int
    written: str = ""
    there: str = ""
    lead: int = 0
    trail: int = 0

    def indented(self, line: str) -> str:
        """A line of whoever quotes as the file has it."""
        if not line.strip() or not line.startswith(self.written):
            return line
        return self.there + line.removeprefix(self.written)


def places_of(lines: Sequence[str], quoted: Sequence[str]) -> list[Place]:
    """All places of a quotation, by the strictest reading that finds one. Args: quoted: not all empty lines."""
    lead, trail = _empty(quoted), _empty(quoted[::-1])
    bare = quoted[lead : len(quoted) - trail]
    for search, around in ((quoted, (0, 0)), (bare, (lead, trail))):
        for same in (_as_written, str.rstrip):
            if found := list(_windows(lines, search, same)):
                return [Place(start, start + len(search), "", "", *around) for start in found]
    return list(_shifted(lines, bare, lead, trail))


def _as_written(line: str) -> str:
    return line


def _empty(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.strip()), len(lines))


def _windows(lines: Sequence[str], quoted: Sequence[str], same: Callable[[str], str]) -> Iterator[int]:
    wanted, there = list(map(same, quoted)), list(map(same, lines))
    for start in range(len(there) - len(wanted) + 1):
        if there[start] == wanted[0] and there[start : start + len(wanted)] == wanted:
            yield start


def _shifted(lines: Sequence[str], quoted: Sequence[str], lead: int, trail: int) -> Iterator[Place]:
    written = common_indent(quoted)
    for start in _windows(lines, quoted, str.strip):
        window = lines[start : start + len(quoted)]
        there = common_indent(window)
        pairs = zip(window, quoted, strict=True)
        if all(one[len(there) :].rstrip() == other[len(written) :].rstrip() for one, other in pairs):
            yield Place(start, start + len(quoted), written, there, lead, trail)
