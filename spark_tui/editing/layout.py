"""How lines are indented: the unit that a piece of code takes, and what its lines share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Layout:
    """How a region's lines are indented: all of them by at least `base` units of `unit`."""

    unit: str = "    "
    base: int = 0


@lru_cache(maxsize=16)
def layout_of(lines: tuple[str, ...]) -> Layout:
    """Read the indentation unit and the common level off a region's lines."""
    unit = _unit(lines)
    spaces = min((len(line) - len(line.lstrip(unit[0])) for line in lines if line.strip()), default=0)
    return Layout(unit, spaces // len(unit))


def _unit(lines: Sequence[str]) -> str:
    """The step from a line that ends in a colon to the next one, else four spaces."""
    if any(line.startswith("\t") for line in lines):
        return "\t"
    filled = [line for line in lines if line.strip()]
    for head, body in pairwise(filled):
        step = _width(body) - _width(head)
        if head.rstrip().endswith(":") and step > 0:
            return " " * step
    return "    "


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def indent_of(line: str) -> str:
    """The spaces and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def common_indent(lines: Sequence[str]) -> str:
    """What all lines that are not empty begin with of spaces and tabs."""
    solid = [line for line in lines if line.strip()]
    if not solid:
        return ""
    least, most = min(solid), max(solid)
    same = next((at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other), len(least))
    return indent_of(least[:same])
