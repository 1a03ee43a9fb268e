"""Guesses at the tokens to come, from text that is there: the sequence expected, else what followed the like before."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Protocol

from spark_tui.engine.pace import Pace


class Draft(Protocol):
    """What a generation asks for guesses. It is told of every token chosen."""

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """At most `most` tokens that may come next; they run with `pending` others in one pass."""
        ...

    def take(self, token_id: int) -> None:
        """A token was chosen."""
        ...

    def ran(self, tokens: int, seconds: float) -> None:
        """A pass of so many tokens took so long."""
        ...


class Suffixes:
    """A suffix automaton of a token sequence that grows, O(1) amortised a token. Mutable.

    Source: Blumer et al. (1985), The smallest automaton recognizing the subwords of a text.
    """

    def __init__(self) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._end = [0]  # tokens up to the first place where the strings of a state end
        self._last = 0
        self.tokens: list[int] = []

    @property
    def states(self) -> int:
        """How many states the automaton has."""
        return len(self._length)

    def extend(self, token_ids: Iterable[int]) -> None:
        """Let the sequence go on."""
        for token_id in token_ids:
            self.tokens.append(token_id)
            self._add(token_id)

    def repeated(self) -> tuple[int, int]:
        """The longest end of the sequence that ends earlier in it too.

        Returns: its length, and how many tokens there are up to the first place where it ends; (0, 0) without one.
        """
        state = max(self._link[self._last], 0)
        return self._length[state], self._end[state]

    def _add(self, token_id: int) -> None:
        new, at = self._state(len(self.tokens), {}, len(self.tokens)), self._last
        self._last = new
        while at >= 0 and token_id not in self._next[at]:
            self._next[at][token_id] = new
            at = self._link[at]
        if at >= 0:
            self._link[new] = self._parted(at, token_id)
        else:
            self._link[new] = 0

    def _parted(self, at: int, token_id: int) -> int:
        """The state that a token leads to from state `at`, holding only strings that are one longer than its own."""
        old = self._next[at][token_id]
        if self._length[old] == self._length[at] + 1:
            return old
        copy = self._state(self._length[at] + 1, self._next[old].copy(), self._end[old])
        self._link[copy], self._link[old] = self._link[old], copy
        while at >= 0 and self._next[at].get(token_id) == old:
            self._next[at][token_id] = copy
            at = self._link[at]
        return copy

    def _state(self, length: int, following: dict[int, int], end: int) -> int:
        self._next.append(following)
        self._link.append(0)
        self._length.append(length)
        self._end.append(end)
        return self.states - 1


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
        self._suffixes = Suffixes()
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
        """See `Draft.take`."""
        self._unread.append(token_id)
        self._judge(token_id)
        found = [
            at
            for at in range(self._at, min(self._at + self.AHEAD, len(self._expected)))
            if self._expected[at] == token_id
        ]
        self._lost = not found
        self._at = found[0] + 1 if found else self._at

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """See `Draft.propose`."""
        self._source, guess = self._likely(most)
        self._guess = guess[: self._pace.length(self._source, pending, len(guess))]
        self._right = 0
        return self._guess

    def ran(self, tokens: int, seconds: float) -> None:
        """See `Draft.ran`."""
        self._pace.ran(tokens, seconds)

    def _likely(self, most: int) -> tuple[int, Sequence[int]]:
        """Where a guess comes from (-1: what is expected, else how many tokens repeat), and the guess."""
        if not self.lost:
            return -1, self._expected[self._at : self._at + most]
        self._suffixes.extend(self._unread)
        self._unread = []
        length, end = self._suffixes.repeated()
        guess = list(islice(self._suffixes.tokens, end, end + most)) if length else []
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
