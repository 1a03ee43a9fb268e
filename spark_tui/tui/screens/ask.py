"""A question that is answered with a line of text."""

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from spark_tui.tui.looks import look
from spark_tui.tui.screens.sheet import Sheet
from spark_tui.tui.widgets.bar import Keys, keys
from spark_tui.tui.widgets.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. Args: does: what Enter does. text: to begin with. example: stands where nothing is written yet."""

    words: str
    does: str
    text: str = ""
    more: str = ""
    may_be_empty: bool = False
    example: str = ""


class AskScreen(Sheet[str | None]):
    """Enter answers, Esc does not."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "leave it", show=False, priority=True)]

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="told")
            with Horizontal(id="writing"):
                yield Static("›", id="mark")
                yield Prompt(self._question.text, placeholder=self._question.example)
            yield Keys()

    def on_mount(self) -> None:
        """Colours are known once the screen is mounted."""
        asked = self._question
        text = Text(asked.words, look(self, "text")).append(f" {asked.more}", look(self, "muted"))
        self.query_one("#told", Static).update(text)
        self.query_one(Keys).show(keys(("Enter", asked.does), ("Esc", "leave it")))
        self.query_one(Prompt).focus()
        self.query_one(Prompt).offer()

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        event.stop()
        if event.text.strip() or self._question.may_be_empty:
            self.dismiss(event.text.strip())
