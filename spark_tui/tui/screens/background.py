"""Runs work on the engine's thread for a worker that waits, such as answers at other places.

The turn on the screen has its own way (`session/playback.py`), as it can pause.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spark_tui.crash_report import problem_of

if TYPE_CHECKING:
    from spark_tui.session.runner import Runner


async def drive(
    runner: "Runner",
    items: Generator[Any, None, None],
    began: Callable[[int], None],
    take: Callable[[Any], object] = lambda _: None,
) -> None:
    """Run the work to its end, or until it is cancelled.

    Args:
        runner: Owns the engine's thread.
        items: The work.
        began: Called with the number that cancels the work.
        take: Called with each item, in the interface's thread.

    Raises:
        The error that ended the work.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[Exception | None] = loop.create_future()

    def end(error: Exception | None) -> None:
        if not over.done():  # a worker that was cancelled, as its screen is gone, waits no more
            over.set_result(error)

    # The runner calls back on its own thread. Items and the end go through one queue of the loop,
    # so the last item is taken before the end is known.
    def tell(does: Callable[[Any], object], what: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: spark is being left
            loop.call_soon_threadsafe(does, what)

    began(runner.start(items, lambda item: tell(take, item), lambda error: tell(end, error)))
    if (error := await over) is not None:
        raise problem_of(error)
