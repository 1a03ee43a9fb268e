"""One line of the screen: pieces on the left, pieces on the right, the least needed left out when it is narrow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.marks import visible
from spark_tui.tui.looks import look
from spark_tui.tui.marks import shortened

_GAP = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """Words in one colour, by its name in looks.py.

    A piece with a lower `weight` is left out before one with a higher; `joined` puts no gap before it. One with a
    `least` is shortened before anything is left out, down to so many columns.
    """

    text: str
    look: str = "muted"
    weight: int = 1
    joined: bool = False
    least: int = 0


def keys(*words: tuple[str, str]) -> list[Piece]:
    """Keys and what they do; Esc, the way out, is left out last."""
    return [piece for each in words for piece in hint(*each, weight=2 if each[0] == "Esc" else 1)]


def hint(key: str, does: str, *, weight: int) -> tuple[Piece, Piece]:
    """A key and what it does."""
    return Piece(key, "key", weight), Piece(f" {does}", "muted", weight, joined=True)


class Bar(Widget):
    """A line of pieces. Set `left` and `right` through `show`; equal values cost no paint."""

    DEFAULT_CSS = "Bar { height: 1; padding: 0 1; color: $spark-muted; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.left: tuple[Piece, ...] = ()
        self.right: tuple[Piece, ...] = ()

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these pieces."""
        if (tuple(left), tuple(right)) != (self.left, self.right):
            self.left, self.right = tuple(left), tuple(right)
            self.refresh()

    @property
    def words(self) -> str:
        """All the text of the line, for tests and screen readers."""
        return " ".join(piece.text for piece in (*self.left, *self.right))

    def render_line(self, y: int) -> Strip:
        """The line, cut to the width there is."""
        width = self.size.width
        return self._strip(*_fit(self.left, self.right, width), width)

    def _strip(self, left: Sequence[Piece], right: Sequence[Piece], width: int) -> Strip:
        style = self.rich_style
        space = Segment(" " * max(0, width - _width(left) - _width(right)), style)
        return Strip([*self._segments(left, style), space, *self._segments(right, style)]).adjust_cell_length(
            width, style
        )

    def _segments(self, pieces: Sequence[Piece], style: Style) -> list[Segment]:
        segments = []
        for number, piece in enumerate(pieces):
            if number and not piece.joined:
                segments.append(Segment(" " * _GAP, style))
            segments.append(Segment(visible(piece.text), style + look(self, piece.look)))
        return segments


class Keys(Bar):
    """What can be pressed in a sheet, in as many rows as that takes: none of it is left out."""

    DEFAULT_CSS = "Keys { height: auto; margin: 1 0 0 0; padding: 0; }"

    def __init__(self) -> None:
        super().__init__(id="keys")

    def show(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """See `Bar`."""
        super().show(left, right)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row for all that stands side by side."""
        return len(_rows(self.left, width))

    def render_line(self, y: int) -> Strip:
        """One of the rows."""
        rows, width = _rows(self.left, self.size.width), self.size.width
        return self._strip([_short(piece, width) for piece in rows[y]] if y < len(rows) else [], (), width)


def _rows(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Pieces in rows of this width; those that are joined stay together."""
    rows: list[list[Piece]] = []
    for start in (at for at, piece in enumerate(pieces) if not piece.joined):
        end = next((at for at in range(start + 1, len(pieces)) if not pieces[at].joined), len(pieces))
        group = list(pieces[start:end])
        if rows and _width([*rows[-1], *group]) <= width:
            rows[-1] += group
        else:
            rows.append(group)
    return rows


def _width(pieces: Sequence[Piece]) -> int:
    gaps = sum(_GAP for number, piece in enumerate(pieces) if number and not piece.joined)
    return gaps + sum(cell_len(visible(piece.text)) for piece in pieces)


def _fit(left: Sequence[Piece], right: Sequence[Piece], width: int) -> tuple[list[Piece], list[Piece]]:
    """Shorten what can be, or leave out pieces, the least weighty and rightmost first, until both sides fit."""
    left, right = list(left), list(right)
    while len(left) + len(right) > 1 and (over := _width(left) + _width(right) + _GAP * bool(right) - width) > 0:
        if _shorten(left, over) or _shorten(right, over):
            break
        least = min(piece.weight for piece in (*left, *right))
        side = right if any(piece.weight == least for piece in right) else left
        _leave_out(side, max(at for at, piece in enumerate(side) if piece.weight == least))
    return [_short(piece, width) for piece in left], [_short(piece, width) for piece in right]


def _short(piece: Piece, width: int) -> Piece:
    """A piece that has to do with the whole line, if it is wider than that."""
    return replace(piece, text=shortened(visible(piece.text), width))


def _shorten(side: list[Piece], columns: int) -> bool:
    """Take so many columns away from a piece that can spare them. Returns: whether there is one."""
    for at, piece in enumerate(side):
        left = cell_len(visible(piece.text)) - columns
        if left >= piece.least > 0:
            side[at] = replace(piece, text=shortened(visible(piece.text), left))
            return True
    return False


def _leave_out(side: list[Piece], at: int) -> None:
    """Remove a piece with those it is joined to."""
    while at > 0 and side[at].joined:
        at -= 1
    del side[at]
    while at < len(side) and side[at].joined:
        del side[at]
