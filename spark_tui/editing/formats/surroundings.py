"""What a reader of answers knows besides the region: its file, and the lines around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a region.

    Attributes:
        path: The path of the file; "" where no file is known.
        above: The lines of the file above the region.
        below: The lines of the file below the region.
        selected: The rows of the region that the model was told to look at above all.
    """

    path: str = ""
    above: Sequence[str] = ()
    below: Sequence[str] = ()
    selected: range | None = None


NOWHERE = Surroundings()
"""What stands around a region that no file is known of."""


class Reading(NamedTuple):
    """The lines of an answer as they are meant.

    Attributes:
        lines: The lines.
        doubt: The reason to doubt that they are meant so, or "".
    """

    lines: list[str]
    doubt: str = ""


def has_same_text(old: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether lines are the old ones but for white space at their ends and empty lines."""
    return _solid(old) == _solid(lines)


def _solid(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]
