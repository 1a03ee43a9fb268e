"""The answers of a turn, and which of them to show: the likeliest that passes its checks, or none.

The probability of an answer is the model's own. Answers that make the same file add up. What failed its checks or found
nothing to change is ruled out, so that the rest is the likelier.
"""

import math
from dataclasses import dataclass, replace

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text

MOST = 12
MOST_HELD = 8
"""Answers that something speaks against and that are offered all the same."""
LEAST = math.log(1e-4)
"""Answers less likely than this are not written as variations."""
ENOUGH = 3
"""Answers that are written where the first one is not sure."""
MOST_UNWEIGHED = 2
"""Answers that are written where no probability tells how likely they are, and the first one will not do."""
FLOOR = math.log(0.01)
"""Answers less likely than this, among those not ruled out, are not written."""
_DECLINES = 0.2
"""From this probability on, that nothing is to change stands before every edit: it is one script, edits are many."""
_NEARLY = 3
"""What is this many times less likely than the best so far is still looked at: it may be of the same effect."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer written to its end: the file it makes, and what keeps it from being offered ("": nothing).

    `logprob`: of all its tokens; `worst`: of the least likely one. `declined`: it says that nothing is to be changed.
    `doubt`: why nobody can be sure of it, whatever its probability, or "".
    """

    kind: str | None
    file: Text
    checks: tuple[Check, ...]
    logprob: float
    problem: str = ""
    worst: float = 0.0
    declined: bool = False
    finished: bool = True
    doubt: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing keeps it from being offered."""
        return not self.problem


class Candidates:
    """The answers of one turn. Mutable. Args: base: the file that they are for."""

    def __init__(self, base: Text) -> None:
        self._base = base
        self._made: list[Candidate] = []
        self.proven: Candidate | None = None
        """The one that is the best whatever the model thinks of it, if there is one."""
        self.own: Candidate | None = None
        """The one that the turn came to by itself, if it ended with any."""
        self.given_up: Text | None = None
        """What other words were said about, if these are to correct it: whatever they mean, not that."""

    def add(self, candidate: Candidate) -> None:
        """Take one more."""
        self._made.append(candidate)

    def prove(self, candidate: Candidate) -> None:
        """Take one that is the best whatever the model thinks of it."""
        self._made.append(candidate)
        self.proven = candidate

    def __len__(self) -> int:
        """How many were made."""
        return len(self._made)

    @property
    def offers(self) -> bool:
        """Whether any that is sound changes the file."""
        return any(each.sound and each.file != self._base for each in self._made)

    @property
    def first(self) -> Candidate:
        """The likeliest at every step."""
        return self._made[0]

    def worth_another(self, best_open: float, *, weighed: bool) -> bool:
        """Whether to write one more: nothing sound is there yet, or it tells how sure the best one is.

        Args: best_open: the most its log-probability can be. weighed: whether probabilities are known.
        """
        offers = self.offers
        if not weighed:
            return not offers and len(self) < MOST_UNWEIGHED and best_open > -math.inf
        left = max(1 - sum(math.exp(each.logprob) for each in self._made if each.problem), 1e-9)
        if len(self) >= (ENOUGH if offers else MOST) or best_open < FLOOR + math.log(left):
            return False
        sound = self.masses(sound=True)
        return not sound or math.exp(best_open) > max(sound.values()) / _NEARLY

    def best(self) -> Candidate:
        """The one to show; the first one when all failed."""
        ranked = self.ranked()
        return self.proven or (ranked[0][0] if ranked else self.first)

    def ranked(self) -> list[tuple[Candidate, float]]:
        """Every file that a sound one makes, the likeliest first: the first of them, and the probability of all."""
        first = {each.file: each for each in reversed(self._made) if each.sound}

        def weight(item: tuple[Text, float]) -> float:
            return 0.0 if first[item[0]].declined and item[1] < _DECLINES else item[1]

        ranked = sorted(self.masses(sound=True).items(), key=weight, reverse=True)
        return [(first[file], mass) for file, mass in ranked]

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers: the turn's own first, then the likeliest; no two make the same file, none the base.

        `logprob`: of all answers that come to that file.
        """
        known = [replace(each, logprob=math.log(mass)) for each, mass in self.ranked()]
        own = () if self.own is None else (self.own,)
        first = tuple(next((each for each in known if each.file == one.file), one) for one in own)
        return first + tuple(each for each in known if each.file not in (self._base, *(one.file for one in own)))

    @property
    def held_back(self) -> tuple[Candidate, ...]:
        """Edits that were written to their end and parse, and are offered in no other way, the likeliest first; few."""
        sound, first = self.masses(sound=True), dict[Text, Candidate]()
        for each in sorted(self._made, key=lambda one: -one.logprob):
            wrong = {check.name for check in each.checks if not check.ok}
            if each.problem and each.finished and "parses" not in wrong and each.file not in (self._base, *sound):
                first.setdefault(each.file, each)
        return tuple(first.values())[:MOST_HELD]

    @property
    def tried(self) -> str:
        """What was written besides the answer that is shown, and came to nothing else, in words."""
        if len(self) <= 1:
            return f"all else is less likely than 1 in {round(1 / math.exp(LEAST)):,}"
        unchanged = sum(each.file == self._base for each in self._made)
        came_to = ((unchanged, "changed nothing"), (len(self.held_back), "held back"))
        return f"{len(self)} were written" + "".join(f", {count} {what}" for count, what in came_to if count)

    def masses(self, *, sound: bool = False) -> dict[Text, float]:
        """The probability of every file that one of them makes. Args: sound: of those that are sound only."""
        masses: dict[Text, float] = {}
        for each in self._made:
            if each.sound or not sound:
                masses[each.file] = masses.get(each.file, 0.0) + math.exp(each.logprob)
        return masses
