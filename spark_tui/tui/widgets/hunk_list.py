"""The list of a turn's hunks with the state of each; it computes only the rows in sight."""

from dataclasses import dataclass
from typing import NamedTuple

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.safe_text import visible
from spark_tui.session.hunk_items import HunkItem, HunkState, Items
from spark_tui.session.turn_state import TurnState
from spark_tui.tui.themes import look, on_selected
from spark_tui.tui.widgets.highlight import shortened

_MOST_ROWS = 1000
_PLACE = 29
"""The most columns of a place in one of several files."""
_NAME = 24
"""The most columns of the file's name in that place."""
_LEAST_PLACE = 12
_BESIDE_PLACE = 26
"""The columns of the rest of a row: its mark, number and sizes, and a state such as "accepted"."""
_GLYPHS = {
    HunkState.WRITING: ("●", "accent"),
    HunkState.UNCHECKED: ("○", "muted"),
    HunkState.CHECKING: ("○", "muted"),
    HunkState.TOGETHER: ("○", "ok"),
    HunkState.SPOILED: ("○", "warning"),
    HunkState.OK: ("○", "ok"),
    HunkState.UNSURE: ("?", "warning"),
    HunkState.FAILED: ("!", "error"),
    HunkState.ODD: ("?", "warning"),
    HunkState.CHANGED: ("?", "warning"),
    HunkState.ACCEPTED: ("✓", "ok"),
    HunkState.REJECTED: ("✗", "faint"),
    HunkState.GONE: ("✗", "warning"),
    HunkState.ACCEPTING: ("✓", "ok"),
    HunkState.REJECTING: ("✗", "muted"),
}


def _place(item: HunkItem, width: int) -> str:
    """The place of a hunk; the places of several files are aligned.

    Args:
        width: The columns of the list.
    """
    if not item.path:
        return f"line {item.line:<5}"
    columns = max(_LEAST_PLACE, min(_PLACE, width - _BESIDE_PLACE))
    line = f":{item.line}"
    name = shortened(visible(item.path), min(_NAME, columns - len(line)))
    return f"{name}{line}".ljust(columns)


class _Seen(NamedTuple):
    """All that a row is drawn from: if it stays the same, the row is not painted again."""

    row: int
    item: HunkItem
    chosen: bool


class HunkList(Widget):
    """A list with one line a hunk.

    The list never takes the focus, since `[` and `]` reach every hunk from the diff.
    """

    DEFAULT_CSS = "HunkList { background: $spark-surface; color: $spark-muted; }"

    @dataclass
    class Picked(Message):
        """The user clicked on an open hunk."""

        index: int

    def __init__(self) -> None:
        super().__init__()
        self.items: Items = TurnState().items()
        self.selected: int | None = None
        self._seen: list[_Seen] = []

    def show(self, items: Items, selected: int | None) -> None:
        """Show these hunks; `selected` is the index of the selected one among the open hunks."""
        height = self._height
        before = self._seen
        self.items = items
        self.selected = selected
        self._seen = self._on_screen()
        if self._height != height:
            self.refresh(layout=True)
        # Token by token, mostly one row changes: paint that one.
        elif len(before) != len(self._seen):
            self.refresh()
        else:
            for y, (old, new) in enumerate(zip(before, self._seen, strict=True)):
                if old != new:
                    self.refresh(Region(0, y, self.size.width, 1))

    @property
    def _height(self) -> int:
        """The rows that the list asks for: one a hunk, up to more than any screen has."""
        return min(len(self.items), _MOST_ROWS)

    def _on_screen(self) -> list[_Seen]:
        top = self._top()
        return [self._row(row) for row in range(top, min(top + self.size.height, len(self.items)))]

    def _row(self, row: int) -> _Seen:
        item = self.items[row]
        return _Seen(row, item, item.index is not None and item.index == self.selected)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height: one row a hunk."""
        return self._height

    def on_click(self, event: events.Click) -> None:
        """Pick the hunk under the mouse."""
        row = event.y + self._top()
        if row < len(self.items) and (index := self.items[row].index) is not None:
            self.post_message(self.Picked(index))

    def render_line(self, y: int) -> Strip:
        """Draw one hunk."""
        row = y + self._top()
        if row >= len(self.items):
            return Strip.blank(self.size.width, look(self, "panel"))
        _, item, chosen = self._row(row)
        style = look(self, "panel")
        if chosen:
            style += look(self, "selected")
        segments = [
            Segment(text, on_selected(style, look(self, name)))
            for text, name in self._pieces(row, item, chosen)
        ]
        return Strip(segments).adjust_cell_length(self.size.width, style)

    def _pieces(self, row: int, item: HunkItem, chosen: bool) -> list[tuple[str, str]]:
        """The texts of a row, each with the name of its look."""
        glyph, color = _GLYPHS[item.state]
        name = "text" if chosen else "muted"
        added = "added"
        removed = "removed"
        if item.index is None:  # nothing is left to decide about it
            name = added = removed = "faint"
        pieces = [
            ("▎" if chosen else " ", "accent"),
            (f"{glyph} ", color),
            (f"{row + 1:<3}", name),
            (_place(item, self.size.width), name),
            (f"+{item.added}".rjust(4), added),
            (f"−{item.removed}".rjust(5) + "  ", removed),
        ]
        room = self.size.width - sum(len(text) for text, _ in pieces)
        note = shortened(visible(item.note or item.state.value), max(1, room))
        return [*pieces, (note, color)]

    def _top(self) -> int:
        """The first item on the screen.

        The selected item (else the last open one) is always on the screen.
        """
        if self.selected is not None:
            chosen = self.items.place_of(self.selected)
        else:
            chosen = len(self.items) - 1
        return max(0, min(chosen - self.size.height // 2, len(self.items) - self.size.height))
