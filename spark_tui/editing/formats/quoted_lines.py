"""Find the lines that an answer quotes in a file, or else the lines most like them.

Lines are searched for to the letter first, then without regard to white space at their ends and to
what models write in another way (`white_space`), and at last without the indentation that all of
them have lost or gained.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from spark_tui.editing.formats.indentation import common_indent
from spark_tui.editing.formats.white_space import Indents, LineKeys

_CLOSEST = 5
"""The most places that are compared letter by letter."""
_LEAST_ALIKE = 0.5
"""The least likeness, from 0 to 1, of lines that are reported as the nearest place."""
_MOST_COMPARED = 20_000
"""The most lines of a file that are compared letter by letter with a line that stands nowhere."""


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Lines [start, stop) of a file, 0-based, that a quotation stands for.

    Attributes:
        start, stop: The lines.
        written: The indentation of the quotation.
        there: The indentation of the file.
        lead: Empty lines above the quotation that the file lacks.
        trail: Empty lines below the quotation that the file lacks.
    """

    start: int
    stop: int
    written: str = ""
    there: str = ""
    lead: int = 0
    trail: int = 0

    def indented(self, line: str) -> str:
        """A line of the answer with the indentation of the file."""
        if not line.strip():
            return line
        if line.startswith(self.written):
            return self.there + line.removeprefix(self.written)
        # A line further to the left is shifted as far as the others.
        if self.there.endswith(self.written):
            return self.there.removesuffix(self.written) + line
        if self.written.endswith(self.there):
            return line.removeprefix(self.written.removesuffix(self.there))
        return line


@dataclass(frozen=True, slots=True)
class Nearest:
    """The place most like a quotation that stands nowhere: lines [start, stop), 0-based, of a file.

    `stop` is 0 where a whole file is meant.
    """

    path: str
    start: int = 0
    stop: int = 0


def places_of(lines: Sequence[str], quoted: Sequence[str]) -> list[QuotedLines]:
    """All places of a quotation, by the strictest reading that finds any.

    So a line that also stands elsewhere with other indentation does not make a place ambiguous.

    Args:
        lines: The file.
        quoted: The quotation, not only of empty lines.
    """
    lead = _count_empty(quoted)
    trail = _count_empty(quoted[::-1])
    bare = quoted[lead : len(quoted) - trail]
    key_of = LineKeys(lines).of
    # the strictest reading first: with the empty lines around the quotation, and to the letter
    for search, lacking in ((quoted, (0, 0)), (bare, (lead, trail))):
        for key in (str, str.rstrip, key_of):
            count = len(search)
            places: list[QuotedLines] = []
            for start in _windows(lines, search, key):
                places.append(QuotedLines(start, start + count, "", "", *lacking))
            if places:
                return places
    return list(_shifted(lines, bare, lead, trail)) or list(_retabbed(lines, bare, lead, trail))


def _count_empty(lines: Sequence[str]) -> int:
    """How many empty lines come first."""
    for row, line in enumerate(lines):
        if line.strip():
            return row
    return len(lines)


def _windows(
    lines: Sequence[str], quoted: Sequence[str], key: Callable[[str], str]
) -> Iterator[int]:
    """The lines at which the file has all keys of the quotation, in a row."""
    wanted = list(map(key, quoted))
    there = list(map(key, lines))
    for start in range(len(there) - len(wanted) + 1):
        # the first line alone rules out nearly all places, without a slice
        if there[start] == wanted[0] and there[start : start + len(wanted)] == wanted:
            yield start


def _shifted(
    lines: Sequence[str], quoted: Sequence[str], lead: int, trail: int
) -> Iterator[QuotedLines]:
    """The places of a quotation whose lines all have lost or gained the same indentation."""
    written = common_indent(quoted)
    wanted = [line[len(written) :].rstrip() for line in quoted]
    # First by the stripped lines; then the indentation within the stretch has to agree as well.
    for start in _windows(lines, quoted, str.strip):
        window = lines[start : start + len(quoted)]
        there = common_indent(window)
        if [line[len(there) :].rstrip() for line in window] == wanted:
            yield QuotedLines(start, start + len(quoted), written, there, lead, trail)


def _retabbed(
    lines: Sequence[str],
    quoted: Sequence[str],
    lead: int,
    trail: int,
) -> Iterator[QuotedLines]:
    """The places of a quotation that has spaces where the file has tabs, or tabs for spaces."""
    restored = Indents(lines).restored(quoted)
    if restored != list(quoted):
        for start in _windows(lines, restored, LineKeys(lines).of):
            yield QuotedLines(start, start + len(quoted), "", "", lead, trail)


def nearest_place(path: str, lines: Sequence[str], quoted: Sequence[str]) -> Nearest | None:
    """Find the lines most like a quotation, and as many; None where no lines are alike enough."""
    quoted = quoted[_count_empty(quoted) : len(quoted) - _count_empty(quoted[::-1])]
    best = None
    best_likeness = 0.0
    for start in _candidates(lines, quoted):
        likeness = _likeness(lines[start : start + len(quoted)], quoted)
        # of places that are equally alike, the first one
        if best is None or likeness > best_likeness:
            best = start
            best_likeness = likeness
    if best is None or best_likeness < _LEAST_ALIKE:
        return None
    return Nearest(path, best, min(best + len(quoted), len(lines)))


def _likeness(window: Sequence[str], quoted: Sequence[str]) -> float:
    """How alike lines are but for indentation, from 0 to 1."""
    there = "\n".join(map(str.strip, window))
    wanted = "\n".join(map(str.strip, quoted))
    # autojunk would ignore the letters that are frequent in a longer text, which is most of them
    return SequenceMatcher(None, there, wanted, autojunk=False).ratio()


def _candidates(lines: Sequence[str], quoted: Sequence[str]) -> list[int]:
    """Where a quotation may begin, the likeliest first.

    Lines of the quotation that stand in the file vote; without any, the lines most like the longest
    line of the quotation decide.
    """
    numbers = defaultdict[str, list[int]](list)
    for number, line in enumerate(lines):
        numbers[line.strip()].append(number)
    # Each line votes for the place where the quotation would begin, with the length of the line:
    # `return value` tells more about a place than `else:`.
    votes = Counter[int]()
    for row, line in enumerate(map(str.strip, quoted)):
        if line:
            for number in numbers.get(line, ()):
                votes[max(0, number - row)] += len(line)
    if votes:
        return [start for start, _ in votes.most_common(_CLOSEST)]
    # no line stands in the file, so the longest one, which tells the most, is compared by letters
    longest = max(range(len(quoted)), key=lambda row: len(quoted[row].strip()))
    known = list(numbers)[:_MOST_COMPARED]
    close = get_close_matches(quoted[longest].strip(), known, _CLOSEST)
    return [max(0, numbers[line][0] - longest) for line in close if line]


def nearest_path(path: str, known: Sequence[str]) -> Nearest | None:
    """The file whose path is most like a path that names no file."""
    close = get_close_matches(path, known, 1)
    if not close:
        return None
    return Nearest(close[0])
