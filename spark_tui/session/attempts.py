"""Which of several attempts at an answer to show: the likeliest that passes its checks, or none.

The probability of an attempt is the model's own. Attempts of one effect add up. What failed its checks or found nothing
to change is ruled out, so that the rest is the likelier.
"""

import math
from dataclasses import dataclass

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.session.writing import Writing

MOST_ATTEMPTS = 12
FLOOR = math.log(0.01)
"""Attempts less likely than this, among those not ruled out, are not made."""

_NEARLY = 3
"""What is this many times less likely than the best so far is still looked at: it may be of the same effect."""

LEAST_LEFT = 0.5
"""However much is ruled out, the rest is held no likelier than by this: what was meant may be what cannot be done."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A script written to its end, the file it makes, and what keeps it from being offered ("": nothing)."""

    writing: Writing
    logprob: float
    file: Text
    checks: tuple[Check, ...]
    problem: str

    @property
    def sound(self) -> bool:
        """Whether nothing keeps it from being offered."""
        return not self.problem


class Attempts:
    """The attempts of one turn. Mutable."""

    def __init__(self) -> None:
        self._made: list[Attempt] = []
        self._proven: Attempt | None = None

    def add(self, attempt: Attempt) -> None:
        """Take one more."""
        self._made.append(attempt)

    def prove(self, attempt: Attempt) -> None:
        """Take one that is the best whatever the model thinks of it."""
        self._proven = attempt

    def __bool__(self) -> bool:
        """Whether any was made."""
        return bool(self._made)

    def offers(self, base: Text) -> bool:
        """Whether any that is sound changes the file."""
        return any(each.sound and each.file != base for each in self._made)

    @property
    def first(self) -> Attempt:
        """The likeliest at every step."""
        return self._made[0]

    def worth_another(self, best_open: float) -> bool:
        """Whether the next attempt may be better, or add to the best.

        Args: best_open: the most its log-probability can be.
        """
        if len(self._made) >= MOST_ATTEMPTS or best_open < FLOOR + math.log(self._left()):
            return False
        sound = self._sound()
        return not sound or math.exp(best_open) > max(sound.values()) / _NEARLY

    def best(self) -> tuple[Attempt, float]:
        """The attempt to show and the probability that it is what was meant; the first one when all failed, with 0."""
        if self._proven:
            return self._proven, math.exp(self._proven.logprob)
        sound = self._sound()
        if not sound:
            return self._made[0], 0.0
        file, mass = max(sound.items(), key=lambda item: item[1])
        attempt = next(each for each in self._made if each.file == file and not each.problem)
        return attempt, min(1.0, mass / max(self._left(), LEAST_LEFT))

    def ranked(self) -> list[tuple[Attempt, float]]:
        """Every file that a sound attempt makes, the likeliest first: its first attempt, and the probability of all."""
        first = {each.file: each for each in reversed(self._made) if each.sound}
        return [(first[file], mass) for file, mass in sorted(self._sound().items(), key=lambda item: -item[1])]

    def held_back(self, base: Text) -> list[Attempt]:
        """Edits that were written to their end and parse, and are offered in no other way, the likeliest first."""
        sound = self._sound()
        first = dict[Text, Attempt]()
        for each in sorted(self._made, key=lambda one: -one.logprob):
            wrong = {check.name for check in each.checks if not check.ok}
            if each.problem and each.writing.finished and "parses" not in wrong and each.file not in (base, *sound):
                first.setdefault(each.file, each)
        return list(first.values())

    def tally(self, base: Text) -> tuple[int, int]:
        """How many were made, and how many of them change nothing."""
        return len(self._made), sum(each.file == base for each in self._made)

    def masses(self) -> list[tuple[Text, float]]:
        """The probability of every file that an attempt makes, sound or not."""
        masses: dict[Text, float] = {}
        for each in self._made:
            masses[each.file] = masses.get(each.file, 0.0) + math.exp(each.logprob)
        return list(masses.items())

    def _left(self) -> float:
        """The probability of all that is not ruled out."""
        return max(1 - sum(math.exp(each.logprob) for each in self._made if each.problem), 1e-9)

    def _sound(self) -> dict[Text, float]:
        """The probability of every file that a sound attempt makes."""
        masses: dict[Text, float] = {}
        for each in self._made:
            if not each.problem:
                masses[each.file] = masses.get(each.file, 0.0) + math.exp(each.logprob)
        return masses
