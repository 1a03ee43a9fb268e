"""The list of a turn's hunks and how each one stands."""

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.tui.marks import visible
from spark_tui.tui.view import Item, State

_GLYPHS = {
    State.WRITING: ("●", "accent"),
    State.WRITTEN: ("○", "muted"),
    State.OK: ("○", "ok"),
    State.FAILED: ("!", "error"),
    State.ACCEPTED: ("✓", "ok"),
    State.REJECTED: ("✗", "faint"),
}


class HunkList(Widget):
    """One line a hunk; it never takes the focus, since `[` and `]` reach every hunk from the diff."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "hunks--text", "hunks--muted", "hunks--faint", "hunks--accent", "hunks--ok", "hunks--error",
        "hunks--added", "hunks--removed", "hunks--selected",
    }  # fmt: skip
    DEFAULT_CSS = """
    HunkList {
        background: $spark-surface; color: $spark-muted;
        .hunks--text { color: $spark-text; }
        .hunks--muted { color: $spark-muted; }
        .hunks--faint { color: $spark-faint; }
        .hunks--accent { color: $spark-accent; }
        .hunks--ok { color: $spark-ok; }
        .hunks--error { color: $spark-error; }
        .hunks--added { color: $spark-added-text; }
        .hunks--removed { color: $spark-removed-text; }
        .hunks--selected { background: $spark-cursor; }
    }
    """

    class Picked(Message):
        """The user clicked on an open hunk."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.items: tuple[Item, ...] = ()
        self.selected: int | None = None

    def show(self, items: list[Item], selected: int | None) -> None:
        """Show these hunks; `selected` is the index of one among the open ones."""
        if (tuple(items), selected) != (self.items, self.selected):
            grown = len(items) != len(self.items)
            self.items, self.selected = tuple(items), selected
            self.refresh(layout=grown)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row a hunk."""
        return len(self.items)

    def on_click(self, event: events.Click) -> None:
        """Pick the hunk under the mouse."""
        row = event.y + self._top()
        if row < len(self.items) and (index := self.items[row].index) is not None:
            self.post_message(self.Picked(index))

    def render_line(self, y: int) -> Strip:
        """One hunk."""
        row = y + self._top()
        if row >= len(self.items):
            return Strip.blank(self.size.width, self.rich_style)
        item = self.items[row]
        chosen = item.index is not None and item.index == self.selected
        style = self.rich_style
        if chosen:
            style += self.get_component_rich_style("hunks--selected", partial=True)
        segments = [
            Segment(text, style + self.get_component_rich_style(f"hunks--{look}", partial=True))
            for text, look in self._pieces(row, item, chosen)
        ]
        return Strip(segments).adjust_cell_length(self.size.width, style)

    def _pieces(self, row: int, item: Item, chosen: bool) -> list[tuple[str, str]]:
        glyph, look = _GLYPHS[item.state]
        decided = item.index is None
        words = item.note or item.state.value
        return [
            ("▎" if chosen else " ", "accent"),
            (f"{glyph} ", look),
            (f"{row + 1:<3}", "faint" if decided else "text" if chosen else "muted"),
            (f"line {item.line:<6}", "faint" if decided else "text" if chosen else "muted"),
            (f"{'+' + str(item.added):>5}", "faint" if decided else "added"),
            (f"{'−' + str(item.removed):>5}  ", "faint" if decided else "removed"),
            (visible(words), look),
        ]

    def _top(self) -> int:
        """The first item on the screen: the selected one (else the last open one) is always among them."""
        chosen = next((row for row, item in enumerate(self.items) if item.index == self.selected is not None), None)
        wanted = len(self.items) - 1 if chosen is None else chosen
        return max(0, min(wanted - self.size.height // 2, len(self.items) - self.size.height))
