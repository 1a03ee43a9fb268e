"""The first thing that a new user sees, once: what spark does, and the five keys that matter."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from spark_tui.marks import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.looks import look
from spark_tui.tui.widgets.prompt import Prompt

_WHAT = (
    "Say what to change and where: “rename d to expenses in load”, “add a docstring to save”, “use an f-string in "
    "title”. You see the edit as it is written, and decide hunk by hunk. Nothing reaches a file before you accept it, "
    "and whatever you accepted can be taken back.\n\n"
    "It runs in this process: no network, no key, no GPU. Its model is small, and best at small edits; when it is not "
    "sure, it says so.\n"
)
_KEYS = (
    ("Enter", "send; go on after a pause"),
    ("{turn.stop}", "stop at the token; type to say something else"),
    ("{hunk.accept} {hunk.reject}", "accept, reject the hunk"),
    ("{journal.undo}", "take back what was accepted"),
    ("?", "every other key"),
)


class WelcomeScreen(ModalScreen[bool]):
    """Enter, Esc and Space close it, and so does writing, which goes on in the prompt. Gives whether `?` was pressed.

    Args: missing: what this machine lacks, one sentence each. prompt: where what is typed or pasted belongs.
    """

    DEFAULT_CSS = """
    WelcomeScreen {
        align: center middle; background: $spark-background 60%;
        VerticalScroll {
            width: 76; height: auto; max-height: 100%; background: $spark-surface; padding: 1 2;
            scrollbar-size-vertical: 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,escape,space", "dismiss(False)", show=False)]

    def __init__(self, keys: Keymap, missing: Sequence[str], prompt: Prompt) -> None:
        super().__init__()
        self._keys, self._missing, self._prompt = keys, missing, prompt
        self._over = False

    def compose(self) -> ComposeResult:
        """One sheet."""
        with VerticalScroll():
            yield Static(id="sheet")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        self.query_one("#sheet", Static).update(self._sheet())

    def on_key(self, event: events.Key) -> None:
        """Whoever types has begun."""
        if event.character == "?":
            event.stop()
            self._end(help_asked=True)
        elif event.is_printable and event.character and event.key != "space":
            event.stop()
            self._prompt.put(event.character, by_hand=True)
            self._end()

    def on_paste(self, event: events.Paste) -> None:
        """So has who pastes."""
        event.stop()
        self._prompt.put(event.text)
        self._end()

    def _end(self, *, help_asked: bool = False) -> None:
        """Close, once: more keys may come before it is closed."""
        if not self._over:
            self._over = True
            self.dismiss(help_asked)

    def _sheet(self) -> Text:
        sheet = Text("Welcome to spark\n\n", look(self, "accent"))
        sheet.append(_WHAT, look(self, "text"))
        for keys, does in _KEYS:
            sheet.append(f"\n{self._keys.fill(keys, most=1):<9}", look(self, "key"))
            sheet.append(does, look(self, "muted"))
        for words in self._missing:
            sheet.append(f"\n\n! {visible(words)}", look(self, "warning"))
        if self._missing:
            sheet.append("\n  /doctor says more about it", look(self, "muted"))
        return sheet.append("\n\nEnter begins, or just type; this is shown only once.", look(self, "muted"))
