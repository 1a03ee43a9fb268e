"""The question before a file is written to that is no ordinary one."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from spark_tui.marks import visible
from spark_tui.tui.looks import look
from spark_tui.tui.screens.sheet import Clock, Sheet, Write

_ASKS = "Write to it?"


class ConsentScreen(Sheet[bool]):
    """`y` consents, n, Enter and Esc do not; words go to the prompt.

    Args: path: of the file. why: reasons that follow the path. clock, write: see `Sheet`. question: in a few words.
    """

    DEFAULT_CSS = "ConsentScreen #told { padding: 0; max-height: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "write", show=False),
        Binding("n", "answer(False)", "do not", show=False),
        Binding("escape,enter", "dismiss(False)", "do not", show=False),
    ]

    def __init__(self, path: str, why: Sequence[str], clock: Clock, write: Write = None, question: str = _ASKS) -> None:
        super().__init__(clock, write)
        self._path, self._why, self._question = path, why, question

    def compose(self) -> ComposeResult:
        """One sheet."""
        with Vertical(id="sheet"):
            yield Static(id="told")

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        text = Text(visible(self._path), look(self, "text"))
        for reason in self._why:
            text.append(f"\n· {visible(reason)}", look(self, "warning"))
        text.append(f"\n\n{self._question} ", look(self, "text"))
        text.append("y", look(self, "accent")).append("/N", look(self, "muted"))
        self.query_one("#told", Static).update(text)

    def action_answer(self, consents: bool) -> None:
        """Answer so, unless the user cannot have read the question, or begins words."""
        if self.can_be_meant:
            self.hold("y" if consents else "n", partial(self.dismiss, consents))
