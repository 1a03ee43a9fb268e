"""Bars with labels, as SVG that reads on light and dark pages, or as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from spark_tui.errors import FileError, UsageError

_WIDTH, _LABELS, _VALUES, _ROW, _HEAD = 760, 130, 220, 26, 64
_STYLE = """
  .page { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif }
  .title { font-size: 17px; font-weight: 600 } .quiet { fill: #59636e }
  .kind0 { fill: #0969da } .kind1 { fill: #8c959f } .whisker { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .kind0 { fill: #4493f8 } .kind1 { fill: #6e7681 } .whisker { stroke: #f0f6fc }
  }
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar. Args: value: from 0. text: the value in words. unsure: a share of the value. kind: 0 or 1, its color."""

    label: str
    value: float
    text: str
    unsure: float = 0.0
    kind: int = 0


@dataclass(frozen=True, slots=True)
class Plot:
    """Bars under one title. Args: note: a line below them."""

    title: str
    bars: Sequence[Bar]
    note: str = ""


def as_svg(plots: Sequence[Plot]) -> str:
    """The plots below one another as an SVG page."""
    parts, top = [], 0
    for plot in plots:
        parts.append(f'<g transform="translate(0 {top})">\n{_drawn(plot)}\n</g>')
        top += _height(plot)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{top}" viewBox="0 0 {_WIDTH} {top}">\n'
        f'<style>{_STYLE}</style>\n<rect class="page" width="{_WIDTH}" height="{top}"/>\n{body}\n</svg>\n'
    )


def _height(plot: Plot) -> int:
    return _HEAD + _ROW * len(plot.bars) + (_ROW if plot.note else 0)


def _drawn(plot: Plot) -> str:
    scale = (_WIDTH - _LABELS - _VALUES) / (_most(plot) or 1)
    lines = [f'<text class="title" x="16" y="34">{escape(plot.title)}</text>']
    for number, bar in enumerate(plot.bars):
        lines += _bar(bar, _HEAD - 10 + number * _ROW, scale)
    if plot.note:
        lines.append(f'<text class="quiet" x="16" y="{_height(plot) - 14}">{escape(plot.note)}</text>')
    return "\n".join(lines)


def _bar(bar: Bar, top: int, scale: float) -> list[str]:
    width, middle = bar.value * scale, top + _ROW // 2
    low, high = (_LABELS + bar.value * (1 + sign * bar.unsure) * scale for sign in (-1, 1))
    lines = [
        f'<text x="{_LABELS - 10}" y="{middle + 4}" text-anchor="end">{escape(bar.label)}</text>',
        f'<rect class="kind{bar.kind}" x="{_LABELS}" y="{top + 4}" width="{width:.1f}" height="{_ROW - 8}" rx="2"/>',
        f'<text class="quiet" x="{high + 8:.1f}" y="{middle + 4}">{escape(bar.text)}</text>',
    ]
    if bar.value and bar.unsure:
        lines += [
            f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>',
            *(
                f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{middle - 4}" y2="{middle + 4}"/>'
                for x in (low, high)
            ),
        ]
    return lines


def _most(plot: Plot) -> float:
    return max((bar.value * (1 + bar.unsure) for bar in plot.bars), default=0.0)


def as_text(plots: Sequence[Plot], width: int = 80) -> str:
    """The plots below one another as lines of text, none longer than `width`."""
    return "\n\n".join("\n".join(_lines(plot, width)) for plot in plots)


def _lines(plot: Plot, width: int) -> list[str]:
    labels = max((len(bar.label) for bar in plot.bars), default=0)
    room = width - labels - max((len(bar.text) for bar in plot.bars), default=0) - 3
    most = max((bar.value for bar in plot.bars), default=0.0) or 1
    rows = [f"{bar.label:<{labels}} {_blocks(bar.value / most * max(room, 1))} {bar.text}" for bar in plot.bars]
    return [plot.title, *rows, *([plot.note] if plot.note else [])]


def _blocks(length: float) -> str:
    """A bar in eighths of a character."""
    eighths = round(length * 8)
    rest = " ▏▎▍▌▋▊▉"[eighths % 8].strip()
    return "█" * (eighths // 8) + rest


def check_plot(path: Path) -> None:
    """Refuse a file that no plot can go to. Raises: UsageError: neither .svg nor .txt. FileError: no such folder."""
    if path.suffix.lower() not in {".svg", ".txt"}:
        raise UsageError(f"a plot goes to a .svg or a .txt file, not to {path}")
    if path.is_dir() or not path.parent.is_dir():
        raise FileError(f"cannot write {path}: {'it is a folder' if path.is_dir() else f'no folder {path.parent}'}")


def write_plot(path: Path, plots: Sequence[Plot]) -> None:
    """Write plots to a file, as SVG or as text by its name. Raises: UsageError, FileError: it cannot be written."""
    check_plot(path)
    text = as_svg(plots) if path.suffix.lower() == ".svg" else as_text(plots) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise FileError(f"cannot write {path}: {e.strerror or e}") from e
