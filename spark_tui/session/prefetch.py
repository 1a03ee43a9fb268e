"""Reading ahead while an instruction is being written: what its prompt will begin with runs before it is sent, and
the edits that it may mean, as far as it is written, are weighed.

It is all guesswork that costs nothing when it is wrong: a turn runs what the cache lacks of its own prompt.
"""

from collections.abc import Iterator

from spark_tui.editing.checks import look_ahead
from spark_tui.editing.guide import Guide
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.prefill import prefill

LEAST = 16
"""Tokens that are worth a pass of their own."""
CHUNK = 64
"""Tokens a pass, at most: a turn that begins meanwhile waits for one."""


def read_ahead(
    loaded: LoadedModel, cache: KVCache, token_ids: list[int], guide: Guide | None = None, base: Text | None = None
) -> Iterator[None]:
    """Run the beginning of a prompt, then let what guides the choice, and checks of the file, look ahead.

    At any item it may end.
    """
    yield from _run(loaded, cache, token_ids)
    if guide is not None:
        yield from guide.ahead()
    if base is not None:
        look_ahead(base)


def _run(loaded: LoadedModel, cache: KVCache, token_ids: list[int]) -> Iterator[None]:
    """Run what a cache lacks of the beginning of a prompt, a pass between two items.

    Nothing is run when there is too little to do, or no room to answer.
    """
    if len(token_ids) >= cache.capacity:
        return
    cache.recall(token_ids)
    missing = len(token_ids) - cache.common_prefix(token_ids)
    if missing < LEAST:
        return
    passes = -(-missing // CHUNK)
    for _ in prefill(loaded.model, cache, token_ids, -(-missing // passes)):
        yield
