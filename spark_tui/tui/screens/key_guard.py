"""The first letters in the diff just after it took the focus: a key, or the begin of words for the prompt."""

from math import inf
from typing import NamedTuple

from textual import events
from textual.binding import ActiveBinding

from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.sheet import HOLD_S
from spark_tui.tui.widgets.work import GUARD_S

SETTLING_S = 1.5
"""How long after it was led away somebody may not have seen so, and begin to type."""
BEGINS = "/@!`'\"(_"
"""What words for the prompt may begin with, beside letters."""


class _Held(NamedTuple):
    """A letter, what it does (None: nothing), and when it came."""

    character: str
    does: ActiveBinding | None
    at: float


class KeyGuard:
    """Keeps words that were begun without seeing that the diff of `screen` has the focus from being keys.

    What comes just after a turn's end led the focus away is text. Then the first letter is held for a moment: with
    another one behind it both are text; alone it is the key that it was. Later the focus, which can be seen, decides,
    but while the last decision is carried out, behind which letters are words: then the first one is held, too.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self.led_away_at = -inf
        """When the last review began, and took the focus from the prompt."""
        self._is_settling = False
        self._held: _Held | None = None

    def begin(self) -> None:
        """The review began, and took the focus from the prompt."""
        self.led_away_at, self._is_settling = self._screen.clock(), True

    def forget(self) -> str:
        """It is known where the focus is. Returns: the letter that was held, which does nothing any more."""
        held, self._held, self._is_settling = self._held, None, False
        return held.character if held else ""

    async def takes(self, event: events.Key) -> bool:
        """Whether a key in the diff is held or text; otherwise what was held has acted before it."""
        character = event.character if event.is_printable else None
        since = self._screen.clock() - self.led_away_at
        if character and (self._held or since < GUARD_S):
            self._screen.write(self.forget() + character)
            return True
        settling = (self._is_settling and since < SETTLING_S) or self._screen.decides_last
        await self.let_go()
        if not (settling and character and (character.isalpha() or character in BEGINS)):
            return False
        self._held = _Held(character, self._screen.active_bindings.get(event.key), self._screen.clock())
        self._wait_for(self._held, HOLD_S)
        return True

    def _wait_for(self, held: _Held, seconds: float) -> None:
        async def over() -> None:
            left = held.at + HOLD_S - self._screen.clock()
            if self._held is held and (left > 0 or self._screen.decides_last):
                self._wait_for(held, max(left, HOLD_S / 8))
            elif self._held is held:
                await self.let_go()

        self._screen.set_timer(seconds, over)

    async def let_go(self) -> None:
        """What is held does what its key does."""
        held = self._held
        self.forget()
        if held and held.does:
            await self._screen.app.run_action(held.does.binding.action, held.does.node)
        elif held:
            self._screen.say_no_key(held.character)
