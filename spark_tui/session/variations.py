"""A review of one of several answers: which are known, which one is proposed, and the change from one to another."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.candidates import Candidate, Candidates
from spark_tui.session.events import HunkUpdated, Status
from spark_tui.session.reviewed import EARLIER, Reviewed

MOST = 16
"""Variations of one turn."""
MOST_HELD = 8
"""Of those held back that are offered."""
LEAST = math.log(1e-4)
"""Answers less likely than this are not written."""


class Varied(Reviewed, ABC):
    """A file under review, with answers to choose from. Mutable. Args: path, base: the file."""

    def __init__(self, path: str, base: Text) -> None:
        super().__init__(base)
        self._path = path
        self.status, self.message = Status.RUNNING, ""
        self.checks: tuple[Check, ...] = ()
        self._candidates = Candidates()
        self._shown_candidate: Candidate | None = None
        """The answer that is shown, once there is one."""
        self._own: tuple[Candidate, ...] | None = None
        """The answer the turn came to by itself, if any; known once someone asks."""

    @property
    def attempted(self) -> bool:
        """Whether any answer was written."""
        return bool(self._candidates)

    @property
    def variations(self) -> tuple[Candidate, ...]:
        """The sound answers that are known: the turn's own first, then the likeliest; no two make the same file.

        `logprob`: of all answers that come to that file.
        """
        known = [replace(each, logprob=math.log(mass)) for each, mass in self._candidates.ranked()]
        own = self._own_answer()
        others = [each for each in known if each.file not in (self.base, *(one.file for one in own))]
        return tuple(next((each for each in known if each.file == one.file), one) for one in own) + tuple(others)

    @property
    def own_file(self) -> Text | None:
        """The file of the answer the turn came to by itself, if any."""
        return next((each.file for each in self._own_answer()), None) if self.attempted else None

    @property
    def held_back(self) -> tuple[Candidate, ...]:
        """Answers that something speaks against, though their files parse: the likeliest first, and few."""
        return tuple(self._candidates.held_back(self.base)[:MOST_HELD])

    @property
    def tried(self) -> str:
        """What was written besides the answer that is shown, and came to nothing else, in words."""
        made, unchanged = self._candidates.tally(self.base)
        if made <= 1:
            return f"all else is less likely than 1 in {round(1 / math.exp(LEAST)):,}"
        came_to = ((unchanged, "changed nothing"), (len(self.held_back), "held back"))
        return f"{made} were written" + "".join(f", {count} {what}" for count, what in came_to if count)

    def _own_answer(self) -> tuple[Candidate, ...]:
        if self._own is None:
            self._own = (self._candidates.best(),) if self.status.offers else ()
        return self._own

    def proposes(self, variation: Candidate) -> bool:
        """Whether this is the answer that is proposed now."""
        return self.is_whole(variation.file)

    def show(self, variation: Candidate, hunk_id: str | None = None) -> list[HunkUpdated]:
        """Propose another answer in place of the one proposed now: the user chose it, however likely it is.

        Args: hunk_id: what it has in the place of this hunk only. Returns: nothing where that changes nothing.
        Raises: UsageError: no such hunk is open, or as `refuse_mixture`.
        """
        self._own_answer()
        with self.lock:
            if hunk_id is None:
                self.refuse_mixture()
                with self._step(EARLIER):
                    updates, file, checks = self.propose(variation.file), variation.file, variation.checks
            else:
                before = self.review.proposed
                if not (updates := self.renew(hunk_id, variation.file)):
                    return updates
                file, checks = self.review.proposed, self.checks_since(before)
            self._shown_candidate, self.checks = variation, checks
            self.status, self.message = self._as_chosen(variation, file)
        return updates

    @abstractmethod
    def _as_chosen(self, variation: Candidate, file: Text) -> tuple[Status, str]:
        """What is said of an answer that the user chose. Args: file: what is proposed with it."""

    def checks_since(self, earlier: Text) -> tuple[Check, ...]:
        """The checks of what is proposed now, but for what was wrong with an earlier proposal already."""
        return run_checks(earlier, self.review.proposed, self._path)

    def _retelling(self) -> Callable[[], None]:
        told = self._shown_candidate, self.checks, self.status, self.message

        def retell() -> None:
            self._shown_candidate, self.checks, self.status, self.message = told

        return retell

    def refuse_mixture(self) -> None:
        """See that no other answer would come beside parts of this one. Raises: UsageError: some of it is accepted."""
        with self.lock:
            if self.review.base != self.base:
                raise UsageError("some of this answer is accepted; undo that to see another one")
