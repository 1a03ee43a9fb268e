"""How the rows of a diff are drawn: gutter, words that changed, the colours of Python; only what is in sight."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spark_tui.tui.looks import look, on_selected
from spark_tui.tui.marks import MOST_LED, Ink, Part, Span, changed_words, coloured, columns, lead, skipped
from spark_tui.tui.rows import DiffRows, Kind, Row
from spark_tui.tui.sides import Pair
from spark_tui.tui.syntax import Syntax

_SIGNS = {Kind.OLD: "-", Kind.NEW: "+", Kind.DONE: "✓", Kind.GONE: "✗", Kind.CLOSED: "▸"}
_LOOKS = {
    Kind.CONTEXT: "muted",
    Kind.OLD: "old",
    Kind.NEW: "new",
    Kind.DONE: "text",
    Kind.GONE: "faint",
    Kind.FOLD: "faint",
    Kind.CLOSED: "muted",
    Kind.FILE: "accent",
}
_GUTTERS = {Kind.OLD: "removed", Kind.NEW: "added", Kind.DONE: "added"}
_LABELS = frozenset({Kind.FOLD, Kind.CLOSED, Kind.FILE})
"""Rows that are no line of the file: they stay where they are when lines are looked at further right."""
_MOST_CHARACTERS = 4
"""In a cell: those that combine take none of their own."""


class Window(NamedTuple):
    """What is in sight of a line: from character `at`, which stands in column `column`, `cells` columns and no more."""

    at: int
    column: int
    cells: int

    def of(self, text: str, words: Sequence[Span], parts: Sequence[Part]) -> Iterator[tuple[str, Ink, str]]:
        """The pieces in sight, up to one that is too many; see `coloured`."""
        at, left = self.at, self.cells
        seen = text[at : at + _MOST_CHARACTERS * self.cells]
        words = [(max(0, start - at), end - at) for start, end in words if end > at]
        parts = [(max(0, start - at), end - at, name) for start, end, name in parts if end > at]
        for piece in coloured(seen, words, parts, self.column):
            yield piece
            if (left := left - cell_len(piece[0])) < 0:
                return


class DrawnDiff(ScrollView):
    """A diff that can be drawn, row by row, as it is now."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = DiffRows()
        self.cursor = 0
        self.live_row: int | None = None
        self.shift: int | None = None
        """Columns that are left out on the left; None: of each row as many as it takes to see what changes."""
        self._here = 0
        """Columns that were left out of the row at the cursor when it was drawn last."""
        self.syntax = Syntax()

    @property
    def selected(self) -> int | None:
        """The index of the hunk that the cursor is in or next to."""
        return self.rows.hunk_at(self.cursor)

    @property
    def place(self) -> tuple[str, int] | None:
        """The file ("": the only one) and the number of the line at the cursor, 0 for a heading; None without rows."""
        if not len(self.rows):
            return None
        row = self.rows[self.cursor]
        return self.rows.file_of(row), next(filter(None, self.rows.numbers(row)), 0)

    def draw_whole(self, index: int, width: int) -> Strip:
        """A unified row."""
        row = self.rows[index]
        digits, (old, new) = self._digits, self.rows.numbers(row)
        return self._strip(index, row, f"{old or '':>{digits}} {new or '':>{digits}} ", width)

    def draw_beside(self, pair: Pair, width: int) -> Strip:
        """A row side by side."""
        left, right = pair
        if left is not None and left == right and self.rows[left].kind in _LABELS:
            return self.draw_whole(left, width)
        half = (width - 1) // 2
        edge = Strip([Segment("│", look(self, "page") + look(self, "faint"))])
        return Strip.join([self._half(left, half, old=True), edge, self._half(right, width - half - 1, old=False)])

    def _half(self, index: int | None, width: int, *, old: bool) -> Strip:
        if index is None:
            return Strip.blank(width, look(self, "page"))
        row = self.rows[index]
        return self._strip(index, row, f"{self.rows.numbers(row)[not old] or '':>{self._digits}} ", width)

    @property
    def _digits(self) -> int:
        """How wide line numbers are."""
        return max(3, len(str(self.rows.last_number)))

    def _strip(self, index: int, row: Row, numbers: str, width: int) -> Strip:
        here = self.has_focus and index == self.cursor
        plain = look(self, "page") + look(self, "faint" if row.out else _LOOKS[row.kind])
        marked = plain + look(self, "selected") if here else plain
        style = marked if row.hunk is None or row.kind is Kind.CLOSED else plain
        gutter = Strip(self._gutter(row, index, numbers, marked))
        room = max(0, width - gutter.cell_length)
        return Strip.join([gutter, self._in_sight(row, index, style, room)]).adjust_cell_length(width, style)

    def _in_sight(self, row: Row, index: int, style: Style, room: int) -> Strip:
        """What there is room for of a row's text, with a mark where it goes on, a loud one where a change does."""
        shift, words = self._left_out(row, room), self._words(row, index)
        if index == self.cursor:
            self._here = shift
        at, column = skipped(row.text, shift)
        left = shift - column
        text = Strip(self._text(row, index, style, words, Window(at, column, left + room)))
        cut = text.crop(left, left + room).extend_cell_length(room, style)
        ends = (words[0][0], words[-1][1]) if words and len(row.text) <= MOST_LED else ()
        first, last = (columns(row.text, at) for at in ends) if ends else (shift, shift)
        beyond = first < shift, last > shift + room
        edges = [style + look(self, "warning" if more else "faint") for more in beyond]
        if row.text[:at].strip() or text.crop(0, left).text.strip():
            cut = Strip.join([Strip([Segment("‹", edges[0])]), cut.crop(1, room)])
        if text.cell_length > left + room:
            cut = Strip.join([cut.crop(0, room - 1), Strip([Segment("›", edges[1])])])
        return cut

    def _left_out(self, row: Row, room: int) -> int:
        """How many columns are left out on the left of a row. Args: room: columns there are for it."""
        if row.kind in _LABELS:
            return 0
        if self.shift is not None:
            return self.shift
        return 0 if row.pair is None else lead(row.text, row.pair, room)

    def _gutter(self, row: Row, index: int, numbers: str, style: Style) -> list[Segment]:
        if row.kind in {Kind.FOLD, Kind.FILE}:
            return [Segment(" " * self._digits + "⋯ " if row.kind is Kind.FOLD else " ", style)]
        live = index == self.live_row
        selected = row.hunk is not None and row.hunk == self.selected
        sign = "accent" if live else _GUTTERS.get(row.kind, "faint")
        return [
            Segment("▌" if live else "▎" if selected else " ", on_selected(style, look(self, "accent"))),
            Segment(numbers, on_selected(style, look(self, "accent" if live else "faint"))),
            Segment("· " if row.out else _SIGNS.get(row.kind, " ") + " ", on_selected(style, look(self, sign))),
        ]

    def _text(self, row: Row, index: int, style: Style, words: Sequence[Span], window: Window) -> list[Segment]:
        """What of a row's text is in sight."""
        word = style + look(self, "new word" if row.kind is Kind.NEW else "old word")
        inks = {Ink.PLAIN: style, Ink.WORD: word, Ink.MARK: style + look(self, "warning")}
        live = index == self.live_row
        if row.odd:
            inks[Ink.WORD] = inks[Ink.MARK]
        pieces = window.of(row.text, words, () if row.out else self._parts(row, index))
        segments = [
            Segment(text, style + look(self, part) if part and ink is Ink.PLAIN else inks[ink])
            for text, ink, part in pieces
        ]
        return [*segments, Segment("▏", style + look(self, "accent"))] if live else segments

    def _words(self, row: Row, index: int) -> Sequence[Span]:
        """What is set apart in a row: what is odd about it, else what is not in the line it is paired with."""
        if row.odd or index == self.live_row or row.out or row.pair is None:
            return row.odd
        if row.kind is Kind.OLD:
            return changed_words(row.text, row.pair)[0]
        return changed_words(row.pair, row.text)[1] if row.kind is Kind.NEW else ()

    def _parts(self, row: Row, index: int) -> Sequence[Part]:
        """What of a row is what in Python; lines that go are in one colour."""
        if row.kind in {Kind.CONTEXT, Kind.DONE} and row.old is not None:
            return self.syntax.line(row.old - 1)
        if row.kind is Kind.NEW and row.hunk is not None:
            return self.syntax.new_line(self.rows.hunks[row.hunk], index - self.rows.row_of(row.hunk, 0))
        return ()
