"""Guesses at the tokens to come, from text that is there: the sequence expected, else what followed the like before."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from spark_tui.engine.pace import Pace


class Proposer(Protocol):
    """What a generation asks for guesses. It is told of every token chosen."""

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """At most `most` tokens that may come next; they run with `pending` others in one pass."""

    def take(self, token_id: int) -> None:
        """A token was chosen."""

    def ran(self, tokens: int, seconds: float) -> None:
        """A pass of so many tokens took so long."""


class History:
    """A token sequence that grows, as a string: a search in it is quick. Mutable. Tokens are numbers from -1."""

    def __init__(self) -> None:
        self._text = ""

    def extend(self, token_ids: Iterable[int]) -> None:
        """Let the sequence go on."""
        self._text += "".join([chr(token_id + 1) for token_id in token_ids])

    def repeated(self) -> tuple[int, int]:
        """The longest end of the sequence that ends earlier in it too.

        Returns: its length, and how many tokens there are up to the first place where it ends; (0, 0) without one.
        """
        length, end, most = 0, 0, 1
        while most < len(self._text) and (at := self._first(most)) >= 0:
            length, end, most = most, at + most, 2 * most
        while most - length > 1:
            middle = (length + most) // 2
            at = self._first(middle)
            if at < 0:
                most = middle
            else:
                length, end = middle, at + middle
        return length, end

    def following(self, at: int, most: int) -> list[int]:
        """The tokens behind the first `at`, `most` at most."""
        return [ord(each) - 1 for each in self._text[at : at + most]]

    def _first(self, length: int) -> int:
        """Where the last `length` tokens stand first, if that is not only at the end; else -1."""
        return self._text.find(self._text[-length:], 0, -1)


class Drafter:
    """Drafts for the sequences written to one prompt, one after the other. Mutable.

    Args: prompt_ids: what may be copied from. pace: says how much to draft, and learns from how it went.
    """

    AHEAD = 8
    """How many tokens of the sequence expected may be left out at once."""
    _EDGE = -1
    """Stands between sequences; no token."""

    def __init__(self, prompt_ids: Iterable[int], pace: Pace) -> None:
        self._pace = pace
        self._history = History()
        self._unread = list(prompt_ids)
        self._expected: Sequence[int] = ()
        self._at = 0
        self._lost = True
        self._guess: Sequence[int] = ()
        self._right = 0
        self._source = 0

    def begin(self, token_ids: Iterable[int] = ()) -> None:
        """A new sequence starts. Args: token_ids: how it begins."""
        self._guess = ()
        self.expect(())
        self._unread += [self._EDGE, *token_ids]

    def expect(self, token_ids: Sequence[int]) -> None:
        """What is written next is likely this, perhaps with changes."""
        self._expected, self._at, self._lost = token_ids, 0, False

    @property
    def lost(self) -> bool:
        """Whether nothing more is expected, or the latest token was not."""
        return self._lost or self._at == len(self._expected)

    def take(self, token_id: int) -> None:
        """See `Proposer.take`."""
        self._unread.append(token_id)
        self._judge(token_id)
        ahead = self._expected[self._at : self._at + self.AHEAD]
        self._lost = token_id not in ahead
        if not self._lost:
            self._at += ahead.index(token_id) + 1

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """See `Proposer.propose`."""
        self._source, guess = self._likely(most)
        self._guess = guess[: self._pace.length(self._source, pending, len(guess))]
        self._right = 0
        return self._guess

    def ran(self, tokens: int, seconds: float) -> None:
        """See `Proposer.ran`."""
        self._pace.ran(tokens, seconds)

    def _likely(self, most: int) -> tuple[int, Sequence[int]]:
        """Where a guess comes from (-1: what is expected, else how many tokens repeat), and the guess."""
        if not self.lost:
            return -1, self._expected[self._at : self._at + most]
        self._history.extend(self._unread)
        self._unread = []
        length, end = self._history.repeated()
        guess = self._history.following(end, most) if length else []
        if self._EDGE in guess:
            guess = guess[: guess.index(self._EDGE)]
        return min(length, self.AHEAD), guess

    def _judge(self, token_id: int) -> None:
        """Tell how the last guess went, once that is known."""
        if not self._guess:
            return
        right = self._guess[self._right] == token_id
        self._right += right
        if not right or self._right == len(self._guess):
            self._pace.judged(self._source, self._right, len(self._guess))
            self._guess = ()
