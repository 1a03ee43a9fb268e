"""The first letter in the diff where somebody may mean the prompt: a key, or the begin of words."""

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from textual import events

from spark_tui.tui.screens.host import Host
from spark_tui.tui.view import Phase
from spark_tui.tui.widgets.work import GUARD_S

if TYPE_CHECKING:
    from textual.binding import ActiveBinding


SETTLING_S = 1.5
"""How long after it was led away somebody may not have seen so, and begin to type."""
HOLD_S = 0.2
"""How long a letter waits for a second one: longer than between two letters of a word."""
IDLE_HOLD_S = HOLD_S
"""The same where no hunk is open; with 0 such a letter is a key at once."""
BEGINS = "/@!"
"""What words for the prompt may begin with, beside letters."""
_COMMAND = "/"
"""Leads to the prompt, and begins a command there: which of them is meant, what comes behind it tells, at any time."""
_MOVES = "line."
"""How those begin that are held down, and harm nobody."""


class _Held(NamedTuple):
    """A letter, what it does (None: nothing), when it came, and whether there was nothing to decide about."""

    character: str
    does: "ActiveBinding | None"
    at: float
    idle: bool


class KeyGuard:
    """Keeps words that were begun without seeing that the diff of `screen` has the focus from being keys.

    What comes just after a turn's end led the focus away is text. Then, and where no hunk is open any more, the first
    letter is held for a moment: with another one behind it both are text; alone, or again, it is the key that it was.
    Where no hunk is open, a letter that is no key is text at once.
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

    def cancel(self) -> str:
        """Forget what has not begun to act. Returns: what to say of that, or ""."""
        held = self.forget()
        return f"{held} is cancelled; nothing was done" if held else ""

    async def takes(self, event: events.Key) -> bool:
        """Whether a key in the diff is held or text; otherwise what was held has acted before it."""
        character = event.character if event.is_printable else None
        if self._held and self._held.idle and self._held.character == character:
            await self.let_go()
            return False
        since = self._screen.clock() - self.led_away_at
        if character and (self._held or since < GUARD_S):
            self._screen.write(self.forget() + character)
            return True
        if self._held and self._held.idle and event.key in self._screen.keys.keys("turn.stop"):
            return False  # which cancels it
        settling = self._is_settling and since < SETTLING_S
        await self.let_go()
        if not character or not self._may_begin_words(character, settling or self._is_idle):
            return False
        does = self._screen.active_bindings.get(event.key)
        name = (does and does.binding.id) or ""
        if not settling and not name:
            self._screen.write(character)
            return True
        if settling or (IDLE_HOLD_S and not name.startswith(_MOVES)):
            self._hold(_Held(character, does, self._screen.clock(), idle=not settling))
        return self._held is not None

    @staticmethod
    def _may_begin_words(character: str, unsure: bool) -> bool:
        return character == _COMMAND or (unsure and (character.isalpha() or character in BEGINS))

    @property
    def _is_idle(self) -> bool:
        """Whether there is nothing to decide about."""
        return self._screen.view.phase is Phase.READY and not self._screen.view.hunks

    def _hold(self, held: _Held) -> None:
        self._held = held
        self._wait_for(held, IDLE_HOLD_S if held.idle else HOLD_S)

    def _wait_for(self, held: _Held, seconds: float) -> None:
        async def over() -> None:
            left = 0.0 if held.idle else held.at + HOLD_S - self._screen.clock()
            if self._held is held and left > 0:
                self._wait_for(held, left)
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
