"""The engine as one client sees it: the shared weights, and a cache of the client's own.

The cache keeps the prefixes of the client's prompts, as `engine.kv_cache` keeps those of a session.
The cache of a client that has been away for long goes to the next client, who never sees what was
in it.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kv_cache import Branches, KVCache, Snapshots
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.providers.base import GenerationRequest, Item, Provider, Writer

MOST_CLIENTS = 6
"""Clients whose caches are kept, whether they run or may come back."""
KEPT_BYTES = 16 << 20
"""Memory for the earlier prefixes of one client."""
_WRITERS = 4
"""Requests of a client whose writers are kept for its next call."""
_PAUSED = 2
"""Answers of a client that can go on in their middle."""


class MeteredModel:
    """A model that counts the tokens it runs; see `Model`."""

    def __init__(self, model: Model) -> None:
        self.config = model.config
        self.tokens = 0
        """The number of tokens run so far."""
        self._model = model

    @property
    def bytes(self) -> int:
        """See `Model.bytes`."""
        return self._model.bytes

    @property
    def chunk(self) -> int:
        """See `Model.chunk`."""
        return self._model.chunk

    @property
    def kernels(self) -> str:
        """See `Model.kernels`."""
        return self._model.kernels

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """See `Model.new_cache`."""
        return self._model.new_cache(capacity)

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`."""
        before = cache.length
        logits = self._model.forward(token_ids, cache, last_only=last_only)
        self.tokens += cache.length - before
        return logits

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`."""
        before = sum(map(branches.length, range(branches.count)))
        logits = self._model.forward_branches(token_ids, branches, which)
        self.tokens += sum(map(branches.length, range(branches.count))) - before
        return logits


class PausedAnswers:
    """The answers in whose middle a client hung up, as it does to pause. Mutable.

    They can go on even if other requests used the client's cache meanwhile; see `engine.generate`.
    """

    def __init__(self) -> None:
        self._answers: dict[str, GrowingAnswer] = {}

    def keep(self, key: str, answer: "GrowingAnswer") -> None:
        """Keep an answer until its client asks for it again."""
        self._answers[key] = answer
        # Dictionaries keep the order of insertion: the first one is the oldest.
        while len(self._answers) > _PAUSED:
            del self._answers[next(iter(self._answers))]

    def take(self, key: str) -> "GrowingAnswer | None":
        """Take an answer out; None if it is not kept."""
        return self._answers.pop(key, None)


class GrowingAnswer:
    """One call of a writer; its items can be read more than once from the first one on. Mutable.

    Args:
        writer: The writer.
        count: See `Writer.write`.
        least: See `Writer.write`.
    """

    def __init__(self, writer: Writer, count: int, least: float) -> None:
        self.writer = writer
        self._rest = writer.write(count, least=least)
        self._items: list[Item] = []

    def items(self) -> Iterator[Item]:
        """Yield all items: first those already written, then new ones."""
        yield from tuple(self._items)
        for item in self._rest:
            self._items.append(item)
            yield item


MakeProvider = Callable[[LoadedModel, KVCache], Provider]


@dataclass(slots=True, eq=False)
class ClientEngine:
    """The engine of one client. Mutable; for the engine's thread.

    Attributes:
        loaded: The model.
        cache: The client's cache.
        make_provider: Makes the provider that answers on this cache.
        writers: The latest writers, by their request and the calls so far.
        paused: The answers that broke off, by the same key.
    """

    loaded: LoadedModel
    cache: KVCache
    make_provider: MakeProvider
    writers: dict[str, Writer] = field(default_factory=dict)
    paused: PausedAnswers = field(default_factory=PausedAnswers)
    _provider: Provider | None = None

    @property
    def provider(self) -> Provider:
        """The provider that answers requests for edits, or questions.

        Raises:
            ModelError: The model can do neither.
        """
        if self._provider is None:
            self._provider = self.make_provider(self.loaded, self.cache)
        return self._provider

    def keep(self, key: str, writer: Writer) -> None:
        """Keep a writer for the next call."""
        self.writers[key] = writer
        while len(self.writers) > _WRITERS:
            del self.writers[next(iter(self.writers))]

    def writer(self, ask: GenerationRequest) -> Writer:
        """Begin to answer; see `Provider.write`."""
        return self.provider.write(ask)


class ClientEngines:
    """The engines of all clients. Mutable; for the engine's thread.

    Args:
        loaded: The model.
        capacity: The tokens that a cache holds.
        provider: Makes the provider of a client.
        most: The number of clients whose caches are kept.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        capacity: int,
        provider: MakeProvider,
        most: int = MOST_CLIENTS,
    ) -> None:
        self.model = MeteredModel(loaded.model)
        self.loaded = replace(loaded, model=self.model)
        self.capacity = capacity
        self._provider = provider
        self._most = most
        self._engines: dict[str, ClientEngine] = {}
        self._free: list[KVCache] = []

    @property
    def tokens(self) -> int:
        """The number of tokens run for all clients."""
        return self.model.tokens

    @property
    def clients(self) -> int:
        """The number of clients that have a cache."""
        return len(self._engines)

    @property
    def cache_tokens(self) -> int:
        """The number of tokens in all caches."""
        return sum(engine.cache.length for engine in list(self._engines.values()))

    def of(self, client: str) -> ClientEngine:
        """Return the engine of a client; this makes it the one used last."""
        # Taken out and put in again, so that the order of the dictionary is that of use.
        engine = self._engines.pop(client, None)
        if engine is None:
            cache = self._empty_cache()
            engine = ClientEngine(self.loaded, cache, self._provider)
        self._engines[client] = engine
        return engine

    def release(self, in_use: Collection[str]) -> None:
        """Take back the caches of the clients used least recently, if there are too many.

        Args:
            in_use: The clients with requests that run; they keep their caches.
        """
        for client in list(self._engines):
            if len(self._engines) <= self._most:
                return
            if client not in in_use:
                self._free.append(self._engines.pop(client).cache)

    def _empty_cache(self) -> KVCache:
        """Return an empty cache, a used one if there is one: it takes no new memory."""
        if not self._free:
            cache = self.model.new_cache(self.capacity)
        else:
            cache = self._free.pop()
            cache.trim(0)
        cache.kept = Snapshots(KEPT_BYTES)
        return cache
