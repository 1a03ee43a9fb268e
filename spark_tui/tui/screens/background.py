"""Runs other work than the turn on the screen on the engine's thread, for a worker that waits."""

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
        began: Is told the number that cancels it.
        take: Gets each item, in the interface's thread.

    Raises:
        What ended it.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[Exception | None] = loop.create_future()

    def end(error: Exception | None) -> None:
        if not over.done():  # nobody waits any more where the screen is gone
            over.set_result(error)

    def tell(does: Callable[[Any], object], what: Any) -> None:
        with suppress(RuntimeError):  # the loop is over already
            loop.call_soon_threadsafe(does, what)

    began(runner.start(items, lambda item: tell(take, item), lambda error: tell(end, error)))
    if (error := await over) is not None:
        raise problem_of(error)
