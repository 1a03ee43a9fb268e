"""The words of a chat model as growing Markdown, in place of the diff.

The widget is made only once there are words.
"""

from collections.abc import Sequence
from typing import ClassVar

from markdown_it import MarkdownIt
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Markdown

from spark_tui.editing.formats.code_blocks import code_blocks
from spark_tui.safe_text import visible


def _parser() -> MarkdownIt:
    """Make a parser that leaves entities alone.

    Otherwise `&#x202e;` would become a direction character that `visible` has never seen.
    """
    return MarkdownIt("gfm-like").disable("entity")


class AnswerText(VerticalScroll):
    """Words that grow; their end stays in sight unless the user scrolls elsewhere."""

    DEFAULT_CSS = """
    AnswerText {
        height: 1fr; padding: 1 2; background: $spark-surface; scrollbar-size-vertical: 1;
        Markdown { background: $spark-surface; color: $spark-text; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"take({number})", "take over that block of code", show=False)
            for number in range(1, 10)
        ),
    ]

    class Taken(Message):
        """A block of code of an answer is to be reviewed. `number`: which one, from 1."""

        def __init__(self, answer: "AnswerText", number: int) -> None:
            super().__init__()
            self.answer = answer
            self.number = number

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        """The whole answer so far."""
        self._shown = ""
        self._is_writing = False

    @property
    def blocks(self) -> Sequence[Sequence[str]]:
        """The blocks of code, as lines."""
        return code_blocks(self.text)

    def compose(self) -> ComposeResult:
        """The words."""
        yield Markdown(parser_factory=_parser, open_links=False)

    def on_mount(self) -> None:
        """Show the words that came before the widget was mounted."""
        self._catch_up()

    def show(self, text: str) -> None:
        """Show the whole answer so far."""
        self.text = text
        if self.is_mounted:
            self._catch_up()

    def action_take(self, number: int) -> None:
        """Ask for a block of code to be reviewed as hunks."""
        self.post_message(self.Taken(self, number))

    def _catch_up(self) -> None:
        # One writer at a time: appends that overlap would mix up their order.
        if not self._is_writing and self._shown != self.text:
            self._is_writing = True
            self.run_worker(self._write(), group="answer")

    async def _write(self) -> None:
        """Write until the whole answer is shown; more of it may come meanwhile."""
        markdown = self.query_one(Markdown)
        try:
            while self._shown != self.text:
                shown = self._shown
                text = self.text
                # Another answer: begin anew. Otherwise append only what is new, which parses no
                # more than the last block again.
                if not text.startswith(shown):
                    shown = ""
                    await markdown.update("")
                    self.scroll_home(animate=False)
                follows = self.scroll_offset.y >= self.max_scroll_y  # unless the user scrolled
                await markdown.append(visible(text[len(shown) :], keep="\n\t"))
                self._shown = text
                if follows:
                    self.scroll_end(animate=False)
        finally:
            self._is_writing = False
