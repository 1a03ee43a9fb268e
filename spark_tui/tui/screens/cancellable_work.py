"""Prepares sheets in the background; whatever the user does meanwhile cancels the work."""

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
"""Seconds before the footer names the work; a hint about shorter work would only flicker."""


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

    Until the sheet opens, Esc cancels the work, and so does every other key, paste or click. Work
    that writes cannot be cancelled; it compares `presses` and asks nothing once the user has gone
    on. One object serves `screen` and the screens on top of it.

    Args:
        screen: The main screen.
        escape: Does what Esc does there.
    """

    def __init__(self, screen: Host, escape: Callable[[], None]) -> None:
        self._screen = screen
        self._escape = escape
        self.presses = 0
        """The count of keys, pastes and clicks; a higher count tells that the user went on."""
        self._task: asyncio.Task[Any] | None = None
        """The task that waits for the work, while there is any."""
        self._asker: Asker = screen
        self._what = ""
        """The name of what is being prepared."""
        self._words = ""
        """The last message about work that ended while the user went on."""
        self._is_late = False
        """Whether the work takes longer than a moment, so that the footer names it."""
        self._working = Lock()

    async def work(self, what: str, work: Callable[[], T], asker: Asker | None = None) -> T:
        """Work something out in a thread, for a sheet that opens afterwards.

        A key, paste or click meanwhile cancels the task that awaits this.

        Args:
            what: The name of the work, for messages.
            work: Runs in a thread.
            asker: The screen that the sheet is for, if it is not the main screen.
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
            # Newer work may have taken the place of this one, which must not end that.
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
        # The thread cannot be stopped; its result reaches nobody. See `_one_by_one`.
        task.cancel()
        return f"the {what} is canceled; nothing was done"

    def takes(self, event: events.Event) -> bool:
        """See each event just before it acts.

        Returns:
            Whether the event ends here and must not act.
        """
        if not isinstance(event, events.Key | events.Paste | events.MouseDown):
            return False
        self.presses += 1
        if self._task is None:
            return False
        if isinstance(event, events.Key) and self._stops(event.key):
            return True
        # Any other key cancels too, and then acts: a letter, say, goes into the prompt.
        self.report(self.cancel())
        return False

    def report(self, words: str) -> None:
        """Say what became of the work; typing, which may be under way, leaves the message."""
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
        """Cancel if the key is Esc, or the user's own key in its place; tell whether it is.

        On the main screen the key also does what it does at any other time.
        """
        stop = key in self._screen.keys.keys("turn.stop")
        if stop and self._asker is self._screen:
            self._escape()  # which cancels
        elif stop or key == "escape":
            self._asker.say(self.cancel())
        return stop or key == "escape"

    def _one_by_one(self, work: Callable[[], T]) -> T:
        """Do the work after earlier work has ended: the thread of cancelled work still runs."""
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
