"""The way of a request's items from the engine's thread to its reader, as they come."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Generator
from queue import SimpleQueue
from typing import Any

from spark_tui.serve.engine_thread import Ended, EngineThread, Work
from spark_tui.serve.turn_order import Priority

BEAT_SECONDS = 1.0
"""How often a waiting reader gets a sign of life."""


class JobStream:
    """The items of a request, for one reader in an event loop. Mutable.

    Args:
        engine: Runs the request.
        client: The name of the client.
        priority: The class of the request.
        work: Makes the items; None for a request that is still to be prepared, see `begin`.

    Raises:
        RefusedRequest: Too many requests wait.
    """

    def __init__(
        self,
        engine: EngineThread,
        client: str,
        priority: Priority,
        work: Work | None = None,
    ) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._items: deque[Any] = deque()
        self._job = engine.submit(client, priority, work, self._put)

    def begin(self, work: Work) -> None:
        """Give the request its work, so that it can run."""
        self._engine.begin(self._job, work)

    def _put(self, item: Any) -> None:
        """Take an item, in the engine's thread."""
        self._items.append(item)
        try:
            self._loop.call_soon_threadsafe(self._came.set)
        except RuntimeError:
            return  # the loop is closed: nobody reads any more

    async def batches(self) -> AsyncGenerator[list[Any]]:
        """Yield the items that came since; an empty list now and then while nothing comes.

        Raises:
            SparkError: The error that ended the request.
        """
        try:
            while True:
                batch = self._taken()
                ended = batch[-1] if batch and isinstance(batch[-1], Ended) else None
                if ended is not None:
                    batch.pop()
                if batch:
                    yield batch
                if ended is not None:
                    if ended.error is not None:
                        raise ended.error
                    return
                try:
                    await asyncio.wait_for(self._came.wait(), BEAT_SECONDS)
                except TimeoutError:
                    yield []
        finally:
            self.cancel()

    def _taken(self) -> list[Any]:
        # Clear, then look: an item that comes in between sets the event again.
        self._came.clear()
        batch: list[Any] = []
        while self._items:
            batch.append(self._items.popleft())
        if batch:
            self._engine.took(self._job, len(batch))
        return batch

    def cancel(self) -> None:
        """Cancel the request; nothing happens if it has ended."""
        self._engine.cancel(self._job)


def items_of(
    engine: EngineThread, client: str, priority: Priority, work: Work
) -> Generator[Any, None, None]:
    """Run a request for a reader in a thread of its own.

    Raises:
        RefusedRequest: Too many requests wait.
        SparkError: The error that ended the request.
    """
    queue: SimpleQueue[Any] = SimpleQueue()
    job = engine.submit(client, priority, work, queue.put)
    try:
        while not isinstance(item := queue.get(), Ended):
            engine.took(job)
            yield item
        if item.error is not None:
            raise item.error
    finally:
        engine.cancel(job)
