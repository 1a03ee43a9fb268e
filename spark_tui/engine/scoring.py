"""Scoring: how likely a model finds given texts behind a prompt.

Texts that begin with the same tokens share them: each of these runs once.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import ShapeError


def score(
    model: Model, cache: KVCache, prompt_ids: Sequence[int], continuations: Sequence[Sequence[int]]
) -> Iterator[tuple[int, float]]:
    """Compute the log-probability of each continuation of a prompt.

    A continuation that is too long for the cache has -inf. Between items the cache may serve
    another generation.

    Args:
        model: Computes the logits.
        cache: Trimmed and extended.
        prompt_ids: The prompt, at least one token.
        continuations: The sequences after the prompt.

    Yields:
        The index of a continuation and its log-probability, after at most one forward pass.

    Raises:
        ShapeError: An empty prompt.
    """
    longest = max(map(len, continuations), default=1)
    for item in score_by_passes(model, cache, prompt_ids, continuations, max(1, longest)):
        if item is not None:
            yield item


def score_by_passes(
    model: Model,
    cache: KVCache,
    prompt_ids: Sequence[int],
    continuations: Sequence[Sequence[int]],
    chunk: int,
) -> Iterator[tuple[int, float] | None]:
    """Compute what `score` does in passes of a bounded size, so that the consumer may stop early.

    Args:
        model: As for `score`.
        cache: As for `score`.
        prompt_ids: As for `score`.
        continuations: As for `score`.
        chunk: The most tokens of a continuation in a pass.

    Yields:
        As `score`; None after each pass that ends no continuation.

    Raises:
        ShapeError: An empty prompt.
    """
    if not prompt_ids:
        raise ShapeError("the prompt holds no tokens")
    totals = [0.0] * len(continuations)
    counted = [0] * len(continuations)  # how many first tokens of each are in its total
    # In the order of their tokens, each one follows those that it shares most with.
    order = sorted(range(len(continuations)), key=lambda index: tuple(continuations[index]))
    for place, index in enumerate(order):
        ids = continuations[index]
        # The last token of a continuation need not run: only the logits before it are needed.
        if len(prompt_ids) + len(ids) - 1 > cache.capacity:
            yield index, -float("inf")
            continue
        while counted[index] < len(ids):
            start = counted[index]
            stop = min(start + chunk, len(ids))
            rows = _following(model, cache, [*prompt_ids, *ids[: stop - 1]], stop - start)
            # A row counts for every continuation that begins with the tokens before it.
            for other in order[place:]:
                theirs = continuations[other]
                first = max(start, counted[other])
                last = min(stop, len(theirs), _shared(ids, theirs) + 1)
                for at in range(first, last):
                    totals[other] += float(rows[at - start][theirs[at]])
                counted[other] = max(counted[other], last)
            if stop < len(ids):
                yield None
        yield index, totals[index]


def read_logits(
    model: Model, cache: KVCache, token_ids: Sequence[int], chunk: int
) -> Iterator[FloatArray]:
    """Run a whole sequence for the logits after each of its tokens, which no cache keeps.

    Args:
        model: Computes the logits.
        cache: Trimmed and extended; between passes it may serve another generation.
        token_ids: The sequence.
        chunk: The most tokens whose logits are in memory at once.

    Yields:
        After each pass the logits (T, V) after each of its T tokens.
    """
    for begin in range(0, len(token_ids), chunk):
        known = min(cache.common_prefix(token_ids), begin)
        cache.trim(known)
        if known < begin:
            # Another generation took the cache: read its tokens again, without their logits.
            model.forward(token_ids[known:begin], cache)
        yield model.forward(token_ids[begin : begin + chunk], cache, last_only=False)


def _shared(path: Sequence[int], ids: Sequence[int]) -> int:
    """Return how many tokens two sequences have in common at their start."""
    count = 0
    for token_id, other in zip(path, ids, strict=False):
        if token_id != other:
            break
        count += 1
    return count


def _following(model: Model, cache: KVCache, ids: Sequence[int], count: int) -> list[FloatArray]:
    """Return the log-probabilities (V,) after each of the last `count` tokens of a sequence."""
    # Logits are not kept in the cache, so the last `count` tokens run even if the cache has them.
    known = min(cache.common_prefix(ids), len(ids) - count)
    cache.trim(known)
    logits = model.forward(ids[known:], cache, last_only=False)[-count:]
    logits = logits - logits.max(axis=-1, keepdims=True)
    return list(logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True)))
