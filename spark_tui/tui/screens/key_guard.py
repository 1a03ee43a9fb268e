"""Guards against keys that were meant as text, and sheets that open over other work.

`KeyGuard` decides whether a letter in the diff is a key or begins words for the prompt.
`CancellableWork` works out what a sheet shows, and is cancelled by whatever the user does
meanwhile.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from math import inf
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeVar

from textual import events
from textual.app import App
from textual.binding import ActiveBinding

from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.status_bars import BarPiece, keys
from spark_tui.tui.widgets.work import GUARD_S

WORD_S = 0.4
"""How long a letter waits for a second one; people who look for the keys type so slowly."""
DECIDE_S = 0.3
"""How long a key that decides waits; decisions come in a rhythm."""
_DECIDES = "hunk.accept", "hunk.reject", "all.accept", "all.reject"
"""Actions whose keys are pressed many times in a row.

Only the first key of each counts (y and n begin words): another letter behind it makes both text,
the same key again lets it act.
"""
_MOVES = "line.next", "line.previous"
"""Actions that act at once; if a word follows, the key was text, and no harm is done."""


class _Held(NamedTuple):
    """A letter, perhaps behind one that moved, and what it does."""

    letters: str
    does: ActiveBinding


class KeyGuard:
    """Keeps words that are typed while the diff of `screen` has the focus from being keys.

    What comes just after a turn's end led the focus away is text. Later a letter is held for a
    moment, and while the last decision is carried out: with another one behind it, both are text;
    alone it is the key that it was.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._decides = self._first_keys(_DECIDES)
        self._moves = self._first_keys(_MOVES)
        self.led_away_at = -inf
        """When the last review began, and took the focus from the prompt."""
        self._held: _Held | None = None
        self._moved = ""
        """The letter that moved last, unless it was one of several."""
        self._moved_at = -inf
        """When that letter was pressed."""

    def _first_keys(self, actions: Iterable[str]) -> set[str]:
        """The first key of each action that has one."""
        first_keys = set[str]()
        for action in actions:
            first_keys.update(self._screen.keys.keys(action)[:1])
        return first_keys

    @property
    def letters(self) -> str:
        """What is held, or ""."""
        return self._held.letters if self._held else ""

    def begin(self) -> None:
        """Note that the review began, and took the focus from the prompt."""
        self.led_away_at = self._screen.clock()
        self._moved = ""

    def forget(self) -> str:
        """Hold no letter any more, as it is known where the focus is.

        Returns:
            The letters that were held, which do nothing any more.
        """
        letters = self.letters
        self._held = None
        self._moved = ""
        return letters

    async def takes(self, event: events.Key) -> bool:
        """Whether a key in the diff is held or is text.

        If it is neither, the letter that was held has acted before this returns.
        """
        screen = self._screen
        key = event.key
        now = self._screen.clock()
        character = event.character if event.is_printable else None
        does = screen.active_bindings.get(key)
        just_moved = now - self._moved_at < WORD_S
        begun = self.letters or (self._moved if just_moved else "")
        again = key in self._decides and self.letters == character
        if character and not again and (self._held or not does or now - self.led_away_at < GUARD_S):
            self.forget()
            screen.write(begun + character)
            return True
        await self.let_go()
        unseen = not screen.bench.seen or (
            screen.is_deciding and (again or not screen.decides_last)
        )
        if not (does and character and character.isalpha()) or (key in self._decides and unseen):
            return False  # of what the user cannot have seen nothing is decided, not even later
        if key in self._moves:
            self._moved = "" if just_moved else character
            self._moved_at = now
            return False
        letters = character if again else begun + character
        self._held = _Held(letters, does)
        seconds = DECIDE_S if key in self._decides else WORD_S
        self._wait_for(self._held, seconds)
        screen.paint_words()
        return True

    def _wait_for(self, held: _Held, seconds: float) -> None:
        async def over() -> None:
            if self._held is held and self._screen.decides_last:
                self._wait_for(held, DECIDE_S)
            elif self._held is held:
                await self.let_go()

        self._screen.set_timer(seconds, over)

    async def let_go(self) -> None:
        """Do what the held key does."""
        held = self._held
        self.forget()
        if held:
            self._screen.paint_words()
            await self._screen.app.run_action(held.does.binding.action, held.does.node)


# Work that a key cancels.

T = TypeVar("T")
_MOMENT_S = 0.25
"""How long the footer does not tell of the work: what ends sooner would only flicker."""


class Asker(Protocol):
    """A screen that a sheet is prepared for."""

    @property
    def app(self) -> App[Any]:
        """Where sheets are opened."""

    def say(self, words: str, *, look: str = "") -> None:
        """Say something in the screen's line of messages."""

    def paint_words(self) -> None:
        """Show which keys mean something now."""


class CancellableWork:
    """Works out what a sheet shows, and lets no sheet open over what the user went on to do.

    From the key that asks for a sheet to the sheet, Esc cancels the work, and so does every other
    key, paste or click. Work that writes, which cannot be cancelled, asks nothing once the user has
    gone on. Serves `screen` and the screens on top of it.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
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
        late = self._screen.set_timer(_MOMENT_S, self._tell_late)
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
        self.tell(self.cancel())
        return False

    def tell(self, words: str) -> None:
        """Say what became of the work though the user has gone on; typing does not clear that."""
        self._words = words
        self._asker.say(words, look="warning")

    @property
    def told(self) -> bool:
        """Whether the words of `tell` can still be read."""
        return bool(self._words) and self._screen.said(self._words)

    @property
    def hints(self) -> Sequence[BarPiece]:
        """What is being prepared, and the way out, once that takes longer than a moment."""
        if self._is_late:
            return [BarPiece(f"preparing the {self._what}…"), *keys(("Esc", "cancel"))]
        return []

    def _stops(self, key: str) -> bool:
        """Whether a key cancels: Esc, or the user's own key in its place.

        That key also does what it does at any other time.
        """
        stop = key in self._screen.keys.keys("turn.stop")
        if stop and self._asker is self._screen:
            self._screen.action_escape()
        elif stop or key == "escape":
            self._asker.say(self.cancel())
        return stop or key == "escape"

    def _one_by_one(self, work: Callable[[], T]) -> T:
        """Do the work once earlier work, which was cancelled but may still run, has ended."""
        with self._working:
            return work()

    def _tell_late(self) -> None:
        if self._task is not None:
            self._is_late = True
            self._asker.paint_words()

    def _over(self) -> None:
        self._task = None
        was_late = self._is_late
        self._is_late = False
        if was_late:
            self._asker.paint_words()
