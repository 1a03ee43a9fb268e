"""Record the demo: spark itself, with its own model, at work on examples/expenses.

Writes demo.cast and demo.svg to the folder given, or beside this file. Only the clock is the
story's own: the meters show what was measured while it was recorded.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import films
from spark_tui.cli.common import open_session
from spark_tui.cli.open import PROJECT, make_copy
from spark_tui.config import Settings
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.undo import TurnScreen
from textual.pilot import Pilot

SIZE = (100, 24)
PACE = 12
"""Tokens a second: as fast as one can read."""
FIRST, THEN = "make the category lower case in load()", "upper case instead"
STOP_AT = 37
"""The token at which Esc is pressed."""
PATIENCE_S = 240
"""The whole story takes less, or something does not come."""
READ_S = 0.2
"""A key that comes at once is not taken for an answer."""


class Recorder:
    """Plays spark in `folder` without a terminal, and keeps what would stand on one."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(pace=str(PACE))
        self.app = SparkApp(partial(open_session, folder, settings), settings)
        self.frames: list[films.Frame] = []
        self.seconds = 0.0

    async def play(self) -> None:
        """The whole story."""
        main, screen = self.app.main, lambda: self.app.screen
        async with asyncio.timeout(PATIENCE_S), self.app.run_test(size=SIZE) as pilot:
            self._pilot: Pilot[None] = pilot
            await self._see(
                1.5,
                until=lambda: (
                    main.controller is not None and main.controller.pacer.pace is not None
                ),
            )
            await self._type(FIRST)
            await pilot.press("enter")
            await self._watch(until=lambda: main.view.figures.tokens >= STOP_AT)
            await pilot.press("escape")
            await self._see(2.5, until=lambda: main.view.phase is TurnPhase.PAUSED)
            await self._type(THEN)
            await pilot.press("enter")
            await self._watch(until=lambda: main.view.phase is TurnPhase.REVIEW)
            await self._see(2.5)
            await pilot.press("a")
            await self._see(3.0, until=lambda: not main.view.hunks and not main.busy)
            await pilot.press("tab", "u")
            await self._see(3.0, until=lambda: isinstance(screen(), TurnScreen))
            await pilot.press("u")
            await self._see(4.0, until=lambda: bool(main.view.hunks) and screen() is main)

    async def _type(self, words: str) -> None:
        for letter in words:
            await self._pilot.press("space" if letter == " " else letter)
            self._shoot(0.06)
        await self._see(1.0)

    async def _watch(self, until: Callable[[], bool]) -> None:
        """A frame for each token, until something is so."""
        seen = 0
        while not until():
            await self._pilot.pause(0.005)
            if (now := self.app.main.view.figures.tokens) != seen:
                seen = now
                self._shoot(1 / PACE)

    async def _see(self, lasts: float, until: Callable[[], bool] = lambda: True) -> None:
        """A frame once something is so and nothing moves any more."""
        while not until():
            await self._pilot.pause(0.01)
        await self._pilot.pause(READ_S)
        self._shoot(lasts)

    def _shoot(self, lasts: float) -> None:
        """Keep the screen as it is now.

        Args:
            lasts: Seconds it is shown for; how long it took does not matter.
        """
        rows = self.app.screen._compositor.render_strips()
        if not self.frames or self.frames[-1][1] != rows:
            self.frames.append((self.seconds, rows))
        self.seconds += lasts


def record(folder: Path) -> None:
    """Record, and write both films to `folder`."""
    with tempfile.TemporaryDirectory() as own:
        os.environ.update({f"XDG_{what}_HOME": own for what in ("CONFIG", "STATE")})
        recorder = Recorder(make_copy().rename(Path(own) / PROJECT))
        asyncio.run(recorder.play())
    (folder / "demo.cast").write_text(films.cast(recorder.frames, SIZE))
    (folder / "demo.svg").write_text(films.svg(recorder.frames, SIZE, lasts=recorder.seconds))


if __name__ == "__main__":
    record(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
