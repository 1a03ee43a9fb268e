"""Opens the screen, and stays until the user leaves."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.driver import Driver

from spark_tui.config import Settings
from spark_tui.tui.app import SparkApp
from spark_tui.tui.gil_priority import gil_priority
from spark_tui.tui.overlays import Outside
from spark_tui.tui.terminal import SparkDriver

if TYPE_CHECKING:
    from spark_tui.session.session import Session
    from spark_tui.tui.watchdog import Watchdog


def run(
    load: "Callable[[], Session]", settings: Settings, *, prompt: str = "", tell: Callable[[str], object] = str,
    watchdog: "Watchdog | None" = None, outside: Outside | None = None, clock: Callable[[], float] = time.monotonic,
) -> int:  # fmt: skip
    """Open the screen and stay until the user leaves.

    Args: load: how to get a session; called in a thread after the first paint. prompt: typed in, not sent.
        tell: takes the last words, once the screen is gone. watchdog: of this terminal. outside: what else it should
        know. clock: seconds; for tests.
    Returns: the exit code. Raises: SparkError: the session cannot be opened; anything else is a bug.
    """
    driver = cast("type[Driver]", partial(SparkDriver, watchdog=watchdog))
    app = SparkApp(load, settings, prompt=prompt, clock=clock, driver_class=driver, outside=outside)
    try:
        with gil_priority() as runner:
            app.run(mouse=settings.mouse, loop=runner.get_loop())
    finally:
        app.let_go()
    if app.failure is not None:
        raise app.failure
    for line in app.last_words.splitlines():
        tell(f"spark: {line}")
    return app.return_code or 0
