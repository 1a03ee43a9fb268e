"""Conflicts that a merge or a rebase left in a file: where their markers are, and each side.

A whole conflict is `<<<<<<<`, perhaps `|||||||`, `=======` and `>>>>>>>`, in this order and within
one file. The blocks that models answer in have such markers, too; they are text. Markers that make
no whole conflict are reported by `odd_marker` alone.
"""

import re  # noqa: TID251 - reads source code
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_tui.editing.line_diff import SIGN, is_heading

SIDES = ("ours", "theirs", "both")
"""What can be kept of a conflict."""
# git writes seven signs, unless an attribute of the file (conflict-marker-size) says otherwise
_SIGNS = frozenset(sign * 7 for sign in "<|=>")
_FIRST_SIGNS = frozenset("<|=>" + SIGN)
_MARKER = re.compile(r".{7}(?: (?P<label>.*))?$")
_ORDER = {"<": "|=", "|": "=", "=": ">"}
"""What may follow each marker of a conflict."""


@dataclass(frozen=True, slots=True)
class Torn:
    """A conflict in a file.

    Lines `start`, `base`, `middle` and `end`, 0-based, are the markers. `base` is None where git
    shows no common lines, as by default. `ours` and `theirs` are the names that git gives the
    sides.
    """

    start: int
    base: int | None
    middle: int
    end: int
    ours: str
    theirs: str

    @property
    def is_block(self) -> bool:
        """Whether the markers belong to a search-and-replace block, which is text about an edit."""
        return self.ours.strip() == "SEARCH" and self.theirs.strip() == "REPLACE"

    def touches(self, first: int, last: int) -> bool:
        """Whether one of the lines first..last, 0-based and inclusive, is in the conflict."""
        return self.start <= last and first <= self.end

    def dropped(self, side: str) -> tuple[range, ...]:
        """The lines to delete so that only a side is left, and no marker.

        Args:
            side: The side to keep, one of `SIDES`.
        """
        end_of_ours = self.middle if self.base is None else self.base
        start_marker = range(self.start, self.start + 1)
        end_marker = range(self.end, self.end + 1)
        if side == "ours":
            return start_marker, range(end_of_ours, self.end + 1)
        if side == "theirs":
            return range(self.start, self.middle + 1), end_marker
        return start_marker, range(end_of_ours, self.middle + 1), end_marker


def is_marker(line: str) -> bool:
    """Whether a line looks like a marker of a conflict."""
    return line[:7] in _SIGNS and _MARKER.match(line) is not None


def torn(lines: Sequence[str]) -> tuple[Torn, ...]:
    """The whole conflicts of a file, in order.

    Args:
        lines: Without endings.
    """
    return tuple(item for item in _read(lines) if isinstance(item, Torn) and not item.is_block)


def odd_marker(lines: Sequence[str]) -> int | None:
    """The line, 0-based, of the first marker outside whole conflicts; None where there is none."""
    return next((item for item in _read(lines) if isinstance(item, int)), None)


def _read(lines: Sequence[str]) -> Iterator[Torn | int]:
    """The whole conflicts, and the first line of each run of markers that is left over.

    A line of "=" alone is left over in silence: it may underline a title.
    """
    # the markers of the conflict that is being read, in order
    opened: list[_Marker] = []
    for marker in _markers(lines):
        if opened and marker.sign in _ORDER[opened[-1].sign]:
            opened.append(marker)
            if marker.sign == ">":
                row = {seen.sign: seen.line for seen in opened}
                yield Torn(
                    row["<"], row.get("|"), row["="], row[">"], opened[0].label, marker.label
                )
                opened = []
        # another conflict or another file begins: what is open never becomes whole
        elif marker.sign in ("<", SIGN):
            if opened:
                yield opened[0].line
            opened = [marker] if marker.sign == "<" else []
        elif marker.sign == ">":
            yield opened[0].line if opened else marker.line
            opened = []
    if opened:
        yield opened[0].line


class _Marker(NamedTuple):
    line: int
    sign: str
    label: str


def _markers(lines: Iterable[str]) -> Iterator[_Marker]:
    """The lines that look like markers, and headings: a conflict never spans two files."""
    for number, line in enumerate(lines):
        if line[:1] not in _FIRST_SIGNS:  # all but a few, of the millions that a file may have
            continue
        if is_heading(line):
            yield _Marker(number, SIGN, "")
        if line[:7] in _SIGNS and (match := _MARKER.match(line)):
            yield _Marker(number, line[0], match["label"] or "")
