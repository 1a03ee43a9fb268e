"""Generation: sampling, batches, and the scores of texts.

Choosing a token from logits: the likeliest one, or a seeded draw.

From a prompt to tokens, as a generator: not asking for the next item is a pause, closing it is the
end.

Several sequences for one prompt, written side by side: a forward pass serves them all.

Each is the sequence that `generate` would write with the same sampler and mask.

How likely a model thinks sequences that are known beforehand.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

import numpy as np

from spark_tui.engine.arrays import BoolArray, FloatArray, IntArray
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.model import Model
from spark_tui.engine.speculative import Proposer
from spark_tui.errors import ModelError, ShapeError, UsageError

Sampler = Callable[[FloatArray, int], tuple[int, float]]
"""Chooses the next token.

Args:
    logits: (V,), -inf where a token is not allowed, not modified.
    step: The number of tokens before this one in the sequence; with the seed it fixes a draw,
        wherever the run was paused or branched.

Returns:
    The token's id, and its log-probability at temperature 1 among the tokens allowed.
"""


def greedy() -> Sampler:
    """The likeliest token, the lowest id among equals."""

    def choose(logits: FloatArray, _step: int) -> tuple[int, float]:
        token_id = int(logits.argmax())
        return token_id, _logprob(logits, token_id, logits[token_id])

    return choose


def sampled(temperature: float, seed: int) -> Sampler:
    """A draw that depends on the logits, the seed and the step only.

    Args:
        temperature: 0 is greedy.
        seed: Any whole number from 0.

    Raises:
        UsageError: An option out of range.
    """
    if not 0 <= temperature <= 100:
        raise UsageError(f"temperature is {temperature}; choose one from 0 to 100")
    if seed < 0:
        raise UsageError(f"seed is {seed}; choose a whole number from 0")
    if temperature == 0:
        return greedy()

    def choose(logits: FloatArray, step: int) -> tuple[int, float]:
        bounds = np.exp((logits - logits.max()) / temperature, dtype=np.float64).cumsum()
        point = np.random.default_rng((seed, step)).random() * bounds[-1]
        token_id = int(bounds.searchsorted(point, side="right"))
        return token_id, logprob_of(logits, token_id)

    return choose


def logprob_of(logits: FloatArray, token_id: int) -> float:
    """The log-probability of a token among those allowed.

    Args:
        logits: (V,).
    """
    return _logprob(logits, token_id, logits.max())


def _logprob(logits: FloatArray, token_id: int, most: np.float32) -> float:
    return float(logits[token_id] - most) - math.log(np.exp(logits - most).sum())


Allowed = IntArray | BoolArray
"""Which tokens may be chosen: their ids, ascending; or (V,) True where one may."""
Mask = Callable[[], Allowed | None]
"""Asked before each choice; None when every token is allowed."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """Part of the prompt has run.

    `cached_tokens` of it were in the cache before; `done_tokens` are in it now.
    """

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int


@dataclass(frozen=True, slots=True)
class Step:
    """One token chosen, a stop token included, with its log-probability at temperature 1 under the
    mask.

    `from_draft`: its logits came from a pass for a token before it. `passes`: how many were run for
    it; none either where they came with the prompt, or where no other token was allowed: that is
    `only`.
    """

    token_id: int
    logprob: float
    from_draft: bool = False
    passes: int = 0
    only: bool = False


def generate(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    *,
    sampler: Sampler,
    max_tokens: int,
    stop_ids: Collection[int] = (),
    mask: Mask | None = None,
    draft: Proposer | None = None,
) -> Generator[Prefilled | Step, None, None]:
    """Run the prompt, then choose tokens one by one until a stop token, `max_tokens` or the end of
    the cache.

    What the cache shares with the prompt from the start is not run again. At most one forward pass
    lies between two items, and a token runs only when a choice after it is asked for. Between items
    the cache holds whole tokens, those of a draft included, and may serve another generation: this
    one runs again what it misses when it goes on.

    Args:
        cache: Trimmed and extended.
        prompt_ids: At least one.
        mask: What may be chosen, after the consumer has seen the steps so far.
        draft: Guesses that run with the token before them; they change no choice.

    Yields:
        `Prefilled` at least once, then a `Step` a token.

    Raises:
        ModelError: The sequence outgrows the cache, the mask allows nothing, or the logits are no
            numbers.
        ShapeError: An empty prompt, or a mask of another size.
    """
    if not len(prompt_ids):
        raise ShapeError("the prompt holds no tokens")
    run = _Run(model, cache, prompt_ids, max_tokens, draft)
    cached = run.known
    for done in run.catch_up():
        yield Prefilled(len(prompt_ids), cached, done)
    for left in range(max_tokens, 0, -1):
        allowed = mask() if mask else None
        passes = 0
        if only(allowed) is None and run.logits is None:
            guess = takewhile(lambda token_id: token_id not in stop_ids, run.guess(left - 1))
            passes = sum(1 for _ in run.catch_up(list(guess)))
        step = run.step(allowed, sampler, passes)
        yield step
        if step.token_id in stop_ids:
            return


class _Run:
    """A sequence, and the logits known of what follows it.

    Mutable.

    `logits`: (V,) after the last token; None when it has not run. `ahead`: tokens of a draft that
    follow the sequence, and the logits after each of them.
    """

    def __init__(
        self,
        model: Model,
        cache: KVCache,
        prompt_ids: Sequence[int],
        max_tokens: int,
        draft: Proposer | None,
    ) -> None:
        self._model = model
        self._cache = cache
        self._draft = draft
        room = min(max_tokens, max(cache.capacity - len(prompt_ids), 0) + 1)
        self._held = np.empty(len(prompt_ids) + room, np.int32)
        self._held[: len(prompt_ids)] = prompt_ids
        self._length = len(prompt_ids)
        self._from_draft = False
        self._ahead: deque[tuple[int, FloatArray]] = deque()
        self.logits: FloatArray | None = None
        self._in_cache = 0
        """How many of the tokens the cache holds, as long as it counts no other `changes`."""
        self._changes = -1

    @property
    def known(self) -> int:
        """Tokens that need not run again: the last one always does, for its logits."""
        if self._cache.changes != self._changes:
            self._changes = self._cache.changes
            self._in_cache = self._cache.common_prefix(self._held[: self._length])
        return min(self._in_cache, self._length - 1)

    def guess(self, most: int) -> Sequence[int]:
        """Tokens to run besides what the cache lacks."""
        most = min(most, self._cache.capacity - self._length)
        if self._draft and most > 0:
            return self._draft.propose(self._length - self.known, most)
        return ()

    def catch_up(self, guess: Sequence[int] = ()) -> Iterator[int]:
        """Run what the cache lacks, and a guess with the last pass; yields tokens done, a pass at a
        time.

        Each pass goes `Model.chunk` tokens further than the last, even if another generation took
        the cache in between.
        """
        self._check_room()
        done = 0
        while done < self._length:
            known = self.known
            self._cache.trim(known)
            done = min(max(known, done) + self._model.chunk, self._length)
            more = guess if done == self._length else ()
            ids = [*self._held[known:done].tolist(), *more]
            began = time.perf_counter()
            rows = self._model.forward(ids, self._cache, last_only=not more)
            if self._draft:
                self._draft.ran(len(ids), time.perf_counter() - began)
            rows = rows[-1 - len(more) :] if more else rows[None]
            self._in_cache = done
            self._changes = self._cache.changes
            yield done
        self.logits, *after = rows
        self._ahead = deque(zip(guess, after, strict=True))
        self._from_draft = False

    def step(self, allowed: Allowed | None, sampler: Sampler, passes: int) -> Step:
        """Choose the next token and take it."""
        self._check_room()
        forced = only(allowed)
        if forced is not None:
            step = Step(forced, 0.0, only=True)
        else:
            assert self.logits is not None
            step = Step(
                *choose(self.logits, allowed, sampler, self._length), self._from_draft, passes
            )
        self._take(step.token_id)
        return step

    def _take(self, token_id: int) -> None:
        self._held[self._length] = token_id
        self._length += 1
        self.logits = None
        self._from_draft = False
        if self._ahead and self._ahead[0][0] == token_id:
            self.logits = self._ahead.popleft()[1]
            self._from_draft = True
            self._in_cache = self._length
        else:
            self._ahead.clear()
        if self._draft:
            self._draft.take(token_id)

    def _check_room(self) -> None:
        if self._length > self._cache.capacity:
            raise outgrown(self._length, self._cache)


def prefill(
    model: Model, cache: KVCache, token_ids: Sequence[int], chunk: int
) -> Iterator[FloatArray]:
    """Run what a cache lacks of a sequence, and its last token in any case.

    Args:
        cache: Trimmed and extended; after the last pass it holds the sequence, and nothing else.
        token_ids: At least one.
        chunk: Tokens a pass.

    Yields:
        After each pass the logits (V,) that follow what has run.
    """
    done = 0
    while done < len(token_ids):
        known = min(cache.common_prefix(token_ids), len(token_ids) - 1)
        cache.trim(known)
        done = min(max(known, done) + chunk, len(token_ids))
        yield model.forward(token_ids[known:done], cache)


def outgrown(tokens: int, cache: KVCache) -> ModelError:
    """The error for a sequence of more tokens than a cache holds."""
    return ModelError(
        f"the context is full: {tokens} tokens needed, {cache.capacity} is the limit; choose "
        f"less text"
    )


def ids_of(allowed: Allowed | None) -> IntArray | None:
    """The tokens allowed where they are told by their ids, else None."""
    return cast("IntArray", allowed) if allowed is not None and allowed.dtype == np.int32 else None


def only(allowed: Allowed | None) -> int | None:
    """The token that is the only one allowed."""
    ids = ids_of(allowed)
    return int(ids[0]) if ids is not None and len(ids) == 1 else None


def choose(
    logits: FloatArray, allowed: Allowed | None, sampler: Sampler, position: int
) -> tuple[int, float]:
    """A token and its log-probability, by the sampler, among those allowed."""
    ids = ids_of(allowed)
    masked = _masked(logits, allowed) if ids is None else logits[ids]
    most = float(masked.max()) if len(masked) else -math.inf
    if most == -math.inf:
        raise ModelError(f"no token may follow token {position}; try other words")
    if not math.isfinite(most):
        raise ModelError(
            "the model computes values that are not numbers; install it again or name another one"
        )
    chosen, logprob = sampler(masked, position)
    return chosen if ids is None else int(ids[chosen]), logprob


def _masked(logits: FloatArray, allowed: Allowed | None) -> FloatArray:
    """Logits (V,), -inf where a token is not allowed."""
    if allowed is None:
        return logits
    if allowed.shape != logits.shape:
        raise ShapeError(f"a mask of shape {allowed.shape} for logits of shape {logits.shape}")
    return np.where(allowed, logits, np.float32(-np.inf))


_FIRST_ROOM = 64
"""Tokens set aside for each sequence at first; when one outgrows that, all are laid out anew
with twice as many.
"""
_CHUNK = 64
"""Tokens a pass."""


@dataclass(frozen=True, slots=True)
class BranchStep:
    """One token chosen for one of the sequences. `branch`: its number."""

    branch: int
    step: Step


class Strand:
    """One of the sequences.

    Mutable.

    Args:
        sampler, mask: As for `generate`.
        begun: The tokens it begins with, behind the prompt.
    """

    def __init__(self, sampler: Sampler, mask: Mask, begun: Sequence[int] = ()) -> None:
        self.ids = list(begun)
        self.over = False
        self.logits: FloatArray | None = None
        """(V,) after the last token; None when it has not run."""
        self._sampler = sampler
        self._mask = mask

    def steps(
        self, prompt_tokens: int, max_tokens: int, stop_ids: Collection[int]
    ) -> Iterator[Step]:
        """Choose tokens as long as nothing has to run for it."""
        while not self.over:
            allowed = self._mask()
            token_id = only(allowed)
            if token_id is not None:
                step = Step(token_id, 0.0, only=True)
            elif self.logits is not None:
                step = Step(
                    *choose(self.logits, allowed, self._sampler, prompt_tokens + len(self.ids))
                )
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
    """Run the prompt, then write all strands until each has a stop token, `max_tokens` or was given
    up.

    At most one forward pass lies between two items. Between items the cache may serve another
    generation: what is missed then runs again. It is left with the prompt.

    Args:
        cache: Trimmed and extended; what it holds of the strands' beginnings is not run again.
        strands: No more than 64.
        max_tokens: Of each, its beginning included.

    Raises:
        ModelError: The longest sequence outgrows the cache, a mask allows nothing, or the logits
            are no numbers.
    """
    for strand in strands:
        strand.over = (
            strand.over or len(strand.ids) >= max_tokens or bool(set(strand.ids) & set(stop_ids))
        )
    batch = _Batch(model, cache, list(prompt_ids), strands)
    while any(not strand.over for strand in strands):
        yield from batch.read_prompt()
        yield from batch.write(max_tokens, stop_ids)


class _Batch:
    """The strands of one call of `generate_batch`."""

    def __init__(
        self, model: Model, cache: KVCache, prompt: list[int], strands: Sequence[Strand]
    ) -> None:
        self._model = model
        self._cache = cache
        self._prompt = prompt
        self._strands = strands

    @property
    def _open(self) -> list[tuple[int, Strand]]:
        return [(number, strand) for number, strand in enumerate(self._strands) if not strand.over]

    def read_prompt(self) -> Iterator[Prefilled]:
        """Run what the cache lacks of the prompt, and its last token where a strand begins with
        what comes after it.
        """
        fresh = [strand for _, strand in self._open if not strand.ids and strand.logits is None]
        ids = self._prompt
        cached = self._cache.common_prefix(self._prompt)
        if cached == len(ids) and not fresh:
            return
        for logits in prefill(self._model, self._cache, ids, _CHUNK):
            for strand in fresh:
                strand.logits = logits if self._cache.length == len(ids) else None
            yield Prefilled(len(ids), min(cached, len(ids) - 1), self._cache.length)

    def write(self, max_tokens: int, stop_ids: Collection[int]) -> Iterator[BranchStep]:
        """Go on with as many strands as fit, until one of them needs more room or the cache
        went elsewhere.
        """
        group, room = self._laid_out(max_tokens)
        held = [strand.ids[: None if strand.logits is not None else -1] for _, strand in group]
        branches = Branches(
            self._cache, len(group), room, prefix=len(self._prompt), beginnings=held
        )
        while True:
            for number, strand in group:
                for step in strand.steps(len(self._prompt), max_tokens, stop_ids):
                    yield BranchStep(number, step)
            waiting = [
                (branch, strand) for branch, (_, strand) in enumerate(group) if not strand.over
            ]
            if (
                not waiting
                or branches.stale
                or max(len(strand.ids) for _, strand in waiting) > room
            ):
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


def score(
    model: Model, cache: KVCache, prompt_ids: Sequence[int], continuations: Sequence[Sequence[int]]
) -> Iterator[tuple[int, float]]:
    """The log-probability of each continuation of a prompt; one too long for the cache has -inf.

    They are taken in the order of their tokens, so that what one shares with the one before runs
    only once. Between items the cache may serve another generation.

    Args:
        cache: Trimmed and extended.
        prompt_ids: At least one.

    Yields:
        The index of a continuation and its log-probability, after at most one forward pass.

    Raises:
        ShapeError: An empty prompt.
    """
    if not prompt_ids:
        raise ShapeError("the prompt holds no tokens")
    path: Sequence[int] = ()
    after: list[FloatArray] = []
    """Log-probabilities of what follows the prompt and the first 0, 1, 2, ... tokens of the
    path.
    """
    for index in sorted(range(len(continuations)), key=lambda index: tuple(continuations[index])):
        ids = continuations[index]
        if len(prompt_ids) + len(ids) - 1 > cache.capacity:
            yield index, -float("inf")
            continue
        shared = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, ids, strict=False))
        )
        path = ids
        after = after[: shared + 1]
        if len(after) < len(ids):
            after += _following(model, cache, [*prompt_ids, *ids[:-1]], len(ids) - len(after))
        yield index, float(sum(row[token_id] for row, token_id in zip(after, ids, strict=False)))


def _following(model: Model, cache: KVCache, ids: Sequence[int], count: int) -> list[FloatArray]:
    """Log-probabilities (V,) of what follows each of the last `count` tokens of a sequence."""
    known = min(cache.common_prefix(ids), len(ids) - count)
    cache.trim(known)
    logits = model.forward(ids[known:], cache, last_only=False)[-count:]
    logits = logits - logits.max(axis=-1, keepdims=True)
    return list(logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True)))
