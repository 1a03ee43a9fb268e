"""The same words at other places, whose edits compete with those at the place shown.

An answer is a pair of a place and an edit. Its weight is the log-likelihood that the words are
about the place plus that of the edit there, so that pairs of different places rank together.

Where the words led to no edit behind the turn before, they are also read alone at that place: they
may begin something new.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Event, Status
from spark_tui.session.locator import RankedPlace
from spark_tui.session.turn import Turn

TEMPERATURE = 3.0
"""Divides the weights of places; the softmax then says how often a place is right.

Of 100 development requests in whole packages the first place is right in 47. At temperature 1 it
would be taken to be right in 72, at 3 in 49 (and its log loss is 0.57 instead of 1.02).
"""
MOST_PLACES = 3
"""Places besides the shown one whose edits are written while the user looks at the first."""

_BESIDE = 2
"""Answers that stand together where a second model judged: the one shown, and the next."""


@dataclass(slots=True)
class PlacedTurn:
    """A turn at one of the places.

    Attributes:
        place: The place; its weight is the log-probability that the words are about it.
        turn: The turn, once begun.
        events: What the turn reported while nobody watched.
        is_alone: Whether the words are read without the turn before.
    """

    place: RankedPlace
    turn: Turn | None = None
    events: list[Event] = field(default_factory=list)
    is_alone: bool = False

    @property
    def is_written(self) -> bool:
        """Whether the turn came to its end."""
        return self.turn is not None and self.turn.status not in {
            Status.RUNNING,
            Status.INTERRUPTED,
        }


@dataclass(frozen=True, slots=True)
class PlacedAnswer:
    """An edit at a place.

    Attributes:
        weight: The log-probability that both are right, by the model.
    """

    turn: Turn
    candidate: Candidate
    weight: float


Begin = Callable[[RankedPlace, bool], Turn]
"""Makes a turn with the same words at a place; with True, without the turn before."""
Rank = Callable[[], Generator[None, None, Sequence[RankedPlace]]]
"""Ranks all places of the words, a step at a time; may be closed at any item."""


class Alternatives:
    """The turns of one request at all of its places. Mutable.

    Args:
        shown: The turn that the user sees first.
        places: The places that the words may be about, likeliest first; `shown` is at one of them.
        begin: Makes the other turns.
        rank: Ranks the places once more before their edits are written, where the turn could not
            wait for all of them to be weighed.
    """

    def __init__(
        self,
        shown: Turn,
        places: Sequence[RankedPlace],
        begin: Begin,
        rank: Rank | None = None,
    ) -> None:
        self._shown = shown
        self._begin = begin
        self._rank = rank
        self._is_placed = False
        """Whether every place is known whose edit is to be written."""
        self._placed: list[PlacedTurn] = []
        self._place(places)

    def _place(self, places: Sequence[RankedPlace]) -> None:
        """Take the likeliest places, with the turn that is shown at one of them."""
        shares = log_shares(places)
        # The turns of other models stay before all places.
        self._placed = [placed for placed in self._placed if placed.turn not in {None, self._shown}]
        for place, share in zip(places[: MOST_PLACES + 1], shares, strict=False):
            self._placed.append(PlacedTurn(RankedPlace(place.region, share)))
        for placed in self._placed:
            if placed.place.region.meets(self._shown.region) and self._shown not in self.turns:
                placed.turn = self._shown
        if self._shown not in self.turns:
            # A better ranking left the place of the turn behind; the turn stays an answer.
            least = min(shares)
            self._placed.append(PlacedTurn(RankedPlace(self._shown.region, least), self._shown))

    def _complete(self) -> Generator[None, None, None]:
        """Find every place whose edit is to be written; may be closed at any item."""
        if self._rank is not None:
            self._place((yield from self._rank()))
            self._rank = None
        shown = self._shown
        if shown.status is Status.ABSTAINED and shown.request.previous is not None:
            here = next(placed for placed in self._placed if placed.turn is shown)
            self._placed.insert(0, PlacedTurn(here.place, is_alone=True))
        self._is_placed = True

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns begun so far."""
        return tuple(placed.turn for placed in self._placed if placed.turn is not None)

    @property
    def are_written(self) -> bool:
        """Whether the edits of all places are written."""
        return self._is_placed and all(placed.is_written for placed in self._placed)

    def put_first(self, turn: Turn) -> None:
        """Put the turn of another model, and so its edit, before all others."""
        self._placed.insert(0, PlacedTurn(RankedPlace(turn.region, 0.0), turn))

    def replace(self, turn: Turn, heir: Turn) -> None:
        """Put the turn of another model in place of one that failed."""
        for placed in self._placed:
            if placed.turn is turn:
                placed.turn = heir
        if self._shown is turn:
            self._shown = heir

    def events_of(self, turn: Turn) -> Sequence[Event]:
        """What a turn reported while nobody watched."""
        return next((placed.events for placed in self._placed if placed.turn is turn), ())

    def write(self) -> Generator[Turn | None, None, None]:
        """Write the missing edits, the likeliest place first; may be closed at any item.

        Yields:
            A turn that has ended; None between two steps.

        Raises:
            SparkError: The answerer cannot go on.
        """
        if not self._is_placed:
            yield from self._complete()
        for placed in self._placed:
            # A turn that was interrupted is begun anew; the one that the user watches is left
            # alone.
            if placed.is_written or (placed.turn and placed.turn.status is Status.RUNNING):
                continue
            placed.turn = self._begin(placed.place, placed.is_alone)
            placed.events = []
            # How sure the turn may be of its edit depends on how likely its place is.
            placed.turn.place_chance = math.exp(placed.place.weight)
            for event in placed.turn.events():
                placed.events.append(event)
                yield None
            yield placed.turn

    def answers(self) -> list[PlacedAnswer]:
        """The edits written at all places, the likeliest pair of place and edit first.

        What a second model prefers at a place stands beside the likeliest edit there.
        """
        answers = list[tuple[float, PlacedAnswer]]()
        for placed in self._placed:
            if placed.turn is None:
                continue
            spoken = [placed.turn.declined] if placed.turn.declined else []
            candidates = (*spoken, *placed.turn.variations)
            most = max((candidate.logprob for candidate in candidates), default=0.0)
            for number, candidate in enumerate(candidates):
                weight = placed.place.weight + candidate.logprob
                is_beside = placed.turn.candidates.are_judged and number < _BESIDE
                rank = placed.place.weight + most if is_beside else weight
                answers.append((rank, PlacedAnswer(placed.turn, candidate, weight)))
        # The sort keeps the order of equals: the answer shown, then the one beside it.
        return [answer for _, answer in sorted(answers, key=lambda item: -item[0])]


def log_shares(places: Sequence[RankedPlace]) -> list[float]:
    """How likely each place is the intended one: log-probabilities that add up to 1."""
    weights = [place.weight / TEMPERATURE for place in places]
    # A softmax in logarithms; subtracting the largest keeps the exponentials within range.
    largest = max(weights)
    total = largest + math.log(sum(math.exp(weight - largest) for weight in weights))
    return [weight - total for weight in weights]


def share_of_first(places: Sequence[RankedPlace]) -> float:
    """How likely the first place is the intended one, from 0 to 1."""
    return math.exp(log_shares(places)[0])
