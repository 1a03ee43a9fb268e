"""What is shown while the terminal is too small for anything else."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from spark_tui.tui.keymap import Keymap
from spark_tui.tui.themes import Themes
from spark_tui.tui.widgets.prompt import Prompt

LEAST = (40, 10)
"""Columns and rows below which nothing can be read or decided."""
ROOMY = 16
"""Rows from which a sheet has room for more than words."""


class SmallScreen(Screen[None]):
    """Covers everything until there is room again; Esc still stops the turn, and no other key acts on what is below."""

    DEFAULT_CSS = """
    SmallScreen { background: $spark-background; color: $spark-text; align: center middle; }
    SmallScreen Static { width: auto; max-width: 100%; height: auto; max-height: 100%; text-align: center; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.stop", "pause", show=False, id="turn.stop")]

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static(Text(f"too small: spark needs {LEAST[0]}x{LEAST[1]}"))

    def on_key(self, event: events.Key) -> None:
        """What is typed is text for the prompt, there to be seen when there is room; no letter is a key of the diff."""
        if event.key not in self.active_bindings and event.is_printable and event.character is not None:
            self._prompt.put(event.character, by_hand=True)

    def on_paste(self, event: events.Paste) -> None:
        """So is what is pasted."""
        event.stop()
        self._prompt.put(event.text)

    @property
    def _prompt(self) -> Prompt:
        """The prompt below, with the focus."""
        prompt = self.app.get_default_screen().query_one(Prompt)
        prompt.focus()
        return prompt


class CoveredApp(App[None]):
    """An application of which nothing can be seen, and no key decides, as long as the terminal is too small."""

    themes: Themes
    keys: Keymap
    lent = False
    """Whether a program of the user's own has the terminal."""

    @contextmanager
    def lend_terminal(self) -> Iterator[None]:
        """Let a program of the user's own have the terminal; Ctrl+C is its own business until it ends."""
        self.lent = True
        try:
            with self.suspend() if self._driver and self._driver.can_suspend else nullcontext():
                yield
        finally:
            self.lent = False

    def use_mouse(self, on: bool) -> None:
        """Have the terminal tell of the mouse, or not."""
        use_mouse = getattr(self._driver, "use_mouse", None)
        if use_mouse is not None:  # where there is no terminal, there is nothing to tell
            use_mouse(on)

    def on_resize(self, event: events.Resize) -> None:
        """Cover everything as long as nothing can be read."""
        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        if small and not self.cover:
            self.push_screen(SmallScreen())
        elif self.cover and not small:
            self.pop_screen()

    @property
    def cover(self) -> SmallScreen | None:
        """What covers everything, if there is no room."""
        return self.screen if self.screen_stack and isinstance(self.screen, SmallScreen) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether something can be done now: under a cover nobody would see what is chosen from the palette."""
        return super().check_action(action, parameters) and not (action == "command_palette" and self.cover)

    def push_screen(self, screen: Any, *args: Any, **kwargs: Any) -> Any:
        """Open a screen, below what covers everything."""
        if not self.cover:
            return super().push_screen(screen, *args, **kwargs)
        self.pop_screen()
        opened = super().push_screen(screen, *args, **kwargs)
        super().push_screen(SmallScreen())
        return opened

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top, never the one below all: two keys may be on their way to a screen that closes."""
        return super().pop_screen() if len(self.screen_stack) > 1 else AwaitComplete(asyncio.sleep(0))
