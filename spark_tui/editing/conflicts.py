"""The conflicts that a merge, a rebase or the like left in a file: where their markers are, and
what each side says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.line_diff import SIGN, is_heading

SIDES = ("ours", "theirs", "both")
"""What can be kept of a conflict."""
_SIGNS = frozenset(sign * 7 for sign in "<|=>")
_MARKER = re.compile(r".{7}(?: (?P<label>.*))?$")
_ORDER = {"<": "|=", "|": "=", "=": ">"}
"""What may follow each marker of a conflict."""


@dataclass(frozen=True, slots=True)
class Torn:
    """A conflict.

    Its markers are the lines `start`, `base` (None: no common lines are shown), `middle` and `end`,
    0-based. `ours`, `theirs`: what git calls the sides.
    """

    start: int
    base: int | None
    middle: int
    end: int
    ours: str
    theirs: str

    def touches(self, first: int, last: int) -> bool:
        """Whether one of the lines first..last, 0-based, is in it."""
        return self.start <= last and first <= self.end

    def dropped(self, side: str) -> tuple[range, ...]:
        """The lines without which one side of it is left, and no marker.

        Args:
            side: The one to keep, of `SIDES`.
        """
        gone = {
            "ours": ((self.start, self.start), (self._end_of_ours, self.end)),
            "theirs": ((self.start, self.middle), (self.end, self.end)),
            "both": (
                (self.start, self.start),
                (self._end_of_ours, self.middle),
                (self.end, self.end),
            ),
        }[side]
        return tuple(range(first, last + 1) for first, last in gone)

    @property
    def _end_of_ours(self) -> int:
        return self.middle if self.base is None else self.base


def is_marker(line: str) -> bool:
    """Whether a line looks like a marker of a conflict."""
    return line[:7] in _SIGNS and _MARKER.match(line) is not None


def torn(lines: Sequence[str]) -> tuple[Torn, ...]:
    """The conflicts of a file in order; markers that make no whole one are left out.

    Args:
        lines: Without endings.
    """
    return tuple(found for found in _read(lines) if isinstance(found, Torn))


def odd_marker(lines: Sequence[str]) -> int | None:
    """The first marker, 0-based, that is not one of a whole conflict; None where there is none."""
    return next((found for found in _read(lines) if isinstance(found, int)), None)


def _read(lines: Sequence[str]) -> Iterator[Torn | int]:
    """The conflicts, and the lines of markers that are left over; lines of "=" alone may
    underline a title.
    """
    seen: list[tuple[str, int, str]] = []
    for number, sign, label in _markers(lines):
        if seen and sign in _ORDER[seen[-1][0]]:
            seen.append((sign, number, label))
            if sign == ">":
                at = {sign: number for sign, number, _ in seen}
                yield Torn(at["<"], at.get("|"), at["="], number, seen[0][2], label)
                seen = []
        elif sign in ("<", SIGN):
            yield from (number for _, number, _ in seen[:1])
            seen = [(sign, number, label)] if sign == "<" else []
        elif sign == ">":
            yield seen[0][1] if seen else number
            seen = []
    yield from (number for _, number, _ in seen[:1])


def _markers(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """What may be a marker, and the headings of files: no conflict goes from one file to the
    next.
    """
    for number, line in enumerate(lines):
        if is_heading(line):
            yield number, SIGN, ""
        if line[:7] in _SIGNS and (told := _MARKER.match(line)):
            yield number, line[0], told["label"] or ""
