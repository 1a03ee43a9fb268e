"""Letters in the diff: a key, or the begin of words for the prompt."""

from math import inf
from typing import NamedTuple

from textual import events
from textual.binding import ActiveBinding

from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.work import GUARD_S

WORD_S, DECIDE_S = 0.4, 0.3
"""For so long a letter waits for a second one: people who look for the keys type so. Decisions come in a rhythm."""
_DECIDES = "hunk.accept", "hunk.reject", "all.accept", "all.reject"
"""Pressed many times in a row: their first keys wait for another one, but not for the same (y and n begin words)."""
_MOVES = "line.next", "line.previous"
"""They act at once, and are text all the same where a word follows: no harm is done."""


class _Held(NamedTuple):
    """A letter, perhaps behind one that moved, and what it does."""

    letters: str
    does: ActiveBinding


class KeyGuard:
    """Keeps words that are typed while the diff of `screen` has the focus from being keys.

    What comes just after a turn's end led the focus away is text. Later a letter is held for a moment, and while the
    last decision is carried out: with another one behind it, both are text; alone it is the key that it was.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._decides, self._moves = (
            {key for action in actions for key in screen.keys.keys(action)[:1]} for actions in (_DECIDES, _MOVES)
        )
        self.led_away_at = -inf
        """When the last review began, and took the focus from the prompt."""
        self._held: _Held | None = None
        self._moved, self._moved_at = "", -inf
        """The letter that moved last, unless it was one of several, and when."""

    @property
    def letters(self) -> str:
        """What is held, or ""."""
        return self._held.letters if self._held else ""

    def begin(self) -> None:
        """The review began, and took the focus from the prompt."""
        self.led_away_at, self._moved = self._screen.clock(), ""

    def forget(self) -> str:
        """It is known where the focus is. Returns: the letters that were held, which do nothing any more."""
        letters, self._held, self._moved = self.letters, None, ""
        return letters

    async def takes(self, event: events.Key) -> bool:
        """Whether a key in the diff is held or text; otherwise what was held has acted before it."""
        screen, key, now = self._screen, event.key, self._screen.clock()
        character = event.character if event.is_printable else None
        does, just_moved = screen.active_bindings.get(key), now - self._moved_at < WORD_S
        begun = self.letters or (self._moved if just_moved else "")
        again = key in self._decides and self.letters == character
        if character and not again and (self._held or not does or now - self.led_away_at < GUARD_S):
            self.forget()
            screen.write(begun + character)
            return True
        await self.let_go()
        unseen = not screen.bench.seen or (screen.is_deciding and (again or not screen.decides_last))
        if not (does and character and character.isalpha()) or (key in self._decides and unseen):
            return False  # of what the user cannot have seen nothing is decided, not even later
        if key in self._moves:
            self._moved, self._moved_at = "" if just_moved else character, now
            return False
        self._held = _Held(("" if again else begun) + character, does)
        self._wait_for(self._held, DECIDE_S if key in self._decides else WORD_S)
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
        """What is held does what its key does."""
        held = self._held
        self.forget()
        if held:
            self._screen.paint_words()
            await self._screen.app.run_action(held.does.binding.action, held.does.node)
