"""Best-first search: writes the likeliest sequences for a prompt, one after the other.

The first sequence is the sampler's own. At every choice the search notes the likeliest other
tokens. The tokens before the choice, followed by such a token, are a beginning that another
sequence may continue. Each later sequence continues the likeliest beginning left; the tokens that
it shares with an earlier sequence are in the cache and need not run again.
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
        steps: The tokens of the beginning.
        logprob: The sum of the log-probabilities of all steps. A further step only lowers the sum,
            so no sequence with this beginning is likelier.
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
        begun: The tokens that every sequence begins with; they count as certain.
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
        self._open: list[tuple[float, int, Prefix]] = []  # a heap, see `_push`
        self._push(Prefix(tuple(Step(token_id, 0.0) for token_id in begun)))

    @property
    def best(self) -> float:
        """An upper bound for the log-probability of the sequences not yet written.

        -inf where none is left.
        """
        if not self._open:
            return -float("inf")
        return -self._open[0][0]

    def begin(self) -> Prefix | None:
        """Take the likeliest beginning that has not been continued, or None."""
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
            mask: As for `generate`. Before each choice its owner has seen all earlier steps, those
                of the beginning included.
            draft: As for `generate`; it knows the tokens of the beginning.

        Yields:
            The items of `generate`, with the new steps only.
        """
        sampler = _RecordingSampler(self._sampler, mask)
        steps = list(beginning.steps)
        # The other token of a choice may have been the end itself: then nothing is left to write.
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
                # Before the yield, since the consumer may close the search there. The others stand
                # in for `item`, so they follow the steps without it.
                self._push_all(steps, sampler.others)
                steps.append(item)
            yield item

    def write_together(
        self, beginnings: Sequence[Prefix], masks: Sequence[Mask]
    ) -> Generator[Prefilled | BranchStep, None, None]:
        """Continue several beginnings side by side, with the sequences that `write` would give.

        Args:
            beginnings: The beginnings to continue.
            masks: The mask of each beginning, as for `write`.
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
        # A heap gives its smallest entry first, hence the minus. Among equals the running number
        # decides: beginnings have no order of their own.
        heapq.heappush(self._open, (-beginning.logprob, next(self._numbers), beginning))


class _RecordingSampler:
    """A sampler that records the likeliest tokens it did not choose, unless it was sure.

    Where only one token is allowed, `generate` asks the mask, but no sampler. So it is the call of
    the mask that begins a step and empties `others`.
    """

    MOST = 3  # other tokens recorded at each choice, which bounds how the search fans out
    # Beside a token this likely, others share 2 %: their beginnings would come last of all.
    SURE = -0.02  # a log-probability: 98 %

    def __init__(self, sampler: Sampler, mask: Mask) -> None:
        self._sampler = sampler
        self._mask = mask
        self._allowed: Allowed | None = None
        self.others: list[Step] = []
        """The likeliest tokens of the last step besides the chosen one."""

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
            # Where tokens are allowed by id, an index is one into these ids; see `Sampler`.
            token_id = index if ids is None else int(ids[index])
            self.others.append(Step(token_id, logprob_of(logits, index)))
        return chosen, logprob
