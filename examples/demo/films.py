"""A film of a terminal, as an asciicast and as an animated SVG."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

Frame = tuple[float, Sequence[Strip]]
"""When it comes, in seconds, and its rows."""
Row = tuple[Segment, ...]
Spans = tuple[tuple[int, int], ...]
"""The frames in which a row shows, as [first, end)."""
_WIDE, _HIGH, _EDGE = 8.4, 18, 12
_STYLE = (
    "text{font:14px 'DejaVu Sans "
    "Mono',Menlo,Consolas,monospace;white-space:pre}.b{font-weight:bold}"
)


def cast(frames: Sequence[Frame], size: tuple[int, int]) -> str:
    """The frames in asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/): of each the
    rows that changed.
    """
    console = Console(
        file=StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    lines = [json.dumps({"version": 2, "width": size[0], "height": size[1], "title": "spark"})]
    before: Sequence[Strip | None] = [None] * size[1]
    for number, (when, rows) in enumerate(frames):
        new = [
            (y, row) for y, (old, row) in enumerate(zip(before, rows, strict=True)) if row != old
        ]
        text = "".join(f"\x1b[{y + 1};1H{row.render(console)}" for y, row in new)
        lines.append(
            json.dumps([round(when, 3), "o", ("\x1b[?25l\x1b[2J" if number == 0 else "") + text])
        )
        before = rows
    return "\n".join(lines) + "\n"


def svg(frames: Sequence[Frame], size: tuple[int, int], *, lasts: float) -> str:
    """The frames as one SVG that plays over and over; a row that stays is in it once.

    Args:
        lasts: Seconds.
    """
    width, height = size[0] * _WIDE + 2 * _EDGE, size[1] * _HIGH + 2 * _EDGE
    names: dict[Spans, str] = {}
    drawn = []
    for (y, row), spans in _shown(frames).items():
        name = names.setdefault(spans, f"f{len(names)}")
        drawn.append(f'<g class="{name}">{"".join(_segments(row, y))}</g>')
    times = [100 * when / lasts for when, _ in frames] + [100.0]
    plays = "".join(_plays(name, spans, times, lasts) for spans, name in names.items())
    page = next(each.style.bgcolor for each in frames[0][1][5] if each.style and each.style.bgcolor)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'xml:space="preserve">'
    )
    ground = f'<rect width="100%" height="100%" rx="8" fill="{page.get_truecolor().hex}"/>'
    return f"{head}<style>{_STYLE}{plays}</style>{ground}{''.join(drawn)}</svg>\n"


def _shown(frames: Sequence[Frame]) -> dict[tuple[int, Row], Spans]:
    """Each row as it once looked, and in which frames it did."""
    when: dict[tuple[int, Row], list[list[int]]] = defaultdict(list)
    for number, (_, rows) in enumerate(frames):
        for y, row in enumerate(rows):
            spans = when[y, tuple(row.simplify())]
            if spans and spans[-1][1] == number:
                spans[-1][1] += 1
            else:
                spans.append([number, number + 1])
    return {place: tuple((first, end) for first, end in spans) for place, spans in when.items()}


def _segments(row: Row, y: int) -> Iterator[str]:
    x = 0
    for text, style, _ in row:
        wide, left, top = cell_len(text) * _WIDE, _EDGE + x * _WIDE, _EDGE + y * _HIGH
        ink, paper = (style.color, style.bgcolor) if style else (None, None)
        if style and style.reverse:
            ink, paper = paper, ink
        if paper:
            fill = paper.get_truecolor().hex
            yield (
                f'<rect x="{left:.1f}" y="{top}" width="{wide + 0.2:.1f}" height="{_HIGH}" '
                f'fill="{fill}"/>'
            )
        if text.strip():
            bold = ' class="b"' if style and style.bold else ""
            place = f'x="{left:.1f}" y="{top + 13}" textLength="{wide:.1f}"'
            yield (
                f"<text{bold} {place} "
                f'fill="{ink.get_truecolor().hex if ink else "#fff"}">{escape(text)}</text>'
            )
        x += cell_len(text)


def _plays(name: str, spans: Spans, times: Sequence[float], lasts: float) -> str:
    if spans == ((0, len(times) - 1),):
        return ""
    stops = {0.0: "hidden"}
    for first, end in spans:
        stops |= {times[first]: "visible", times[end]: "hidden"}
    steps = "".join(f"{at:.2f}%{{visibility:{how}}}" for at, how in sorted(stops.items()))
    return f".{name}{{animation:{name} {lasts:g}s step-end infinite}}@keyframes {name}{{{steps}}}"
