"""The widget that shows a diff while it grows; it computes only the rows on the screen.

`DrawnDiff` draws a row: gutter, changed words, the colors of code. `DiffView` adds the cursor,
scrolling, the keys, and following what is being written. Rows come from `diff_rows`.

A row is a row of the unified diff, by its index in `DiffRows`. A place is a line of the widget,
counted from the top of the whole diff. The two differ where a line is wrapped, and where the diff
is shown side by side.
"""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spark_tui.tui.themes import look, on_selected
from spark_tui.tui.widgets.diff_rows import (
    LEAST_WIDTH,
    DiffRow,
    DiffRows,
    Pair,
    RowKind,
    Sides,
    same_place,
)
from spark_tui.tui.widgets.highlight import (
    MOST_LED,
    Ink,
    Part,
    Span,
    Syntax,
    changed_words,
    colored,
    columns,
    lead,
    line_breaks,
    skipped,
)

_SIGNS = {
    RowKind.OLD: "-",
    RowKind.NEW: "+",
    RowKind.DONE: "✓",
    RowKind.GONE: "✗",
    RowKind.CLOSED: "▸",
    RowKind.HEADING: "→",
}
_LOOKS = {
    RowKind.CONTEXT: "muted",
    RowKind.OLD: "old",
    RowKind.NEW: "new",
    RowKind.DONE: "text",
    RowKind.GONE: "faint",
    RowKind.FOLD: "faint",
    RowKind.CLOSED: "muted",
    RowKind.FILE: "accent",
    RowKind.HEADING: "accent",
}
_GUTTERS = {RowKind.OLD: "removed", RowKind.NEW: "added", RowKind.DONE: "added"}
_LABELS = frozenset({RowKind.FOLD, RowKind.CLOSED, RowKind.FILE, RowKind.HEADING})
"""Rows that show no line of the file; they do not move when lines are shifted to the left."""
_MOST_WRAPPED = 1000
"""The most hunks of a diff that wraps lines; with more, the search for wide lines takes long."""
_MOST_CHARACTERS = 4
"""The most characters in a cell: combining ones take no cell of their own."""


class Window(NamedTuple):
    """The part of a line that is in sight.

    It starts with character `at`, which stands in column `column`, and is `cells` columns wide.
    """

    at: int
    column: int
    cells: int

    def of(
        self, text: str, words: Sequence[Span], parts: Sequence[Part]
    ) -> Iterator[tuple[str, Ink, str]]:
        """Yield the pieces in sight, and at most one beyond the edge; see `colored`."""
        at = self.at
        left = self.cells
        seen = text[at : at + _MOST_CHARACTERS * self.cells]
        # Spans count from the first character that is in sight.
        words = [(max(0, start - at), end - at) for start, end in words if end > at]
        parts = [(max(0, start - at), end - at, name) for start, end, name in parts if end > at]
        for piece in colored(seen, words, parts, self.column):
            yield piece
            if (left := left - cell_len(piece[0])) < 0:
                return


def _is_dropped(row: DiffRow) -> bool:
    """Whether a decision under way about the row's hunk removes the row from the file."""
    if row.decided is None:
        return False
    return row.kind is (RowKind.OLD if row.decided else RowKind.NEW)


class WrappedRows:
    """Maps unified rows to places: a changed line that is too wide takes several places.

    Args:
        rows: The unified rows.
        room: The columns there are for a row's text.
    """

    def __init__(self, rows: DiffRows, room: int) -> None:
        self._rows = rows
        self._wrapped: list[int] = []
        """The rows that take several places."""
        self._extra = [0]
        """The extra places of the wrapped rows before each wrapped row; at the end, of all."""
        self.breaks: dict[int, Sequence[int]] = {}
        """The columns at which the places of a wrapped row begin, by the row."""
        if len(rows.hunks) > _MOST_WRAPPED:
            return
        # Only changed lines are wrapped; the others are cut at the edge, and can be shifted.
        for number, hunk in enumerate(rows.hunks):
            if not rows.is_folded(number):
                self._wrap(rows.first_rows[number], (*hunk.old_lines, *hunk.new_lines), room)

    def _wrap(self, first: int, lines: Sequence[str], room: int) -> None:
        for index, text in enumerate(lines, first):
            # One cell a character, and it fits: nearly all lines need no closer look.
            if len(text) <= room and text.isascii() and text.isprintable():
                continue
            row = self._rows[index]
            breaks = line_breaks(row.text, row.pair, room)
            if len(breaks) > 1:
                self._wrapped.append(index)
                self._extra.append(self._extra[-1] + len(breaks) - 1)
                self.breaks[index] = breaks

    def __len__(self) -> int:
        return len(self._rows) + self._extra[-1]

    def of(self, index: int) -> int:
        """The first place of a row."""
        return index + self._extra[bisect_left(self._wrapped, index)]

    def index(self, place: int) -> int:
        """The row that stands in a place."""
        # The wrapped rows that begin at this place or above it. The place is in the last of them,
        # or so many rows behind it.
        before = bisect_right(self._wrapped, place, key=self.of)
        if before == 0:
            return place
        last = self._wrapped[before - 1]
        behind = place - self.of(last) - len(self.breaks[last]) + 1
        return last + max(0, behind)


class DrawnDiff(ScrollView):
    """A diff that can draw any of its rows; `DiffView` adds all that moves."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = DiffRows()
        self.cursor = 0
        self.live_row: int | None = None
        self.shift: int | None = None
        """Columns that are left out on the left; None: as many as each row's change needs."""
        self._here = 0
        """Columns that were left out of the row at the cursor when it was drawn last."""
        self.syntax = Syntax()
        self.wrapped = WrappedRows(self.rows, 0)

    @property
    def selected(self) -> int | None:
        """The index of the hunk that the cursor is in or next to."""
        return self.rows.hunk_at(self.cursor)

    @property
    def place(self) -> tuple[str, int] | None:
        """The file ("": the only one) and the line number at the cursor; None without rows.

        The number of a heading is 0.
        """
        if not len(self.rows):
            return None
        row = self.rows[self.cursor]
        return self.rows.file_of(row), next(filter(None, self.rows.numbers(row)), 0)

    def draw_whole(self, index: int, width: int, part: int = 0) -> Strip:
        """Draw a unified row, or a part of a wrapped one."""
        row = self.rows[index]
        digits = self._digits
        old, new = self.rows.numbers(row)
        numbers = f"{old or '':>{digits}} {new or '':>{digits}} "
        if part:
            # Only the first part of a line has its numbers.
            numbers = " " * len(numbers)
        return self._strip(index, row, numbers, width, part)

    def draw_beside(self, pair: Pair, width: int) -> Strip:
        """Draw a row of the two sides."""
        left, right = pair
        if left is not None and left == right and self.rows[left].kind in _LABELS:
            return self.draw_whole(left, width)
        half = (width - 1) // 2
        edge = Strip([Segment("│", look(self, "page") + look(self, "faint"))])
        # The edge between the halves takes one column.
        old_half = self._half(left, half, old=True)
        new_half = self._half(right, width - half - 1, old=False)
        return Strip.join([old_half, edge, new_half])

    def _half(self, index: int | None, width: int, *, old: bool) -> Strip:
        if index is None:
            return Strip.blank(width, look(self, "page"))
        row = self.rows[index]
        old_number, new_number = self.rows.numbers(row)
        number = old_number if old else new_number
        return self._strip(index, row, f"{number or '':>{self._digits}} ", width)

    @property
    def _digits(self) -> int:
        """The width of line numbers."""
        return max(3, len(str(self.rows.last_number)))

    def _strip(
        self, index: int, row: DiffRow, numbers: str, width: int, part: int | None = None
    ) -> Strip:
        """Draw a row; `part` is its part where it may be wrapped."""
        name = "faint" if row.out or _is_dropped(row) else _LOOKS[row.kind]
        plain = look(self, "page") + look(self, name)
        marked = plain
        if self.has_focus and index == self.cursor:
            marked = plain + look(self, "selected")
        # Changed lines keep their own colors under the cursor: only their gutter is marked.
        is_line = row.hunk is not None and row.kind not in _LABELS
        style = plain if is_line else marked
        gutter = Strip(self._gutter(row, index, numbers, marked, continues=bool(part)))
        room = max(0, width - gutter.cell_length)
        if part is not None and index in self.wrapped.breaks:
            text = self._part(row, index, style, part, room)
        else:
            text = self._in_sight(row, index, style, room)
        return Strip.join([gutter, text]).adjust_cell_length(width, style)

    def _part(self, row: DiffRow, index: int, style: Style, part: int, room: int) -> Strip:
        """Draw a part of the text of a wrapped row."""
        breaks = self.wrapped.breaks[index]
        # Columns [breaks[part], end) of the line. The window begins a few characters earlier, where
        # `skipped` stops, and is cropped.
        end = breaks[part] + room
        if part + 1 < len(breaks):
            end = breaks[part + 1]
        start, column = skipped(row.text, breaks[part])
        left = breaks[part] - column
        window = Window(start, column, end - column)
        text = Strip(self._text(row, index, style, self._words(row, index), window))
        return text.crop(left, end - column).extend_cell_length(room, style)

    def _in_sight(self, row: DiffRow, index: int, style: Style, room: int) -> Strip:
        """Draw the part of a row's text that there is room for.

        A mark shows where the text goes on; it has the color of a warning where it hides a change.
        """
        shift = self._left_out(row, room)
        words = self._words(row, index)
        if index == self.cursor:
            self._here = shift
        start, column = skipped(row.text, shift)
        left = shift - column
        text = Strip(self._text(row, index, style, words, Window(start, column, left + room)))
        cut = text.crop(left, left + room).extend_cell_length(room, style)
        # The columns of the first and the last change. A line that is very long is not measured.
        first = shift
        last = shift
        if words and len(row.text) <= MOST_LED:
            first = columns(row.text, words[0][0])
            last = columns(row.text, words[-1][1])
        # Blanks that are left out, such as an indentation, need no mark.
        if row.text[:start].strip() or text.crop(0, left).text.strip():
            edge = self._edge("‹", style, hides_change=first < shift)
            cut = Strip.join([edge, cut.crop(1, room)])
        if text.cell_length > left + room:
            edge = self._edge("›", style, hides_change=last > shift + room)
            cut = Strip.join([cut.crop(0, room - 1), edge])
        return cut

    def _edge(self, sign: str, style: Style, *, hides_change: bool) -> Strip:
        """Draw the mark where a row's text goes on out of sight."""
        name = "warning" if hides_change else "faint"
        return Strip([Segment(sign, style + look(self, name))])

    def _left_out(self, row: DiffRow, room: int) -> int:
        """The number of columns that are left out on the left of a row.

        Args:
            room: The columns there are for the text.
        """
        if row.kind in _LABELS:
            return 0
        if self.shift is not None:
            return self.shift
        return 0 if row.pair is None else lead(row.text, row.pair, room)

    def _gutter(
        self, row: DiffRow, index: int, numbers: str, style: Style, *, continues: bool
    ) -> list[Segment]:
        """Draw a bar at the selected hunk, the line numbers, and the sign of the row's kind.

        Args:
            continues: Whether the row above shows the beginning of the same line.
        """
        if row.kind is RowKind.FILE:
            return [Segment(" ", style)]
        if row.kind is RowKind.FOLD:
            return [Segment(" " * self._digits + "⋯ ", style)]
        bar = " "
        number_look = "faint"
        sign_look = _GUTTERS.get(row.kind, "faint")
        if index == self.live_row:
            bar = "▌"
            number_look = sign_look = "accent"
        elif row.hunk is not None and row.hunk == self.selected:
            bar = "▎"
        sign = _SIGNS.get(row.kind, " ")
        if row.out:
            sign = "·"
        elif row.decided is not None and not _is_dropped(row):
            sign = "✓"
        if continues:
            sign = " "
        return [
            Segment(bar, on_selected(style, look(self, "accent"))),
            Segment(numbers, on_selected(style, look(self, number_look))),
            Segment(f"{sign} ", on_selected(style, look(self, sign_look))),
        ]

    def _text(
        self, row: DiffRow, index: int, style: Style, words: Sequence[Span], window: Window
    ) -> list[Segment]:
        """The segments of a row's text that are in sight."""
        word = "new word" if row.kind is RowKind.NEW else "old word"
        if row.odd:
            word = "warning"
        inks = {
            Ink.PLAIN: style,
            Ink.WORD: style + look(self, word),
            Ink.MARK: style + look(self, "warning"),
        }
        parts: Sequence[Part] = ()
        if not row.out:
            parts = self._parts(row, index)
        segments = []
        for text, ink, part in window.of(row.text, words, parts):
            ink_style = inks[ink]
            # The color of code gives way to a changed word and to a mark.
            if part and ink is Ink.PLAIN:
                ink_style = style + look(self, part)
            segments.append(Segment(text, ink_style))
        if index == self.live_row:
            # Where the next token will stand.
            segments.append(Segment("▏", style + look(self, "accent")))
        return segments

    def _words(self, row: DiffRow, index: int) -> Sequence[Span]:
        """The spans of a row to draw in a color of their own.

        These are the odd spans, else the words that the paired line does not have.
        """
        if row.odd or index == self.live_row or row.out or row.pair is None:
            return row.odd
        if row.kind is RowKind.OLD:
            return changed_words(row.text, row.pair)[0]
        if row.kind is RowKind.NEW:
            return changed_words(row.pair, row.text)[1]
        return ()

    def _parts(self, row: DiffRow, index: int) -> Sequence[Part]:
        """The colored parts of a row; removed lines have a single color."""
        if row.kind in {RowKind.CONTEXT, RowKind.DONE} and row.old is not None:
            return self.syntax.line(row.old - 1)
        if row.kind is RowKind.NEW and row.hunk is not None:
            return self.syntax.new_line(
                self.rows.hunks[row.hunk], index - self.rows.row_of(row.hunk, 0)
            )
        return ()


_SHIFT = 8
_MOST_SHIFT = 100_000
"""The most columns that can be left out on the left.

Nobody reads further, and finding a column takes a look at all columns before it.
"""


class VisibleRows(NamedTuple):
    """What is in sight of a diff; two of these tell which places to paint again.

    Attributes:
        scope: What concerns all rows: the first place in sight, and the columns of a row.
        looks: All that the one or two rows of each place are drawn from.
    """

    scope: object
    looks: Sequence[object]


class DiffView(DrawnDiff, can_focus=True):
    """A diff with a line cursor and a selected hunk, unified or side by side.

    While something is written it follows the live line, until the user moves or scrolls; End
    follows again. From then on what is in sight stays where it is. `cursor` and `live_row` count
    unified rows, however they are shown.
    """

    DEFAULT_CSS = """
    DiffView {
        background: $spark-background;
        color: $spark-text;
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,y", "screen.accept_hunk", "accept the hunk", id="hunk.accept"),
        Binding("r,n", "screen.reject_hunk", "reject the hunk", id="hunk.reject"),
        Binding("A", "screen.accept_file", "accept all in the file", id="all.accept"),
        Binding("R", "screen.reject_file", "reject all in the file", id="all.reject"),
        Binding("ctrl+a", "screen.accept_files", "accept all in all files", id="files.accept"),
        Binding("s", "screen.split_hunk", "split the hunk finer, then whole", id="hunk.split"),
        Binding("space", "screen.toggle_line", "take a line out or in", id="line.toggle"),
        Binding("e", "screen.edit_hunk", "edit the proposed text", id="hunk.edit"),
        Binding("ctrl+g", "screen.edit_outside", "edit it in your editor", id="hunk.editor"),
        Binding("g", "screen.ask_again", "ask for the hunk again", id="hunk.again"),
        Binding("tab", "screen.show_answer(1)", "next variation", id="variation.next"),
        Binding(
            "shift+tab", "screen.show_answer(-1)", "previous variation", id="variation.previous"
        ),
        Binding("right_curly_bracket", "screen.to_file(1)", "next file", id="file.next"),
        Binding("left_curly_bracket", "screen.to_file(-1)", "previous file", id="file.previous"),
        Binding("Y", "screen.copy_patch", "copy the patch", id="patch.copy"),
        Binding("u", "screen.undo", "undo", id="journal.undo"),
        Binding("c", "screen.commit", "stage and commit", id="git.commit"),
        Binding("v", "beside", "unified or side by side", id="view.sides"),
        Binding("z", "fold", "fold a hunk, or open it", id="hunk.fold"),
        Binding(
            "comma", "screen.look_back('back')", "a token back in what was written", id="token.back"
        ),
        Binding("full_stop", "screen.look_back('on')", "a token on", id="token.on"),
        Binding(
            "tilde", "screen.look_back('unsure')", "the next uncertain token", id="token.unsure"
        ),
        Binding("enter,i", "to_prompt", "to the prompt", id="focus.prompt"),
        Binding("question_mark", "app.help", "keys", id="help"),
        Binding("q", "screen.leave", "quit", id="quit"),
        Binding("w", "app.show_wafer", "the wafer view", id="wafer"),
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

    class Turned(Message):
        """The diff is side by side now, or unified again."""

    class Resized(Message):
        """There is room for more rows, or for fewer."""

    class NoRoom(Message):
        """The screen is too narrow for two sides."""

    @dataclass
    class FoldAsked(Message):
        """A hunk is to be folded, or opened."""

        hunk_id: str

    @dataclass
    class Moved(Message):
        """The cursor moved, by the user or otherwise; the selected hunk may be another."""

        by_user: bool

    def __init__(self) -> None:
        super().__init__()
        self.following = True
        self.beside = False
        """Whether the user wants the diff side by side."""
        self._sides: Sides | None = None
        self._looking_around = False
        """Whether the user scrolled away from the cursor."""

    def show(self, rows: DiffRows, *, cursor: int, live: int | None = None, path: str = "") -> None:
        """Show other rows.

        Args:
            cursor: The row of the cursor, unless the cursor follows the live row.
            live: The row being written.
            path: The path of the file, whose name tells its language.
        """
        # Remember what is drawn, and at which line of the screen the anchor is.
        before = self._on_screen()
        marked = {self.cursor, self.live_row}
        rows_before = self.rows
        anchor = self._anchor
        anchor_y = 0
        if anchor is not None:
            anchor_y = self._place(anchor) - self.scroll_offset.y
        self._color(rows, path)
        # Take over the new rows.
        self.rows = rows
        self.live_row = live
        self._lay_out()
        self.cursor = max(0, min(cursor, len(rows) - 1))
        # The cursor goes along with the live row. Otherwise the anchor returns to its line.
        if self.following and live is not None:
            self.cursor = live
        elif anchor is not None:
            row = self.cursor
            if self._looking_around:
                row = same_place(rows_before, anchor, rows)
            self._bring_to(max(0, self._place(row) - anchor_y))
        # Who scrolled away from the cursor is not pulled back to it.
        if self.following or not self._looking_around:
            self._reveal(self.cursor)
        # Rows that had a mark or got one; those that keep theirs look the same.
        self._repaint(before, marked ^ {self.cursor, self.live_row})

    @property
    def _anchor(self) -> int | None:
        """The row that keeps its line on the screen when rows come in above it."""
        if not len(self.rows):
            return None
        top = self.scroll_offset.y
        if self._looking_around:
            return self._index(min(top, self._height - 1))
        return self.cursor if top <= self._place(self.cursor) < top + self.size.height else None

    def _color(self, rows: DiffRows, path: str) -> None:
        """Read the syntax if the file is another one; that of a large file in a thread."""
        if rows.base is self.syntax.lines:
            return
        self.syntax = Syntax(rows.base, path)
        if self.syntax.is_small:
            self.syntax.read()
        else:
            self.run_worker(self._read(self.syntax), group="syntax", exclusive=True)

    async def _read(self, syntax: Syntax) -> None:
        await asyncio.to_thread(syntax.read)
        if syntax is self.syntax:
            self.refresh()

    def select(self, hunk: int, *, by_user: bool = False) -> None:
        """Put the cursor on the first row of a hunk."""
        if 0 <= hunk < len(self.rows.first_rows):
            self._go(self.rows.first_rows[hunk], by_user=by_user)

    def go_to(self, row: int) -> None:
        """Put the cursor on a row."""
        self._go(row, by_user=False)

    def action_move(self, step: int) -> None:
        """Move the cursor by rows of the screen."""
        if len(self.rows):
            place = max(0, min(self._place(self.cursor) + step, self._height - 1))
            index = self._index(place)
            # One place further is still the same row if its line is wrapped; the cursor would not
            # move.
            if index == self.cursor and place != self._place(index):
                index = min(index + 1, len(self.rows) - 1)  # past the rest of a wrapped line
            self._go(index)

    def action_page(self, step: int) -> None:
        """Move the cursor by screens."""
        self.action_move(step * max(1, self.size.height - 2))

    def action_beside(self) -> None:
        """Switch between unified and side by side, if there is room for two sides."""
        if not self.beside and self.screen.size.width < LEAST_WIDTH:
            self.post_message(self.NoRoom())
            return
        self.beside = not self.beside
        self._turn_over()
        self.post_message(self.Turned())

    def action_fold(self) -> None:
        """Fold the hunk at the cursor, or open it."""
        if self.selected is not None:
            self.post_message(self.FoldAsked(self.rows.hunks[self.selected].id))

    async def action_to_prompt(self) -> None:
        """Open what is folded at the cursor; elsewhere go to the prompt."""
        if len(self.rows) and self.rows[self.cursor].kind is RowKind.CLOSED:
            self.action_fold()
        else:
            await self.run_action("screen.to_prompt")

    def action_top(self) -> None:
        """Go to the first line."""
        self._go(0)

    def action_bottom(self) -> None:
        """Go to the last line, or to the live one and follow it again."""
        # `_go` ends following, so switch it on again behind that.
        row = len(self.rows) - 1 if self.live_row is None else self.live_row
        self._go(row)
        self.following = True

    def action_hunk(self, step: int) -> None:
        """Go to the next or previous hunk."""
        rows = self.rows
        if step > 0:
            self._go(next((row for row in rows.first_rows if row > self.cursor), self.cursor))
        else:
            earlier = (
                first
                for first, last in zip(rows.first_rows, rows.last_rows, strict=True)
                if last < self.cursor
            )
            self._go(max(earlier, default=self.cursor))

    def to_file(self, step: int) -> bool:
        """Go to the next or previous of several files.

        Returns:
            Whether there is one.
        """
        heads = [
            row
            for row in map(self.rows.row_of_line, self.rows.files.named_heads)
            if (row - self.cursor) * step > 0
        ]
        if heads:
            nearest = min(heads) if step > 0 else max(heads)
            self._go(nearest)
        return bool(heads)

    def action_shift(self, step: int) -> None:
        """Look further right or left at long lines.

        The first step begins from the column at which the line at the cursor is shown.
        """
        here = self._here if self.shift is None else self.shift
        self.shift = max(0, min(here + step * _SHIFT, _MOST_SHIFT))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to where the mouse points."""
        place = event.y + self.scroll_offset.y
        if place < self._height:
            self._go(self._clicked(place, event.x))

    def _clicked(self, place: int, column: int) -> int:
        if self._sides is None:
            return self.wrapped.index(place)
        left, right = self._sides.pair(place)
        wanted = left if column < self.size.width // 2 else right
        return self._index(place) if wanted is None else wanted

    # Textual's own handlers of these events, beside these two, do the scrolling.
    def on_mouse_scroll_up(self) -> None:
        """Stop following: the user looks around."""
        self.following = False
        self._looking_around = True

    on_mouse_scroll_down = on_mouse_scroll_up

    def on_resize(self) -> None:
        """Keep the cursor in sight, and tell if there is no longer room for two sides."""
        had_sides = self._sides is not None
        self._turn_over()
        self.post_message(self.Resized())
        if had_sides and self.screen.size.width < LEAST_WIDTH:
            self.post_message(self.NoRoom())

    def _turn_over(self) -> None:
        self._lay_out()
        self._reveal(self.cursor)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        width = self.scrollable_content_region.width
        place = y + self.scroll_offset.y
        if place >= self._height:
            return Strip.blank(width, look(self, "page"))
        if self._sides is None:
            index = self.wrapped.index(place)
            return self.draw_whole(index, width, place - self.wrapped.of(index))
        return self.draw_beside(self._sides.pair(place), width)

    def _go(self, row: int, *, by_user: bool = True) -> None:
        self.following = False
        self._looking_around = False
        scope_before = self.scroll_offset.y, self.shift
        cursor_before = self.cursor
        selected_before = self.selected
        barred_before = self._barred_rows()
        self.cursor = max(0, min(row, len(self.rows) - 1))
        # Another hunk shows its own change first, unless the user shifted the lines.
        if not self.shift and self.selected != selected_before:
            self.shift = None
        self._reveal(self.cursor)
        if (self.scroll_offset.y, self.shift) != scope_before:
            self.refresh()
        else:
            # Only the cursor moved: paint the two rows, and those that won or lost the bar of the
            # selected hunk.
            turned = barred_before ^ self._barred_rows()
            self._refresh_places(self._places_of({cursor_before, self.cursor, *turned}))
        self.post_message(self.Moved(by_user=by_user))

    def _lay_out(self) -> None:
        """Lay the rows out, unified or in two sides."""
        beside = self.beside and self.size.width >= LEAST_WIDTH
        self._sides = Sides(self.rows) if beside else None
        self.wrapped = WrappedRows(self.rows, self._room)
        size = Size(self.size.width, self._height)
        if size != self.virtual_size:
            # Setting `virtual_size` itself would have Textual lay out the whole screen again, for
            # every row more.
            self.set_reactive(DiffView.virtual_size, size)
            self._scroll_update(size)

    @property
    def _shown(self) -> "WrappedRows | Sides":
        """The layout in force: it maps rows to places."""
        return self.wrapped if self._sides is None else self._sides

    @property
    def _room(self) -> int:
        """The columns for the text of a unified row; one is left for the scrollbar."""
        # As `draw_whole` and `_gutter` draw it: bar, two numbers with a space each, sign and space.
        gutter = 2 * self._digits + len("▎") + 2 * len(" ") + len("+ ")
        return max(0, self.size.width - gutter - 1)

    @property
    def _height(self) -> int:
        """The number of places."""
        return len(self._shown)

    def _place(self, index: int) -> int:
        """The place at which a unified row is shown."""
        return self._shown.of(index)

    def _index(self, place: int) -> int:
        """The unified row that is shown in a place."""
        return self._shown.index(place)

    def top_of(self, index: int) -> int:
        """The line of the screen at which a unified row is shown, or would be if out of sight."""
        return self.region.y + self._place(index) - self.scroll_offset.y

    def _bring_to(self, top: int) -> None:
        if top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, force=True)

    def _reveal(self, index: int) -> None:
        """Scroll until a row is in sight, with up to two rows around it.

        Nothing happens while the widget has no height yet.
        """
        row = self._place(index)
        height = self.size.height
        top = self.scroll_offset.y
        if not height:
            return
        # A smaller top than the first number hides the margin below the row, a larger one than the
        # second hides the margin above it. Between the two nothing scrolls.
        margin = min(2, max(0, (height - 1) // 2))
        self._bring_to(min(max(top, row + margin + 1 - height), max(0, row - margin)))

    def _on_screen(self) -> VisibleRows:
        """The rows in sight, as they are drawn."""
        top = self.scroll_offset.y
        looks = []
        for place in range(top, min(top + self.size.height, self._height)):
            indices = self._sides.pair(place) if self._sides else (self._index(place),)
            looks.append(tuple(map(self._look_of, indices)))
        columns = (self._digits, self.beside, self.shift, self.wrapped.breaks)
        return VisibleRows((top, columns), looks)

    def _look_of(self, index: int | None) -> object:
        """All that a row is drawn from, except the cursor and the mark of the live row.

        Args:
            index: The row; None for an empty half.
        """
        if index is None:
            return None
        row = self.rows[index]
        is_selected = row.hunk is not None and row.hunk == self.selected
        return row, self.rows.numbers(row), is_selected, self._parts(row, index)

    def _repaint(self, before: VisibleRows, marked: set[int | None]) -> None:
        """Paint the rows that changed, and the `marked` ones.

        Paint all rows if something changed that concerns all of them.
        """
        after = self._on_screen()
        if after.scope != before.scope:
            self.refresh()
            return
        places = self._places_of(marked)
        looks = zip_longest(before.looks, after.looks)
        for place, (old, new) in enumerate(looks, self.scroll_offset.y):
            if old != new:
                places.add(place)
        self._refresh_places(places)

    def _barred_rows(self) -> set[int]:
        """The rows in sight that have a bar beside them: those of the selected hunk."""
        if self.selected is None or not self.size.height:
            return set()
        top = self.scroll_offset.y
        bottom = min(top + self.size.height, self._height) - 1
        # A hunk may have thousands of rows; only those in sight have to be painted.
        first = max(self.rows.first_rows[self.selected], self._index(top))
        last = min(self.rows.last_rows[self.selected], self._index(bottom))
        return set(range(first, last + 1))

    def _places_of(self, rows: Collection[int | None]) -> set[int]:
        """The places of rows, without None and rows that no longer exist."""
        places = set[int]()
        for index in rows:
            if index is not None and index < len(self.rows):
                first = self._place(index)
                count = len(self.wrapped.breaks.get(index, (0,))) if self._sides is None else 1
                places.update(range(first, first + count))
        return places

    def _refresh_places(self, places: Collection[int]) -> None:
        """Paint places; those out of sight cost nothing."""
        top = self.scroll_offset.y
        for place in sorted(places):
            if top <= place < top + self.size.height:
                self.refresh_line(place)
