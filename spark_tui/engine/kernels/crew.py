"""Threads that join a pass while it runs. A pass never waits for one that has not come yet."""

import threading
from collections import deque
from typing import Any

import numpy as np

from spark_tui.engine.kernels.program import forward
from spark_tui.engine.kernels.shapes import Table
from spark_tui.engine.kernels.threads import GATE_BYTES, STEP_BYTES


class Crew:
    """`size` threads, the caller's among them; the others sleep between passes and end with the process."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._passes: deque[tuple[Any, Any, int]] = deque(maxlen=max(1, size - 1))
        self._called = threading.Semaphore(0)
        self._started = False

    def run(self, arguments: tuple[Any, ...], held: tuple[Any, ...], *, alone: bool) -> None:
        """Run a pass to its end.

        Args: arguments: of `forward` behind the rank. held: whatever must not be freed while a thread may look at it.
        """
        if not alone and self.size > 1:
            self._start()
            for rank in range(1, self.size):
                self._passes.append((arguments, held, rank))
                self._called.release()
        forward(0, *arguments)

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        for number in range(1, self.size):
            threading.Thread(target=self._help, name=f"spark-kernels-{number}", daemon=True).start()

    def _help(self) -> None:
        while True:
            self._called.acquire()
            try:
                arguments, held, rank = self._passes.popleft()
            except IndexError:  # a newer pass took its place
                continue
            forward(rank, *arguments)
            del arguments, held


def counters(steps: int) -> Table:
    """Where the threads of one pass tell each other how far they are: zeros."""
    return np.zeros((GATE_BYTES + steps * STEP_BYTES) // 8, np.int64)
