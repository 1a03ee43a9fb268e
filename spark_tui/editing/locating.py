"""Where lines that somebody quotes stand in a file, forgiving about white space; and where something like them does."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from spark_tui.editing.layout import common_indent
from spark_tui.editing.white_space import Indents, Keys

_CLOSEST = 5
"""Places that are compared letter by letter."""
_LEAST_ALIKE = 0.5
_MOST_COMPARED = 20_000
"""Lines of a file that are compared letter by letter with one that stands nowhere."""


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


@dataclass(frozen=True, slots=True)
class Nearest:
    """What is most like something that is not there: a file, and of it the lines [start, stop), 0-based."""

    path: str
    start: int = 0
    stop: int = 0


def places_of(lines: Sequence[str], quoted: Sequence[str]) -> list[Place]:
    """All places of a quotation, by the strictest reading that finds one. Args: quoted: not all empty lines."""
    lead, trail = _empty(quoted), _empty(quoted[::-1])
    bare = quoted[lead : len(quoted) - trail]
    key_of = Keys(lines).of
    for search, around in ((quoted, (0, 0)), (bare, (lead, trail))):
        for same in (str, str.rstrip, key_of):
            if found := list(_windows(lines, search, same)):
                return [Place(start, start + len(search), "", "", *around) for start in found]
    return list(_shifted(lines, bare, lead, trail)) or list(_retabbed(lines, bare, lead, trail))


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


def _retabbed(
    lines: Sequence[str],
    quoted: Sequence[str],
    lead: int,
    trail: int,
) -> Iterator[Place]:
    """The places of a quotation that has spaces where the file has tabs, or tabs for spaces."""
    restored = Indents(lines).restored(quoted)
    if restored != list(quoted):
        for start in _windows(lines, restored, Keys(lines).of):
            yield Place(start, start + len(quoted), "", "", lead, trail)


def nearest_place(path: str, lines: Sequence[str], quoted: Sequence[str]) -> Nearest | None:
    """The lines most like a quotation, as many as it has; None where nothing is like it."""
    at = _empty(quoted)
    quoted = quoted[at : len(quoted) - _empty(quoted[::-1])]
    wanted = "\n".join(map(str.strip, quoted))

    def likeness(start: int) -> float:
        window = "\n".join(map(str.strip, lines[start : start + len(quoted)]))
        return SequenceMatcher(None, window, wanted, autojunk=False).ratio()

    starts = _candidates(lines, quoted)
    best = max(starts, key=likeness, default=None)
    if best is None or likeness(best) < _LEAST_ALIKE:
        return None
    return Nearest(path, best, min(best + len(quoted), len(lines)))


def _candidates(lines: Sequence[str], quoted: Sequence[str]) -> list[int]:
    """Where lines of the quotation stand, the best first; else where one stands that is like its longest."""
    numbers = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        numbers[line.strip()].append(number)
    votes = Counter[int]()
    for at, line in enumerate(map(str.strip, quoted)):
        for number in numbers.get(line, ()) if line else ():
            votes[max(0, number - at)] += len(line)
    if votes:
        return [start for start, _ in votes.most_common(_CLOSEST)]
    longest = max(range(len(quoted)), key=lambda at: len(quoted[at].strip()))
    known = list(numbers)[:_MOST_COMPARED]
    close = get_close_matches(quoted[longest].strip(), known, _CLOSEST)
    return [max(0, numbers[each][0] - longest) for each in close if each]


def nearest_path(path: str, known: Sequence[str]) -> Nearest | None:
    """The file whose path is most like one that is none."""
    close = get_close_matches(path, known, 1)
    return Nearest(close[0]) if close else None
