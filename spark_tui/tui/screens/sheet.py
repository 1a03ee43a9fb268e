"""What the sheets that ask something have in common, and the panels that show what is said."""

from collections.abc import Callable
from typing import TypeVar

from textual import events
from textual.screen import ModalScreen

from spark_tui.tui.widgets.work import GUARD_S

Answer = TypeVar("Answer")
HOLD_S = 0.2  # so long a letter waits for a second one: longer than between two letters of a word
Clock = Callable[[], float]
Write = Callable[[str], None] | None


class Sheet(ModalScreen[Answer]):
    """In the middle, over what was there: what is asked in `#told`, what belongs to it, and the keys.

    Args: clock: seconds; a key that comes at once was meant for something else. write: puts words into the prompt.
    """

    DEFAULT_CSS = """
    Sheet {
        align: center middle; background: $spark-background 60%;
        #sheet { width: 76; max-width: 100%; height: auto; max-height: 100%; background: $spark-surface; padding: 1 2; }
        #told { height: auto; padding: 0 0 1 0; }
        #writing { height: auto; background: $spark-background; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
        Prompt { width: 1fr; max-height: 8; padding: 0 1 0 0; }
    }
    Sheet.-low #sheet { padding: 0 1; }
    Sheet.-low #told { padding: 0; max-height: 4; }
    Sheet.-low Keys { margin: 0; }
    """

    def __init__(self, clock: Clock = lambda: 0.0, write: Write = None) -> None:
        super().__init__()
        self._clock, self._asked_at, self._write, self._early, self._held = clock, clock(), write, "", ""

    def on_key(self, event: events.Key) -> None:
        """A letter that is no key begins words, with what came too early to be one; they go where words belong."""
        letter = event.character if event.is_printable else None
        if letter and self.is_current and not self._held and event.key in self.active_bindings:
            self._early += "" if self.can_be_meant else letter
        elif letter:
            self._pass_on(event, letter)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is words."""
        self._pass_on(event, event.text)

    def _pass_on(self, event: events.Event, words: str) -> None:
        if self._write is None:
            self._asked_at, self._held = self._clock(), ""
        else:
            event.stop()
            event.prevent_default()
            self._write(self._early + self._held + words)
            self._early = self._held = ""
            if self.is_current:
                self.dismiss()

    def hold(self, letter: str, act: Callable[[], object]) -> None:
        """Have a key act once it is clear that no words begin with it."""

        def over() -> None:
            if self._held and self.is_current:
                act()

        self._held = letter
        self.set_timer(HOLD_S, over)

    @property
    def can_be_meant(self) -> bool:
        """Whether the user can have read it before the key that comes now."""
        return self._clock() - self._asked_at >= GUARD_S


class Panel(ModalScreen[Answer]):
    """Over the lower part of what was there: what was asked, what is said, and how that stands."""

    DEFAULT_CSS = """
    Panel {
        align: center bottom; background: $spark-background 60%;
        #panel { width: 100%; height: 80%; background: $spark-surface; border-top: solid $spark-accent; }
        Said { height: 1fr; }
        Bar { background: $spark-surface; }
    }
    """
