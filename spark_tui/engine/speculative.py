"""Speculative decoding: guesses at the tokens to come, and how long a guess is worth trying.

A guess is copied from text that is there: from the sequence expected, else from what followed
the same tokens before. Its length depends on what a pass of so many tokens costs on this machine,
and on how often guesses are right.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from spark_tui.engine.model import Model

MOST = 16
"""The tokens of the longest draft."""


def best_length(costs: Sequence[float], acceptance: float) -> int:
    """Return how many draft tokens give the most tokens for the time.

    Args:
        costs: costs[k], over 0, is the time of a pass with k draft tokens, in any unit.
        acceptance: How likely a draft token is right when those before it are, 0 to 1.

    Returns:
        0 to len(costs) - 1; the fewest of equally good ones.

    Source:
        arXiv:2211.17192, equation 1.
    """
    # The rate: tokens that a pass is expected to give, over what it costs. One token comes for
    # certain, each further one only if all draft tokens before it are right.
    best = 0
    rate = 1 / costs[0]
    likely = expected = 1.0
    for length, cost in enumerate(costs[1:], 1):
        likely *= acceptance
        expected += likely
        if expected / cost > rate:
            best = length
            rate = expected / cost
    return best


class DraftStatistics:
    """Figures of one model: the time of passes, and how often drafts were right.

    Figures forget slowly, so that a machine that grows busy or a file of another style is noticed.
    The first figures are hopeful enough that drafts are tried.
    """

    SLOPE = 0.15
    """The cost of one more token until it was measured, as a share of a pass of one token."""
    MEMORY = 32
    _EVERY = 16
    """Passes after which costs are computed anew."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[float, int]] = {}
        self._costs: dict[int, float] = {}
        self._passes = 0
        self._fates: dict[Hashable, tuple[float, float]] = {}

    def ran(self, tokens: int, seconds: float) -> None:
        """Note the time of a pass; a time far beyond the known one was another program's."""
        if not 1 <= tokens <= 2 * MOST or seconds <= 0:
            return
        self._passes += 1
        # Not after each pass: costs are asked for before every one.
        if tokens not in self._seconds or self._passes % self._EVERY == 0:
            self._costs.clear()
        mean, count = self._seconds.get(tokens, (seconds, 0))
        count = min(count + 1, self.MEMORY)
        self._seconds[tokens] = mean + (min(seconds, 3 * mean) - mean) / count, count

    def judged(self, source: Hashable, right: int, proposed: int) -> None:
        """Note how a draft went.

        Args:
            source: Where the draft came from.
            right: How many of its first tokens were chosen.
            proposed: How many tokens it had; the one after the right ones was not chosen.
        """
        # Hopeful to begin with: what is never tried is never known to be right.
        hits, tries = self._fates.get(source, (1.5, 2.0))
        fade = 1 - 1 / self.MEMORY
        self._fates[source] = hits * fade + right, tries * fade + right + (right < proposed)

    def acceptance(self, source: Hashable) -> float:
        """Return how likely the next token of a draft from a source is right."""
        hits, tries = self._fates.get(source, (1.5, 2.0))
        return hits / tries

    def cost(self, tokens: int) -> float:
        """Return the time of a pass relative to a pass of one token, as known a few passes ago."""
        if tokens not in self._costs:
            self._costs[tokens] = self._relative(tokens)
        return self._costs[tokens]

    def _relative(self, tokens: int) -> float:
        """See `cost`; between known times on a line."""
        known = sorted(self._seconds)
        if not known or tokens < known[0]:
            return 1 + self.SLOPE * (tokens - 1)
        # The time of one token, as if the fewest known lay on the slope.
        unit = self._seconds[known[0]][0] / (1 + self.SLOPE * (known[0] - 1))
        position = bisect_right(known, tokens)
        below = known[position - 1]
        start = self._seconds[below][0] / unit
        if position == len(known):
            return start + self.SLOPE * (tokens - below)
        above = known[position]
        end = self._seconds[above][0] / unit
        return start + (end - start) * (tokens - below) / (above - below)

    def length(self, source: Hashable, pending: int, most: int) -> int:
        """Return how many draft tokens to run.

        Args:
            source: Where the draft comes from.
            pending: Tokens that run with them, at least one.
            most: The most draft tokens.
        """
        costs = [self.cost(pending + extra) for extra in range(min(most, MOST) + 1)]
        return best_length(costs, self.acceptance(source))


_PACES: WeakKeyDictionary[Model, DraftStatistics] = WeakKeyDictionary()


def pace_of(model: Model) -> DraftStatistics:
    """Return the figures of a model in this process."""
    return _PACES.setdefault(model, DraftStatistics())


class Proposer(Protocol):
    """Guesses tokens for a generation, which tells it of every token chosen."""

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """Guess at most `most` tokens; they run with `pending` others in one pass."""

    def take(self, token_id: int) -> None:
        """Note a token that was chosen."""

    def ran(self, tokens: int, seconds: float) -> None:
        """Note the time of a pass."""


class TokenHistory:
    """A token sequence that grows, as a string: a search in it is quick.

    Tokens are numbers from -1.
    """

    def __init__(self) -> None:
        self._text = ""

    def extend(self, token_ids: Iterable[int]) -> None:
        """Append tokens."""
        # Code points, since a search in a string is far quicker than one in a list of numbers.
        self._text += "".join([chr(token_id + 1) for token_id in token_ids])

    def repeated(self) -> tuple[int, int]:
        """Find the longest end of the sequence that ends earlier in it too.

        An end of half the length is found as well, so the length is doubled, then bisected.

        Returns:
            Its length, and how many tokens there are up to the first place where it ends; (0, 0)
            without one.
        """
        length = 0
        end = 0
        most = 1
        while most < len(self._text):
            start = self._first(most)
            if start < 0:
                break
            length = most
            end = start + most
            most = 2 * most
        while most - length > 1:
            middle = (length + most) // 2
            start = self._first(middle)
            if start < 0:
                most = middle
            else:
                length = middle
                end = start + middle
        return length, end

    def following(self, position: int, most: int) -> list[int]:
        """Return the tokens behind the first `position`, `most` at most."""
        return [ord(symbol) - 1 for symbol in self._text[position : position + most]]

    def _first(self, length: int) -> int:
        """Return where the last `length` tokens stand first; -1 where that is only at the end."""
        return self._text.find(self._text[-length:], 0, -1)


class Drafter:
    """Drafts for the sequences written to one prompt, one after the other.

    Args:
        prompt_ids: The tokens to copy from.
        pace: Says how much to draft, and learns from how drafts went.
    """

    AHEAD = 8
    """The tokens of the sequence expected that may be left out at once."""
    _EDGE = -1
    """Stands between sequences; no token has this number."""

    def __init__(self, prompt_ids: Iterable[int], pace: DraftStatistics) -> None:
        self._pace = pace
        self._history = TokenHistory()
        self._unread = list(prompt_ids)
        self._expected: Sequence[int] = ()
        self._at = 0
        self._lost = True
        self._guess: Sequence[int] = ()
        self._right = 0
        self._source = 0

    def begin(self, token_ids: Iterable[int] = ()) -> None:
        """Start a new sequence.

        Args:
            token_ids: The tokens it begins with.
        """
        self._guess = ()
        self.expect(())
        self._unread += [self._EDGE, *token_ids]

    def expect(self, token_ids: Sequence[int]) -> None:
        """Expect these tokens next, perhaps with changes."""
        self._expected = token_ids
        self._at = 0
        self._lost = False

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
        """Guess at most `most` tokens.

        Returns:
            The source, -1 for the sequence expected, else how many tokens repeat; and the guess.
        """
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
        """Note how the last guess went, once that is known."""
        if not self._guess:
            return
        is_right = self._guess[self._right] == token_id
        self._right += is_right
        if not is_right or self._right == len(self._guess):
            self._pace.judged(self._source, self._right, len(self._guess))
            self._guess = ()
