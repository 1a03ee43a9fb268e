"""The one thread that computes: it takes the next step of the request whose turn it is.

A request is a generator, and a step is its next item: at most one pass of the model. A request
that is cancelled is closed before its next step.
"""

import logging
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Any

from spark_tui.errors import ModelError, SparkError
from spark_tui.serve.client_engine import ClientEngine, ClientEngines
from spark_tui.serve.metrics import Metrics
from spark_tui.serve.turn_order import Limits, Priority, RefusedRequest, Ticket, TurnOrder

MOST_UNREAD = 64
"""Items that may wait for a slow reader before its request is held."""
Work = Callable[[ClientEngine], Generator[Any, None, None]]
"""Makes the items of a request, on the engine of its client."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """The last item of every request.

    Attributes:
        error: The error that ended the request; None if it came to its end.
    """

    error: SparkError | None = None


@dataclass(slots=True, eq=False)
class Job:
    """A request that waits or runs. Mutable, under the lock of its thread.

    Attributes:
        ticket: The place in the queue.
        work: Makes the items; None while the request is still being prepared.
        put: Takes each item, in the engine's thread.
        items: The generator of the items, once the request has begun.
        unread: The number of items that the reader has not taken yet.
        is_cancelled: Whether nobody reads the items any more.
    """

    ticket: Ticket
    work: Work | None
    put: Callable[[Any], object]
    items: Generator[Any, None, None] | None = None
    unread: int = 0
    is_cancelled: bool = False


class EngineThread:
    """Runs requests, a step at a time.

    Args:
        engines: The engines of the clients.
        limits: The bounds of the queue.
        metrics: Counts what happens.
    """

    def __init__(self, engines: ClientEngines, limits: Limits, metrics: Metrics) -> None:
        self._engines = engines
        self._metrics = metrics
        self._order = TurnOrder(limits)
        self._jobs: dict[Ticket, Job] = {}
        self._changed = Condition()
        self._is_closing = False
        self._thread = Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Begin to take requests."""
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of requests that have not begun."""
        with self._changed:
            return self._order.waiting

    @property
    def running(self) -> int:
        """The number of requests that have begun."""
        with self._changed:
            return self._order.running

    def submit(
        self,
        client: str,
        priority: Priority,
        work: Work | None,
        put: Callable[[Any], object],
    ) -> Job:
        """Queue a request.

        Args:
            client: The name of the client.
            priority: The class of the request.
            work: Makes the items; None for a request that is still to be prepared, see `begin`.
            put: Takes each item, and an `Ended` after the last one.

        Raises:
            RefusedRequest: Too many requests wait.
        """
        with self._changed:
            if self._is_closing:
                raise RefusedRequest("the server is about to end; ask again later", 1)
            ticket = self._order.admit(client, priority, time.monotonic())
            ticket.is_held = work is None
            job = Job(ticket, work, put)
            self._jobs[ticket] = job
            self._changed.notify_all()
        return job

    def begin(self, job: Job, work: Work) -> None:
        """Give a request its work, without which it was queued, so that it can run."""
        with self._changed:
            job.work = work
            job.ticket.is_held = False
            self._changed.notify_all()

    def took(self, job: Job, count: int = 1) -> None:
        """Note that the reader of a request took items."""
        with self._changed:
            job.unread -= count
            if job.ticket.is_held and job.unread < MOST_UNREAD:
                job.ticket.is_held = False
                self._changed.notify_all()

    def cancel(self, job: Job) -> None:
        """Cancel a request; the engine's thread closes it before its next step."""
        with self._changed:
            job.is_cancelled = True
            job.ticket.is_held = False
            self._changed.notify_all()

    def close(self) -> None:
        """Bring all requests to their end, and wait for the thread."""
        with self._changed:
            self._is_closing = True
            for job in self._jobs.values():
                job.is_cancelled = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            if job.is_cancelled:
                self._close(job)
            else:
                self._step(job)

    def _next(self) -> Job | None:
        """Wait for the next job to take a step, or to be closed; None at the end."""
        with self._changed:
            while True:
                for job in self._jobs.values():
                    if job.is_cancelled:
                        return job
                # All jobs are cancelled by then, and closed above.
                if self._is_closing:
                    return None
                ticket = self._order.next()
                if ticket is not None:
                    return self._jobs[ticket]
                self._changed.wait()

    def _close(self, job: Job) -> None:
        if job.items is not None:
            # Closed here, in the engine's thread: the generator uses the model and the cache.
            job.items.close()
        self._metrics.count("cancelled")
        self._finish(job, Ended())

    def _step(self, job: Job) -> None:
        """Take one step of a job; the thread outlives whatever goes wrong in it."""
        before = self._engines.tokens
        ended: Ended | None = None
        item: Any = None
        try:
            if job.items is None:
                assert job.work is not None, "a request without work is held"
                job.items = job.work(self._engines.of(job.ticket.client))
            item = next(job.items)
        except StopIteration:
            ended = Ended()
        except SparkError as e:
            ended = Ended(e)
        except Exception as e:  # noqa: BLE001 - the next request must not suffer for this one
            _log.exception("a request failed")
            ended = Ended(ModelError(f"the engine failed ({type(e).__name__}: {e}); ask again"))
        tokens = self._engines.tokens - before
        self._metrics.count("tokens", tokens)
        if ended is not None:
            self._finish(job, ended, tokens)
            return
        with self._changed:
            self._order.ran(job.ticket, tokens)
            job.unread += 1
            # A slow reader holds only its own request; `took` lets it go on.
            job.ticket.is_held = job.unread >= MOST_UNREAD and not job.is_cancelled
        job.put(item)

    def _finish(self, job: Job, ended: Ended, tokens: int = 0) -> None:
        with self._changed:
            self._order.ran(job.ticket, tokens)
            self._order.leave(job.ticket)
            del self._jobs[job.ticket]
            in_use = {ticket.client for ticket in self._jobs if ticket.runs}
        # Only now: a running request still writes to the cache of its client.
        self._engines.release(in_use)
        job.put(ended)
