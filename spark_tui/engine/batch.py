"""Several sequences for one prompt, written side by side: a forward pass serves them all.

Each is the sequence that `generate` would write with the same sampler and mask.
"""

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.branches import Branches
from spark_tui.engine.cache import KVCache
from spark_tui.engine.generate import Mask, Prefilled, Step, choose, only, outgrown, prefill
from spark_tui.engine.model import Model
from spark_tui.engine.sampling import Sampler

_FIRST_ROOM = 64
"""Tokens set aside for each sequence at first; when one outgrows that, all are laid out anew with twice as many."""
_CHUNK = 64
"""Tokens a pass."""


@dataclass(frozen=True, slots=True)
class BranchStep:
    """One token chosen for one of the sequences. `branch`: its number."""

    branch: int
    step: Step


class Strand:
    """One of the sequences. Mutable.

    Args: sampler, mask: as for `generate`. begun: the tokens it begins with, behind the prompt.
    """

    def __init__(self, sampler: Sampler, mask: Mask, begun: Sequence[int] = ()) -> None:
        self.ids = list(begun)
        self.over = False
        self.logits: FloatArray | None = None
        """(V,) after the last token; None when it has not run."""
        self._sampler, self._mask = sampler, mask

    def steps(self, prompt_tokens: int, max_tokens: int, stop_ids: Collection[int]) -> Iterator[Step]:
        """Choose tokens as long as nothing has to run for it."""
        while not self.over:
            allowed = self._mask()
            token_id = only(allowed)
            if token_id is not None:
                step = Step(token_id, 0.0, only=True)
            elif self.logits is not None:
                step = Step(*choose(self.logits, allowed, self._sampler, prompt_tokens + len(self.ids)))
            else:
                return
            self.ids.append(step.token_id)
            self.logits = None
            self.over = step.token_id in stop_ids or len(self.ids) >= max_tokens
            yield step


def generate_batch(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    strands: Sequence[Strand],
    *,
    max_tokens: int,
    stop_ids: Collection[int],
) -> Generator[Prefilled | BranchStep, None, None]:
    """Run the prompt, then write all strands until each has a stop token, `max_tokens` or was given up.

    At most one forward pass lies between two items. Between items the cache may serve another generation: what is
    missed then runs again. It is left with the prompt.

    Args: cache: trimmed and extended; what it holds of the strands' beginnings is not run again. strands: no more than
        64. max_tokens: of each, its beginning included.
    Raises: ModelError: the longest sequence outgrows the cache, a mask allows nothing, or the logits are no numbers.
    """
    for strand in strands:
        strand.over = strand.over or len(strand.ids) >= max_tokens or bool(set(strand.ids) & set(stop_ids))
    batch = _Batch(model, cache, list(prompt_ids), strands)
    while any(not strand.over for strand in strands):
        yield from batch.read_prompt()
        yield from batch.write(max_tokens, stop_ids)


class _Batch:
    """The strands of one call of `generate_batch`."""

    def __init__(self, model: Model, cache: KVCache, prompt: list[int], strands: Sequence[Strand]) -> None:
        self._model, self._cache, self._prompt = model, cache, prompt
        self._strands = strands

    @property
    def _open(self) -> list[tuple[int, Strand]]:
        return [(number, strand) for number, strand in enumerate(self._strands) if not strand.over]

    def read_prompt(self) -> Iterator[Prefilled]:
        """Run what the cache lacks of the prompt, and its last token where a strand begins with what comes after it."""
        fresh = [strand for _, strand in self._open if not strand.ids and strand.logits is None]
        ids, cached = self._prompt, self._cache.common_prefix(self._prompt)
        if cached == len(ids) and not fresh:
            return
        for logits in prefill(self._model, self._cache, ids, _CHUNK):
            for strand in fresh:
                strand.logits = logits if self._cache.length == len(ids) else None
            yield Prefilled(len(ids), min(cached, len(ids) - 1), self._cache.length)

    def write(self, max_tokens: int, stop_ids: Collection[int]) -> Iterator[BranchStep]:
        """Go on with as many strands as fit, until one of them needs more room or the cache went elsewhere."""
        group, room = self._laid_out(max_tokens)
        held = [strand.ids[: None if strand.logits is not None else -1] for _, strand in group]
        branches = Branches(self._cache, len(group), room, prefix=len(self._prompt), beginnings=held)
        while True:
            for number, strand in group:
                for step in strand.steps(len(self._prompt), max_tokens, stop_ids):
                    yield BranchStep(number, step)
            waiting = [(branch, strand) for branch, (_, strand) in enumerate(group) if not strand.over]
            if not waiting or branches.stale or max(len(strand.ids) for _, strand in waiting) > room:
                return
            self._run(branches, waiting)

    def _laid_out(self, max_tokens: int) -> tuple[list[tuple[int, Strand]], int]:
        """The strands to go on with, and the tokens each may hold."""
        behind = self._cache.capacity - len(self._prompt)
        longest = max(len(strand.ids) for _, strand in self._open)
        room = min(max_tokens, behind, _FIRST_ROOM * (1 + longest // _FIRST_ROOM) + _FIRST_ROOM)
        if longest > behind:
            raise outgrown(len(self._prompt) + longest, self._cache)
        return self._open[: max(1, behind // room)], room

    def _run(self, branches: Branches, waiting: Sequence[tuple[int, Strand]]) -> None:
        """One pass: the tokens that have not run, up to a chunk of them."""
        ids: list[int] = []
        which: list[int] = []
        for branch, strand in waiting:
            pending = strand.ids[branches.length(branch) :][: _CHUNK - len(ids)]
            ids += pending
            which += [branch] * len(pending)
        rows = self._model.forward_branches(ids, branches, which)
        strands = dict(waiting)
        for branch, row in zip(sorted(set(which)), rows, strict=True):
            if branches.length(branch) == len(strands[branch].ids):
                strands[branch].logits = row
