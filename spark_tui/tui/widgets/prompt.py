"""Where instructions are written: Enter sends, Ctrl+J breaks the line, Up brings back earlier ones."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from spark_tui.marks import visible

_LONGEST = 20_000
"""Characters of a paste that are taken: more than any turn reads (which it says), few enough to be shown at once."""


class Prompt(TextArea):
    """The instruction being written, with the history of those sent."""

    DEFAULT_CSS = """
    Prompt {
        height: auto; max-height: 6; padding: 0; border: none; background: $spark-background; color: $spark-text;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        .text-area--cursor-line { background: $spark-background; }
        .text-area--placeholder { color: $spark-faint; }
    }
    Prompt:dark .text-area--cursor, Prompt:light .text-area--cursor {
        background: $spark-accent; color: $spark-background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(-1)", "earlier instruction", show=False, id="prompt.earlier"),
        Binding("down", "recall(1)", "later instruction", show=False, id="prompt.later"),
        Binding("ctrl+j", "newline", "new line", show=False, id="prompt.newline"),
        Binding("ctrl+z", "app.suspend_process", "suspend", show=False, id="suspend"),
    ]

    class Sent(Message):
        """Enter was pressed; `text` may be empty."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Typed(Message):
        """The user wrote something by key or paste."""

    class HelpAsked(Message):
        """`?` in an empty prompt."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(
            _safe(text),
            id=id,
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content("say what to change"),
        )
        self.cursor_blink = False
        self.move_cursor(self.document.end)
        self._sent: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def set_text(self, text: str) -> None:
        """Replace what is written, with the cursor at its end."""
        self.text = _safe(text)
        self.move_cursor(self.document.end)

    def remember(self, text: str) -> None:
        """Add an instruction to the history."""
        if text.strip() and self._sent[-1:] != [text]:
            self._sent.append(text)
        self._at = None

    def on_key(self, event: events.Key) -> None:
        """Enter sends, `?` alone asks for help; everything else that prints is text."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent(self.text))
        elif event.character == "?" and not self.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.HelpAsked())
        elif event.is_printable:
            self._at = None
            self.post_message(self.Typed())

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is only ever text; what does not print is shown as what it is."""
        event.stop()
        event.prevent_default()
        self.put(event.text)

    def put(self, text: str) -> None:
        """Write text at the cursor, as if typed."""
        self._at = None
        if done := self._replace_via_keyboard(_safe(text), *self.selection):
            self.move_cursor(done.end_location)
        self.post_message(self.Typed())

    def action_newline(self) -> None:
        """Break the line."""
        self.put("\n")

    def action_recall(self, step: int) -> None:
        """Move the cursor a line, or beyond the first and last one through the history."""
        if step < 0 and not self.cursor_at_first_line:
            self.action_cursor_up()
        elif step > 0 and not self.cursor_at_last_line:
            self.action_cursor_down()
        else:
            self._recall(step)

    def _recall(self, step: int) -> None:
        at = (len(self._sent) if self._at is None else self._at) + step
        if not 0 <= at <= len(self._sent) or (self._at is None and step > 0):
            return
        if self._at is None:
            self._draft = self.text
        self._at = at if at < len(self._sent) else None
        self.set_text(self._draft if self._at is None else self._sent[at])


def _safe(text: str) -> str:
    text = text[:_LONGEST]
    return "\n".join(visible(line) for line in text.splitlines()) + ("\n" if text.endswith("\n") else "")
