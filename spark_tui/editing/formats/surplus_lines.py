"""What an answer has besides its lines: a second copy, and other white space at their edges."""

from collections.abc import Sequence

from spark_tui.editing.formats.indentation import common_indent, indent_of
from spark_tui.editing.formats.surroundings import Reading, Surroundings, has_same_text

_TWICE = "the answer has the same lines twice"


def without_second_copy(old: Sequence[str], lines: Sequence[str], _: Surroundings) -> Reading:
    """Lines once, where a model writes all of them twice, one copy after the other.

    A copy of a single line, or of the region as it was, may have been asked for, and is doubted.

    Args:
        old: The region.
        lines: The lines of the answer.
    """
    rows = _solid_rows(lines)
    half = len(rows) // 2
    solid = [lines[row].rstrip() for row in rows]
    if not half or solid[:half] != solid[len(rows) - half :] or len(rows) % 2:
        return Reading(list(lines))
    old_solid = [old[row].rstrip() for row in _solid_rows(old)]
    if old_solid[: len(old_solid) // 2] * 2 == old_solid:
        return Reading(list(lines))  # the region is so, too, or it is empty
    if half < 2 or has_same_text(old, solid[:half]):
        return Reading(list(lines), _TWICE)
    # The second copy, as the empty lines at its end are those of the answer.
    return Reading([*lines[: rows[0]], *lines[rows[half] :]])


def with_edges(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Lines with as many empty ones at each edge as the region has.

    Other ones stay where they are the only change, and where they belong to one: they stand between
    new lines and those of the file, or stood in the region before the lines above them went. Empty
    lines are put back only where no lines are gone with them.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    rows = _solid_rows(lines)
    old_rows = _solid_rows(old)
    if not rows or not old_rows or has_same_text(old, lines):
        return Reading(list(lines))
    is_padded = rows[0] > old_rows[0] and len(lines) - rows[-1] > len(old) - old_rows[-1]
    above = _empty_count(old, lines, () if is_padded else around.above[-1:])
    below = _empty_count(old[::-1], lines[::-1], () if is_padded else around.below[:1])
    first = [*lines[: rows[0]], *old[: old_rows[0]]][:above]
    last = [*lines[rows[-1] + 1 :], *old[old_rows[-1] + 1 :]][:below]
    return Reading([*first, *lines[rows[0] : rows[-1] + 1], *last])


def _empty_count(old: Sequence[str], lines: Sequence[str], beside: Sequence[str]) -> int:
    """How many empty lines an answer is to begin with; given backwards, to end with.

    Args:
        old: The region.
        lines: The lines of the answer.
        beside: The line of the file before the region, if any.
    """
    rows = _solid_rows(lines)
    old_rows = _solid_rows(old)
    count = old_rows[0]
    written = rows[0]
    keys = [line.strip() for line in old]
    first = lines[rows[0]].strip()
    if written == count or first == keys[old_rows[0]]:
        return count
    if written < count:
        return written if len(rows) < len(old_rows) else count
    # more than there were: new lines set apart from the line before the region, which is no bracket
    # around them
    width = len(common_indent(old))
    is_apart = any(line.strip() and len(indent_of(line)) >= width for line in beside)
    if keys[old_rows[0]] in {line.strip() for line in lines}:
        return written if is_apart else count
    # the lines are gone that stood before some empty ones
    stood = any(line == first and not keys[row - 1] for row, line in enumerate(keys) if row)
    return written if stood else count


def with_white_space(old: Sequence[str], lines: Sequence[str], _: Surroundings) -> Reading:
    """Lines with the white space that those of the region have at their ends, and before them.

    White space stays where it is the only change.

    Args:
        old: The region.
        lines: The lines of the answer.
    """
    rows = _solid_rows(lines)
    if not rows or has_same_text(old, lines):
        return Reading(list(lines))
    lost = _lost_by_all(old, lines)
    ends = {line.rstrip(): line for line in old}
    restored = []
    for line in lines:
        shifted = lost + line if line.strip() else line
        restored.append(ends.get(shifted.rstrip(), shifted))
    first = restored[rows[0]]
    old_solid = [old[row] for row in _solid_rows(old)]
    old_first = old_solid[0] if old_solid else ""
    is_shorter = bool(indent_of(old_first)) and not indent_of(first)
    # The next line has kept its indentation, so that of the first one alone is lost.
    second = [indent_of(restored[row]) for row in rows[1:2]]
    is_kept = bool(second) and second == [indent_of(line) for line in old_solid[1:2]]
    if not (is_shorter and is_kept):
        return Reading(restored)
    if _lost_indent(first, old_first, old):
        restored[rows[0]] = indent_of(old_first) + first
        return Reading(restored)
    is_odd = len(rows) <= len(old_solid)
    return Reading(restored, "the first line begins further to the left" if is_odd else "")


def _lost_by_all(old: Sequence[str], lines: Sequence[str]) -> str:
    """The indentation that each line of the region has lost in an answer; "" where not all did.

    Lines that left a block, whose first line is gone, have lost none: they stand no further to the
    left than the region does.
    """
    if len(common_indent(lines)) >= len(common_indent(old)):
        return ""
    known = {line.strip(): line for line in old if line.strip()}
    shifts = []
    for line in lines:
        there = known.get(line.strip())
        if there is not None:
            written = indent_of(line)
            is_shift = indent_of(there).endswith(written)
            shifts.append(indent_of(there).removesuffix(written) if is_shift else "")
    # one line alone may be the only one that lost its indentation
    is_common = len(shifts) > 1 and len(set(shifts)) == 1
    return shifts[0] if is_common else ""


def _lost_indent(first: str, old_first: str, old: Sequence[str]) -> bool:
    """Whether the first line of an answer is the region's, or no line there begins so far left."""
    is_same = first.strip() == old_first.strip()
    return is_same or not any(line[:1].strip() for line in old)


def _solid_rows(lines: Sequence[str]) -> list[int]:
    return [row for row, line in enumerate(lines) if line.strip()]
