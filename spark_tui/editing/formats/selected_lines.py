"""Answers that hold only the lines that the model was told to look at above all."""

import re  # noqa: TID251 - reads an answer
from collections.abc import Iterable, Sequence

from spark_tui.editing.formats.surplus_lines import with_edges
from spark_tui.editing.formats.surroundings import Reading, Surroundings
from spark_tui.editing.formats.white_space import key_of

_WORD = re.compile(r"\w")
_ONLY_SELECTED = "the answer seems to hold the selected lines alone"


def around_selection(old: Sequence[str], lines: Sequence[str], around: Surroundings) -> Reading:
    """The whole region, where an answer holds none of its lines but the selected ones.

    The answer then stands in place of the selected lines. That is certain where the first and the
    last of them begin and end the answer.

    Args:
        old: The region.
        lines: The lines of the answer.
        around: What stands around the region.
    """
    chosen = around.selected
    if chosen is None:
        return Reading(list(lines))
    selected = old[chosen.start : chosen.stop]
    others = (*old[: chosen.start], *old[chosen.stop :])
    known = _telling_keys(selected)
    written = _telling_keys(lines)
    missing = _telling_keys(others) - known
    if not missing or missing & written or not written:
        return Reading(list(lines))
    ends = (_solid_ends(selected), _solid_ends(lines))
    doubt = "" if ends[0] == ends[1] else _ONLY_SELECTED
    inner = with_edges(selected, lines, around).lines
    return Reading([*old[: chosen.start], *inner, *old[chosen.stop :]], doubt)


def _telling_keys(lines: Iterable[str]) -> frozenset[str]:
    """Lines that tell where they belong: no brackets alone, and no empty ones."""
    return frozenset(key_of(line) for line in lines if _WORD.search(line))


def _solid_ends(lines: Sequence[str]) -> list[str]:
    """The first and the last line that are not empty."""
    solid = [key_of(line) for line in lines if line.strip()]
    return [*solid[:1], *solid[-1:]]
