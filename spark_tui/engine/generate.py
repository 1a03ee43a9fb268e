"""From a prompt to tokens, as a generator: not asking for the next item is a pause, closing it is the end."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spark_tui.engine.arrays import BoolArray, FloatArray, IntArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.model import Model
from spark_tui.engine.sampling import Sampler
from spark_tui.errors import ModelError, ShapeError

Mask = Callable[[], BoolArray | FloatArray | None]
"""Asked before each choice: (V,) True where a token is allowed, or what to add to its logit; None when all are."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """Part of the prompt has run. `cached_tokens` of it were in the cache before; `done_tokens` are in it now."""

    prompt_tokens: int
    cached_tokens: int
    done_tokens: int


@dataclass(frozen=True, slots=True)
class Step:
    """One token chosen, a stop token included, with its log-probability at temperature 1 under the mask."""

    token_id: int
    logprob: float
    from_draft: bool = False


def generate(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    *,
    sampler: Sampler,
    max_tokens: int,
    stop_ids: Collection[int] = (),
    mask: Mask | None = None,
    prefill_chunk: int = 64,
) -> Generator[Prefilled | Step, None, None]:
    """Run the prompt, then choose tokens one by one until a stop token, `max_tokens` or the end of the cache.

    What the cache shares with the prompt from the start is not run again. One forward pass lies between two items,
    and a token runs only when the one after it is asked for. Between items the cache holds whole tokens and may
    serve another generation: this one runs again what it misses when it goes on.

    Args: cache: trimmed and extended. prompt_ids: at least one. mask: what may be chosen, after the consumer has
        seen the steps so far. prefill_chunk: prompt tokens a pass; more is faster, less pauses sooner.
    Yields: `Prefilled` at least once, then a `Step` a token.
    Raises: ModelError: the sequence outgrows the cache, the mask allows nothing, or the logits are no numbers.
        ShapeError: an empty prompt, or a mask of another size.
    """
    ids = np.asarray(prompt_ids, np.int32)
    cached = _known(cache, ids)
    for done, latest in _run(model, cache, ids, prefill_chunk):
        yield Prefilled(len(ids), cached, done)
        logits = latest
    for number in range(max_tokens):
        if number:
            *_, (_, logits) = _run(model, cache, ids, prefill_chunk)
        step = _choose(logits, mask() if mask else None, sampler, len(ids))
        yield step
        if step.token_id in stop_ids:
            return
        ids = np.append(ids, np.int32(step.token_id))


def _run(model: Model, cache: KVCache, ids: IntArray, chunk: int) -> Iterator[tuple[int, FloatArray]]:
    """Run what the cache lacks of a sequence; yields tokens done and the logits (V,) after them, a pass at a time.

    Each pass goes `chunk` tokens further than the last, even if another generation took the cache in between.
    """
    if len(ids) > cache.capacity:
        raise ModelError(
            f"the context is full: {len(ids)} tokens needed, {cache.capacity} is the limit; choose less text"
        )
    done = 0
    while done < len(ids):
        known = _known(cache, ids)
        cache.trim(known)
        logits = model.forward(ids[known : max(known, done) + chunk], cache)
        done = cache.length
        yield done, logits


def _known(cache: KVCache, ids: IntArray) -> int:
    """Tokens that need not run again: the last one always does, for its logits."""
    if not len(ids):
        raise ShapeError("the prompt holds no tokens")
    return min(cache.common_prefix(ids), len(ids) - 1)


def _choose(logits: FloatArray, allowed: BoolArray | FloatArray | None, sampler: Sampler, position: int) -> Step:
    if allowed is not None:
        if allowed.shape != logits.shape:
            raise ShapeError(f"a mask of shape {allowed.shape} for logits of shape {logits.shape}")
        if not (allowed > -np.inf if allowed.dtype != np.bool_ else allowed).any():
            raise ModelError(f"no token may follow token {position}; try other words")
        logits = logits + allowed if allowed.dtype != np.bool_ else np.where(allowed, logits, np.float32(-np.inf))
    if not np.isfinite(logits.max()):
        raise ModelError("the model computes values that are not numbers; install it again or name another one")
    return Step(*sampler(logits, position))
