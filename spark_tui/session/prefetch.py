"""Reading ahead while an instruction is being written: what its prompt will begin with runs before it is sent.

It is all guesswork that costs nothing when it is wrong: a turn runs what the cache lacks of its own prompt.
"""

from collections.abc import Iterator

from spark_tui.context.regions import Region
from spark_tui.editing.format import Frame, encode_pieces, render_region, render_request
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.prefill import prefill

LEAST = 16
"""Tokens that are worth a pass of their own."""
CHUNK = 64
"""Tokens a pass, at most: a turn that begins meanwhile waits for one."""


def beginning(loaded: LoadedModel, region: Region, base: Text, written: str) -> list[int]:
    """The tokens that the prompt will begin with whatever is written next: the region and all whole words.

    Args: written: the instruction so far.
    """
    lines = base.lines[region.start_line - 1 : region.end_line]
    frame = Frame.of(lines)
    words = written.rstrip() if written[-1:].isspace() else " ".join(written.split()[:-1])
    *request, _ = render_request(words, frame, region.selected)
    return encode_pieces([*render_region(lines, frame), *request], loaded.tokenizer)


def read_ahead(loaded: LoadedModel, cache: KVCache, token_ids: list[int]) -> Iterator[None]:
    """Run what a cache lacks of the beginning of a prompt, a pass between two items; at any of them it may end.

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
