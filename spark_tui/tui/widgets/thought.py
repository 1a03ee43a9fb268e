"""The thought of a model before its answer: a fold above the prompt, of one line or more."""

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from spark_tui.safe_text import visible
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, hint

_MOST_SHOWN = 20_000
"""Characters at the end of a thought that are shown when it is open."""
_LEAST = 8
"""The least columns of the growing line."""


class ThoughtFold(Vertical):
    """The thought of a turn.

    It is folded until the user opens it, and folds again when the answer begins.

    Args:
        key: The key that opens it, as people write it.
    """

    DEFAULT_CSS = """
    ThoughtFold {
        display: none; height: auto; max-height: 40vh; background: $spark-surface;
        &.-shown { display: block; }
        VerticalScroll {
            display: none;
            height: auto;
            max-height: 30vh;
            padding: 0 1;
            scrollbar-size-vertical: 1;
        }
        &.-open VerticalScroll { display: block; }
        Static { color: $spark-faint; height: auto; }
    }
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
        self._text = ""
        self._tokens = 0
        self._thinks = False

    @property
    def is_open(self) -> bool:
        """Whether all of the thought is shown."""
        return self.has_class("-open")

    @property
    def words(self) -> str:
        """All the text that is shown, for tests and screen readers."""
        if not self._text:
            return ""
        body = self._text[-_MOST_SHOWN:] if self.is_open else ""
        return f"{self.query_one(Bar).words}\n{body}".strip()

    def compose(self) -> ComposeResult:
        """The line, and what opens below it."""
        yield Bar(id="thought")
        with VerticalScroll(can_focus=False):
            yield Static()

    def show(self, text: str, tokens: int, *, thinks: bool) -> None:
        """Show a thought; "" hides the fold.

        Args:
            tokens: The number of tokens of the thought.
            thinks: Whether the thought goes on.
        """
        if (text, tokens, thinks) == (self._text, self._tokens, self._thinks):
            return
        answered = self._thinks and not thinks
        self._text = text
        self._tokens = tokens
        self._thinks = thinks
        self.set_class(bool(text), "-shown")
        if answered or not text:
            self.remove_class("-open")
        self._paint()

    def toggle(self) -> None:
        """Open or fold the thought."""
        self.toggle_class("-open")
        self._paint()

    def on_click(self, event: events.Click) -> None:
        """Open or fold the thought."""
        event.stop()
        self.toggle()

    def _paint(self) -> None:
        plain = visible(self._text[-_MOST_SHOWN:], keep="\n\t")
        count = f"{self._tokens:,} token{'s' * (self._tokens != 1)}"
        does = "fold" if self.is_open else "open"
        pieces = [
            BarPiece(f"{'thinking' if self._thinks else 'thought'}, {count}", "muted", 9),
            *hint(self._key, does, weight=5),
        ]
        if self._thinks and not self.is_open:
            # The end of the last line, beside the other pieces with their gaps.
            last = plain.rstrip().rpartition("\n")[2].strip()
            room = max(_LEAST, self.app.size.width - sum(len(piece.text) for piece in pieces) - 6)
            pieces.append(BarPiece(last[-room:], "faint", 1))
        self.query_one(Bar).show(pieces)
        if self.is_open:
            self.query_one(Static).update(Text(plain.strip("\n"), look(self, "faint")))
            self.query_one(VerticalScroll).scroll_end(animate=False)
