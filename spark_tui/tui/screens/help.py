"""The sheet of keys."""

from itertools import zip_longest
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from spark_tui.tui.keymap import Keymap, actions_in
from spark_tui.tui.looks import look

RULE = "Letters go where the cursor is: text in the prompt, keys in the diff."
Line = tuple[str, str]
"""Keys and what they do, with the keys of an action for its {id}; a title has no second part."""

LEFT: tuple[Line, ...] = (
    ("While it writes", ""),
    ("{turn.stop}", "pause at the token"),
    ("any text", "pause, and redirect"),
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
    ("Enter {prompt.newline}", "send; new line"),
    ("{prompt.earlier} {prompt.later}", "earlier instructions"),
    ("{prompt.search}", "search them"),
    ("{prompt.places}", "choose the place"),
    ("{focus.diff}", "to the diff"),
    ("@file", "@file:1-9 @file::name"),
    ("/ !", "command, shell command"),
    ("{token.back} {token.on} {token.unsure}", "look back, when empty"),
    ("?", "these keys, when empty"),
    ("/settings", "their names for [keys]"),
)
RIGHT: tuple[Line, ...] = (
    ("Diff", ""),
    ("{hunk.accept} {hunk.reject}", "accept: write it; reject"),
    ("{hunk.split} {line.toggle}", "split it; line out or in"),
    ("{hunk.edit}", "edit it, half-written too"),
    ("{hunk.editor} {hunk.again}", "in your editor; ask again"),
    ("{variation.next} {variation.previous}", "next, previous variation"),
    ("{all.accept} {all.reject}", "accept all, reject all"),
    ("{hunk.previous} {hunk.next}", "previous, next hunk"),
    ("{line.next} {line.previous}", "next, previous line"),
    ("{page.next} {page.previous}", "page down, page up"),
    ("{line.first} {line.last}", "top, bottom and follow"),
    ("{view.left} {view.right}", "along long lines"),
    ("{view.sides} {hunk.fold}", "two sides; fold a hunk"),
    ("{token.back} {token.on} {token.unsure} {turn.play}", "look back; replay"),
    ("{journal.undo} {journal.redo}", "undo, redo"),
    ("{git.commit} {patch.copy}", "commit; copy the patch"),
    ("{turn.report} {wafer} {file.previous} {file.next}", "report; wafer; which file"),
    ("{turn.stop} {focus.prompt}", "to the prompt"),
    ("{help} {quit}", "these keys, quit"),
    ("", ""),
    ("Anywhere", ""),
    ("{palette} {suspend}", "all commands; suspend"),
    ("{interrupt}", "clear; twice quits"),
)
"""With the rule above them, as many as the smallest usual screen has rows."""
_KEYS = 14
_HALF = 38
_BOTH = 80
"""Columns that both halves need."""


class HelpScreen(ModalScreen[None]):
    """Every key and what it does; any of Esc, ?, q and Enter closes it. Args: keys: those in force."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $spark-background 60%;
        VerticalScroll {
            width: 80; height: auto; max-height: 100%; background: $spark-surface; padding: 0 1;
            scrollbar-size-vertical: 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", show=False)]

    def __init__(self, keys: Keymap) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """One sheet."""
        with VerticalScroll():
            yield Static(id="sheet")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self._show()

    def on_resize(self) -> None:
        """There is room for two columns, or there is not."""
        self._show()

    def _show(self) -> None:
        self.query_one("#sheet", Static).update(self._sheet())

    def _sheet(self) -> Text:
        narrow = self.app.size.width < _BOTH
        sheet = Text(RULE, look(self, "muted"), no_wrap=not narrow)
        if narrow:
            for line in (*LEFT, ("", ""), *RIGHT):
                sheet.append("\n").append_text(self._cell(line))
            return sheet
        for left, right in zip_longest(LEFT, RIGHT, fillvalue=("", "")):
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
        several = any(len(self._keys.keys(action)) > 1 for action in actions_in(press))
        ways = [self._keys.fill(press.replace("} {", "}; {"))] if several else []
        ways += [self._keys.fill(press), self._keys.fill(press, most=1)]
        keys = next((way for way in ways if len(way) < _KEYS), ways[-1])
        return Text.assemble((f"{keys:<{_KEYS - 1}} ", look(self, "key")), (does, look(self, "muted")))
