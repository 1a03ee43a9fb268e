"""Read the lines of an answer as they are meant: without what models write besides them.

Each reader is one function over the region, the lines of the answer, and what stands around the
region. While an answer is written, `AnswerLines` holds back what only the whole of it can tell.
"""

from collections.abc import Callable, Iterable, Sequence

from spark_tui.editing.formats.headings import (
    is_heading,
    says_frame,
    without_frame,
    without_heading,
)
from spark_tui.editing.formats.html_escapes import without_escapes
from spark_tui.editing.formats.line_numbers import begins_with_number, without_line_numbers
from spark_tui.editing.formats.repeated_lines import stands_above, without_repeated_lines
from spark_tui.editing.formats.selected_lines import around_selection
from spark_tui.editing.formats.surplus_lines import (
    with_edges,
    with_white_space,
    without_second_copy,
)
from spark_tui.editing.formats.surroundings import Reading, Surroundings
from spark_tui.editing.formats.white_space import is_indented_otherwise

Reader = Callable[[Sequence[str], Sequence[str], Surroundings], Reading]
_READERS: tuple[Reader, ...] = (
    without_frame,
    without_heading,
    without_heading,  # the name of the file, then that of its language
    without_line_numbers,
    without_escapes,
    without_second_copy,
    without_repeated_lines,
    around_selection,
    with_white_space,
    with_edges,
)
"""The readers in their order: what stands around all lines first, then their signs, then lines."""
_BLOCK_READERS = tuple(read for read in _READERS if read not in (around_selection, with_edges))
"""The readers of the lines of a block, which says for itself which empty lines go."""


def read_lines(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Read the lines of a complete answer.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    return _read(_READERS, old, lines, around)


def read_replacement(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Read the lines of a complete block.

    Args:
        old: The lines that the block searches for.
        lines: The lines in their place.
        around: What stands around them.
    """
    return _read(_BLOCK_READERS, old, lines, around)


def _read(
    readers: Iterable[Reader], old: Sequence[str], lines: Sequence[str], around: Surroundings
) -> Reading:
    """Read lines with one reader after the other."""
    reading = Reading(list(lines))
    for read in readers:
        further = read(old, reading.lines, around)
        reading = Reading(further.lines, reading.doubt or further.doubt)
    return reading


class AnswerLines:
    """The lines of an answer while it is written. Mutable.

    Args:
        old: The region.
        around: What stands around the region.
    """

    def __init__(self, old: Sequence[str], around: Surroundings) -> None:
        self._old = old
        self._known = frozenset(line.strip() for line in old if line.strip())
        self._around = around
        self._has_begun = False
        self.waits = False
        """Whether lines are held back, up to the first line of the region."""
        self.lines: list[str] = []
        """The lines as they came."""
        self.shown: list[str] = []
        """The lines that were not held back."""

    def take(self, line: str) -> list[str]:
        """Take the next line.

        Returns:
            The line, unless it is held back.
        """
        self.lines.append(line)
        is_known = line.strip() in self._known
        if line.strip() and not self._has_begun:
            self._has_begun = True
            self.waits = not is_known and self._may_be_none(line)
        elif self.waits and is_known:
            self.waits = False
        if self.waits:
            return []
        self.shown.append(line)
        return [line]

    def read(self) -> Reading:
        """Read the lines of the complete answer."""
        return read_lines(self._old, self.lines, self._around)

    def are_indented_otherwise(self, lines: Sequence[str]) -> bool:
        """Whether lines begin with tabs where the file has spaces, or with spaces for its tabs."""
        file = (*self._around.above, *self._old, *self._around.below)
        return is_indented_otherwise(file, lines)

    def _may_be_none(self, line: str) -> bool:
        """Whether the first line of an answer may be no line of the file."""
        is_besides = is_heading(line, self._around.path) or says_frame(line)
        return is_besides or begins_with_number(line) or stands_above(line, self._around)
