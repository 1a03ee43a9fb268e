"""What opens a sheet once it is worked out, and is cancelled by whoever goes on with something else meanwhile."""

import asyncio
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Protocol, TypeVar

from textual import events
from textual.app import App

from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.bar import Piece, keys

T = TypeVar("T")
_MOMENT_S = 0.25
"""How long nothing is told of it: what is there by then would only flicker."""


class Asker(Protocol):
    """A screen that a sheet is prepared for."""

    @property
    def app(self) -> App[Any]:
        """Where sheets are opened."""

    def say(self, words: str, *, look: str = "") -> None:
        """Say something in its line for that."""

    def paint_words(self) -> None:
        """Show which keys mean something now."""


class CancellableWork:
    """Sees to it that no sheet opens over what the user does by then, for `screen` and those on top of it.

    From the key that asks for a sheet to the sheet Esc cancels it, and so does all else that is pressed, pasted or
    clicked. Whatever cannot be cancelled any more, as it writes, asks nothing then.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self.presses = 0
        """How often anything was pressed, pasted or clicked: by that one can tell whether the user went on since."""
        self._task: asyncio.Task[Any] | None = None
        """Waits for what is being prepared, if anything is."""
        self._asker: Asker = screen
        self._what = self._words = ""
        self._is_late = False
        self._working = Lock()

    async def work(self, what: str, work: Callable[[], T], asker: Asker | None = None) -> T:
        """Work something out in a thread, for a sheet that opens then. Cancels the task that waits for it, if need be.

        Args: what: to call it. asker: what it is for, where that is not the screen itself.
        """
        self.cancel()
        self._what, self._task, self._asker = what, asyncio.current_task(), asker or self._screen
        task, late = self._task, self._screen.set_timer(_MOMENT_S, self._tell_late)
        try:
            return await asyncio.to_thread(self._one_by_one, work)
        finally:
            late.stop()
            if self._task is task:
                self._over()

    def cancel(self) -> str:
        """Prepare it no more. Returns: what to say of that, or "" where nothing was."""
        self.presses += 1
        task, what = self._task, self._what
        if task is None:
            return ""
        self._over()
        task.cancel()
        return f"the {what} is canceled; nothing was done"

    def takes(self, event: events.Event) -> bool:
        """See what the user does, each thing just before it acts. Returns: whether it is not to act."""
        if not isinstance(event, events.Key | events.Paste | events.MouseDown):
            return False
        self.presses += 1
        if self._task is None:
            return False
        if isinstance(event, events.Key) and self._stops(event.key):
            return True
        self.tell(self.cancel())
        return False

    def tell(self, words: str) -> None:
        """Say what came of it though the user goes on with something else: typing does not take that away."""
        self._words = words
        self._asker.say(words, look="warning")

    @property
    def told(self) -> bool:
        """Whether such words can still be read."""
        return bool(self._words) and self._screen.said(self._words)

    @property
    def hints(self) -> Sequence[Piece]:
        """What is being prepared, and the way out, once that takes longer than a moment."""
        return [Piece(f"preparing the {self._what}…"), *keys(("Esc", "cancel"))] if self._is_late else []

    def _stops(self, key: str) -> bool:
        """Whether it is Esc, or what stands for it; that also does what it does at any other time."""
        stop = key in self._screen.keys.keys("turn.stop")
        if stop and self._asker is self._screen:
            self._screen.action_escape()
        elif stop or key == "escape":
            self._asker.say(self.cancel())
        return stop or key == "escape"

    def _one_by_one(self, work: Callable[[], T]) -> T:
        """What was cancelled may not have come to its end yet."""
        with self._working:
            return work()

    def _tell_late(self) -> None:
        if self._task is not None:
            self._is_late = True
            self._asker.paint_words()

    def _over(self) -> None:
        self._task, was_late, self._is_late = None, self._is_late, False
        if was_late:
            self._asker.paint_words()
