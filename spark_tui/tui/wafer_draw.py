"""Pictures of a wafer and of a mesh in characters: two PEs, or squares of them, to a cell, one above the other.

Where the colours of a theme are not known as numbers, shades of a character stand for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style

Pixels = Sequence[Sequence[float]]
Line = list[Segment]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SHADES = " ░▒▓█"
_EIGHTHS = " ▏▎▍▌▋▊▉"
_HALF = "▀"


@dataclass(frozen=True, slots=True)
class Ramp:
    """Colours from 0 to 1. Args: low, high: as #rrggbb; any other name means shades in the colour there is."""

    low: str
    high: str

    @property
    def plain(self) -> bool:
        """Whether there are no colours to be mixed."""
        return not (self.low.startswith("#") and self.high.startswith("#"))

    def at(self, value: float) -> str:
        """The colour of a value."""
        share = min(max(value, 0.0), 1.0)
        pairs = zip(_parts(self.low), _parts(self.high), strict=True)
        return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def pooled(values: Pixels, size: int) -> Pixels:
    """The largest values of squares, so that no more than `size` are left on each side."""
    step = -(-len(values) // size)
    rows = range(0, len(values), step)
    columns = range(0, len(values[0]), step)
    return [[max(max(line[c : c + step]) for line in values[r : r + step]) for c in columns] for r in rows]


def heat(values: Pixels, ramp: Ramp) -> list[Line]:
    """Values from 0 to 1 as a picture, two rows to a line."""
    lines = []
    for upper in range(0, len(values), 2):
        top = values[upper]
        bottom = values[upper + 1] if upper + 1 < len(values) else [0.0] * len(top)
        lines.append([_cell(a, b, ramp) for a, b in zip(top, bottom, strict=True)])
    return lines


def _cell(top: float, bottom: float, ramp: Ramp) -> Segment:
    if ramp.plain:
        return Segment(_SHADES[min(len(_SHADES) - 1, round(max(top, bottom) * (len(_SHADES) - 1)))])
    return Segment(_HALF, Style(color=ramp.at(top), bgcolor=ramp.at(bottom)))


@dataclass(frozen=True, slots=True)
class Square:
    """A square of a map. Args: row, column, side: of PEs. colour: as #rrggbb, or any other name for none."""

    row: int
    column: int
    side: int
    colour: str


def plan(size: tuple[int, int], squares: Sequence[Square], columns: int, page: tuple[str, str]) -> list[Line]:
    """A map of lettered squares, so many characters wide.

    Args: size: of the whole, rows and columns of PEs. page: colours of what is empty, and of letters.
    """
    scale = size[1] / columns
    height = -(-round(size[0] / scale) // 2) * 2
    owner = [[_at(squares, (y + 0.5) * scale, (x + 0.5) * scale) for x in range(columns)] for y in range(height)]
    for number, square in enumerate(squares):  # however small, each is seen
        y, x = min(int(square.row / scale), height - 1), min(int(square.column / scale), columns - 1)
        owner[y - y % 2][x] = owner[y - y % 2][x] if owner[y - y % 2][x] is not None else number
    lines, lettered = [], set[int]()
    for y in range(0, height, 2):
        line = []
        for top, bottom in zip(owner[y], owner[y + 1], strict=True):
            first = top is not None and top not in lettered
            lettered |= {top} if top is not None else set()
            line.append(_place(top, bottom, squares, page, letter=first))
        lines.append(line)
    return lines


def _at(squares: Sequence[Square], row: float, column: float) -> int | None:
    there = ((one.row <= row < one.row + one.side, one.column <= column < one.column + one.side) for one in squares)
    return next((number for number, both in enumerate(there) if all(both)), None)


def _place(
    top: int | None, bottom: int | None, squares: Sequence[Square], page: tuple[str, str], *, letter: bool
) -> Segment:
    """A cell of a map, two pixels; the first one of a square has its letter."""
    colours = [page[0] if number is None else squares[number].colour for number in (top, bottom)]
    name = LETTERS[top % len(LETTERS)] if top is not None else "."
    if not all(colour.startswith("#") for colour in colours):
        return Segment(name)
    if letter:
        return Segment(name, Style(color=page[1], bgcolor=colours[0], bold=True))
    return Segment(_HALF, Style(color=colours[0], bgcolor=colours[1]))


def bar(share: float, width: int) -> str:
    """A bar in eighths of a character, padded to the width."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()[:width].ljust(width)


def shortened(phases: Sequence[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """The phases that take longest, in their own order, and the rest together where there are more than `most`."""
    if len(phases) <= most:
        return list(phases)
    kept = {name for name, _ in sorted(phases, key=lambda each: -each[1])[: most - 1]}
    rest = sum(cycles for name, cycles in phases if name not in kept)
    return [*(each for each in phases if each[0] in kept), ("all else", rest)]
