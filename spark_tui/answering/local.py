"""What answers with a model in this process have in common: its cache, how much it reads, and reading ahead."""

from collections.abc import Iterator, Sequence

from spark_tui.answering.seam import Answerer
from spark_tui.engine.cache import KVCache
from spark_tui.engine.generate import prefill
from spark_tui.engine.library import LoadedModel

_CAPACITY = 8192
_LONGEST_TOKEN = 32
"""Characters a token that no code comes near to on average."""
_LEAST_AHEAD, _CHUNK = 16, 64
"""Tokens that are worth a pass of their own while words are typed; and tokens a pass, which a turn may wait for."""


class Local(Answerer):
    """Answers with a model in this process. One answer at a time; its cache keeps the region for the next one.

    Args: cache: of the model; by default a new one. speculate: whether tokens are drafted, which changes none.
    """

    def __init__(self, loaded: LoadedModel, cache: KVCache | None = None, *, speculate: bool = True) -> None:
        self._loaded, self._speculate = loaded, speculate
        room = min(_CAPACITY, loaded.config.max_position_embeddings)
        self.cache = loaded.model.new_cache(room) if cache is None else cache
        """What is read of the latest prompt."""

    def _readable(self, lines: Sequence[str]) -> bool:
        """Whether lines may be worth taking apart into tokens, which takes seconds a megabyte."""
        return sum(map(len, lines)) <= self.cache.capacity * _LONGEST_TOKEN

    def _read(self, ids: Sequence[int]) -> Iterator[None]:
        """Read tokens before anything is asked; not where that is too little, or too much."""
        if len(ids) >= self.cache.capacity:
            return
        self.cache.recall(ids)
        missing = len(ids) - self.cache.common_prefix(ids)
        if missing < _LEAST_AHEAD:
            return
        passes = -(-missing // _CHUNK)
        yield from (None for _ in prefill(self._loaded.model, self.cache, ids, -(-missing // passes)))
