"""The moments in which a letter does not belong to what has the focus.

What has the focus decides what a letter means, at once: no letter waits for a second one. Three
moments are exceptions, because the user cannot know yet where the focus is or what a key is about:

* Just after the program moved the focus to the diff, a letter goes to the prompt.
* While the last decision is carried out, and the prompt gets the focus next, letters go there.
* The key that decided the last hunk, pressed once more, is not text.
"""

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from textual import events

from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.work import GUARD_S

WORD_S = 0.3
"""Letters that follow each other within this time are one word."""
TYPING_S = 1.0
"""How long after a key in the prompt the user is still writing there."""
_DECISIONS = "hunk.accept", "hunk.reject", "all.accept", "all.reject", "files.accept"


class _Letter(NamedTuple):
    """The last letters that acted as keys, one close behind the other."""

    letters: str
    pressed_at: float
    decisions: int
    """Decisions of the turn before the first of them was pressed."""


_NO_WORD = _Letter("", -inf, 0)


class FocusGuard:
    """Decides for `screen` whether a letter is a key of the diff or text for the prompt.

    Words that are typed into the diff by mistake lose no letter. A first letter that is a key has
    acted by then; the message that tells how to undo a decision stays while the word is typed.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._led_away_at = -inf
        """When the program last moved the focus from the prompt to the diff."""
        self._typed_at = -inf
        """When the user last typed into the prompt, since the last instruction was sent."""
        self._decision = ""
        """The key of the last decision."""
        self._decided_at = -inf
        """When that key was pressed last, or led to the prompt."""
        self._word = _NO_WORD
        self.keeps_message = False
        """Whether typing leaves the message, which tells what a letter of the word decided."""

    @property
    def is_typing(self) -> bool:
        """Whether the user typed into the prompt a moment ago."""
        return self._screen.clock() - self._typed_at < TYPING_S

    @property
    def is_led_away(self) -> bool:
        """Whether the program has only just moved the focus to the diff."""
        return self._screen.clock() - self._led_away_at < GUARD_S

    def note_typed(self) -> None:
        """Note that the user types into the prompt."""
        self._typed_at = self._screen.clock()

    def note_sent(self) -> None:
        """Note that the text of the prompt was sent, so that nothing is being written there."""
        self._typed_at = -inf
        self.keeps_message = False

    def note_led_away(self) -> None:
        """Note that the program moves the focus from the prompt to the diff."""
        self._led_away_at = self._screen.clock()
        self._word = _NO_WORD

    def note_led_back(self) -> None:
        """Note that the program moves the focus to the prompt, as nothing is left to decide."""
        self._decided_at = max(self._decided_at, self._screen.clock())

    def takes(self, event: events.Key) -> bool:
        """Take a key of the diff that is text, or that must not act.

        Returns:
            Whether the key was taken; if not, the key acts now.
        """
        if not (event.is_printable and event.character):
            return False
        screen = self._screen
        is_key = event.key in screen.active_bindings
        is_decision = event.key in self._keys(_DECISIONS)
        if is_key and screen.decides_last and is_decision:
            return event.key == self._decision
        if is_key and not (self.is_led_away or screen.decides_last):
            self._note_key(event.character)
            if is_decision:
                self._decision = event.key
                self._decided_at = screen.clock()
            return False
        self._write(event.character)
        return True

    def repeats_decision(self, key: str) -> bool:
        """Whether a key in the empty prompt is the key of the last decision, pressed once more."""
        now = self._screen.clock()
        is_late = now - self._decided_at >= GUARD_S
        if key != self._decision or is_late or self._screen.prompt.text:
            return False
        self._decided_at = now
        return True

    def _keys(self, actions: Iterable[str]) -> set[str]:
        """The keys of some actions."""
        keys = set[str]()
        for action in actions:
            keys.update(self._screen.keys.keys(action))
        return keys

    def _note_key(self, letter: str) -> None:
        now = self._screen.clock()
        word = self._word
        if now - word.pressed_at >= WORD_S:
            word = _Letter("", now, len(self._screen.view.decisions))
        self._word = word._replace(letters=word.letters + letter, pressed_at=now)

    def _write(self, letter: str) -> None:
        """Write a letter into the prompt, behind the letters of the same word that were keys."""
        screen = self._screen
        word = self._word
        self._word = _NO_WORD
        if screen.clock() - word.pressed_at >= WORD_S:
            word = _NO_WORD
        has_decided = bool(word.letters) and len(screen.view.decisions) > word.decisions
        self.keeps_message = has_decided or (bool(word.letters) and screen.is_deciding)
        screen.write(word.letters + letter)
        if has_decided:
            screen.say(
                f"“{word.letters}” acted in the diff; /undo takes the decision back",
                look="warning",
            )
