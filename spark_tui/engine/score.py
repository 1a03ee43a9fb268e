"""How likely a model thinks sequences that are known beforehand."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import ShapeError


def score(
    model: Model, cache: KVCache, prompt_ids: Sequence[int], continuations: Sequence[Sequence[int]]
) -> Iterator[tuple[int, float]]:
    """The log-probability of each continuation of a prompt; one too long for the cache has -inf.

    They are taken in the order of their tokens, so that what one shares with the one before runs only once. Between
    items the cache may serve another generation.

    Args: cache: trimmed and extended. prompt_ids: at least one.
    Yields: the index of a continuation and its log-probability, after at most one forward pass.
    Raises: ShapeError: an empty prompt.
    """
    if not prompt_ids:
        raise ShapeError("the prompt holds no tokens")
    path: Sequence[int] = ()
    after: list[FloatArray] = []
    """Log-probabilities of what follows the prompt and the first 0, 1, 2, ... tokens of the path."""
    for index in sorted(range(len(continuations)), key=lambda index: tuple(continuations[index])):
        ids = continuations[index]
        if len(prompt_ids) + len(ids) - 1 > cache.capacity:
            yield index, -float("inf")
            continue
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, ids, strict=False)))
        path, after = ids, after[: shared + 1]
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
