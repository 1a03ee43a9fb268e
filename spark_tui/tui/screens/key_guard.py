"""Letters in the diff: a key, or the begin of words for the prompt."""

from math import inf
from typing import NamedTuple

from textual import events
from textual.binding import ActiveBinding

from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.sheet import HOLD_S
from spark_tui.tui.widgets.work import GUARD_S

SETTLING_S = 1.5
"""How long after it was led away somebody may not have seen so, and begin to type."""
WORD_S = 0.4
"""For so long a letter that decides about nothing waits for a second one: people who look for the keys type so."""
_AT_ONCE = "hunk.accept", "hunk.reject", "all.accept", "all.reject", "line.next", "line.previous"
"""What is pressed many times in a row: their first keys wait for nothing. Others (n, y) may well begin words."""


class _Held(NamedTuple):
    """A letter, and what it does."""

    character: str
    does: ActiveBinding


class KeyGuard:
    """Keeps words that are typed while the diff of `screen` has the focus from being keys.

    What comes just after a turn's end led the focus away is text. Later a letter is held for a moment: with another
    one behind it, both are text; alone it is the key that it was. The keys that decide about a hunk or move are held
    only for a while, and while the last decision is carried out, behind which letters are words.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._at_once = {key for action in _AT_ONCE for key in screen.keys.keys(action)[:1]}
        self.led_away_at = -inf
        """When the last review began, and took the focus from the prompt."""
        self._is_settling = False
        self._held: _Held | None = None

    @property
    def letter(self) -> str:
        """The one that is held, or ""."""
        return self._held.character if self._held else ""

    def begin(self) -> None:
        """The review began, and took the focus from the prompt."""
        self.led_away_at, self._is_settling = self._screen.clock(), True

    def forget(self) -> str:
        """It is known where the focus is. Returns: the letter that was held, which does nothing any more."""
        letter, self._held, self._is_settling = self.letter, None, False
        return letter

    async def takes(self, event: events.Key) -> bool:
        """Whether a key in the diff is held or text; otherwise what was held has acted before it."""
        character = event.character if event.is_printable else None
        since = self._screen.clock() - self.led_away_at
        if character and (self._held or since < GUARD_S):
            self._screen.write(self.forget() + character)
            return True
        settling = (self._is_settling and since < SETTLING_S) or self._screen.decides_last
        await self.let_go()
        does = self._screen.active_bindings.get(event.key)
        decides = event.key in self._at_once
        if not (does and character and character.isalpha()) or (decides and not settling):
            return False
        self._held = _Held(character, does)
        self._wait_for(self._held, HOLD_S if decides else WORD_S)
        self._screen.paint_words()
        return True

    def _wait_for(self, held: _Held, seconds: float) -> None:
        async def over() -> None:
            if self._held is held and self._screen.decides_last:
                self._wait_for(held, HOLD_S)
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
