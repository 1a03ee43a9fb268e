"""Other answers to a request besides the one a turn shows: written side by side, checked, and ranked."""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.intents import code_names
from spark_tui.editing.script import ScriptError
from spark_tui.editing.text import Text
from spark_tui.engine.batch import BranchStep, Strand, generate_batch
from spark_tui.engine.generate import Allowed, Prefilled, Step
from spark_tui.engine.sampling import sampled
from spark_tui.engine.search import Beginning
from spark_tui.errors import UsageError
from spark_tui.session import answers
from spark_tui.session.events import Event, HunkUpdated, Prefill, Status, VariationEnded, VariationToken
from spark_tui.session.reviewed import EARLIER
from spark_tui.session.turn import Turn
from spark_tui.session.writing import Writing

MOST = 16
"""Variations of one turn."""
MOST_HELD = 8
"""Of those held back that are offered."""
ROUNDS = 2
"""How often more are written in place of those that failed or came to the same."""
FLOOR = math.log(1e-4)
"""Answers less likely than this are not written."""


@dataclass(frozen=True, slots=True)
class Variation:
    """An answer: what wrote it and the whole file it makes. `logprob`: of all scripts that come to that file.

    `problem`: why it was held back; "" where it is sound.
    """

    writing: Writing
    file: Text
    checks: tuple[Check, ...]
    logprob: float
    problem: str = ""

    @property
    def kind(self) -> str | None:
        """The kind of edit."""
        return self.writing.kind


class VariedTurn(Turn):
    """A turn that can be asked for other answers once its events are over."""

    _own: tuple[Variation, ...] | None = None
    """The answer the turn came to by itself, if any; known once someone asks."""
    _drafted = 0

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The sound answers that are known: the turn's own first, then the likeliest; no two make the same file."""
        ranked = self._attempts.ranked()
        known = [Variation(each.writing, each.file, each.checks, math.log(mass)) for each, mass in ranked]
        own = self._own_answer()
        others = [each for each in known if each.file not in (self.base, *(one.file for one in own))]
        return tuple(next((each for each in known if each.file == one.file), one) for one in own) + tuple(others)

    @property
    def own_file(self) -> Text | None:
        """The file of the answer the turn came to by itself, if any."""
        return next((each.file for each in self._own_answer()), None) if self.attempted else None

    @property
    def held_back(self) -> tuple[Variation, ...]:
        """Answers that something speaks against, though their files parse: the likeliest first, and few."""
        held = self._attempts.held_back(self.base)[:MOST_HELD]
        return tuple(Variation(each.writing, each.file, each.checks, each.logprob, each.problem) for each in held)

    @property
    def tried(self) -> str:
        """What was written besides the answer that is shown, and came to nothing else, in words."""
        made, unchanged = self._attempts.tally(self.base)
        if made <= 1:
            return f"all else is less likely than 1 in {round(1 / math.exp(FLOOR)):,}"
        held = len(self.held_back)
        came_to = ((unchanged, "changed nothing"), (held, "held back"))
        return f"{made} were written" + "".join(f", {count} {what}" for count, what in came_to if count)

    def _own_answer(self) -> tuple[Variation, ...]:
        if self._own is None:
            best = self._attempts.best()[0] if self.status.offers else None
            self._own = (Variation(best.writing, best.file, best.checks, best.logprob),) if best else ()
        return self._own

    def vary(self, count: int) -> Generator[Event, None, None]:
        """Write other answers until there are `count` in all, or no likely ones are left.

        They are the likeliest scripts that were not written yet; at a temperature above 0 they are the draws of the
        seeds that follow the turn's. The turn itself stays as it is. Needs the cache as `events` does.

        Raises: UsageError: a count out of range. SparkError: the engine cannot go on.
        """
        if not 1 <= count <= MOST:
            raise UsageError(f"{count} variations; choose a number from 1 to {MOST}")
        if self.status is Status.RUNNING or not self._attempts:
            return
        self._own_answer()
        self._cache.recall(self._prompt)
        try:
            with self._meter.running(), self._meter.doing("varying"):
                yield from self._draws(count - 1) if self.request.temperature > 0 else self._likely(count)
        finally:
            if self.trial:
                self.trial.close()

    def proposes(self, variation: Variation) -> bool:
        """Whether this is the answer that is proposed now."""
        return self.is_whole(variation.file)

    def show(self, variation: Variation, hunk_id: str | None = None) -> list[HunkUpdated]:
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
                file, checks = self.review.proposed, checks_since(self, before)
            self._writing, self.checks = variation.writing, checks
            self.status, self.message = self._as_chosen(variation, file)
        return updates

    def _as_chosen(self, variation: Variation, file: Text) -> tuple[Status, str]:
        """What is said of another answer. Args: file: what is proposed with it."""
        return Status.OK, variation.problem or self._done(file)

    def _retelling(self) -> Callable[[], None]:
        told = self._writing, self.checks, self.status, self.message

        def retell() -> None:
            self._writing, self.checks, self.status, self.message = told

        return retell

    def refuse_mixture(self) -> None:
        """See that no other answer would come beside parts of this one. Raises: UsageError: some of it is accepted."""
        with self.lock:
            if self.review.base != self.base:
                raise UsageError("some of this answer is accepted; undo that to see another one")

    def _likely(self, count: int) -> Iterator[Event]:
        for _ in range(ROUNDS):
            missing = count - len(self.variations)
            beginnings = list(self._beginnings(missing))
            if not beginnings:
                return
            drafts = [self._draft(each) for each in beginnings]
            yield from self._write(drafts, self._search.write_together(beginnings, [each.allowed for each in drafts]))

    def _beginnings(self, most: int) -> Iterator[Beginning]:
        for _ in range(most):
            if self._search.best < FLOOR or (beginning := self._search.begin()) is None:
                return
            yield beginning

    def _draws(self, most: int) -> Iterator[Event]:
        if not most:
            return
        drafts = [self._draft(Beginning()) for _ in range(most)]
        temperature, seeds = self.request.temperature, range(self.request.seed + 1, self.request.seed + 1 + most)
        strands = [Strand(sampled(temperature, seed), each.allowed) for seed, each in zip(seeds, drafts, strict=True)]
        room = min(self.request.max_tokens, self._cache.capacity - len(self._prompt))
        yield from self._write(
            drafts,
            generate_batch(
                self._loaded.model, self._cache, self._prompt, strands, max_tokens=room, stop_ids={self._end_id}
            ),
        )

    def _draft(self, beginning: Beginning) -> "_OpenVariation":
        self._drafted += 1
        return _OpenVariation(self._blank(), self._end_id, self._drafted, beginning)

    def _write(self, drafts: Sequence["_OpenVariation"], items: Iterator[Prefilled | BranchStep]) -> Iterator[Event]:
        """Follow what is written side by side, then judge it all."""
        for item in items:
            if isinstance(item, Prefilled):
                yield Prefill(item.prompt_tokens, item.cached_tokens, item.done_tokens, self._meter.ms)
            else:
                yield replace(drafts[item.branch].take(item.step), t_ms=self._meter.ms)
        for draft in drafts:
            problem = answers.does_not_fit(draft.writing.kind, self._asked) if draft.broken else ""
            attempt = yield from self._assess(draft.writing, draft.logprob, problem)
            self._attempts.add(attempt)
            yield VariationEnded(draft.number, draft.writing.kind, attempt.logprob, attempt.checks, attempt.problem)


def checks_since(turn: Turn, earlier: Text) -> tuple[Check, ...]:
    """The checks of what is proposed now, but for what was wrong with an earlier proposal already."""
    return run_checks(earlier, turn.review.proposed, turn.region.path, told=code_names(turn.words))


class _OpenVariation:
    """One answer while it is written. Mutable. Args: end: the token that ends a script."""

    def __init__(self, writing: Writing, end: int, number: int, beginning: Beginning) -> None:
        self.writing, self.number = writing, number
        self.logprob = 0.0
        self.broken = False
        self._only_end = np.array([end], np.int32)
        self._tokens = 0
        for step in beginning.steps:
            self.take(step)

    def allowed(self) -> Allowed:
        """The tokens allowed next; a script that does not fit is ended."""
        return self._only_end if self.broken else self.writing.allowed()

    def take(self, step: Step) -> VariationToken:
        """Take one token."""
        self.logprob += step.logprob
        text = ""
        try:
            if not self.broken:
                text, _ = self.writing.take(step)
        except ScriptError:
            self.broken = True
        self._tokens += 1
        return VariationToken(self.number, self._tokens - 1, step.token_id, text, step.logprob, 0.0)
