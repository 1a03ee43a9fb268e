"""The indentation of lines: its unit, its level, and what lines have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Indentation:
    """How a region's lines are indented: all of them by at least `base` units of `unit`."""

    unit: str = "    "
    base: int = 0


@lru_cache(maxsize=16)
def layout_of(lines: tuple[str, ...]) -> Indentation:
    """Read the indentation unit and the common level off a region's lines."""
    unit = _unit(lines)
    # with tabs, a width counts tabs
    widths = [len(line) - len(line.lstrip(unit[0])) for line in lines if line.strip()]
    return Indentation(unit, min(widths, default=0) // len(unit))


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
    """The spaces and tabs that all lines but empty ones begin with."""
    solid = [line for line in lines if line.strip()]
    if not solid:
        return ""
    # what the first and the last line in the order of the alphabet share, all lines share
    least = min(solid)
    most = max(solid)
    same = 0
    while same < len(least) and least[same] == most[same]:
        same += 1
    return indent_of(least[:same])
