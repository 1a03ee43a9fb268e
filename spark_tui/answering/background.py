"""A thread with an event loop, from the first use on: what waits there can be given up at once, from anywhere."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_END_SECONDS = 1.0


class Background:
    """Runs coroutines for other threads. Args: name: of the thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T], *, idle: bool = False) -> "Future[T]":
        """Run something there; to cancel the future gives it up. Args: idle: not if the thread is not there yet."""
        with self._lock:
            if self._loop is None and not idle:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            if self._loop is None:
                work.close()
                return Future()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, work: Callable[[], object]) -> None:
        """Call something there, where there is a thread."""
        with self._lock, suppress(RuntimeError):
            if self._loop:
                self._loop.call_soon_threadsafe(work)

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        """Run something last, and end the thread; it comes back with the next use."""
        done = self.run(last, idle=True)
        with self._lock:
            (loop, self._loop), thread = (self._loop, None), self._thread
        if loop and thread:
            done.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
            thread.join(_END_SECONDS)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
