"""The screen's loop goes first, and still hears of all that comes from outside."""

import asyncio
import os
import sys
import threading
import time

from spark_tui.tui.driver import gil_priority

PATIENCE_S = 10.0


def test_other_threads_wait_long_for_a_loop_at_work_and_briefly_where_it_waits() -> None:
    before, seen = sys.getswitchinterval(), list[float]()

    async def work_and_wait() -> None:
        seen.append(sys.getswitchinterval())
        loop, answered = asyncio.get_running_loop(), asyncio.Event()

        def ask() -> None:
            deadline = time.monotonic() + PATIENCE_S
            while sys.getswitchinterval() > before and time.monotonic() < deadline:
                time.sleep(0)
            seen.append(sys.getswitchinterval())
            loop.call_soon_threadsafe(answered.set)

        asking = threading.Thread(target=ask)
        asking.start()
        await answered.wait()
        asking.join()

    with gil_priority() as runner:
        runner.run(work_and_wait())
    at_work, waiting = seen
    assert waiting < before < at_work
    assert sys.getswitchinterval() == before


def test_a_loop_that_never_rests_hears_what_comes_and_lets_others_work() -> None:
    async def work() -> None:
        there, here = os.pipe()
        loop, came = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(there, came.set)
        writing = threading.Thread(target=os.write, args=(here, b"x"))
        writing.start()
        async with asyncio.timeout(PATIENCE_S):
            while not came.is_set():
                await asyncio.sleep(0)
        loop.remove_reader(there)
        writing.join()
        os.close(there)
        os.close(here)

    with gil_priority() as runner:
        runner.run(work())
