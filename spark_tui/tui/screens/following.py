"""After an accept: where the same words still ask for something, for a second step, say, they stay in the prompt."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.tui.screens.driving import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.view import IN_TURN
from spark_tui.tui.widgets.note import Note

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk

_LEFT = "more may be left of it: Enter sends the words again"


class Following:
    """Tries the words of a turn again, unseen, on what they left; what is written meanwhile ends that."""

    def __init__(self, screen: Host) -> None:
        self._screen, self._number = screen, 0
        self.tried = 0
        """How often that was done."""

    def look(self) -> None:
        """Files were written: see what is left, if a turn is through and all of it was accepted."""
        screen, desk = self._screen, self._screen.desk
        through = desk is not None and screen.view.phase not in IN_TURN and not screen.view.hunks
        if desk and through and desk.turn and not screen.prompt.text:
            screen.run_worker(self._look(desk, desk.turn), group="following", exclusive=True)

    def stop(self) -> None:
        """The user writes, or asks for something else."""
        if self._number and self._screen.desk is not None:
            self._screen.desk.session.runner.cancel(self._number)
            self._number = 0

    async def _look(self, desk: "Desk", turn: "Turn") -> None:
        screen = self._screen
        try:
            again = await asyncio.to_thread(desk.again, turn)
            if again is None or not self._waits(desk, turn):
                return
            await drive(desk.session.runner, again.events(), partial(setattr, self, "_number"))
        except SparkError:
            return  # nobody asked for it
        self.tried += 1
        if self._number and self._waits(desk, turn) and again.sure and again.hunks:
            screen.prompt.offer(again.request.instruction)
            screen.say("; ".join(filter(None, [screen.query_one(Note).words, _LEFT])))

    def _waits(self, desk: "Desk", turn: "Turn") -> bool:
        """Whether nothing has happened since the turn."""
        return desk.turn is turn and not (self._screen.prompt.text or self._screen.busy)
