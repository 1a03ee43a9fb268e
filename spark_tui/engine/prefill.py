"""Running a sequence of known tokens, a pass at a time."""

from collections.abc import Iterator, Sequence

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.cache import KVCache
from spark_tui.engine.model import Model


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
