"""The growing diff, drawn line by line: only the rows on the screen are ever worked out."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spark_tui.tui.looks import look
from spark_tui.tui.marks import Ink, Span, changed_words, inked
from spark_tui.tui.rows import DiffRows, Kind, Row

_SIGNS = {Kind.CONTEXT: " ", Kind.OLD: "-", Kind.NEW: "+", Kind.DONE: "✓", Kind.FOLD: " "}
_LOOKS = {Kind.CONTEXT: "muted", Kind.OLD: "old", Kind.NEW: "new", Kind.DONE: "text", Kind.FOLD: "faint"}
_SHIFT = 8
_MOST_CHARACTERS = 4
"""In a cell: those that combine take none of their own."""


class DiffView(ScrollView, can_focus=True):
    """A unified diff with a line cursor and a selected hunk.

    While something is written it follows the live line, until the user moves or scrolls; End follows again.
    """

    DEFAULT_CSS = """
    DiffView {
        background: $spark-background; color: $spark-text; scrollbar-size-vertical: 1; overflow-x: hidden;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,y", "screen.accept", "accept the hunk", id="hunk.accept"),
        Binding("r,n", "screen.reject", "reject the hunk", id="hunk.reject"),
        Binding("A", "screen.accept_all", "accept all", id="all.accept"),
        Binding("R", "screen.reject_all", "reject all", id="all.reject"),
        Binding("s", "screen.handle('split')", "split the hunk finer, then whole", id="hunk.split"),
        Binding("space", "screen.handle('toggle')", "take a line out or in", id="line.toggle"),
        Binding("e", "screen.handle('edit')", "edit the proposed text", id="hunk.edit"),
        Binding("ctrl+g", "screen.handle('editor')", "edit it in your editor", id="hunk.editor"),
        Binding("g", "screen.handle('again')", "ask for the hunk again", id="hunk.again"),
        Binding("tab", "screen.handle('next')", "next variation", id="variation.next"),
        Binding("shift+tab", "screen.handle('previous')", "previous variation", id="variation.previous"),
        Binding("right_curly_bracket", "screen.handle('file')", "next file", id="file.next"),
        Binding("left_curly_bracket", "screen.handle('file')", "previous file", id="file.previous"),
        Binding("Y", "screen.handle('copy')", "copy the patch", id="patch.copy"),
        Binding("u", "screen.undo", "undo", id="journal.undo"),
        Binding("c", "screen.commit", "stage and commit", id="git.commit"),
        Binding("enter,i,slash", "screen.to_prompt", "to the prompt", id="focus.prompt"),
        Binding("question_mark", "app.help", "keys", id="help"),
        Binding("q", "app.quit", "quit", id="quit"),
        Binding("w", "app.wafer", "the wafer view", id="wafer"),
        Binding("T", "app.report", "where the time went", id="turn.report"),
        Binding("j,down", "move(1)", "next line", id="line.next"),
        Binding("k,up", "move(-1)", "previous line", id="line.previous"),
        Binding("pagedown,ctrl+d", "page(1)", "page down", id="page.next"),
        Binding("pageup,ctrl+u", "page(-1)", "page up", id="page.previous"),
        Binding("home", "top", "first line", id="line.first"),
        Binding("end", "bottom", "last line, and follow", id="line.last"),
        Binding("right_square_bracket", "hunk(1)", "next hunk", id="hunk.next"),
        Binding("left_square_bracket", "hunk(-1)", "previous hunk", id="hunk.previous"),
        Binding("right", "shift(1)", "see more to the right", id="view.right"),
        Binding("left", "shift(-1)", "see more to the left", id="view.left"),
    ]

    class Moved(Message):
        """The cursor moved, by the user's own key or click or otherwise; the selected hunk may be another."""

        def __init__(self, *, by_user: bool) -> None:
            super().__init__()
            self.by_user = by_user

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.rows = DiffRows()
        self.cursor = 0
        self.live_row: int | None = None
        self.following = True
        self._shift = 0

    @property
    def selected(self) -> int | None:
        """The index of the hunk that the cursor is in or next to."""
        return self.rows.hunk_at(self.cursor)

    def show(self, rows: DiffRows, *, cursor: int, live: int | None = None) -> None:
        """Show other rows.

        Args: cursor: the row of the cursor (when nobody follows). live: the row being written.
        """
        before, marked = self._on_screen(), {self.cursor, self.live_row}
        self.rows, self.live_row = rows, live
        self.cursor = max(0, min(cursor, len(rows) - 1))
        self._grow_to(len(rows))
        if self.following and live is not None:
            self.cursor = live
        if self.following or live is None:
            self._reveal(self.cursor)
        self._repaint(before, marked ^ {self.cursor, self.live_row})

    def select(self, hunk: int, *, by_user: bool = False) -> None:
        """Put the cursor on the first row of a hunk."""
        if 0 <= hunk < len(self.rows.first_rows):
            self._go(self.rows.first_rows[hunk], by_user=by_user)

    def go_to(self, row: int) -> None:
        """Put the cursor on a row."""
        self._go(row, by_user=False)

    def action_move(self, step: int) -> None:
        """Move the cursor by lines."""
        self._go(self.cursor + step)

    def action_page(self, step: int) -> None:
        """Move the cursor by screens."""
        self._go(self.cursor + step * max(1, self.size.height - 2))

    def action_top(self) -> None:
        """Go to the first line."""
        self._go(0)

    def action_bottom(self) -> None:
        """Go to the last line, or to the live one and follow it again."""
        self._go(len(self.rows) - 1 if self.live_row is None else self.live_row)
        self.following = True

    def action_hunk(self, step: int) -> None:
        """Go to the next or previous hunk."""
        rows = self.rows
        if step > 0:
            self._go(next((row for row in rows.first_rows if row > self.cursor), self.cursor))
        else:
            before = (rows.first_rows[at] for at, last in enumerate(rows.last_rows) if last < self.cursor)
            self._go(max(before, default=self.cursor))

    def action_shift(self, step: int) -> None:
        """Look further right or back left at long lines."""
        self._shift = max(0, self._shift + step * _SHIFT)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to where the mouse points."""
        self._go(event.y + self.scroll_offset.y)

    def on_mouse_scroll_up(self) -> None:
        """A scroll by hand ends the following."""
        self.following = False

    def on_mouse_scroll_down(self) -> None:
        """A scroll by hand ends the following."""
        self.following = False

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._grow_to(len(self.rows))
        self._reveal(self.cursor)

    def on_focus(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if index >= len(self.rows):
            return Strip.blank(width, look(self, "page"))
        row = self.rows[index]
        here = self.has_focus and index == self.cursor
        plain = look(self, "page") + look(self, "faint" if row.out else _LOOKS[row.kind])
        marked = plain + look(self, "selected") if here else plain
        style = marked if row.hunk is None else plain
        gutter = Strip(self._gutter(row, index, marked))
        room = width - gutter.cell_length
        text = Strip(self._text(row, index, style, _MOST_CHARACTERS * (self._shift + room)))
        cut = text.crop(self._shift, self._shift + room).extend_cell_length(room, style)
        if text.cell_length > self._shift + room:
            cut = Strip.join([cut.crop(0, room - 1), Strip([Segment("›", style + look(self, "faint"))])])
        return Strip.join([gutter, cut]).adjust_cell_length(width, style)

    def _gutter(self, row: Row, index: int, style: Style) -> list[Segment]:
        digits = self._digits
        selected = row.hunk is not None and row.hunk == self.selected
        if row.kind is Kind.FOLD:
            return [Segment(" " * digits + "⋯ ", style)]
        live = index == self.live_row
        numbers = f"{row.old or '':>{digits}} {row.new or '':>{digits}} "
        sign = {Kind.OLD: "removed", Kind.NEW: "added", Kind.DONE: "added"}.get(row.kind, "faint")
        return [
            Segment("▌" if live else "▎" if selected else " ", style + look(self, "accent")),
            Segment(numbers, style + look(self, "accent" if live else "faint")),
            Segment("· " if row.out else _SIGNS[row.kind] + " ", style + look(self, "accent" if live else sign)),
        ]

    def _text(self, row: Row, index: int, style: Style, most: int) -> list[Segment]:
        """A row's text. Args: most: characters that are looked at; a line may have millions."""
        word = style + look(self, "new word" if row.kind is Kind.NEW else "old word")
        inks = {Ink.PLAIN: style, Ink.WORD: word, Ink.MARK: style + look(self, "warning")}
        live = index == self.live_row
        if row.odd:
            inks[Ink.WORD] = inks[Ink.MARK]
        words = row.odd or (() if live or row.out or row.pair is None else _words(row, row.pair))
        segments = [Segment(text, inks[ink]) for text, ink in inked(row.text[:most], words)]
        return [*segments, Segment("▏", style + look(self, "accent"))] if live else segments

    def _go(self, row: int, *, by_user: bool = True) -> None:
        self.following = False
        self.cursor = max(0, min(row, len(self.rows) - 1))
        self._reveal(self.cursor)
        self.refresh()
        self.post_message(self.Moved(by_user=by_user))

    def _reveal(self, row: int) -> None:
        """Scroll so that a row is in sight, with a little of what surrounds it."""
        height, top = self.size.height, self.scroll_offset.y
        margin = min(2, max(0, (height - 1) // 2))
        wanted = min(max(top, row + margin + 1 - height), max(0, row - margin))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def _grow_to(self, rows: int) -> None:
        """Tell Textual how much there is to scroll; a row more is no reason to lay out the whole screen again."""
        size = Size(self.size.width, rows)
        if size != self.virtual_size:
            self.set_reactive(DiffView.virtual_size, size)
            self._scroll_update(size)

    @property
    def _digits(self) -> int:
        """How wide line numbers are."""
        return max(3, len(str(self.rows.last_number)))

    def _on_screen(self) -> tuple[object, list[Row]]:
        top = self.scroll_offset.y
        rows = [self.rows[index] for index in range(top, min(top + self.size.height, len(self.rows)))]
        return (top, self.selected, self._digits), rows

    def _repaint(self, before: tuple[object, list[Row]], marked: set[int | None]) -> None:
        """Paint only the rows that changed or are `marked`, or all when something that concerns all of them did."""
        place, rows = self._on_screen()
        if place != before[0] or len(rows) != len(before[1]):
            self.refresh()
            return
        top = self.scroll_offset.y
        for index, (old, new) in enumerate(zip(before[1], rows, strict=True), top):
            if old != new or index in marked:
                self.refresh_line(index)


def _words(row: Row, pair: str) -> tuple[Span, ...]:
    if row.kind is Kind.OLD:
        return changed_words(row.text, pair)[0]
    return changed_words(pair, row.text)[1] if row.kind is Kind.NEW else ()
