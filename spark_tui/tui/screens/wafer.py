"""The screen of the simulated wafer: where the model would lie, and a mesh at work on the turn.

The first half draws in characters: a cell stands for two PEs (processing elements), or two squares
of PEs, one above the other. Where a theme names its colors without their numbers, shaded characters
stand for the colors. `WaferScreen` computes in workers and has the mesh follow the turn's tokens.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.session.controller import Controller
from spark_tui.session.wafer import MapRegion, MeshToken, WaferMap, WaferView
from spark_tui.tui.screens.modals import every, is_open
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.highlight import shortened
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys

# Pictures in characters.

Pixels = Sequence[Sequence[float]]  # rows of values from 0 to 1
Line = list[Segment]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SHADES = " ░▒▓█"
_EIGHTHS = " ▏▎▍▌▋▊▉"  # by the index: so many eighths of a cell, from the left
# In a cell with this character the foreground is the upper half, and the background the lower one:
# a cell of a terminal is twice as high as wide, so both halves are squares.
_HALF = "▀"


@dataclass(frozen=True, slots=True)
class Ramp:
    """A range of colors, for values from 0 to 1.

    Args:
        low, high: The colors of 0 and 1 as #rrggbb; any other name asks for shaded characters.
    """

    low: str
    high: str

    @property
    def plain(self) -> bool:
        """Whether the colors cannot be mixed, as their numbers are not known."""
        return not (self.low.startswith("#") and self.high.startswith("#"))

    def at(self, value: float) -> str:
        """The color of a value."""
        share = min(max(value, 0.0), 1.0)
        pairs = zip(_parts(self.low), _parts(self.high), strict=True)
        return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def _parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def pooled(values: Pixels, size: int) -> Pixels:
    """The largest values of squares, so that no more than `size` are left on each side."""
    step = -(-len(values) // size)  # rounded up: the side of a square, in values
    columns = range(0, len(values[0]), step)
    squares = []
    for top in range(0, len(values), step):
        lines = values[top : top + step]
        squares.append([_largest(lines, left, left + step) for left in columns])
    return squares


def _largest(lines: Pixels, start: int, end: int) -> float:
    """The largest value of lines between two columns."""
    return max(max(line[start:end]) for line in lines)


def heat(values: Pixels, ramp: Ramp) -> list[Line]:
    """Values from 0 to 1 as a picture, two rows to a line."""
    lines = []
    for upper in range(0, len(values), 2):
        top = values[upper]
        bottom = values[upper + 1] if upper + 1 < len(values) else [0.0] * len(top)
        lines.append([_cell(a, b, ramp) for a, b in zip(top, bottom, strict=True)])
    return lines


def _cell(top: float, bottom: float, ramp: Ramp) -> Segment:
    if ramp.plain:  # one shade for both rows: the larger value must be seen
        darkest = len(_SHADES) - 1
        return Segment(_SHADES[min(darkest, round(max(top, bottom) * darkest))])
    return Segment(_HALF, Style(color=ramp.at(top), bgcolor=ramp.at(bottom)))


@dataclass(frozen=True, slots=True)
class Square:
    """A square of a map.

    Args:
        row, column, side: The first PE of the square and the length of its side, in PEs.
        color: The color as #rrggbb; with any other name, the map has letters only.
    """

    row: int
    column: int
    side: int
    color: str


def plan(
    size: tuple[int, int], squares: Sequence[Square], columns: int, page: tuple[str, str]
) -> list[Line]:
    """Draw a map of lettered squares, `columns` characters wide.

    Args:
        size: Rows and columns of PEs of the whole map.
        page: The colors of empty places, and of letters.
    """
    # A pixel is half a cell, and as wide as high; the height in pixels is even, as cells are whole.
    scale = size[1] / columns  # PEs to a pixel
    height = -(-round(size[0] / scale) // 2) * 2
    # By pixel, the number of the square that covers the middle of the pixel.
    owners = []
    for y in range(height):
        row = (y + 0.5) * scale
        owners.append([_square_at(squares, row, (x + 0.5) * scale) for x in range(columns)])
    for number, square in enumerate(squares):
        # A square that is smaller than a pixel may cover no middle. It still gets a pixel, an upper
        # one, which can hold the letter.
        y = min(int(square.row / scale), height - 1)
        x = min(int(square.column / scale), columns - 1)
        upper = owners[y - y % 2]
        if upper[x] is None:
            upper[x] = number
    lines = []
    lettered = set[int]()
    for y in range(0, height, 2):
        line = []
        for top, bottom in zip(owners[y], owners[y + 1], strict=True):
            # Rows come from the top, so the first pixel is the upper left one of its square.
            is_first = top is not None and top not in lettered
            if top is not None:
                lettered.add(top)
            line.append(_place(top, bottom, squares, page, letter=is_first))
        lines.append(line)
    return lines


def _square_at(squares: Sequence[Square], row: float, column: float) -> int | None:
    """The number of the square that covers a place, if one does."""
    for number, square in enumerate(squares):
        in_rows = square.row <= row < square.row + square.side
        in_columns = square.column <= column < square.column + square.side
        if in_rows and in_columns:
            return number
    return None


def _place(
    top: int | None,
    bottom: int | None,
    squares: Sequence[Square],
    page: tuple[str, str],
    *,
    letter: bool,
) -> Segment:
    """A cell of a map, two pixels; the first one of a square has its letter."""
    colors = [page[0] if number is None else squares[number].color for number in (top, bottom)]
    name = LETTERS[top % len(LETTERS)] if top is not None else "."
    if not all(color.startswith("#") for color in colors):
        return Segment(name)
    if letter:
        return Segment(name, Style(color=page[1], bgcolor=colors[0], bold=True))
    return Segment(_HALF, Style(color=colors[0], bgcolor=colors[1]))


def bar(share: float, width: int) -> str:
    """A bar in eighths of a character, padded to the width."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    # Behind whole cells stands a blank, which may be one column too many.
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()[:width].ljust(width)


def longest_phases(phases: Sequence[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """The longest phases, in their own order; of more than `most`, the others are one phase."""
    if len(phases) <= most:
        return list(phases)
    longest = sorted(phases, key=lambda phase: -phase[1])[: most - 1]
    kept = {name for name, _ in longest}
    rest = sum(cycles for name, cycles in phases if name not in kept)
    return [*(phase for phase in phases if phase[0] in kept), ("all else", rest)]


# The screen.

_LOOK_S = 1 / 20
"""Seconds between two looks whether the mesh can go on."""
_GAP = 3  # columns between two pictures
_FULL = 32
"""Columns of a picture with room for every PE of the mesh."""
_TIME_LINE = 17
"""Lines that a token's phases take, with the empty line between them and the pictures."""
_COLORS = ("accent", "ok", "error", "muted", "added-bright", "faint")


class Canvas(Widget):
    """Lines as they were drawn."""

    DEFAULT_CSS = "Canvas { height: 1fr; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []

    def show(self, lines: list[Line]) -> None:
        """Show these lines."""
        self.lines = lines
        self.refresh()

    @property
    def words(self) -> str:
        """All its text, for tests and screen readers."""
        return "\n".join("".join(segment.text for segment in line) for line in self.lines)

    def render_line(self, y: int) -> Strip:
        """A line, cut to the width there is."""
        width = self.size.width
        style = self.rich_style
        segments = []
        if y < len(self.lines):
            for segment in self.lines[y]:
                own_style = style + segment.style if segment.style else style
                segments.append(Segment(segment.text, own_style))
        return Strip(segments).adjust_cell_length(width, style)


class WaferScreen(Screen[None]):
    """Esc, q and w close it.

    Args:
        view: Computes the map and the mesh; each call is slow and runs in a worker.
        controller: Has the turn that the mesh follows.
    """

    DEFAULT_CSS = """
    WaferScreen {
        background: $spark-background; layout: vertical;
        #wafer-title { background: $spark-surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,w", "dismiss", "close", show=False)]

    def __init__(self, view: WaferView, controller: Controller) -> None:
        super().__init__()
        self._view = view
        self._controller = controller
        self._map: WaferMap | None = None
        self._token: MeshToken | None = None
        self._problem = ""
        self._working = False

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield Bar(id="wafer-title")
        yield Canvas()
        yield Bar(id="wafer-speed")
        yield Bar(id="wafer-keys")

    def on_mount(self) -> None:
        """Draw the map first, then follow the turn."""
        self.query_one("#wafer-keys", Bar).show(
            keys(("Esc", "close")), [BarPiece("every figure of a wafer is simulated", "faint")]
        )
        self.run_worker(self._open(), group="wafer")

    def on_resize(self) -> None:
        """Draw for the size there is."""
        self._paint()

    async def _open(self) -> None:
        try:
            self._map = await asyncio.to_thread(self._view.place)
            # The footer may show this speed, but not that of a model that only the pace names.
            if self._map.model == self._controller.model:
                self._controller.simulated = self._map.rate
        except SparkError as e:
            self._problem = str(e)
        self._paint()
        every(_LOOK_S, self, self._look)

    def _look(self) -> None:
        """Have the mesh run the next token, unless a token is running."""
        turn = self._controller.turn
        if turn is not None and not self._working and not self._problem:
            self._working = True
            self.run_worker(self._follow(), group="mesh")
        self._paint_speed()

    async def _follow(self) -> None:
        turn = self._controller.turn
        written = tuple(self._controller.view.token_ids)
        try:
            token = await asyncio.to_thread(self._view.follow, turn, written) if turn else None
        except SparkError as e:
            self._problem = str(e)
            token = None
            self._paint()
        finally:
            self._working = False
        if token is not None:
            self._token = token
            self._paint()

    # Painting

    def _paint(self) -> None:
        if not is_open(self):
            return
        title = "placing the model"
        where = ""
        if self._map:
            title = f"{self._map.model} on {self._map.device}"
            where = _regions(self._map)
        self.query_one("#wafer-title", Bar).show(
            [BarPiece(title, "accent", 9)], [BarPiece(where, "muted")]
        )
        self.query_one(Canvas).show(self._drawn())
        self._paint_speed()

    def _paint_speed(self) -> None:
        """The simulated speeds beside the measured one."""
        token = self._token
        wafer = self._map
        rate = self._controller.view.figures.rate
        left = []
        if wafer:
            left.append(BarPiece(f"{wafer.rate:,.0f} tok/s simulated on {wafer.device}", "ok", 8))
        if token and token.rate:
            whose = f"{token.model} " * self._another(token)
            words = f"{whose}{token.rate:,.0f} on {token.grid} x {token.grid} PEs"
            left.append(BarPiece(words, "muted", 6))
        # A pace after another device than the wafer on the map would mislead if it were not named.
        pace = self._controller.pacer.pace
        if pace and wafer and pace.device not in {"", wafer.device}:
            left.append(BarPiece(f"paced as {pace.device}: {pace.rate:,.0f}", "muted", 7))
        right = [BarPiece(f"{rate:,.0f} tok/s measured here", "text", 9)] if rate else []
        self.query_one("#wafer-speed", Bar).show(left, right)

    def _another(self, token: MeshToken) -> bool:
        """Whether the map shows a model that the pace names, and not the model that writes."""
        return self._map is not None and self._map.model != token.model

    def _drawn(self) -> list[Line]:
        """Pictures side by side, and the time line below them."""
        width = self.size.width - 2  # without the padding of the canvas
        height = self.size.height - 3  # without the three bars
        # Roomy: two full pictures of the mesh leave 38 columns for the map, and their 18 lines
        # leave room for a time line.
        roomy = width >= 108 and height >= 34
        columns = min(52, width - 2 * (_FULL + _GAP)) if roomy else 26
        pictures = [self._map_picture(columns, height)] if self._map else []
        if self._token:
            size = _FULL if roomy else _FULL // 2
            pictures += [
                self._mesh_picture(self._token, which, size) for which in ("memory", "links")
            ]
        lines = _beside(pictures)
        lines.append([])
        if self._problem:
            lines.append([Segment(visible(self._problem), look(self, "error"))])
        elif self._token:
            lines += self._time_line(width, height - len(lines))
        elif self._controller.turn:
            lines.append([Segment("the mesh reads the prompt", look(self, "muted"))])
        else:
            words = (
                "no turn yet: send an instruction, and its tokens go through a layer on "
                "the mesh, too"
            )
            lines.append([Segment(words, look(self, "muted"))])
        return lines

    def _map_picture(self, columns: int, height: int) -> list[Line]:
        """The map, and below it the names of regions, as many as leave room for the time line."""
        assert self._map is not None
        wafer = self._map
        colors = self.app.theme_variables
        squares = []
        for number, region in enumerate(wafer.regions):
            color = colors[f"spark-{_COLORS[number % len(_COLORS)]}"]
            squares.append(Square(region.row, region.column, wafer.grid, color))
        page = colors["spark-surface"], colors["spark-background"]
        name = f"{wafer.device}, {wafer.rows} x {wafer.columns} PEs"
        lines = [[Segment(f"{name:<{columns}}", look(self, "text"))]]
        lines += plan((wafer.rows, wafer.columns), squares, columns, page)
        least = 4 if columns > _FULL else 1
        most = max(least, height - len(lines) - _TIME_LINE)
        for note in _named(wafer.regions, most):
            lines.append([Segment(shortened(note, columns).ljust(columns), look(self, "muted"))])
        return lines

    def _mesh_picture(self, token: MeshToken, which: str, size: int) -> list[Line]:
        """The memory or the links of the mesh, with a headline and a note."""
        colors = self.app.theme_variables
        if which == "memory":
            values = pooled(token.memory, size)
            high = colors["spark-ok"]
            head = f"{token.device} PE memory"
            used = f"{token.fullest / token.sram:.0%}"
            note = f"{used} in use"
            if size == _FULL:
                note = f"{token.emptiest:,} to {token.fullest:,} B, {used}"
        else:
            values = pooled(token.heat, size)
            high = colors["spark-accent"]
            head = f"{token.device} link words"
            note = f"at most {token.busiest:,}"
        width = max(size, len(head) + 1)
        picture = [
            [*line, Segment(" " * (width - len(line)))]
            for line in heat(values, Ramp(colors["spark-surface"], high))
        ]
        return [
            [Segment(head.ljust(width), look(self, "text"))],
            *picture,
            [Segment(note.ljust(width), look(self, "muted"))],
        ]

    def _time_line(self, width: int, height: int) -> list[Line]:
        """The phases of the token the mesh ran last."""
        token = self._token
        assert token is not None
        # While the prompt is read, `done` counts the tokens that are missing, as a negative number.
        if token.done < 0:
            title = f"the prompt, {-token.done:,} tokens to go"
        elif token.tokens == 1:
            title = f"token {token.done} of {token.written}"
        else:
            title = f"a prompt of {token.tokens} tokens"
        if self._another(token):
            title += f" of {token.model}"
        title += f", layer 1 of {token.layers} on {token.device}"
        ran = f"{token.cycles:,.0f} cycles simulated, {token.milliseconds:,.0f} ms here"
        phases = longest_phases(token.phases, max(2, height - 1))
        longest = max((cycles for _, cycles in phases), default=1.0)
        names = max((len(name) for name, _ in phases), default=0)
        room = max(4, width - names - 18)
        rows = [
            [
                Segment(f"{name:<{names}} ", look(self, "muted")),
                Segment(bar(cycles / longest, room), look(self, "accent")),
                Segment(f"{cycles:>10,.0f} {cycles / token.cycles:>5.1%}", look(self, "text")),
            ]
            for name, cycles in phases
        ]
        return [
            [Segment(f"{title}: ", look(self, "text")), Segment(ran, look(self, "muted"))],
            *rows,
        ]


def _regions(wafer: WaferMap) -> str:
    """The number of regions, in words."""
    wafers = f"the first of {wafer.wafers} wafers" if wafer.wafers > 1 else "one wafer"
    count = len(wafer.regions)
    return f"{count} region{'s' * (count != 1)} of {wafer.grid} x {wafer.grid} PEs on {wafers}"


def _named(regions: Sequence[MapRegion], most: int) -> list[str]:
    """The regions by their letters, on so many lines."""
    names = [
        f"{LETTERS[number % len(LETTERS)]} {region.what}" for number, region in enumerate(regions)
    ]
    if len(names) <= most or most == 1:
        return names[:most]
    return [*names[: most - 1], f"and {len(names) - most + 1} more"]


def _beside(pictures: Sequence[list[Line]]) -> list[Line]:
    """Pictures side by side, each as wide as its first line, their tops level."""
    widths = [_width(picture[0]) for picture in pictures]
    empty: Line = []
    lines = []
    for rows in zip_longest(*pictures, fillvalue=empty):
        line: Line = []
        for row, width in zip(rows, widths, strict=True):
            line += row
            line.append(Segment(" " * (width - _width(row) + _GAP)))
        lines.append(line)
    return lines


def _width(line: Line) -> int:
    return sum(len(segment.text) for segment in line)
