"""Watches the file under review for edits by other programs, and checks the user's own changes."""

import asyncio
from typing import TYPE_CHECKING

from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import every

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn

LOOK_S = 1.0  # seconds between two looks at the file


class FileWatch:
    """Looks at the file once a second, and checks the review again after each change by the user.

    `screen` then shows the file and the check as they are.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._looking = False
        """Whether the file is being read."""
        self._judging = False
        """Whether the user's edits are being checked."""

    def mount(self) -> None:
        """Begin to look at the file."""
        every(LOOK_S, self._screen, self.look)

    def look(self) -> None:
        """See whether the file has changed on disk, unless spark may be writing it."""
        screen = self._screen
        controller = self._screen.controller
        if controller is None or controller.turn is None or not screen.is_current:
            return
        if not (self._looking or controller.is_busy or screen.disk.locked()):
            self._looking = True
            screen.run_worker(self._look(controller, controller.turn), group="watch")

    async def _look(self, controller: "Controller", turn: "Turn") -> None:
        screen = self._screen
        try:
            async with screen.disk:  # a write of spark's own, half done, would look like an edit
                news = await asyncio.to_thread(controller.look_at_file, turn)
        finally:
            self._looking = False
        if news and controller.turn is turn:
            controller.refresh()
            screen.run_frames()
            if controller.is_in_place(turn):
                screen.say("the work tree was edited; the review shows it as it is now")

    def judge(self) -> None:
        """Check the edit as the user left it, unless the result is known."""
        screen = self._screen
        controller = self._screen.controller
        if controller is None or controller.turn is None or self._judging:
            return
        if controller.view.verdict is None and controller.view.phase is TurnPhase.REVIEW:
            self._judging = True
            screen.run_worker(self._judge(controller, controller.turn), group="judge")

    async def _judge(self, controller: "Controller", turn: "Turn") -> None:
        # The first paint waits for no session.
        from spark_tui.session.accept import verdict  # noqa: PLC0415

        hunks = controller.view.hunks
        try:
            fault = await asyncio.to_thread(verdict, turn)
        finally:
            self._judging = False
        # Each change brings another tuple: the same one means that nothing has changed meanwhile.
        if controller.view.hunks is hunks:
            controller.view.judged(fault)
            self._screen.paint()
        else:
            self.judge()
