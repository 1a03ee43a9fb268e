"""Headings among lines: several files' lines, one below the other, each file's below a line that names it.

Below them stands an end mark, so that what changes at the end of a file lies apart from what changes at the next one's
begin. Both begin with a NUL, which no text file holds, so that they are never mistaken for a line of one.
"""

from collections.abc import Sequence
from typing import NamedTuple

SIGN = "\0"
END = "\0\0"
"""The end mark."""


class Section(NamedTuple):
    """A file's part of such lines: its heading stands in line `start`, its own are [start + 1, stop), then the mark."""

    path: str
    start: int
    stop: int


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or the end mark."""
    return line.startswith(SIGN)


def named(line: str) -> str:
    """The file that a heading names; "" for the end mark."""
    return line.split(SIGN)[1]


def is_document(lines: Sequence[str]) -> bool:
    """Whether these are several files' lines, from the first heading on."""
    return bool(lines) and is_heading(lines[0])


def heading_of(path: str) -> str:
    """The heading of a file that comes into being, without an ending."""
    return f"{SIGN}{path}{SIGN}"


def sections(lines: Sequence[str]) -> list[Section]:
    """Where each file's lines stand."""
    marks = [number for number, line in enumerate(lines) if is_heading(line)]
    return [Section(named(lines[start]), start, stop) for start, stop in zip(marks[::2], marks[1::2], strict=True)]


def whole_file(old: Sequence[str], new: Sequence[str]) -> str:
    """The file whose heading changes, comes or goes with lines that become others, or ""."""
    return next((named(lines[0]) for lines in (old, new) if lines and is_heading(lines[0])), "")
