"""Speculative decoding: drafts, and how long a draft is worth trying.

How many tokens to draft: what a pass of so many tokens costs on this machine, and how often drafts
are right.

Guesses at the tokens to come, from text that is there: the sequence expected, else what followed
the like before.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from spark_tui.engine.model import Model

MOST = 16
"""Tokens of the longest draft."""


def best_length(costs: Sequence[float], acceptance: float) -> int:
    """How many draft tokens give the most tokens for the time.

    Args:
        costs: costs[k], over 0, is the time of a pass with k draft tokens, in any unit.
        acceptance: How likely a draft token is right when those before it are, 0 to 1.

    Returns:
        0 to len(costs) - 1; the fewest of equally good ones.

    Source:
        arXiv:2211.17192, equation 1.
    """
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
    """What was seen of one model: the time of passes by their tokens, and the fate of drafts by
    their source.

    Mutable.

    Figures forget slowly, so that a machine that grows busy or a file of another style is noticed.
    The first guesses are hopeful enough that drafts are tried.
    """

    SLOPE = 0.15
    """What one more token costs until it was measured, as a share of a pass of one token."""
    MEMORY = 32
    _EVERY = 16
    """Passes after which costs are worked out anew."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[float, int]] = {}
        self._costs: dict[int, float] = {}
        self._passes = 0
        self._fates: dict[Hashable, tuple[float, float]] = {}

    def ran(self, tokens: int, seconds: float) -> None:
        """A pass was run. A time far beyond the known one was another program's."""
        if not 1 <= tokens <= 2 * MOST or seconds <= 0:
            return
        self._passes += 1
        if tokens not in self._seconds or self._passes % self._EVERY == 0:
            self._costs.clear()
        mean, count = self._seconds.get(tokens, (seconds, 0))
        count = min(count + 1, self.MEMORY)
        self._seconds[tokens] = mean + (min(seconds, 3 * mean) - mean) / count, count

    def judged(self, source: Hashable, right: int, proposed: int) -> None:
        """The first `right` of the tokens proposed were chosen, the one after them, if there is
        one, was not.
        """
        hits, tries = self._fates.get(source, (1.5, 2.0))
        fade = 1 - 1 / self.MEMORY
        self._fates[source] = hits * fade + right, tries * fade + right + (right < proposed)

    def acceptance(self, source: Hashable) -> float:
        """How likely the next token of a draft from a source is right."""
        hits, tries = self._fates.get(source, (1.5, 2.0))
        return hits / tries

    def cost(self, tokens: int) -> float:
        """The time of a pass of so many tokens, relative to a pass of one, as it was known a
        few passes ago.
        """
        if tokens not in self._costs:
            self._costs[tokens] = self._relative(tokens)
        return self._costs[tokens]

    def _relative(self, tokens: int) -> float:
        """See `cost`; between known ones on a line."""
        known = sorted(self._seconds)
        if not known:
            return 1 + self.SLOPE * (tokens - 1)
        unit = self._seconds[known[0]][0] / (1 + self.SLOPE * (known[0] - 1))
        below = max((one for one in known if one <= tokens), default=None)
        above = min((one for one in known if one > tokens), default=None)
        if below is None:
            return 1 + self.SLOPE * (tokens - 1)
        start = self._seconds[below][0] / unit
        if above is None:
            return start + self.SLOPE * (tokens - below)
        return start + (self._seconds[above][0] / unit - start) * (tokens - below) / (above - below)

    def length(self, source: Hashable, pending: int, most: int) -> int:
        """How many draft tokens to run with `pending` others, at least one of them, `most` at
        most.
        """
        costs = [self.cost(pending + extra) for extra in range(min(most, MOST) + 1)]
        return best_length(costs, self.acceptance(source))


_PACES: WeakKeyDictionary[Model, DraftStatistics] = WeakKeyDictionary()


def pace_of(model: Model) -> DraftStatistics:
    """What is known of a model in this process."""
    return _PACES.setdefault(model, DraftStatistics())


class Proposer(Protocol):
    """What a generation asks for guesses. It is told of every token chosen."""

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """At most `most` tokens that may come next; they run with `pending` others in one pass."""

    def take(self, token_id: int) -> None:
        """A token was chosen."""

    def ran(self, tokens: int, seconds: float) -> None:
        """A pass of so many tokens took so long."""


class TokenHistory:
    """A token sequence that grows, as a string: a search in it is quick.

    Mutable. Tokens are numbers from -1.
    """

    def __init__(self) -> None:
        self._text = ""

    def extend(self, token_ids: Iterable[int]) -> None:
        """Let the sequence go on."""
        self._text += "".join([chr(token_id + 1) for token_id in token_ids])

    def repeated(self) -> tuple[int, int]:
        """The longest end of the sequence that ends earlier in it too.

        Returns:
            Its length, and how many tokens there are up to the first place where it ends; (0, 0)
            without one.
        """
        length = 0
        end = 0
        most = 1
        while most < len(self._text) and (at := self._first(most)) >= 0:
            length = most
            end = at + most
            most = 2 * most
        while most - length > 1:
            middle = (length + most) // 2
            at = self._first(middle)
            if at < 0:
                most = middle
            else:
                length = middle
                end = at + middle
        return length, end

    def following(self, at: int, most: int) -> list[int]:
        """The tokens behind the first `at`, `most` at most."""
        return [ord(each) - 1 for each in self._text[at : at + most]]

    def _first(self, length: int) -> int:
        """Where the last `length` tokens stand first, if that is not only at the end; else -1."""
        return self._text.find(self._text[-length:], 0, -1)


class Drafter:
    """Drafts for the sequences written to one prompt, one after the other.

    Mutable.

    Args:
        prompt_ids: What may be copied from.
        pace: Says how much to draft, and learns from how it went.
    """

    AHEAD = 8
    """How many tokens of the sequence expected may be left out at once."""
    _EDGE = -1
    """Stands between sequences; no token."""

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
        """A new sequence starts.

        Args:
            token_ids: How it begins.
        """
        self._guess = ()
        self.expect(())
        self._unread += [self._EDGE, *token_ids]

    def expect(self, token_ids: Sequence[int]) -> None:
        """What is written next is likely this, perhaps with changes."""
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
        """Where a guess comes from (-1: what is expected, else how many tokens repeat), and the
        guess.
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
        """Tell how the last guess went, once that is known."""
        if not self._guess:
            return
        right = self._guess[self._right] == token_id
        self._right += right
        if not right or self._right == len(self._guess):
            self._pace.judged(self._source, self._right, len(self._guess))
            self._guess = ()
