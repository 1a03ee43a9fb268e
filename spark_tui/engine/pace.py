"""How many tokens to draft: what a pass of so many tokens costs on this machine, and how often drafts are right."""

from collections.abc import Hashable, Sequence
from weakref import WeakKeyDictionary

from spark_tui.engine.model import Model

MOST = 16
"""Tokens of the longest draft."""


def best_length(costs: Sequence[float], acceptance: float) -> int:
    """How many draft tokens give the most tokens for the time.

    Args: costs: costs[k], over 0, is the time of a pass with k draft tokens, in any unit. acceptance: how likely a
        draft token is right when those before it are, 0 to 1.
    Returns: 0 to len(costs) - 1; the fewest of equally good ones.
    Source: arXiv:2211.17192, equation 1.
    """
    best, rate = 0, 1 / costs[0]
    likely = expected = 1.0
    for length, cost in enumerate(costs[1:], 1):
        likely *= acceptance
        expected += likely
        if expected / cost > rate:
            best, rate = length, expected / cost
    return best


class Pace:
    """What was seen of one model: the time of passes by their tokens, and the fate of drafts by their source. Mutable.

    Figures forget slowly, so that a machine that grows busy or a file of another style is noticed. The first guesses
    are hopeful enough that drafts are tried.
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
        """The first `right` of the tokens proposed were chosen, the one after them, if there is one, was not."""
        hits, tries = self._fates.get(source, (1.5, 2.0))
        fade = 1 - 1 / self.MEMORY
        self._fates[source] = hits * fade + right, tries * fade + right + (right < proposed)

    def acceptance(self, source: Hashable) -> float:
        """How likely the next token of a draft from a source is right."""
        hits, tries = self._fates.get(source, (1.5, 2.0))
        return hits / tries

    def cost(self, tokens: int) -> float:
        """The time of a pass of so many tokens, relative to a pass of one, as it was known a few passes ago."""
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
        """How many draft tokens to run with `pending` others, at least one of them, `most` at most."""
        costs = [self.cost(pending + extra) for extra in range(min(most, MOST) + 1)]
        return best_length(costs, self.acceptance(source))


_PACES: WeakKeyDictionary[Model, Pace] = WeakKeyDictionary()


def pace_of(model: Model) -> Pace:
    """What is known of a model in this process."""
    return _PACES.setdefault(model, Pace())
