"""Runs coroutines on a thread with an event loop of its own, for threads that wait."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_END_SECONDS = 1.0
"""Seconds that `Background.end` waits for the thread."""


class Background:
    """A thread with an event loop, started by the first use; runs coroutines for other threads.

    Args:
        name: The name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T], *, idle: bool = False) -> "Future[T]":
        """Run a coroutine on the thread; canceling the future cancels the coroutine.

        Args:
            work: The coroutine.
            idle: Whether to start no thread: without one, the coroutine does not run.
        """
        with self._lock:
            if self._loop is None and not idle:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            if self._loop is None:
                work.close()
                return Future()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, work: Callable[[], object]) -> None:
        """Call a function on the thread, where there is a thread."""
        with self._lock, suppress(RuntimeError):
            if self._loop:
                self._loop.call_soon_threadsafe(work)

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        """Run a last coroutine, and end the thread; the next use starts another one."""
        done = self.run(last, idle=True)
        with self._lock:
            loop = self._loop
            thread = self._thread
            self._loop = None
        if loop and thread:
            done.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
            thread.join(_END_SECONDS)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run an event loop until it is stopped, then close it."""
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
