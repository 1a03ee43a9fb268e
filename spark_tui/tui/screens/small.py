"""What is shown while the terminal is too small for anything else."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

LEAST = (40, 10)
"""Columns and rows below which nothing can be read or decided."""
_WORDS = f"too small: spark wants {LEAST[0]}x{LEAST[1]}"


class SmallScreen(Screen[None]):
    """Covers everything until there is room again. Esc still stops the turn, and nothing can be decided."""

    DEFAULT_CSS = """
    SmallScreen { background: $spark-background; color: $spark-text; align: center middle; }
    SmallScreen Static { width: auto; max-width: 100%; height: auto; max-height: 100%; text-align: center; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.stop", "pause", show=False)]

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static(Text(_WORDS))
