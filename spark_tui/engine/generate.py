"""From a prompt to tokens, as a generator: not asking for the next item is a pause, closing it is the end."""

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

import numpy as np

from spark_tui.engine.arrays import BoolArray, FloatArray, IntArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.draft import Proposer
from spark_tui.engine.model import Model
from spark_tui.engine.sampling import Sampler
from spark_tui.errors import ModelError, ShapeError

Allowed = IntArray | BoolArray
"""Which tokens may be chosen: their ids, ascending; or (V,) True where one may."""
Mask = Callable[[], Allowed | None]
"""Asked before each choice; None when every token is allowed."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """Part of the prompt has run. `cached_tokens` of it were in the cache before; `done_tokens` are in it now."""

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int


@dataclass(frozen=True, slots=True)
class Step:
    """One token chosen, a stop token included, with its log-probability at temperature 1 under the mask.

    `from_draft`: its logits came from a pass for a token before it. `passes`: how many were run for it; none either
    where they came with the prompt, or where no other token was allowed: that is `only`.
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
    """Run the prompt, then choose tokens one by one until a stop token, `max_tokens` or the end of the cache.

    What the cache shares with the prompt from the start is not run again. At most one forward pass lies between two
    items, and a token runs only when a choice after it is asked for. Between items the cache holds whole tokens, those
    of a draft included, and may serve another generation: this one runs again what it misses when it goes on.

    Args: cache: trimmed and extended. prompt_ids: at least one. mask: what may be chosen, after the consumer has
        seen the steps so far. draft: guesses that run with the token before them; they change no choice.
    Yields: `Prefilled` at least once, then a `Step` a token.
    Raises: ModelError: the sequence outgrows the cache, the mask allows nothing, or the logits are no numbers.
        ShapeError: an empty prompt, or a mask of another size.
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
    """A sequence, and the logits known of what follows it. Mutable.

    `logits`: (V,) after the last token; None when it has not run. `ahead`: tokens of a draft that follow the sequence,
    and the logits after each of them.
    """

    def __init__(
        self, model: Model, cache: KVCache, prompt_ids: Sequence[int], max_tokens: int, draft: Proposer | None
    ) -> None:
        self._model, self._cache, self._draft = model, cache, draft
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
        return self._draft.propose(self._length - self.known, most) if self._draft and most > 0 else ()

    def catch_up(self, guess: Sequence[int] = ()) -> Iterator[int]:
        """Run what the cache lacks, and a guess with the last pass; yields tokens done, a pass at a time.

        Each pass goes `Model.chunk` tokens further than the last, even if another generation took the cache in between.
        """
        self._check_room()
        done = 0
        while done < self._length:
            known = self.known
            self._cache.trim(known)
            done = min(max(known, done) + self._model.chunk, self._length)
            more = guess if done == self._length else ()
            rows = self._pass([*self._held[known:done].tolist(), *more], 1 + len(more))
            self._in_cache, self._changes = done, self._cache.changes
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
            step = Step(*choose(self.logits, allowed, sampler, self._length), self._from_draft, passes)
        self._take(step.token_id)
        return step

    def _take(self, token_id: int) -> None:
        self._held[self._length] = token_id
        self._length += 1
        self.logits, self._from_draft = None, False
        if self._ahead and self._ahead[0][0] == token_id:
            self.logits, self._from_draft = self._ahead.popleft()[1], True
            self._in_cache = self._length
        else:
            self._ahead.clear()
        if self._draft:
            self._draft.take(token_id)

    def _check_room(self) -> None:
        if self._length > self._cache.capacity:
            raise outgrown(self._length, self._cache)

    def _pass(self, ids: Sequence[int], rows: int) -> FloatArray:
        """One forward pass. Returns: the logits after the last `rows` tokens, (rows, V)."""
        began = time.perf_counter()
        logits = self._model.forward(ids, self._cache, last_only=rows == 1)
        if self._draft:
            self._draft.ran(len(ids), time.perf_counter() - began)
        return logits[None] if rows == 1 else logits[-rows:]


def prefill(model: Model, cache: KVCache, token_ids: Sequence[int], chunk: int) -> Iterator[FloatArray]:
    """Run what a cache lacks of a sequence, and its last token in any case.

    Args: cache: trimmed and extended; after the last pass it holds the sequence, and nothing else. token_ids: at least
        one. chunk: tokens a pass.
    Yields: after each pass the logits (V,) that follow what has run.
    """
    done = 0
    while done < len(token_ids):
        known = min(cache.common_prefix(token_ids), len(token_ids) - 1)
        cache.trim(known)
        done = min(max(known, done) + chunk, len(token_ids))
        yield model.forward(token_ids[known:done], cache)


def outgrown(tokens: int, cache: KVCache) -> ModelError:
    """The error for a sequence of more tokens than a cache holds."""
    return ModelError(f"the context is full: {tokens} tokens needed, {cache.capacity} is the limit; choose less text")


def ids_of(allowed: Allowed | None) -> IntArray | None:
    """The tokens allowed where they are told by their ids, else None."""
    return cast("IntArray", allowed) if allowed is not None and allowed.dtype == np.int32 else None


def only(allowed: Allowed | None) -> int | None:
    """The token that is the only one allowed."""
    ids = ids_of(allowed)
    return int(ids[0]) if ids is not None and len(ids) == 1 else None


def choose(logits: FloatArray, allowed: Allowed | None, sampler: Sampler, position: int) -> tuple[int, float]:
    """A token and its log-probability, by the sampler, among those allowed."""
    ids = ids_of(allowed)
    masked = _masked(logits, allowed) if ids is None else logits[ids]
    most = float(masked.max()) if len(masked) else -math.inf
    if most == -math.inf:
        raise ModelError(f"no token may follow token {position}; try other words")
    if not math.isfinite(most):
        raise ModelError("the model computes values that are not numbers; install it again or name another one")
    chosen, logprob = sampler(masked, position)
    return chosen if ids is None else int(ids[chosen]), logprob


def _masked(logits: FloatArray, allowed: Allowed | None) -> FloatArray:
    """Logits (V,), -inf where a token is not allowed."""
    if allowed is None:
        return logits
    if allowed.shape != logits.shape:
        raise ShapeError(f"a mask of shape {allowed.shape} for logits of shape {logits.shape}")
    return np.where(allowed, logits, np.float32(-np.inf))
