"""Sheets and panels over the screen: a line of text, consent, and the cover when there is no room.

The sheets and panels of other modules build on `Sheet` and `Panel`; `every` repeats something as
long as a screen is open.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Static

from spark_tui.errors import ConsentMissing
from spark_tui.safe_text import visible
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.themes import Themes, look
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import KeyHints, keys
from spark_tui.tui.widgets.work import GUARD_S

Answer = TypeVar("Answer")
READ_S = 0.5
"""Seconds before a letter answers a question for consent; nobody reads the question sooner."""
Clock = Callable[[], float]
Write = Callable[[str], None] | None


class Sheet(ModalScreen[Answer]):
    """A box in the middle of the screen: a question, its details, and the keys.

    Args:
        clock: Returns seconds; a key that comes at once was meant for something else.
        write: Puts words into the prompt; None where words have no place to go.
    """

    DEFAULT_CSS = """
    Sheet {
        align: center middle; background: $spark-background 60%;
        #sheet {
            width: 76;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            background: $spark-surface;
            padding: 1 2;
        }
        #question { height: auto; padding: 0 0 1 0; }
        #writing { height: auto; background: $spark-background; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
        Prompt { width: 1fr; max-height: 8; padding: 0 1 0 0; }
    }
    Sheet.-low #sheet { padding: 0 1; }
    Sheet.-low #question { padding: 0; max-height: 4; }
    Sheet.-low KeyHints { margin: 0; }
    """

    LEAST_S = GUARD_S
    """Seconds that the sheet has to be there before a key can be meant for it."""

    def __init__(self, clock: Clock = lambda: 0.0, write: Write = None) -> None:
        super().__init__()
        self._clock = clock
        self._asked_at = clock()
        self._write = write
        self._early = ""
        """Keys of the sheet that came too early to be meant."""

    def on_key(self, event: events.Key) -> None:
        """Pass a letter that is no key of the sheet on to the prompt.

        The user is typing words then; keys that came too early to be meant were their beginning.
        """
        letter = event.character if event.is_printable else None
        if letter and self.is_current and event.key in self.active_bindings:
            self._early += "" if self.can_be_meant else letter
        elif letter:
            self._pass_on(event, letter)

    def on_paste(self, event: events.Paste) -> None:
        """Pass pasted text on to the prompt."""
        self._pass_on(event, event.text)

    def _pass_on(self, event: events.Event, words: str) -> None:
        # Without a prompt to write to, the sheet waits until the user has stopped typing.
        if self._write is None:
            self._asked_at = self._clock()
        else:
            event.stop()
            event.prevent_default()
            self._write(self._early + words)
            self._early = ""
            if self.is_current:
                self.dismiss()

    @property
    def can_be_meant(self) -> bool:
        """Whether the user can have read the sheet before the key that comes now."""
        return self._clock() - self._asked_at >= self.LEAST_S


class Panel(ModalScreen[Answer]):
    """The lower part of the screen: what was asked, the words so far, and how the work stands."""

    DEFAULT_CSS = """
    Panel {
        align: center bottom; background: $spark-background 60%;
        #panel {
            width: 100%;
            height: 80%;
            background: $spark-surface;
            border-top: solid $spark-accent;
        }
        OutputLog { height: 1fr; }
        Bar { background: $spark-surface; }
    }
    """


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A question that a line of text answers.

    Args:
        words: The question.
        does: What Enter does.
        text: The text that the prompt begins with.
        more: A sentence behind the question.
        may_be_empty: Whether Enter answers without text, too.
        example: The placeholder of the empty prompt.
    """

    words: str
    does: str
    text: str = ""
    more: str = ""
    may_be_empty: bool = False
    example: str = ""


class AskScreen(Sheet[str | None]):
    """Enter answers, Esc does not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "leave it", show=False, priority=True)
    ]

    def __init__(self, question: TextQuestion) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="sheet"):
            yield Static(id="question")
            with Horizontal(id="writing"):
                yield Static("›", id="mark")
                yield Prompt(self._question.text, placeholder=self._question.example)
            yield KeyHints()

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        asked = self._question
        text = Text(asked.words, look(self, "text")).append(f" {asked.more}", look(self, "muted"))
        self.query_one("#question", Static).update(text)
        self.query_one(KeyHints).show(keys(("Enter", asked.does), ("Esc", "leave it")))
        self.query_one(Prompt).focus()
        self.query_one(Prompt).offer()

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        event.stop()
        if event.text.strip() or self._question.may_be_empty:
            self.dismiss(event.text.strip())


_ASKS = "Write to it?"


class ConsentScreen(Sheet[bool]):
    """`y` consents, n, Enter and Esc do not; words go to the prompt.

    Args:
        path: The path of the file, or another subject of the reasons.
        why: Reasons, worded to follow the path.
        clock, write: See `Sheet`.
        question: The question, in a few words.
    """

    LEAST_S = READ_S
    DEFAULT_CSS = "ConsentScreen #question { padding: 0; max-height: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "write", show=False),
        Binding("n", "answer(False)", "do not", show=False),
        Binding("escape,enter", "dismiss(False)", "do not", show=False),
    ]

    def __init__(
        self,
        path: str,
        why: Sequence[str],
        clock: Clock,
        write: Write = None,
        question: str = _ASKS,
    ) -> None:
        super().__init__(clock, write)
        self._path = path
        self._why = why
        self._question = question

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical(id="sheet"):
            yield Static(id="question")

    def on_mount(self) -> None:
        """Fill the sheet: colors are known once the screen is mounted."""
        text = Text(visible(self._path), look(self, "text"))
        for reason in self._why:
            text.append(f"\n· {visible(reason)}", look(self, "warning"))
        text.append(f"\n\n{self._question} ", look(self, "text"))
        text.append("y", look(self, "accent")).append("/N", look(self, "muted"))
        self.query_one("#question", Static).update(text)

    def action_answer(self, consents: bool) -> None:
        """Give this answer, unless the user cannot have read the question."""
        if self.can_be_meant:
            self.dismiss(consents)


def consent_to_send(error: ConsentMissing, clock: Clock) -> ConsentScreen:
    """The question whether a model that runs elsewhere may read files."""
    return ConsentScreen(", ".join(error.paths), error.why, clock, question="Send it?")


# The cover while the terminal is too small.

LEAST = (40, 10)
"""Columns and rows below which nothing can be read or decided."""
ROOMY = 16
"""Rows from which a sheet has room for more than words."""


class SmallScreen(Screen[None]):
    """Covers everything until there is room again.

    Esc still stops the turn; no other key acts on the screens below.
    """

    DEFAULT_CSS = """
    SmallScreen { background: $spark-background; color: $spark-text; align: center middle; }
    SmallScreen Static {
        width: auto;
        max-width: 100%;
        height: auto;
        max-height: 100%;
        text-align: center;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.stop", "pause", show=False, id="turn.stop")
    ]

    def compose(self) -> ComposeResult:
        """The notice."""
        yield Static(Text(f"too small: spark needs {LEAST[0]}x{LEAST[1]}"))

    def on_key(self, event: events.Key) -> None:
        """Put what is typed into the prompt, where it shows once there is room.

        No letter is a key of the diff here.
        """
        if event.key in self.active_bindings:  # the key that stops the turn
            return
        if event.is_printable and event.character is not None:
            self._prompt.put(event.character, by_hand=True)

    def on_paste(self, event: events.Paste) -> None:
        """Put what is pasted into the prompt, too."""
        event.stop()
        self._prompt.put(event.text)

    @property
    def _prompt(self) -> Prompt:
        """The prompt of the main screen, which gets the focus."""
        prompt = self.app.get_default_screen().query_one(Prompt)
        prompt.focus()
        return prompt


class CoveredApp(App[None]):
    """An application that is covered, and takes no decision, while the terminal is too small."""

    themes: Themes
    keys: Keymap
    lent = False
    """Whether a program of the user's own has the terminal."""

    @contextmanager
    def lend_terminal(self) -> Iterator[None]:
        """Lend the terminal to a program of the user's own, which gets Ctrl+C until it ends."""
        self.lent = True
        try:
            # Without a terminal, as in tests, nothing can be suspended.
            with self.suspend() if self._driver and self._driver.can_suspend else nullcontext():
                yield
        finally:
            self.lent = False

    def use_mouse(self, on: bool) -> None:
        """Have the terminal report the mouse, or not."""
        use_mouse = getattr(self._driver, "use_mouse", None)
        if use_mouse is not None:  # only the driver of a terminal has it
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
        """The cover, while it is on top."""
        return self.screen if self.screen_stack and isinstance(self.screen, SmallScreen) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action can be done now; under a cover nobody could see the palette."""
        if action == "command_palette" and self.cover:
            return False
        return super().check_action(action, parameters)

    def push_screen(self, screen: Any, *args: Any, **kwargs: Any) -> Any:
        """Open a screen; a cover stays on top of it."""
        if not self.cover:
            return super().push_screen(screen, *args, **kwargs)
        # Off with the cover, in with the screen, and a new cover on top.
        self.pop_screen()
        opened = super().push_screen(screen, *args, **kwargs)
        super().push_screen(SmallScreen())
        return opened

    def pop_screen(self) -> AwaitComplete:
        """Close the topmost screen, but never the main screen.

        Two keys may be on their way to a screen that closes, and both would close one.
        """
        if len(self.screen_stack) > 1:
            return super().pop_screen()
        return AwaitComplete(asyncio.sleep(0))


def is_open(screen: Screen[Any]) -> bool:
    """Whether a screen has its widgets, from its mount to its close, even under other screens."""
    return screen.is_mounted and screen in screen.app.screen_stack


def every(seconds: float, screen: Screen[Any], do: Callable[[], None]) -> Timer:
    """Do something again and again while a screen is open.

    A plain interval may tick once more when the screen's widgets are gone.
    """

    def tick() -> None:
        if is_open(screen):
            do()

    return screen.set_interval(seconds, tick)
