"""Work whose result opens a sheet: whatever the user does meanwhile cancels it."""

import asyncio
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Protocol, TypeVar

from textual import events
from textual.app import App

from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.status_bars import BarPiece, keys

T = TypeVar("T")
_MOMENT_S = 0.25
"""How long the footer does not tell of the work: what ends sooner would only flicker."""


class Asker(Protocol):
    """A screen that a sheet is prepared for."""

    @property
    def app(self) -> App[Any]:
        """The application that opens sheets."""

    def say(self, words: str, *, look: str = "") -> None:
        """Say something in the screen's line of messages."""

    def paint_words(self) -> None:
        """Show which keys mean something now."""


class CancellableWork:
    """Works out what a sheet shows, and lets no sheet open over what the user went on to do.

    From the key that asks for a sheet to the sheet, Esc cancels the work, and so does every other
    key, paste or click. Work that writes, which cannot be cancelled, asks nothing once the user has
    gone on. Serves `screen` and the screens on top of it.

    Args:
        screen: The main screen.
        escape: Does what Esc does there.
    """

    def __init__(self, screen: Host, escape: Callable[[], None]) -> None:
        self._screen = screen
        self._escape = escape
        self.presses = 0
        """How often anything was pressed, pasted or clicked: tells whether the user went on."""
        self._task: asyncio.Task[Any] | None = None
        """Waits for what is being prepared, if anything is."""
        self._asker: Asker = screen
        self._what = ""
        """What is being prepared, by its name."""
        self._words = ""
        """What was said last of work that ended while the user went on."""
        self._is_late = False
        """Whether the work takes longer than a moment, so that the footer tells of it."""
        self._working = Lock()

    async def work(self, what: str, work: Callable[[], T], asker: Asker | None = None) -> T:
        """Work something out in a thread, for a sheet that opens then.

        Cancels the task that waits for it, if need be.

        Args:
            what: To call it.
            asker: What it is for, where that is not the screen itself.
        """
        self.cancel()
        self._what = what
        self._task = asyncio.current_task()
        self._asker = asker or self._screen
        task = self._task
        late = self._screen.set_timer(_MOMENT_S, self._show_hint)
        try:
            return await asyncio.to_thread(self._one_by_one, work)
        finally:
            late.stop()
            if self._task is task:
                self._over()

    def cancel(self) -> str:
        """Cancel what is being prepared.

        Returns:
            What to say about that, or "" if nothing was being prepared.
        """
        self.presses += 1
        task = self._task
        what = self._what
        if task is None:
            return ""
        self._over()
        task.cancel()
        return f"the {what} is canceled; nothing was done"

    def takes(self, event: events.Event) -> bool:
        """See each thing the user does just before it acts.

        Returns:
            Whether the event is not to act.
        """
        if not isinstance(event, events.Key | events.Paste | events.MouseDown):
            return False
        self.presses += 1
        if self._task is None:
            return False
        if isinstance(event, events.Key) and self._stops(event.key):
            return True
        self.report(self.cancel())
        return False

    def report(self, words: str) -> None:
        """Say what became of the work though the user has gone on; typing does not clear that."""
        self._words = words
        self._asker.say(words, look="warning")

    @property
    def shows_report(self) -> bool:
        """Whether the words of `report` can still be read."""
        return bool(self._words) and self._screen.shows_message(self._words)

    @property
    def hints(self) -> Sequence[BarPiece]:
        """The work under way and the way out, once the work takes longer than a moment."""
        if self._is_late:
            return [BarPiece(f"preparing the {self._what}…"), *keys(("Esc", "cancel"))]
        return []

    def _stops(self, key: str) -> bool:
        """Whether a key cancels: Esc, or the user's own key in its place.

        That key also does what it does at any other time.
        """
        stop = key in self._screen.keys.keys("turn.stop")
        if stop and self._asker is self._screen:
            self._escape()
        elif stop or key == "escape":
            self._asker.say(self.cancel())
        return stop or key == "escape"

    def _one_by_one(self, work: Callable[[], T]) -> T:
        """Do the work once earlier work, which was cancelled but may still run, has ended."""
        with self._working:
            return work()

    def _show_hint(self) -> None:
        if self._task is not None:
            self._is_late = True
            self._asker.paint_words()

    def _over(self) -> None:
        self._task = None
        was_late = self._is_late
        self._is_late = False
        if was_late:
            self._asker.paint_words()
