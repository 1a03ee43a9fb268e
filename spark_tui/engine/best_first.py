"""The likeliest sequences for a prompt, one after the other.

The first is the sampler's own. Each later one branches off a sequence written before, at the place
and by the token where that is likeliest; what they share is in the cache and runs only once.
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
    """The beginning of a sequence.

    Attributes:
        steps: Its tokens.
        logprob: The log-probability of all its steps; no sequence that begins so is likelier.
    """

    steps: tuple[Step, ...] = ()
    logprob: float = 0.0


class BestFirst:
    """Writes the sequences for one prompt, the likeliest first.

    Args:
        model: Computes the logits.
        cache: As for `generate`.
        prompt_ids: The prompt, at least one token.
        sampler: Chooses tokens.
        max_tokens: The most tokens of one sequence.
        stop_ids: Tokens that end a sequence.
        begun: The tokens every sequence begins with; they lower no probability.
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
        """The log-probability that no sequence still to be written exceeds; -inf without any."""
        if not self._open:
            return -float("inf")
        return -self._open[0][0]

    def begin(self) -> Prefix | None:
        """Take the likeliest beginning that nothing was written from, or None."""
        if not self._open:
            return None
        _, _, beginning = heapq.heappop(self._open)
        return beginning

    def write(
        self, beginning: Prefix, mask: Mask, draft: Proposer | None = None
    ) -> Generator[Prefilled | Step, None, None]:
        """Continue a beginning to the end of a sequence.

        Args:
            beginning: The steps before.
            mask: Asked before each choice; by then its owner has seen all steps before, those of
                the beginning too.
            draft: As for `generate`; it knows the tokens of the beginning.

        Yields:
            What `generate` yields, of the new steps.
        """
        sampler = _RecordingSampler(self._sampler, mask)
        steps = list(beginning.steps)
        if steps and steps[-1].token_id in self._stop_ids:
            return
        begun = [step.token_id for step in steps]
        room = self._max_tokens - len(begun)
        for item in generate(
            self._model,
            self._cache,
            self._prompt + begun,
            sampler=sampler,
            max_tokens=room,
            stop_ids=self._stop_ids,
            mask=sampler.mask,
            draft=draft,
        ):
            if isinstance(item, Step):
                self._push_all(steps, sampler.others)
                steps.append(item)
            yield item

    def write_together(
        self, beginnings: Sequence[Prefix], masks: Sequence[Mask]
    ) -> Generator[Prefilled | BranchStep, None, None]:
        """Continue several beginnings side by side; each becomes what `write` would make of it.

        Args:
            beginnings: Beginnings to continue.
            masks: The mask of each, as for `write`.
        """
        samplers: list[_RecordingSampler] = []
        steps: list[list[Step]] = []
        strands: list[Strand] = []
        for beginning, mask in zip(beginnings, masks, strict=True):
            sampler = _RecordingSampler(self._sampler, mask)
            begun = [step.token_id for step in beginning.steps]
            samplers.append(sampler)
            steps.append(list(beginning.steps))
            strands.append(Strand(sampler, sampler.mask, begun))
        for item in generate_batch(
            self._model,
            self._cache,
            self._prompt,
            strands,
            max_tokens=self._max_tokens,
            stop_ids=self._stop_ids,
        ):
            if isinstance(item, BranchStep):
                self._push_all(steps[item.branch], samplers[item.branch].others)
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
        # The smallest comes first; between equals the number decides, as beginnings have no order.
        heapq.heappush(self._open, (-beginning.logprob, next(self._numbers), beginning))


class _RecordingSampler:
    """A sampler that records the likeliest tokens it did not choose, unless it was sure.

    Where only one token is allowed, no sampler is asked and there are no others; so asking the mask
    begins a step.
    """

    MOST = 3
    # Of a token so likely no other is recorded: as beginnings they would be the very last ones.
    SURE = -0.02  # a log-probability: 98 %

    def __init__(self, sampler: Sampler, mask: Mask) -> None:
        self._sampler = sampler
        self._mask = mask
        self._allowed: Allowed | None = None
        self.others: list[Step] = []
        """The likeliest tokens of the last step beside the one chosen."""

    def mask(self) -> Allowed | None:
        """Return the tokens that may come next."""
        self.others = []
        self._allowed = self._mask()
        return self._allowed

    def __call__(self, logits: FloatArray, step: int) -> tuple[int, float]:
        chosen, logprob = self._sampler(logits, step)
        if logprob > self.SURE:
            return chosen, logprob
        count = min(self.MOST + 1, len(logits))  # one of them is the token chosen
        likeliest = np.argpartition(-logits, count - 1)[:count]
        ids = ids_of(self._allowed)
        for index in map(int, likeliest):
            if index == chosen or not np.isfinite(logits[index]):
                continue
            # Logits of few allowed tokens are counted by their place among these.
            token_id = index if ids is None else int(ids[index])
            self.others.append(Step(token_id, logprob_of(logits, index)))
        return chosen, logprob
