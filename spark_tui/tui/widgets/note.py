"""The line that says what went wrong or what was done; gone with the next key."""

from rich.text import Text
from textual.widgets import Static

from spark_tui.marks import visible


class Note(Static):
    """One message, in as many rows as it needs (three at most)."""

    DEFAULT_CSS = """
    Note {
        display: none; height: auto; max-height: 3; padding: 0 1; background: $spark-surface; color: $spark-text;
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
