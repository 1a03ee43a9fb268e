"""The line that says what went wrong or what was done; gone with the next key."""

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.strip import Strip
from textual.widgets import Static

from spark_tui.marks import visible


class Note(Static):
    """One message, in as many rows as it needs, up to a third of the screen; a mark ends what does not fit in."""

    DEFAULT_CSS = """
    Note {
        display: none; height: auto; max-height: 33vh; padding: 0 1; background: $spark-surface; color: $spark-text;
        &.-shown { display: block; }
        &.-error { color: $spark-error; }
        &.-warning { color: $spark-warning; }
    }
    """

    words = ""

    def say(self, words: str, *, look: str = "") -> None:
        """Show a message; `look` is "error", "warning" or nothing. Empty words hide the line."""
        if words == self.words:
            return
        self.words = words
        self.update(Text(" ".join(visible(line) for line in words.splitlines())))
        self.set_class(bool(words), "-shown")
        self.set_class(look == "error", "-error")
        self.set_class(look == "warning", "-warning")

    def render_line(self, y: int) -> Strip:
        """A row; the last one that there is room for ends with a mark where more would follow."""
        strip, size = super().render_line(y), self.content_size
        if y < size.height - 1 or self.get_content_height(size, self.screen.size, size.width) <= size.height:
            return strip
        said = strip.crop(0, min(cell_len(strip.text.rstrip()), size.width - 1))
        return Strip.join([said, Strip([Segment("…", next(iter(said), Segment("")).style)])])
