"""The sheet of keys: tables of what every key does, and the screen that shows the tables.

A line of a table names actions as {id}; `Keymap` replaces them by the keys in force.
"""

from itertools import zip_longest
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from spark_tui.tui.keymap import Keymap, actions_in
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.status_bars import Bar, keys

RULE = "Letters are text in the prompt; in the diff they are keys, at once."
Line = tuple[str, str]
"""Keys, with {id} for the keys of an action, and what they do; a title has no second part."""

LEFT: tuple[Line, ...] = (
    ("How to ask", ""),
    ("words Enter", "say what to change"),
    ("@file::name", "where; else what it shows"),
    ("@file:3-9", "only about these lines"),
    ("unsure", "it may err: read twice"),
    ("{variation.next}", "in the diff: another one"),
    ("{turn.stop} words", "stop it, say it better"),
    ("", ""),
    ("While it writes", ""),
    ("{turn.stop}", "pause at the token"),
    ("any text", "pause, and redirect"),
    ("{thought.open}", "open, fold its thought"),
    ("{token.back} {token.on} {token.unsure}", "pause, and look back"),
    ("", ""),
    ("Paused", ""),
    ("Enter", "go on where it stopped"),
    ("text Enter", "redirect it from here"),
    ("{token.back} {token.on}", "a token back, on; branch"),
    ("{token.unsure}", "to an uncertain token"),
    ("{turn.stop}", "drop what is unfinished"),
    ("", ""),
    ("Prompt", ""),
    ("Enter", "send"),
    ("{prompt.newline}", "new line"),
    ("{prompt.earlier} {prompt.later}", "history: earlier, later"),
    ("{prompt.search}", "search them"),
    ("{prompt.places}", "choose another place"),
    ("{focus.diff}", "to the diff, next edit"),
    ("{check.fix}", "fix what failed"),
    ("@file", "@file:1-9 @file::name"),
    ("/ !", "command, shell command"),
    ("{token.back} {token.on} {token.unsure}", "look back, when empty"),
    ("?", "these keys, when empty"),
)
LOOKING_BACK: tuple[Line, ...] = (
    ("Looking back", ""),
    ("{token.back} {token.on}; Left Right", "a token back, on"),
    ("< >", "ten tokens"),
    ("{token.unsure}", "to an uncertain token"),
    ("Home End", "to the first, the last"),
    ("Up", "fix the line"),
    ("PgUp PgDn", "through the diff"),
    ("text Enter", "go on from here with it"),
    ("Esc", "give it up; back"),
)
RIGHT: tuple[Line, ...] = (
    ("Diff", ""),
    ("{hunk.accept} {hunk.reject}", "accept: write it; reject"),
    ("{hunk.split} {line.toggle}", "split it; line out or in"),
    ("{hunk.edit}", "edit, even half-written"),
    ("{hunk.editor} {hunk.again}", "your editor; ask again"),
    ("{variation.next} {variation.previous}", "next, previous variation"),
    ("{all.accept} {all.reject} {files.accept}", "all in file; everywhere"),
    ("{hunk.previous} {hunk.next}", "previous, next hunk"),
    ("{line.next} {line.previous}", "next, previous line"),
    ("{page.next} {page.previous}", "page down, up"),
    ("{line.first} {line.last}", "top, bottom and follow"),
    ("{view.left} {view.right}", "along long lines"),
    ("{view.sides} {hunk.fold}", "two sides; fold a hunk"),
    ("{token.back} {token.on} {token.unsure}", "look back"),
    ("{journal.undo} {journal.redo}", "undo, redo"),
    ("{symbol.rename}", "rename it in all files"),
    ("{git.commit} {patch.copy}", "commit; copy the patch"),
    ("{wafer} {file.previous} {file.next}", "the wafer; files"),
    ("{turn.stop} {focus.prompt}", "to the prompt"),
    ("{help} {quit}", "these keys, quit"),
    ("", ""),
    ("Anywhere", ""),
    ("{palette} {suspend}", "all commands; suspend"),
    ("{interrupt}", "clear; twice quits"),
    ("Ctrl+Q", "quit at once"),
)
LISTS: tuple[Line, ...] = (
    ("Lists above the prompt", ""),
    ("Tab Enter", "take what is chosen"),
    ("Up Down", "choose"),
    ("{prompt.search}", "the next one of a search"),
    ("Esc", "close it"),
    ("", ""),
    ("Tasks", ""),
    ("/task words", "works beside you"),
    ("/task @name", "by an agent of yours"),
    ("/tasks Enter", "the list; open one"),
    ("Esc , words", "pause; back; redirect"),
    ("Left", "leave one at work"),
    ("Ctrl+Y Ctrl+N", "an agent asks: yes, no"),
    ("", ""),
    ("Sheets and other screens", ""),
    ("Esc q", "close; in text, Esc"),
    ("PgUp PgDn", "read on"),
)
_GAP: tuple[Line, ...] = (("", ""),)
# Two halves of 38 columns, a gap of one, a scroll bar and the padding make 80.
_KEYS = 14
"""Columns of the keys in a line, with the gap behind them."""
_HALF = 38
"""Columns of a line."""
_BOTH = 80
"""Columns from which two lines fit beside each other."""


class HelpScreen(ModalScreen[None]):
    """Every key and what it does; any of Esc, ?, q and Enter closes it.

    Args:
        known: The keys in force.
    """

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $spark-background 60%;
        #page {
            width: 80;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            background: $spark-surface;
        }
        VerticalScroll {
            height: auto;
            max-height: 100%;
            padding: 0 1;
            margin: 0 0 1 0;
            scrollbar-size-vertical: 1;
        }
        Bar { dock: bottom; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", show=False)
    ]

    def __init__(self, known: Keymap) -> None:
        super().__init__()
        self._keys = known

    def compose(self) -> ComposeResult:
        """The tables in one sheet."""
        with Vertical(id="page"):
            with VerticalScroll():
                yield Static(id="sheet")
            yield Bar(id="keys")

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        self.query_one(Bar).show(keys(("Esc ? q Enter", "close"), ("Up Down PgUp PgDn", "read on")))
        self.on_resize()

    def on_resize(self) -> None:
        """Write the sheet in one column or two, as there is room."""
        self.query_one("#sheet", Static).update(self._sheet())

    def _sheet(self) -> Text:
        """All lines, in one column or two."""
        narrow = self.app.size.width < _BOTH
        sheet = Text(RULE, look(self, "muted"), no_wrap=not narrow)
        if narrow:
            for line in (*LEFT, *_GAP, *RIGHT, *_GAP, *LOOKING_BACK, *_GAP, *LISTS):
                sheet.append("\n").append_text(self._cell(line))
            return sheet
        for left, right in zip_longest(
            (*LEFT, *_GAP, *LOOKING_BACK), (*RIGHT, *_GAP, *LISTS), fillvalue=_GAP[0]
        ):
            sheet.append("\n")
            cell = self._cell(left)
            cell.truncate(_HALF)
            cell.pad_right(_HALF + 1 - cell.cell_len)
            sheet.append_text(cell).append_text(self._cell(right))
        return sheet

    def _cell(self, line: Line) -> Text:
        press, does = line
        if not does:
            return Text(press, look(self, "accent"))
        words = self._fitting(press, does)
        return Text.assemble(
            (f"{words:<{_KEYS - 1}} ", look(self, "key")), (does, look(self, "muted"))
        )

    def _fitting(self, press: str, does: str) -> str:
        """The keys of a line, written as fully as there is room beside what they do."""
        # Where an action has several keys, semicolons keep the actions apart.
        ways = [self._keys.fill(press)]
        if any(len(self._keys.keys(action)) > 1 for action in actions_in(press)):
            ways.insert(0, self._keys.fill(press.replace("} {", "}; {")))
        # At best within the column of the keys; else beyond it, if what they do is short; else with
        # one key for each action.
        for way in ways:
            if len(way) < _KEYS:
                return way
        for way in ways:
            if len(way) + len(does) < _HALF:
                return way
        return self._keys.fill(press, most=1)
