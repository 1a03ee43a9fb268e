"""The sheet of keys."""

from itertools import zip_longest
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from spark_tui.tui.looks import look

RULE = "Letters go where the cursor is: in the prompt they are text, in the diff keys."
Line = tuple[str, str]
"""A key and what it does; a title has no second part."""

LEFT: tuple[Line, ...] = (
    ("While it writes", ""),
    ("Esc", "pause at the token"),
    ("any text", "pause, and redirect"),
    ("Tab", "to the diff"),
    ("", ""),
    ("Paused", ""),
    ("Enter", "go on where it stopped"),
    ("text Enter", "redirect it from here"),
    ("Esc", "drop what is unfinished"),
    ("", ""),
    ("Prompt", ""),
    ("Enter", "send"),
    ("Ctrl+J", "new line"),
    ("Up Down", "earlier instructions"),
    ("Tab", "to the diff"),
    ("@file", "@file:1-9 @file::name"),
    ("?", "these keys, when empty"),
)
RIGHT: tuple[Line, ...] = (
    ("Diff", ""),
    ("a y", "accept: write the hunk"),
    ("r n", "reject"),
    ("A R", "accept all, reject all"),
    ("] [", "next, previous hunk"),
    ("j k", "line (or Down Up)"),
    ("PgDn PgUp", "page (or Ctrl+D Ctrl+U)"),
    ("Home End", "top, bottom and follow"),
    ("Right Left", "along long lines"),
    ("u c", "undo; stage and commit"),
    ("Enter i Esc", "to the prompt"),
    ("? q", "these keys, quit"),
    ("", ""),
    ("Anywhere", ""),
    ("Ctrl+R", "redo"),
    ("Ctrl+P", "all commands"),
    ("Ctrl+C", "clear; twice quits"),
    ("Ctrl+Z", "suspend"),
)
_KEYS = 13
_HALF = 38


class HelpScreen(ModalScreen[None]):
    """Every key and what it does; any of Esc, ?, q and Enter closes it."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $spark-background 60%;
        VerticalScroll {
            width: 80; height: auto; max-height: 100%; background: $spark-surface; padding: 1;
            scrollbar-size-vertical: 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", show=False)]

    def compose(self) -> ComposeResult:
        """One sheet."""
        with VerticalScroll():
            yield Static(id="sheet")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self.query_one("#sheet", Static).update(self._sheet())

    def _sheet(self) -> Text:
        sheet = Text(f"{RULE}\n", look(self, "muted"), no_wrap=True)
        for left, right in zip_longest(LEFT, RIGHT, fillvalue=("", "")):
            sheet.append("\n")
            cell = self._cell(left)
            cell.pad_right(_HALF + 1 - cell.cell_len)
            sheet.append_text(cell).append_text(self._cell(right))
        return sheet

    def _cell(self, line: Line) -> Text:
        press, does = line
        return (
            Text.assemble((press.ljust(_KEYS), look(self, "text")), (does, look(self, "muted")))
            if does
            else Text(press, look(self, "accent"))
        )
