"""The likeliest sequences for a prompt, one after the other.

The first is the sampler's own. Each later one parts from one written before, at the place and by
the token where that is likeliest; what they share is in the cache and runs only once.
"""

import heapq
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.generate import (
    Allowed,
    BranchStep,
    Mask,
    Prefilled,
    Sampler,
    Step,
    Strand,
    generate,
    generate_batch,
    ids_of,
    logprob_of,
)
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.model import Model
from spark_tui.engine.speculative import Proposer


@dataclass(frozen=True, slots=True)
class Prefix:
    """How a sequence begins.

    `logprob`: of all its steps; no sequence that begins so is likelier.
    """

    steps: tuple[Step, ...] = ()
    logprob: float = 0.0


class BestFirst:
    """Writes sequences for one prompt.

    Mutable.

    Args:
        cache: As for `generate`.
        prompt_ids: At least one.
        max_tokens: Of one sequence.
        begun: How every sequence begins; nothing is less likely for it.
    """

    def __init__(
        self,
        model: Model,
        cache: KVCache,
        prompt_ids: Sequence[int],
        *,
        sampler: Sampler,
        max_tokens: int,
        stop_ids: Collection[int],
        begun: Sequence[int] = (),
    ) -> None:
        self._model = model
        self._cache = cache
        self._prompt = list(prompt_ids)
        self._sampler = sampler
        self._max_tokens = max_tokens
        self._stop_ids = stop_ids
        self._numbers = count()
        self._open: list[tuple[float, int, Prefix]] = []
        self._push(Prefix(tuple(Step(token_id, 0.0) for token_id in begun)))

    @property
    def best(self) -> float:
        """The log-probability that no sequence still to be written exceeds; -inf when there is
        none.
        """
        return -self._open[0][0] if self._open else -float("inf")

    def begin(self) -> Prefix | None:
        """Take the likeliest beginning not yet gone on from, or None."""
        return heapq.heappop(self._open)[2] if self._open else None

    def write(
        self, beginning: Prefix, mask: Mask, draft: Proposer | None = None
    ) -> Generator[Prefilled | Step, None, None]:
        """Go on from a beginning to the end of a sequence; yields what `generate` yields, only the
        new steps.

        Args:
            mask: Asked before each choice; by then its owner has seen all steps before it, the
                beginning's too.
            draft: As for `generate`; it knows the beginning's tokens.
        """
        watched = _Watched(self._sampler, mask)
        steps = list(beginning.steps)
        if steps and steps[-1].token_id in self._stop_ids:
            return
        begun = [step.token_id for step in steps]
        room = self._max_tokens - len(begun)
        for item in generate(
            self._model,
            self._cache,
            self._prompt + begun,
            sampler=watched,
            max_tokens=room,
            stop_ids=self._stop_ids,
            mask=watched.mask,
            draft=draft,
        ):
            if isinstance(item, Step):
                self._push_all(steps, watched.others)
                steps.append(item)
            yield item

    def write_together(
        self, beginnings: Sequence[Prefix], masks: Sequence[Mask]
    ) -> Generator[Prefilled | BranchStep, None, None]:
        """Go on from several beginnings side by side; each becomes what `write` would make of it.

        Args:
            masks: Of each, as for `write`.
        """
        watched = [_Watched(self._sampler, mask) for mask in masks]
        steps = [list(beginning.steps) for beginning in beginnings]
        strands = [
            Strand(each, each.mask, [step.token_id for step in known])
            for each, known in zip(watched, steps, strict=True)
        ]
        for item in generate_batch(
            self._model,
            self._cache,
            self._prompt,
            strands,
            max_tokens=self._max_tokens,
            stop_ids=self._stop_ids,
        ):
            if isinstance(item, BranchStep):
                self._push_all(steps[item.branch], watched[item.branch].others)
                steps[item.branch].append(item.step)
            yield item

    def _push_all(self, steps: Iterable[Step], others: Sequence[Step]) -> None:
        if not others:
            return
        steps = tuple(steps)
        known = sum(step.logprob for step in steps)
        for other in others:
            self._push(Prefix((*steps, other), known + other.logprob))

    def _push(self, beginning: Prefix) -> None:
        heapq.heappush(self._open, (-beginning.logprob, next(self._numbers), beginning))


class _Watched:
    """A sampler that remembers the likeliest tokens it did not choose at its last step, unless it
    was sure.

    Where only one token is allowed no sampler is asked, and there are no others: asking the mask
    begins a step.
    """

    MOST = 3
    SURE = -0.02

    def __init__(self, sampler: Sampler, mask: Mask) -> None:
        self._sampler = sampler
        self._mask = mask
        self._allowed: Allowed | None = None
        self.others: list[Step] = []

    def mask(self) -> Allowed | None:
        """Which tokens may come next."""
        self.others = []
        self._allowed = self._mask()
        return self._allowed

    def __call__(self, logits: FloatArray, step: int) -> tuple[int, float]:
        chosen, logprob = self._sampler(logits, step)
        if logprob > self.SURE:
            return chosen, logprob
        most = min(self.MOST + 1, len(logits))
        likeliest = np.argpartition(-logits, most - 1)[:most]
        ids = ids_of(self._allowed)
        for at in map(int, likeliest):
            if at != chosen and np.isfinite(logits[at]):
                self.others.append(
                    Step(at if ids is None else int(ids[at]), logprob_of(logits, at))
                )
        return chosen, logprob
