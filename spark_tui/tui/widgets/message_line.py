"""The line of messages: it says what went wrong or was done, until the next key."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from spark_tui.safe_text import visible

_ROWS = 2
_WIDE = 80
"""A screen of this many columns shows messages in at most `_ROWS` rows."""


class Note(Static):
    """A message in up to two rows (on a narrow screen, a third of it).

    A mark ends a message that does not fit.

    Args:
        whole: The command that shows such a message in full.
    """

    DEFAULT_CSS = """
    Note {
        display: none;
        height: auto;
        max-height: 33vh;
        padding: 0 1;
        background: $spark-surface;
        color: $spark-text;
        &.-shown { display: block; }
        &.-error { color: $spark-error; }
        &.-warning { color: $spark-warning; }
    }
    """

    words = ""
    last = ""
    """The last message, whether it is still shown or not."""
    _holds: Callable[[], bool] | None = None

    def __init__(self, whole: str = "") -> None:
        super().__init__()
        self._mark = f"… {whole}".rstrip()

    def say(self, words: str, *, look: str = "", holds: Callable[[], bool] | None = None) -> None:
        """Show a message; `look` is "error", "warning" or nothing.

        Empty words hide the line.

        Args:
            holds: Tells whether the message is still true, for `look_again`.
        """
        self._holds = holds
        if words == self.words:
            return
        shown = " ".join(visible(line) for line in words.splitlines())
        self.words = words
        self.last = shown or self.last
        self.update(Text(shown))
        self.set_class(bool(words), "-shown")
        self.set_class(look == "error", "-error")
        self.set_class(look == "warning", "-warning")

    def look_again(self) -> None:
        """Hide a message that is no longer true."""
        if self._holds is not None and not self._holds():
            self.say("")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """See `Widget`."""
        rows = super().get_content_height(container, viewport, width)
        return min(rows, _ROWS) if viewport.width >= _WIDE else rows

    def render_line(self, y: int) -> Strip:
        """Draw a row; if more rows would follow the last one, it ends with the mark."""
        strip = super().render_line(y)
        size = self.content_size
        if y < size.height - 1:
            return strip
        if super().get_content_height(size, self.screen.size, size.width) <= size.height:
            return strip
        end = min(cell_len(strip.text.rstrip()), size.width - cell_len(self._mark))
        text = strip.crop(0, end)
        # The mark has the color of the message.
        style = next(iter(text), Segment("")).style
        return Strip.join([text, Strip([Segment(self._mark, style)])])
