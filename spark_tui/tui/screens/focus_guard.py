"""Decides whether a letter is a key of the diff or text, where the focus alone would mislead.

The widget that has the focus decides what a letter means, at once: no letter waits for a second
one. Three moments are exceptions, because the user cannot know yet where the focus is:

* Just after the program moved the focus to the diff, a letter goes to the prompt.
* While the last decision is carried out, letters go to the prompt, which gets the focus next.
* The key that decided the last hunk, pressed once more, is not text.
"""

from collections.abc import Callable
from enum import Enum, auto
from math import inf
from typing import NamedTuple

from textual import events

from spark_tui.tui.keymap import Keymap
from spark_tui.tui.widgets.work import GUARD_S

WORD_S = 0.3
"""Letters that follow each other within this time are one word."""
TYPING_S = 1.0
"""Seconds after a key in the prompt during which the user counts as still writing there."""
# With nothing left to decide, one of these keys pressed once more is a mistake and not text.
_DECISIONS = "hunk.accept", "hunk.reject", "all.accept", "all.reject", "files.accept"


class KeyUse(Enum):
    """The use of a key that comes to the diff."""

    ACT = auto()
    """It is a key of the diff."""
    TEXT = auto()
    """It is text for the prompt."""
    NOTHING = auto()
    """It is the last decision, pressed once more."""


class Word(NamedTuple):
    """Letters that acted as keys, one close behind the other.

    `decisions` is the number of decisions that the turn had before the first letter was pressed.
    """

    letters: str = ""
    pressed_at: float = -inf
    decisions: int = 0


class FocusGuard:
    """Tells whether a letter is a key of the diff or text for the prompt.

    Words that are typed into the diff by mistake lose no letter. A first letter that is a key has
    acted by then; the message that tells how to undo a decision stays while the word is typed.

    Args:
        clock: Returns seconds.
        keys: The keys in force.
    """

    def __init__(self, clock: Callable[[], float], keys: Keymap) -> None:
        self._clock = clock
        self._decision_keys = {key for action in _DECISIONS for key in keys.keys(action)}
        self._led_away_at = -inf
        """When the program last moved the focus from the prompt to the diff."""
        self._typed_at = -inf
        """When the user last typed into the prompt, since the last instruction was sent."""
        self._decision = ""
        """The key of the last decision."""
        self._led_back_at = -inf
        """When the program last moved the focus to the prompt, or that key was last pressed there.
        """
        self._word = Word()
        self._ignored = Word()
        """The last key that was ignored; the first letter of a word, if a word follows."""
        self.keeps_message = False
        """Whether typing leaves the message, which tells what a letter of the word has decided."""

    @property
    def is_typing(self) -> bool:
        """Whether the user typed into the prompt a moment ago."""
        return self._clock() - self._typed_at < TYPING_S

    @property
    def is_led_away(self) -> bool:
        """Whether the program has only just moved the focus to the diff."""
        return self._clock() - self._led_away_at < GUARD_S

    def note_typed(self) -> None:
        """Note that the user types into the prompt."""
        self._typed_at = self._clock()

    def note_sent(self) -> None:
        """Note that the text of the prompt was sent, so that nothing is being written there."""
        self._typed_at = -inf
        self.keeps_message = False

    def note_led_away(self) -> None:
        """Note that the program moves the focus from the prompt to the diff."""
        self._led_away_at = self._clock()
        self._word = Word()

    def note_led_back(self) -> None:
        """Note that the program moves the focus to the prompt, as nothing is left to decide."""
        self._led_back_at = self._clock()

    def use_of(
        self, event: events.Key, *, is_key: bool, decisions: int, decides_last: bool
    ) -> KeyUse:
        """Tell the use of a key that comes to the diff, and note the key.

        Args:
            event: The key.
            is_key: Whether the key is bound in the diff.
            decisions: The number of decisions that the turn has.
            decides_last: Whether the last decision of the turn is being carried out.
        """
        letter = event.character
        # Arrows and the like are never text, and end a word.
        if not (event.is_printable and letter):
            self._word = Word()
            return KeyUse.ACT
        is_decision = event.key in self._decision_keys
        if decides_last and event.key == self._decision:
            self._ignored = Word(letter, self._clock())
            return KeyUse.NOTHING
        if decides_last:
            # A user who decided the last hunk expects the prompt next: these are new words. The
            # key that decided is none of their letters, unless it was pressed once more.
            self._word = self._ignored
        if not is_key or decides_last or self.is_led_away:
            return KeyUse.TEXT
        if is_decision:
            self._decision = event.key
        self._note_key(letter, decisions)
        return KeyUse.ACT

    def _note_key(self, letter: str, decisions: int) -> None:
        """Note a key that acts, behind the letters close before it; words consist of letters."""
        now = self._clock()
        word = self._word
        if now - word.pressed_at >= WORD_S:
            word = Word(decisions=decisions)
        if letter.isalpha():
            self._word = word._replace(letters=word.letters + letter, pressed_at=now)
        else:
            self._word = Word()  # "]" and Space are keys of the diff, but begin no word

    def take_word(self) -> Word:
        """Take the letters that acted as keys just now: the word that follows begins with them."""
        word = self._word
        self._word = Word()
        self._ignored = Word()
        return word if self._clock() - word.pressed_at < WORD_S else Word()

    def repeats_decision(self, key: str) -> bool:
        """Whether a key in the empty prompt is the key of the last decision, pressed once more."""
        now = self._clock()
        if key != self._decision or now - self._led_back_at >= GUARD_S:
            return False
        self._led_back_at = now  # a key that is held down stays ignored until it is let go
        self._ignored = Word(key, now)
        return True

    def take_ignored(self) -> str:
        """Take the key that was ignored in the prompt just now, because another letter follows."""
        word = self._ignored
        self._ignored = Word()
        return word.letters if self._clock() - word.pressed_at < WORD_S else ""
