"""The thread that computes: turns, hang-ups and readers that are behind."""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Semaphore
from typing import Any

import pytest

from spark_tui.config import Settings
from spark_tui.errors import UsageError
from spark_tui.serve.client_engine import ClientEngine
from spark_tui.serve.engine_thread import MOST_UNREAD, Ended, EngineThread
from spark_tui.serve.service import make_service
from spark_tui.serve.streams import items_of
from spark_tui.serve.turn_order import Limits, Overloaded, Priority, RefusedRequest
from tests.fakes import scripted

INTERACTIVE = Priority.INTERACTIVE


@pytest.fixture
def thread(tmp_path: Path) -> Iterator[EngineThread]:
    """The thread of a server with room for one request and two that wait."""
    service = make_service(
        scripted(tmp_path / "model", {}),
        Settings(),
        tmp_path / "state",
        identity="",
        stop=lambda: None,
        limits=Limits(running=1, waiting=2),
    )
    service.thread.start()
    yield service.thread
    service.thread.close()


class Gate:
    """Work that takes a step whenever it is let. Mutable."""

    def __init__(self) -> None:
        self.steps = Semaphore(0)
        self.begun: SimpleQueue[bool] = SimpleQueue()
        self.closed: SimpleQueue[bool] = SimpleQueue()

    def work(self, engine: ClientEngine) -> Generator[int, None, None]:
        self.begun.put(True)
        try:
            for number in range(10_000):
                self.steps.acquire()
                yield number
        finally:
            self.closed.put(True)


def count(most: int) -> Callable[[ClientEngine], Generator[int, None, None]]:
    """Work of some steps."""

    def work(engine: ClientEngine) -> Generator[int, None, None]:
        yield from range(most)

    return work


def test_items_come_in_order_and_then_the_end(thread: EngineThread) -> None:
    assert list(items_of(thread, "a", INTERACTIVE, count(200))) == list(range(200))


def test_what_the_engine_raises_reaches_its_reader_and_nobody_else(thread: EngineThread) -> None:
    def fails(engine: ClientEngine) -> Generator[int, None, None]:
        yield 1
        raise UsageError("too long")

    items = items_of(thread, "a", INTERACTIVE, fails)
    assert next(items) == 1
    with pytest.raises(UsageError, match="too long"):
        next(items)
    assert list(items_of(thread, "b", INTERACTIVE, count(3))) == [0, 1, 2]


def test_who_hangs_up_frees_the_engine_at_the_next_step(thread: EngineThread) -> None:
    gate = Gate()
    items: SimpleQueue[Any] = SimpleQueue()
    job = thread.submit("a", INTERACTIVE, gate.work, items.put)
    gate.begun.get()
    waits: SimpleQueue[Any] = SimpleQueue()
    thread.submit("b", INTERACTIVE, count(1), waits.put)
    thread.cancel(job)
    gate.steps.release()
    gate.closed.get()
    assert waits.get() == 0
    assert isinstance(waits.get(), Ended)
    assert items.get() == 0
    assert isinstance(items.get(), Ended)


def test_a_reader_that_is_behind_holds_its_own_request_only(thread: EngineThread) -> None:
    items: SimpleQueue[Any] = SimpleQueue()
    job = thread.submit("a", INTERACTIVE, count(10 * MOST_UNREAD), items.put)
    taken = [items.get() for _ in range(MOST_UNREAD)]
    assert items.empty()
    thread.took(job, MOST_UNREAD)
    while not isinstance(item := items.get(), Ended):
        taken.append(item)
        thread.took(job)
    assert taken == list(range(10 * MOST_UNREAD))


def test_more_than_may_wait_are_refused_with_when_to_come_back(thread: EngineThread) -> None:
    gate = Gate()
    thread.submit("a", INTERACTIVE, gate.work, str)
    gate.begun.get()
    for client in ("b", "c"):
        thread.submit(client, INTERACTIVE, count(1), str)
    with pytest.raises(Overloaded) as refusal:
        thread.submit("d", INTERACTIVE, count(1), str)
    assert refusal.value.retry_after >= 1
    gate.steps.release(10_000)


def test_a_thread_that_ends_lets_nobody_wait(thread: EngineThread) -> None:
    gate = Gate()
    items: SimpleQueue[Any] = SimpleQueue()
    waits: SimpleQueue[Any] = SimpleQueue()
    thread.submit("a", INTERACTIVE, gate.work, items.put)
    gate.begun.get()
    thread.submit("b", INTERACTIVE, count(1), waits.put)
    gate.steps.release(10_000)
    thread.close()
    assert isinstance(waits.get(), int | Ended)
    while not isinstance(items.get(), Ended):
        pass
    with pytest.raises(RefusedRequest):
        thread.submit("c", INTERACTIVE, count(1), str)
