"""The main screen as its parts see it: what is under way, how to say something, how to paint.

A part is built with a `Host` and with the other parts that it needs, and knows nothing else of the
screen.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.session.turn_state import IN_TURN, TurnPhase, TurnState
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.screens.focus_guard import FocusGuard
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller

_NOTICE_S = 15.0  # seconds that a notification stays


class Host(Screen[None]):
    """The main screen without its parts.

    Args:
        clock: Returns seconds, for whatever depends on how long something was on the screen.
        keys: The keys in force.
    """

    class TurnOver(Message):
        """A turn ended by itself."""

    class Written(Message):
        """Files were written by an accept, an undo or a redo."""

    def __init__(self, clock: Callable[[], float], keys: Keymap) -> None:
        super().__init__()
        self.clock = clock
        self.keys = keys
        self.guard = FocusGuard(clock, keys)
        self.controller: Controller | None = None
        self._idle_view = TurnState()
        self._idle_view.phase = TurnPhase.LOADING
        self.preview: TurnState | None = None
        """The lines of the place that is chosen in the list of places, shown instead of the turn.
        """
        self.disk = asyncio.Lock()
        """Held while files are written, or are read that must not change meanwhile."""
        self.is_editing = False
        """Whether an editor lies over the diff, with keys of its own."""
        self.inputs = 0
        """How many keys, pastes, clicks and scrolls came so far."""
        self.shows_meters = False
        """Whether the last line shows everything that is measured."""
        self._was_open = False
        """Whether there was something to decide about at the last paint."""

    @property
    def view(self) -> TurnState:
        """The turn that is on the screen."""
        return self.controller.view if self.controller else self._idle_view

    @property
    def phase(self) -> TurnPhase:
        """What is going on; see `Controller.phase`."""
        return self.controller.phase if self.controller else self._idle_view.phase

    @property
    def is_starting(self) -> bool:
        """Whether a turn is about to begin."""
        return self.controller is not None and self.controller.start is not None

    @property
    def is_deciding(self) -> bool:
        """Whether a decision is on its way to the disk."""
        return bool(self.view.under_way)

    @property
    def is_varying(self) -> bool:
        """Whether other answers are being written."""
        return self.controller is not None and self.controller.is_varying

    @property
    def busy(self) -> bool:
        """Whether something is on its way to the disk or to the engine."""
        return self.is_starting or self.is_deciding

    @property
    def prompt(self) -> Prompt:
        """The prompt, where instructions are written."""
        return self.query_one(Prompt)

    @property
    def bench(self) -> Work:
        """The diff and its hunks."""
        return self.query_one(Work)

    def say(
        self,
        words: str,
        *,
        look: str = "",
        stays: bool = False,
        holds: Callable[[], bool] | None = None,
    ) -> None:
        """Show a message until the next key.

        Args:
            stays: Esc brings it back, until another one.
            holds: See `Note`.
        """
        if words:
            # A newer message also ends the one that Esc would bring back.
            self.view.reason = (words, look) if stays else ("", "")
        self.query_one(Note).say(words, look=look, holds=holds)

    @contextmanager
    def reported_errors(self, look: str = "error") -> Iterator[None]:
        """Show a `SparkError` that ends the block, and continue behind the block."""
        try:
            yield
        except SparkError as e:
            self.say(str(e), look=look)

    def shows_message(self, words: str) -> bool:
        """Whether these words are the message that can be read now."""
        return self.query_one(Note).words == words

    def say_all(self) -> None:
        """Show the whole of the last message again for a while."""
        last = self.query_one(Note).last or "there was no message yet"
        self.notify(visible(last), timeout=_NOTICE_S, markup=False)

    def refuses(self) -> bool:
        """Refuse a key about a hunk, with a message, while other answers are being written.

        Any of those answers may take the place of the hunk before the key acts.

        Returns:
            Whether the key was refused.
        """
        if self.is_varying:
            stop = self.keys.key("turn.stop")
            self.say(
                f"other answers are being written, so that did nothing; {stop} stops them",
                look="warning",
            )
        return self.is_varying

    def write(self, text: str) -> None:
        """Put text into the prompt."""
        self.prompt.focus()
        self.prompt.put(text)

    def paint(self) -> None:
        """Show everything as it is now; widgets that would look the same are not painted."""
        self.bench.show(self.preview or self.view)
        is_open = bool(self.view.hunks) or self.view.phase in IN_TURN
        has_ended = (self._was_open and not is_open) or bool(self.view.words)
        # With nothing left to decide, letters are words again. Only the change moves the focus: a
        # user may well go back to the diff of a finished turn and read.
        if has_ended and self.focused is self.bench.diff:
            self.set_focus(self.prompt)
            self.guard.note_led_back()
        self._was_open = is_open
        self.paint_words()

    def way_to(self, action: str) -> str:
        """The key for undo or redo in the diff, or the command where the prompt has the focus."""
        return f"/{action}" if self.focused is self.prompt else self.keys.key(f"journal.{action}")

    def show_notices(self) -> None:
        """Show the session's notices; under another screen they wait until that screen closes."""
        if self.is_active and self.controller is not None:
            for words in self.controller.session.take_notices():
                self.notify(visible(words), timeout=_NOTICE_S, markup=False)

    def begin_review(self, *, focus: bool, hunk: int | None = None) -> None:
        """Go to a hunk.

        Args:
            focus: Whether the diff gets the focus, unless it has the focus already.
            hunk: The number of the hunk; None: the first one, with the diff seen from its top.
        """
        # The user may be in the middle of a word: the next letters are text.
        if focus and not self.bench.diff.has_focus:
            self.guard.note_led_away()
        self.bench.begin_review(focus=focus, at=hunk)

    @abstractmethod
    def paint_words(self) -> None:
        """Show the lines above and below as they are now."""

    @abstractmethod
    def run_frames(self) -> None:
        """Paint frames until nothing more comes."""
