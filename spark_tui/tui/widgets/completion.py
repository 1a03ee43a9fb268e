"""The list above the prompt: what could stand at the cursor, what was sent before, which place could be meant."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.marks import visible
from spark_tui.tui.completing import Item
from spark_tui.tui.looks import look
from spark_tui.tui.marks import shortened

_AROUND = 4
"""Rows of the screen that are no part of what the list and the work share."""
_GAP, _MARGIN, _WIDEST = 2, 3, 48


class Completion(Widget):
    """Some items, one of them chosen. It never takes the focus: the prompt does, and tells it what to do."""

    DEFAULT_CSS = """
    Completion {
        display: none; height: auto; background: $spark-surface; color: $spark-muted;
        &.-open { display: block; }
    }
    """

    class Picked(Message):
        """The user clicked on an item."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[Item, ...] = ()
        self.chosen = 0
        self.moved = False
        """Whether the user chose one of these by a key."""
        self.title = ""
        self._column = 0

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return bool(self.items)

    @property
    def item(self) -> Item | None:
        """The one that is chosen."""
        return self.items[self.chosen] if self.items else None

    def show(self, items: Sequence[Item], *, title: str = "", chosen: int = 0) -> None:
        """Offer these, one of them chosen; none closes the list. Args: title: what they are, at the right."""
        if tuple(items) == self.items:
            return
        before = self._rows
        self.items, self.chosen, self.moved, self.title = tuple(items), chosen, False, title
        widest = max((cell_len(item.text) for item in self.items if item.detail), default=0)
        self._column = _MARGIN + min(widest, _WIDEST)
        self.set_class(bool(items), "-open")
        self.refresh(layout=self._rows != before)

    def move(self, step: int) -> None:
        """Choose another one; beyond the last comes the first."""
        self.chosen, self.moved = (self.chosen + step) % len(self.items), True
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row an item, some at once."""
        return self._rows

    @property
    def _rows(self) -> int:
        """How many items are shown at once: up to half of the screen."""
        return min(len(self.items), max(1, (self.app.size.height - _AROUND) // 2))

    def on_click(self, event: events.Click) -> None:
        """Choose the item under the mouse."""
        if (row := event.y + self._top()) < len(self.items):
            self.chosen = row
            self.refresh()
            self.post_message(self.Picked())

    def render_line(self, y: int) -> Strip:
        """One item: its text, the letters that were asked for marked, what it is, and how many are out of sight."""
        row, width, style = y + self._top(), self.size.width, look(self, "panel")
        if row >= len(self.items):
            return Strip.blank(width, style)
        item, is_chosen = self.items[row], row == self.chosen
        if is_chosen:
            style += look(self, "selected")
        title = self._title(item, width) if is_chosen else self._out_of_sight(y)
        room = max(8, min(self._column, width) - _MARGIN if item.detail else width - _MARGIN - len(title) - _GAP)
        segments = [Segment(" ▎ " if is_chosen else "   ", style + look(self, "accent"))]
        segments += self._text(item, room, style + look(self, "text" if is_chosen else "muted"), style)
        faint = style + look(self, "faint")
        column = width - len(title) - 1 if title else width
        if item.detail:
            segments.append(_space(segments, self._column + _GAP, style))
            left = column - (_GAP if title else 0) - sum(segment.cell_length for segment in segments)
            segments.append(Segment(shortened(visible(item.detail), max(1, left)), faint))
        if title:
            segments = list(Strip(segments).crop(0, max(0, column - _GAP)))
            segments += [_space(segments, column, style), Segment(title, faint)]
        return Strip(segments).adjust_cell_length(width, style)

    def _title(self, item: Item, width: int) -> str:
        """What the items are, where that takes nothing away from one."""
        fits = _MARGIN + cell_len(visible(item.text)) + _GAP + len(self.title) < width
        return self.title if fits else ""

    def _out_of_sight(self, y: int) -> str:
        """How many items there are above the first row, or below the last one."""
        above, below = self._top(), len(self.items) - self._top() - self.size.height
        if y == self.size.height - 1 and below > 0:
            return f"↓ {below} more"
        return f"↑ {above} more" if y == 0 and above else ""

    def _text(self, item: Item, room: int, plain: Style, style: Style) -> list[Segment]:
        marked, at = style + look(self, "accent"), set(item.at)
        return [
            Segment(char, marked if index in at else plain)
            for index, char in _cut(item.text, room, at_start=item.value.startswith("@"))
        ]

    def _top(self) -> int:
        """The first item on the screen: the chosen one is always among them."""
        rows = min(self.size.height or self._rows, len(self.items))
        return max(0, min(self.chosen - rows // 2, len(self.items) - rows))


def _space(before: Sequence[Segment], column: int, style: Style) -> Segment:
    """What leads to a column, or at least away from what is there."""
    return Segment(" " * max(_GAP, column - sum(segment.cell_length for segment in before)), style)


def _cut(text: str, room: int, *, at_start: bool) -> list[tuple[int, str]]:
    """The characters that fit, with their indices: of a path the last ones, else the first; … stands for the rest."""
    chars = list(enumerate(visible(text)))
    if cell_len(text) <= room:
        return chars
    if at_start:
        chars.reverse()
    kept, width = [], 1
    for index, char in chars:
        width += cell_len(char)
        if width > room:
            break
        kept.append((index, char))
    kept.append((-1, "…"))
    return kept[::-1] if at_start else kept
