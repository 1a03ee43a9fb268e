"""Drives an iterator on a thread of its own, so that its caller stays free.

The runner knows nothing of the iterator. Flags are read between items; an item already begun is
finished and handed over. A signal asks a forward pass under way to let that be soon.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from spark_tui.errors import Interrupted
from spark_tui.stop_signal import StopSignal, current_signal

T = TypeVar("T")
_DONE = object()  # the end of an iterator, which may give any other value


@dataclass(slots=True)
class _Job:
    """A turn on the thread: its iterator, its callbacks, and what was requested of it."""

    number: int
    iterator: Generator[Any, None, None]
    on_item: Callable[[Any], None]
    on_end: Callable[[Exception | None], None]
    pause_asked_at: float | None = None
    cancelled: bool = False
    is_over: bool = False


class Runner:
    """Runs one turn at a time, in the order of their start; safe to use from any thread.

    `pause`, `resume` and `cancel` name their turn, so a late call does nothing to the next turn.
    The thread is a daemon and lives only while there are turns.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: deque[_Job] = deque()
        self._thread: threading.Thread | None = None
        self._signal = StopSignal()
        self.turn_id = 0
        """The turn started last; 0 before the first."""
        self.paused = False
        """Whether a turn is paused and the thread has stopped for it."""
        self.last_stop_ms: float | None = None
        """Milliseconds from the last effective `pause` until the thread stood still; None before.
        """

    @property
    def idle(self) -> bool:
        """Whether every turn has ended and its `on_end` has returned."""
        return not self._jobs

    @property
    def is_free(self) -> bool:
        """Whether no turn has an item left, although the `on_end` of the last one may still run.

        Who was woken by that `on_end` finds the runner free, and perhaps not yet idle.
        """
        with self._changed:
            return all(job.is_over for job in self._jobs)

    def start(
        self,
        items: Generator[T, None, None],
        on_item: Callable[[T], None],
        on_end: Callable[[Exception | None], None],
    ) -> int:
        """Start a turn; the one before is cancelled, and closed before this one's first item.

        Args:
            items: The turn; only the runner's thread touches it.
            on_item: Called on that thread with each item.
            on_end: Called there once: with None when the turn ended or was cancelled, else with the
                exception that the turn or `on_item` raised. An exception of `on_end` itself goes to
                `threading.excepthook`.

        Returns:
            The turn's id.
        """
        with self._changed:
            for earlier in self._jobs:
                earlier.cancelled = True
                # Ends the pass under way between two layers, so that the new turn need not wait for
                # it.
                self._signal.set()
            self.turn_id += 1
            self._jobs.append(_Job(self.turn_id, items, on_item, on_end))
            self.paused = False
            self._ensure_thread()
            self._changed.notify_all()
            return self.turn_id

    def pause(self, turn_id: int) -> None:
        """Stop before the turn's next item, until `resume`."""
        with self._changed:
            for job in self._named(turn_id):
                if job.pause_asked_at is None:
                    job.pause_asked_at = time.perf_counter()
                    self._signal.set()
            self._changed.notify_all()

    def resume(self, turn_id: int) -> None:
        """Go on after a pause, with the very next item."""
        with self._changed:
            for job in self._named(turn_id):
                job.pause_asked_at = None
                self.paused = False
            self._changed.notify_all()

    def pause_here(self) -> None:
        """Stop the running turn after the item it is about to give; only its own iterator calls."""
        self.pause(self._jobs[0].number)

    def hold(self) -> None:
        """Pause the running turn from within its own iterator, until `resume`.

        Raises:
            Interrupted: The turn was cancelled and must end.
        """
        self.pause_here()
        if not self._goes_on(self._jobs[0]):
            raise Interrupted("the turn was ended while it was held")

    def linger(self, seconds: float) -> None:
        """Let time pass within the iterator of the running turn.

        A pause stops the turn there, until `resume`.

        Raises:
            Interrupted: The turn was cancelled and must end.
        """
        job = self._jobs[0]
        with self._changed:
            self._changed.wait_for(lambda: job.pause_asked_at is not None or job.cancelled, seconds)
        if not self._goes_on(job):
            raise Interrupted("the turn was ended while it waited")

    def cancel(self, turn_id: int) -> None:
        """End the turn before its next item, paused or not.

        The runner's thread closes the iterator.
        """
        with self._changed:
            for job in self._named(turn_id):
                job.cancelled = True
                self.paused = False
                self._signal.set()
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until `idle`; never from a callback.

        Args:
            timeout: Seconds.

        Returns:
            Whether the runner is idle.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self.idle, timeout)

    def wait_stopped(self, timeout: float | None = None) -> bool:
        """Wait until `paused` or `idle`; never from a callback.

        Args:
            timeout: Seconds.

        Returns:
            Whether the runner is paused or idle.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self.idle or self.paused, timeout)

    def _named(self, turn_id: int) -> list[_Job]:
        return [job for job in self._jobs if job.number == turn_id]

    def _ensure_thread(self) -> None:
        if self._jobs and self._thread is None:
            self._thread = threading.Thread(target=self._work, name="spark-runner", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        """Run the jobs one after the other: ask each for its items until it ends."""
        current_signal.set(self._signal)
        try:
            while self._jobs:
                job = self._jobs[0]
                with self._ending(job):
                    while self._goes_on(job):
                        item = next(job.iterator, _DONE)
                        if item is _DONE:
                            break
                        job.on_item(item)
        finally:
            with self._changed:
                self._thread = None
                # for a turn started just now, or waiting behind an `on_end` that raised
                self._ensure_thread()

    @contextmanager
    def _ending(self, job: _Job) -> Iterator[None]:
        """Close the job after the block, report how it ended, and take it off the list."""
        ended_by: Exception | None = None
        try:
            try:
                with closing(job.iterator):
                    yield
            except Exception as error:  # noqa: BLE001 - told by on_end
                if not (job.cancelled and isinstance(error, Interrupted)):
                    ended_by = error
            with self._changed:
                job.is_over = True
            job.on_end(ended_by)
        finally:
            with self._changed:
                # Not before `on_end` has returned: who waits for `idle` relies on what that did.
                self._jobs.popleft()
                self._changed.notify_all()

    def _goes_on(self, job: _Job) -> bool:
        """Whether to ask for another item; blocks while the turn is paused."""
        with self._changed:
            while job.pause_asked_at is not None and not job.cancelled:
                self._park(job, job.pause_asked_at)
            self._signal.clear()  # an item was handed over, which is all that it asks for
            return not job.cancelled

    def _park(self, job: _Job, asked_at: float) -> None:
        """Block until this pause is over; a newer one may have begun by then."""
        self.last_stop_ms = (time.perf_counter() - asked_at) * 1000
        self.paused = True
        self._changed.notify_all()
        self._changed.wait_for(lambda: job.pause_asked_at != asked_at or job.cancelled)
