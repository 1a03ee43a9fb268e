"""Speculative decoding: guesses the next tokens, so that one pass can give several of them.

A pass over a few tokens costs little more than a pass over one, and yields logits after each of
them. So guessed tokens, a draft, run in the same pass as the last token. Draft tokens that the
sampler then chooses as well need no pass of their own.

A draft is copied from known text: from the sequence that is expected, else from the tokens that
followed the same tokens earlier. Its length depends on the cost of longer passes on this machine,
and on how often drafts were right.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from spark_tui.engine.model import Model

MOST = 16
"""The tokens of the longest draft."""


def best_length(costs: Sequence[float], acceptance: float) -> int:
    """Return the length of a draft that gives the most tokens for the time.

    Args:
        costs: costs[k], over 0, is the time of a pass with k draft tokens, in any unit.
        acceptance: The probability, 0 to 1, that a draft token is right if those before it are.

    Returns:
        0 to len(costs) - 1; among equally good lengths, the shortest.

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
    """Statistics of one model: the time of its passes, and how often drafts were right.

    Old figures fade, so that the statistics follow when the machine grows busy or a file has
    another style. The first figures are hopeful enough that drafts are tried.
    """

    SLOPE = 0.15
    """The assumed cost of one more token until measured, as a share of a pass of one token."""
    MEMORY = 32  # passes, or drafts judged, over which an old figure fades to about a third
    _EVERY = 16
    """Passes after which costs are computed anew."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[float, int]] = {}  # tokens of a pass -> mean time, passes
        self._costs: dict[int, float] = {}  # tokens of a pass -> `cost`, as last computed
        self._passes = 0
        self._fates: dict[Hashable, tuple[float, float]] = {}  # source -> hits, tries

    def ran(self, tokens: int, seconds: float) -> None:
        """Note the time of a pass.

        Another program caused part of a time far above the mean, so at most three means count.
        """
        # Long passes read a prompt, and tell nothing about drafts.
        if not 1 <= tokens <= 2 * MOST or seconds <= 0:
            return
        self._passes += 1
        # Costs are asked for before every pass, so they are not computed anew after each.
        if tokens not in self._seconds or self._passes % self._EVERY == 0:
            self._costs.clear()
        # A running mean: of all passes up to MEMORY, then one in which old passes fade.
        mean, count = self._seconds.get(tokens, (seconds, 0))
        count = min(count + 1, self.MEMORY)
        self._seconds[tokens] = mean + (min(seconds, 3 * mean) - mean) / count, count

    def judged(self, source: Hashable, right: int, proposed: int) -> None:
        """Note how many tokens of a draft were right.

        Args:
            source: The origin of the draft, as `acceptance` distinguishes them.
            right: How many of its first tokens were chosen.
            proposed: How many tokens it had; if more than `right`, the next one was not chosen.
        """
        # A source begins at 3 of 4 right: a source that is never tried would never prove right.
        hits, tries = self._fates.get(source, (1.5, 2.0))
        fade = 1 - 1 / self.MEMORY
        # The tries are the right tokens and the first wrong one; those after it were not judged.
        self._fates[source] = hits * fade + right, tries * fade + right + (right < proposed)

    def acceptance(self, source: Hashable) -> float:
        """Return how likely the next token of a draft from a source is right."""
        hits, tries = self._fates.get(source, (1.5, 2.0))
        return hits / tries

    def cost(self, tokens: int) -> float:
        """Return the time of a pass, relative to a pass of one token; up to `_EVERY` passes old."""
        if tokens not in self._costs:
            self._costs[tokens] = self._relative(tokens)
        return self._costs[tokens]

    def _relative(self, tokens: int) -> float:
        """Compute `cost`: linear between measured times, `SLOPE` outside of them."""
        known = sorted(self._seconds)
        if not known or tokens < known[0]:
            return 1 + self.SLOPE * (tokens - 1)
        # The time of a pass of one token, which may not be measured: the shortest pass that is,
        # taken to lie on the slope.
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
            source: The origin of the draft.
            pending: The number of other tokens in the same pass, at least one.
            most: The most draft tokens.
        """
        costs = [self.cost(pending + extra) for extra in range(min(most, MOST) + 1)]
        return best_length(costs, self.acceptance(source))


_PACES: WeakKeyDictionary[Model, DraftStatistics] = WeakKeyDictionary()


def pace_of(model: Model) -> DraftStatistics:
    """Return the statistics of a model, which all its generations in this process share."""
    return _PACES.setdefault(model, DraftStatistics())


class Proposer(Protocol):
    """Guesses tokens for a generation, which reports every token chosen."""

    def propose(self, pending: int, most: int) -> Sequence[int]:
        """Guess at most `most` tokens; they run with `pending` others in one pass."""

    def take(self, token_id: int) -> None:
        """Note a token that was chosen."""

    def ran(self, tokens: int, seconds: float) -> None:
        """Note the time of a pass."""


class TokenHistory:
    """A token sequence that grows, kept as a string so that searching it is quick.

    Tokens are numbers from -1.
    """

    def __init__(self) -> None:
        self._text = ""

    def extend(self, token_ids: Iterable[int]) -> None:
        """Append tokens."""
        # Each token becomes a code point: `str.find` is far quicker than a search in a list.
        self._text += "".join([chr(token_id + 1) for token_id in token_ids])

    def repeated(self) -> tuple[int, int]:
        """Find the longest suffix of the sequence that also occurs earlier.

        If a suffix occurs earlier, so does every shorter one. So doubling the length, then
        bisecting finds the longest with few searches.

        Returns:
            The length of the suffix, and the number of tokens up to the end of its first
            occurrence; (0, 0) if no suffix repeats.
        """
        # Double the length until a suffix is new: `length` repeats, `most` does not or is too long.
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
        # Bisect between the two.
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
        """Return the tokens after the first `position`, `most` at most."""
        return [ord(symbol) - 1 for symbol in self._text[position : position + most]]

    def _first(self, length: int) -> int:
        """Return where the last `length` tokens occur first; -1 if only at the end."""
        return self._text.find(self._text[-length:], 0, -1)


class Drafter:
    """Drafts for the sequences written to one prompt, one after the other.

    Args:
        prompt_ids: The tokens to copy from.
        pace: Says how much to draft, and learns from how drafts went.
    """

    AHEAD = 8
    """How many expected tokens ahead a chosen token is looked for; those before it were left out.

    Also the longest repetition that counts as a source of its own.
    """
    _EDGE = -1
    """Stands between sequences, so that no draft reads across; no token has this number."""

    def __init__(self, prompt_ids: Iterable[int], pace: DraftStatistics) -> None:
        self._pace = pace
        self._history = TokenHistory()
        self._unread = list(prompt_ids)  # tokens not yet in the history; see `_likely`
        self._expected: Sequence[int] = ()
        self._at = 0  # the next token of `_expected`
        self._lost = True
        # The draft under way, how many of its tokens were right so far, and its source.
        self._guess: Sequence[int] = ()
        self._right = 0
        self._source = 0

    def begin(self, token_ids: Iterable[int] = ()) -> None:
        """Start a new sequence.

        Args:
            token_ids: The tokens that the sequence begins with.
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
        """Whether nothing more is expected, or the latest token was not among the expected."""
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
            The source of the guess: -1 for the expected sequence, else the number of tokens that
            repeat, at most `AHEAD`. The longer the repetition, the likelier its guess; so each
            source has statistics of its own. Then the guess.
        """
        if not self.lost:
            return -1, self._expected[self._at : self._at + most]
        # Appending copies the string, so tokens are collected until a search is due.
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
