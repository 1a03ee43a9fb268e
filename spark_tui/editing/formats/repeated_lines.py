"""Lines of an answer that the file has around the region already.

Models go on with the lines below the region, begin with those above it, or write the definition
around it once more. New lines at an edge of an answer that are the file's own next lines are those
lines.
"""

import re  # noqa: TID251 - reads an answer
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice, pairwise

from spark_tui.editing.formats.indentation import common_indent, indent_of
from spark_tui.editing.formats.left_out import stands_for_code
from spark_tui.editing.formats.surroundings import Reading, Surroundings, has_same_text
from spark_tui.editing.formats.white_space import key_of
from spark_tui.editing.syntax import fault_count

_WORD = re.compile(r"\w+")
_MOST_SEARCHED = 2_000
"""The most lines above a region that are searched for the definitions around it."""
_DECORATORS = ("@", "#[", "[")
"""The beginnings of lines that many definitions may have above them."""
_AGAIN = "the answer holds lines that stand around the place"
_MAY_BE_NEW = "the answer ends with lines like those around the place, which may be new ones"


def without_repeated_lines(
    old: Sequence[str], lines: Sequence[str], around: Surroundings
) -> Reading:
    """Lines without those at the edges that stand around the region.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    is_empty = not any(map(str.strip, old)) or not any(map(str.strip, lines))
    if is_empty or not (around.above or around.below):
        return Reading(list(lines))
    edges = _Edges(old, lines, around)
    edges.cut_adjacent()
    edges.cut_enclosing()
    return edges.reading()


def stands_above(line: str, around: Surroundings) -> bool:
    """Whether a line of an answer stands above the region, as far as that is searched."""
    return any(line.strip() == above.strip() for above in _nearest(around.above))


@dataclass(frozen=True, slots=True)
class _Edge:
    """One edge of an answer.

    Attributes:
        rows: The rows of new lines from the edge inwards, without empty ones.
        beside: As many lines of the file beside the region, from there outwards.
    """

    rows: list[int]
    beside: list[str]


class _Edges:
    """An answer whose edges are cut. Mutable.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """

    def __init__(self, old: Sequence[str], lines: Sequence[str], around: Surroundings) -> None:
        self._old = old
        self._lines = lines
        self._around = around
        pairs = _shared_rows(old, lines)
        self._first = pairs[0][1] if pairs else len(lines)
        self._last = pairs[-1][1] if pairs else -1
        """The first and the last row of the answer that are lines of the region."""
        self._shift = _shift_of(old, lines, pairs)
        """The indentation of the answer and of the region, where they are not the same."""
        self._start = 0
        self._stop = len(lines)
        """The rows that are left."""
        self._doubt = ""
        self._is_unwrapped = False
        """Whether the first line of a definition around the region was cut."""

    def reading(self) -> Reading:
        """The lines that are left."""
        code = list(self._lines[self._start : self._stop])
        if not any(map(str.strip, code)):
            # nothing but lines around the region: another place was meant, or none
            return Reading(list(self._lines), _AGAIN)
        doubt = self._doubt
        if not doubt and self._holds_nearest():
            doubt = _AGAIN
        if self._is_unwrapped and self._shift:
            code = [_reindented(line, *self._shift) for line in code]
        return Reading(code, doubt)

    def cut_adjacent(self) -> None:
        """Cut the lines at the edges that are the previous and the next lines of the file."""
        above = self._repeated(self._above())
        below = self._repeated(self._below())
        start = above[-1] + 1 if above else 0
        stop = below[-1] if below else len(self._lines)
        repeated = [self._lines[row] for row in (*above, *below)]
        if not repeated or start >= stop:
            return
        if self._are_repeated(repeated, self._lines[start:stop], is_both=bool(above and below)):
            self._start = start
            self._stop = stop
            self._trim(is_above=bool(above), is_below=bool(below))

    def cut_enclosing(self) -> None:
        """Cut the first and the last lines of the definitions around the region."""
        known = {key_of(line).strip() for line in _nearest(self._around.above)}
        for header in _enclosing(self._old, self._around.above):
            row = self._row_of(header, known)
            if row is None:
                continue
            if self._shift and _count_words(header) < 2:
                # a line like `try {` may be new
                self._doubt = _MAY_BE_NEW
                continue
            self._start = row + 1
            self._is_unwrapped = True
            end = _end_of(header, self._around.below)
            last = self._last_solid()
            if end and last > self._last and self._is_same(self._lines[last], end):
                self._stop = last
            self._trim(is_above=True, is_below=True)

    def _above(self) -> _Edge:
        rows = [row for row in range(self._first) if self._lines[row].strip()]
        return _Edge(rows, _first_solid(reversed(self._around.above), len(rows)))

    def _below(self) -> _Edge:
        new = range(len(self._lines) - 1, self._last, -1)
        rows = [row for row in new if self._lines[row].strip()]
        return _Edge(rows, _first_solid(self._around.below, len(rows)))

    def _repeated(self, edge: _Edge) -> list[int]:
        """The rows at an edge that are the lines beside the region, from the edge inwards."""
        for count in range(min(len(edge.rows), len(edge.beside)), 0, -1):
            # the outermost row of the answer is the outermost line of the file
            pairs = zip(edge.rows[:count], reversed(edge.beside[:count]), strict=True)
            if all(self._is_same(self._lines[row], line) for row, line in pairs):
                return edge.rows[:count]
        return []

    def _are_repeated(self, repeated: Sequence[str], left: Sequence[str], *, is_both: bool) -> bool:
        """Whether lines that stand beside the region are repeated, rather than new.

        Args:
            repeated: The lines.
            left: The answer without them.
            is_both: Whether they stand at both edges, as new lines around others do.
        """
        # A line like `}`, `done` or `</div>` may end what the answer begins: then the file parses
        # with it alone.
        faults = None if self._shift else self._fault_count(self._lines)
        others = None if faults is None else self._fault_count(left)
        if faults is not None and others is not None and others != faults:
            return others < faults
        words = max(map(_count_words, repeated))
        if not words:
            return False
        is_row = len(repeated) == 1 and self._is_twice_in_a_row(repeated[0])
        is_wrap = faults is not None and is_both and words == 1 and has_same_text(self._old, left)
        if is_row or is_wrap:
            self._doubt = _MAY_BE_NEW
        return not (is_row or is_wrap)

    def _fault_count(self, lines: Sequence[str]) -> int | None:
        """How many faults the file has with some lines in place of the region."""
        file = [*self._around.above, *lines, *self._around.below]
        return fault_count(file, self._around.path)

    def _is_twice_in_a_row(self, line: str) -> bool:
        """Whether the file has a line twice in a row here, as it has rows of a table."""
        above = _first_solid(reversed(self._around.above), 2)[::-1]
        below = _first_solid(self._around.below, 2)
        solid = [old for old in self._old if old.strip()]
        for group in ([*above, solid[0]], [solid[-1], *below]):
            for one, other in pairwise(group):
                if self._is_same(line, one) and self._is_same(line, other):
                    return True
        return False

    def _row_of(self, header: str, known: Collection[str]) -> int | None:
        """The row of the first line of a definition around the region, above the region's lines.

        Args:
            header: The line.
            known: The lines above the region, stripped: no others may stand above the row.
        """
        for row in range(self._start, min(self._first, self._stop)):
            line = self._lines[row]
            if self._is_same(line, header):
                return row
            if line.strip() and key_of(line).strip() not in known and not stands_for_code(line):
                break
        return None

    def _holds_nearest(self) -> bool:
        """Whether a new line that is left is the nearest line beside the region all the same."""
        counts = Counter(map(key_of, (*self._around.above, *self._around.below)))
        for edge in (self._above(), self._below()):
            left = [self._lines[row] for row in edge.rows if self._start <= row < self._stop]
            for line in edge.beside[:1]:
                is_own = not line.strip().startswith(_DECORATORS)
                is_telling = is_own and _count_words(line) > 1 and counts[key_of(line)] == 1
                if is_telling and any(self._is_same(new, line) for new in left):
                    return True
        return False

    def _trim(self, *, is_above: bool, is_below: bool) -> None:
        """Cut new lines at the edges that are empty, or stand for code left out.

        As many empty lines stay as the region has there.
        """
        start = self._start
        while is_above and start < min(self._first, self._stop - 1) and self._is_surplus(start):
            start += 1
        stop = self._stop
        while is_below and stop - 1 > max(self._last, start) and self._is_surplus(stop - 1):
            stop -= 1
        self._start = max(self._start, start - _empty_count(self._old))
        self._stop = min(self._stop, stop + _empty_count(self._old[::-1]))

    def _is_surplus(self, row: int) -> bool:
        line = self._lines[row]
        return not line.strip() or stands_for_code(line)

    def _last_solid(self) -> int:
        """The last row that is left and not empty, or stands for code left out; else -1."""
        rows = range(self._stop - 1, self._start - 1, -1)
        return next((row for row in rows if self._lines[row].strip()), -1)

    def _is_same(self, line: str, there: str) -> bool:
        """Whether a line of the answer is a line of the file, with its indentation if it is kept.

        Args:
            line: The line of the answer.
            there: The line of the file.
        """
        if self._shift:
            return key_of(line).strip() == key_of(there).strip()
        return key_of(line) == key_of(there)


def _shared_rows(old: Sequence[str], lines: Sequence[str]) -> list[tuple[int, int]]:
    """The rows of lines with a word that the region and the answer share."""
    old_keys = [key_of(line).strip() for line in old]
    keys = [key_of(line).strip() for line in lines]
    matcher = SequenceMatcher(None, old_keys, keys, autojunk=False)
    pairs = list[tuple[int, int]]()
    for row, new, size in matcher.get_matching_blocks():
        for offset in range(size):
            if _count_words(keys[new + offset]):
                pairs.append((row + offset, new + offset))
    return pairs


def _shift_of(
    old: Sequence[str], lines: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> tuple[str, str] | None:
    """The indentation of the same line in the answer and in the region; None where it is not lost.

    Args:
        old: The region.
        lines: The lines of the answer.
        pairs: The rows of both that are the same line.
    """
    if any(key_of(old[row]) == key_of(lines[new]) for row, new in pairs):
        return None
    if pairs:
        row, new = pairs[0]
        written = indent_of(lines[new])
        there = indent_of(old[row])
    else:
        written = common_indent(lines)
        there = common_indent(old)
    # models lose indentation: an answer that stands deeper wraps the lines in something new
    return None if written.startswith(there) else (written, there)


def _reindented(line: str, written: str, there: str) -> str:
    """A line of the answer with the indentation of the region.

    Args:
        line: The line.
        written: An indentation of the answer.
        there: The same indentation of the region; of another kind, it tells nothing.
    """
    if {*written, *there} == {" ", "\t"} or not line.startswith(written):
        return line
    return there + line.removeprefix(written) if line.strip() else line


def _enclosing(old: Sequence[str], above: Sequence[str]) -> list[str]:
    """The first lines of the definitions around a region, the outermost first."""
    width = len(common_indent(old))
    headers = list[str]()
    for line in _nearest(above):
        if line.strip() and len(indent_of(line)) < width:
            width = len(indent_of(line))
            headers.append(line)
        if not width:
            break
    return headers[::-1]


def _end_of(header: str, below: Sequence[str]) -> str:
    """The last line of a definition around a region; "" where there is none, as in Python.

    Args:
        header: The first line of the definition.
        below: The lines of the file below the region.
    """
    width = len(indent_of(header))
    for line in below:
        if line.strip() and len(indent_of(line)) <= width:
            return line if _count_words(line) < 2 else ""
    return ""


def _nearest(above: Sequence[str]) -> Iterator[str]:
    """The lines above a region, the nearest first, as far as they are searched."""
    return islice(reversed(above), _MOST_SEARCHED)


def _first_solid(lines: Iterable[str], count: int) -> list[str]:
    """The first lines that are not empty."""
    return list(islice((line for line in lines if line.strip()), count))


def _empty_count(lines: Sequence[str]) -> int:
    """How many empty lines come first."""
    return next((row for row, line in enumerate(lines) if line.strip()), len(lines))


def _count_words(line: str) -> int:
    return len(_WORD.findall(line))
