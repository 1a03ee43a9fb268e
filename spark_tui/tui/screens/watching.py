"""The file under review in other programs: what they do to it is seen while the review is on the screen."""

import asyncio
from typing import TYPE_CHECKING

from spark_tui.tui.ticking import every
from spark_tui.tui.view import IN_TURN

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk
    from spark_tui.tui.screens.main import MainScreen

LOOK_S = 1.0


class Watching:
    """Looks at the file from time to time, and has `screen` show it as it is; never writes."""

    def __init__(self, screen: "MainScreen") -> None:
        self._screen = screen
        self._looking = False

    def mount(self) -> None:
        """Begin."""
        every(LOOK_S, self._screen, self._tick)

    def _tick(self) -> None:
        screen, desk = self._screen, self._screen.desk
        idle = not (self._looking or screen.busy or screen.disk.locked() or screen.view.phase in IN_TURN)
        if idle and screen.is_current and desk is not None and desk.turn is not None:
            self._looking = True
            screen.run_worker(self._look(desk, desk.turn), group="watch")

    async def _look(self, desk: "Desk", turn: "Turn") -> None:
        screen = self._screen
        try:
            async with screen.disk:  # what spark itself is just writing is no news
                news = await asyncio.to_thread(desk.look_at_file, turn)
        finally:
            self._looking = False
        if news and desk.turn is turn:
            desk.refresh()
            screen.run_frames()
