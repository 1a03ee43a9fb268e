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

from spark_tui.tui.marks import Ink, Span, changed_words, inked
from spark_tui.tui.rows import DiffRows, Kind, Row

_SIGNS = {Kind.CONTEXT: " ", Kind.OLD: "-", Kind.NEW: "+", Kind.DONE: "✓", Kind.FOLD: " "}
_LOOKS = {Kind.CONTEXT: "context", Kind.OLD: "old", Kind.NEW: "new", Kind.DONE: "done", Kind.FOLD: "fold"}
_SHIFT = 8


class DiffView(ScrollView, can_focus=True):
    """A unified diff with a line cursor and a selected hunk.

    While something is written it follows the live line, until the user moves or scrolls; End follows again.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff--context", "diff--old", "diff--new", "diff--done", "diff--fold", "diff--number", "diff--sign-old",
        "diff--sign-new", "diff--old-word", "diff--new-word", "diff--mark", "diff--accent", "diff--cursor",
    }  # fmt: skip
    DEFAULT_CSS = """
    DiffView {
        background: $spark-background; color: $spark-text; scrollbar-size-vertical: 1; overflow-x: hidden;
        .diff--context { color: $spark-muted; }
        .diff--old { color: $spark-removed-text; background: $spark-removed; }
        .diff--new { color: $spark-text; background: $spark-added; }
        .diff--done { color: $spark-text; }
        .diff--fold { color: $spark-faint; }
        .diff--number { color: $spark-faint; }
        .diff--sign-old { color: $spark-removed-text; }
        .diff--sign-new { color: $spark-added-text; }
        .diff--old-word { background: $spark-removed-bright; color: $spark-text; }
        .diff--new-word { background: $spark-added-bright; }
        .diff--mark { color: $spark-warning; }
        .diff--accent { color: $spark-accent; }
        .diff--cursor { background: $spark-cursor; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,y", "screen.accept", "accept the hunk", id="hunk.accept"),
        Binding("r,n", "screen.reject", "reject the hunk", id="hunk.reject"),
        Binding("A", "screen.accept_all", "accept all", id="all.accept"),
        Binding("R", "screen.reject_all", "reject all", id="all.reject"),
        Binding("u", "screen.undo", "undo", id="journal.undo"),
        Binding("enter,i,slash", "screen.to_prompt", "to the prompt", id="focus.prompt"),
        Binding("question_mark", "app.help", "keys", id="help"),
        Binding("q", "app.quit", "quit", id="quit"),
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
        """The user moved the cursor; the selected hunk may be another."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.rows = DiffRows()
        self.cursor = 0
        self.live_row: int | None = None
        self.following = True
        self._shift = 0
        self._looks: dict[str, Style] = {}

    @property
    def selected(self) -> int | None:
        """The index of the hunk that the cursor is in or next to."""
        return self.rows.hunk_at(self.cursor)

    def show(self, rows: DiffRows, *, cursor: int, live: int | None = None) -> None:
        """Show other rows.

        Args: cursor: the row of the cursor (when nobody follows). live: the row being written.
        """
        before = self._on_screen()
        self.rows, self.live_row = rows, live
        self.cursor = max(0, min(cursor, len(rows) - 1))
        self.virtual_size = Size(self.size.width, len(rows))
        if self.following and live is not None:
            self.cursor = live
        if self.following or live is None:
            self._reveal(self.cursor)
        self._repaint(before)

    def select(self, hunk: int) -> None:
        """Put the cursor on the first row of a hunk."""
        if 0 <= hunk < len(self.rows.first_rows):
            self._go(self.rows.first_rows[hunk])

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
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._reveal(self.cursor)

    def on_focus(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows only with the focus."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget the colours of the last theme."""
        super().notify_style_update()
        self._looks.clear()

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if index >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row = self.rows[index]
        here = self.has_focus and index == self.cursor
        plain, marked = (self._look(_LOOKS[row.kind], each) for each in (False, here))
        look = marked if row.hunk is None else plain
        gutter = Strip(self._gutter(row, index, marked))
        text = Strip(self._text(row, index, look))
        room = width - gutter.cell_length
        cut = text.crop(self._shift, self._shift + room).extend_cell_length(room, look)
        if text.cell_length > self._shift + room:
            cut = Strip.join([cut.crop(0, room - 1), Strip([Segment("›", look + self._look("number"))])])
        return Strip.join([gutter, cut]).adjust_cell_length(width, look)

    def _gutter(self, row: Row, index: int, look: Style) -> list[Segment]:
        digits = max(3, len(str(self.rows.last_number)))
        selected = row.hunk is not None and row.hunk == self.selected
        if row.kind is Kind.FOLD:
            return [Segment(" " * digits + "⋯ ", look)]
        live = index == self.live_row
        numbers = f"{row.old or '':>{digits}} {row.new or '':>{digits}} "
        sign = {Kind.OLD: "sign-old", Kind.NEW: "sign-new", Kind.DONE: "sign-new"}.get(row.kind, "number")
        return [
            Segment("▌" if live else "▎" if selected else " ", look + self._look("accent")),
            Segment(numbers, look + self._look("accent" if live else "number")),
            Segment(_SIGNS[row.kind] + " ", look + self._look("accent" if live else sign)),
        ]

    def _text(self, row: Row, index: int, look: Style) -> list[Segment]:
        word = look + self._look("new-word" if row.kind is Kind.NEW else "old-word")
        inks = {Ink.PLAIN: look, Ink.WORD: word, Ink.MARK: look + self._look("mark")}
        live = index == self.live_row
        words = () if live or row.pair is None else _words(row, row.pair)
        segments = [Segment(text, inks[ink]) for text, ink in inked(row.text, words)]
        return [*segments, Segment("▏", look + self._look("accent"))] if live else segments

    def _look(self, name: str, here: bool = False) -> Style:
        """A component's colours, over the cursor line's when it is here; kept until the theme changes."""
        key = name + "!" * here
        if key not in self._looks:
            style = self.get_component_rich_style(f"diff--{name}", partial=True)
            if name in _LOOKS.values():
                style = self.rich_style + style
            self._looks[key] = style + self.get_component_rich_style("diff--cursor", partial=True) if here else style
        return self._looks[key]

    def _go(self, row: int) -> None:
        self.following = False
        self.cursor = max(0, min(row, len(self.rows) - 1))
        self._reveal(self.cursor)
        self.refresh()
        self.post_message(self.Moved())

    def _reveal(self, row: int) -> None:
        """Scroll so that a row is in sight, with a little of what surrounds it."""
        height, top = self.size.height, self.scroll_offset.y
        margin = min(2, max(0, (height - 1) // 2))
        wanted = min(max(top, row + margin + 1 - height), max(0, row - margin))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def _on_screen(self) -> tuple[object, list[Row]]:
        top = self.scroll_offset.y
        rows = [self.rows[index] for index in range(top, min(top + self.size.height, len(self.rows)))]
        return (top, self.cursor, self.live_row, self.selected, self.rows.last_number), rows

    def _repaint(self, before: tuple[object, list[Row]]) -> None:
        """Paint only the lines that changed, or all when something that concerns all of them did."""
        place, rows = self._on_screen()
        if place != before[0] or len(rows) != len(before[1]):
            self.refresh()
            return
        for at, (old, new) in enumerate(zip(before[1], rows, strict=True)):
            if old != new:
                self.refresh_line(at + self.scroll_offset.y)


def _words(row: Row, pair: str) -> tuple[Span, ...]:
    if row.kind is Kind.OLD:
        return changed_words(row.text, pair)[0]
    return changed_words(pair, row.text)[1] if row.kind is Kind.NEW else ()
