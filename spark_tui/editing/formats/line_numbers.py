"""Numbers that models write before the lines of an answer, as listings have them."""

import re  # noqa: TID251 - reads an answer
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from spark_tui.editing.formats.surroundings import Reading, Surroundings, has_same_text
from spark_tui.editing.syntax import YAML, language_of, reads

_SIGN = r"[\]:.)>|¦│┃»→⇒-]"
"""What stands behind a number in a listing."""
_NUMBERED = re.compile(rf"\s*[\[(#L]?(?P<number>\d{{1,7}})(?P<rest>(?:{_SIGN}|[ \t]).*|)")
_SEPARATOR = re.compile(rf" ?{_SIGN}?[ \t]?")
"""What stands between a number and the line; as much of it as there may be."""
_BORDERS = " \t|:→"
"""What may stand around a line, or between a line and its number."""
_LIKE = 0.7
"""How much of two lines is the same where one is the other with a change."""
_LISTED = frozenset({".", ")"})
"""The signs behind the numbers of a list in a text."""


class _Numbered(NamedTuple):
    """A line that begins with a number."""

    number: int
    rest: str


def without_line_numbers(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """Lines without the numbers before them, where those count the lines.

    So it is where the numbers count up, and more lines are lines of the region behind their number
    than are with it. Lists and columns stay, and numbers that are the only change of a text.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    solid = [line for line in lines if line.strip()]
    numbered = [read for line in solid if (read := _read_number(line))]
    counts_up = all(first.number < second.number for first, second in pairwise(numbered))
    if not counts_up or 2 * len(numbered) <= len(solid):
        return Reading(list(lines))

    is_all = len(numbered) == len(solid)
    is_listing = is_all and _is_listing(numbered, around)
    known = {line.rstrip() for line in old if line.strip()}
    separator, count = _separator_of(numbered, known)
    if count <= sum(line.rstrip() in known for line in solid):
        # no line tells whether a number stands before it
        is_like = is_all and _are_alike(old, [_without_number(line, "") for line in solid])
        is_odd = is_like or (is_listing and not _may_be_keys(old, numbered, around))
        return Reading(list(lines), "each line begins with a number" if is_odd else "")

    bare = [_without_number(line, separator) for line in lines]
    is_text = not reads(around.path)
    if is_text and (_is_list(numbered, separator) or has_same_text(old, bare)):
        return Reading(list(lines))
    is_certain = is_listing or (is_all and 2 * count >= len(solid))
    if is_certain and not (is_text and not separator.strip()):
        return Reading(bare)
    return Reading(bare, "numbers before the lines were left out, which may be text")


def begins_with_number(line: str) -> bool:
    """Whether a line begins with a number, as in a listing."""
    return _read_number(line) is not None


def _read_number(line: str) -> _Numbered | None:
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return None
    return _Numbered(int(match["number"]), match["rest"])


def _is_listing(numbered: Sequence[_Numbered], around: Surroundings) -> bool:
    """Whether numbers count the lines one by one, from the first of the region or of the file."""
    first = numbered[0].number
    starts = first in {0, 1, len(around.above) + 1}
    return starts and all(line.number == first + row for row, line in enumerate(numbered))


def _is_list(numbered: Sequence[_Numbered], separator: str) -> bool:
    """Whether numbered lines look like a list of Markdown, which numbers no empty line."""
    return separator.strip() in _LISTED and all(line.rest.strip(".) ") for line in numbered)


def _may_be_keys(old: Sequence[str], numbered: Sequence[_Numbered], around: Surroundings) -> bool:
    """Whether the numbers of lines that are all new may belong to the file."""
    if not reads(around.path) or any(map(_read_number, old)):
        return True
    return language_of(around.path) is YAML and all(line.rest.startswith(":") for line in numbered)


def _are_alike(old: Sequence[str], bare: Iterable[str]) -> bool:
    """Whether lines without their number are like lines of the region, which has no numbers."""
    plain = [line.strip(_BORDERS) for line in old if not _read_number(line)]
    for line in bare:
        text = line.strip(_BORDERS)
        if text and any(SequenceMatcher(None, text, other).ratio() >= _LIKE for other in plain):
            return True
    return False


def _separator_of(numbered: Sequence[_Numbered], known: Collection[str]) -> tuple[str, int]:
    """What stands between the numbers and most lines of the region, and before how many of them.

    Args:
        numbered: The lines of the answer that begin with a number.
        known: The lines of the region.
    """
    separator, count = _most_common_separator(numbered, known, str.rstrip)
    if count:
        return separator, count
    # the code may have lost its indentation
    return _most_common_separator(numbered, {line.strip() for line in known}, str.strip)


def _most_common_separator(
    numbered: Sequence[_Numbered], known: Collection[str], key: Callable[[str], str]
) -> tuple[str, int]:
    """As `_separator_of`, for lines that are compared by a key."""
    counts = Counter[str]()
    for _, rest in numbered:
        separator = _SEPARATOR.match(rest)
        longest = separator[0] if separator else ""
        for length in range(1, len(longest) + 1):
            if key(rest[length:]) in known:
                counts[rest[:length]] += 1
    if not counts:
        return "", 0
    # of several that fit equally often, the longest takes no space for indentation
    best = max(counts, key=lambda separator: (counts[separator], len(separator)))
    return best, counts[best]


def _without_number(line: str, separator: str) -> str:
    """A line without its number; as it is where it has none."""
    read = _read_number(line)
    if read is None:
        return line
    if read.rest.startswith(separator):
        return read.rest.removeprefix(separator)
    # an empty line, whose separator lost the space at its end
    return "" if read.rest.strip() in ("", separator.strip()) else line
