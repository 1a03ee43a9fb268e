"""What was accepted, from then on: taken back, done again, and committed."""

import asyncio
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.tui.screens.commit import Answer, CommitScreen

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk
    from spark_tui.tui.screens.main import MainScreen


class Recording:
    """What the user asks of the journal and of git. What may wait runs in workers of `screen`."""

    def __init__(self, screen: "MainScreen") -> None:
        self._screen = screen

    def turn(self, *, back: bool) -> None:
        """Undo, or redo."""
        if (desk := self._screen.desk) is not None:
            self._screen.run_worker(self._turn(desk, back=back), group="disk")

    def commit(self) -> None:
        """Stage and commit what was accepted, if there is something to commit."""
        if (desk := self._screen.desk) is not None:
            self._screen.run_worker(self._offer_commit(desk), group="disk")

    async def _turn(self, desk: "Desk", *, back: bool) -> None:
        screen = self._screen
        before = screen.view.hunks
        try:
            async with screen.disk:
                words = await asyncio.to_thread(desk.undo if back else desk.redo)
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        finally:
            screen.show_notices(desk)
        desk.refresh()
        screen.say(words)
        screen.run_frames()
        screen.bench.select_other_than(before)

    async def _offer_commit(self, desk: "Desk") -> None:
        """Ask for the message."""
        screen = self._screen
        try:
            paths, message, where = await asyncio.to_thread(desk.offer)
        except SparkError as e:
            screen.say(str(e), look="error")
            return

        def decided(answer: Answer | None) -> None:
            if answer is not None:
                screen.run_worker(self._put_into_git(desk, answer), group="disk")

        screen.app.push_screen(CommitScreen(paths, message, where), decided)

    async def _put_into_git(self, desk: "Desk", answer: Answer) -> None:
        screen = self._screen
        try:
            async with screen.disk:
                words = await asyncio.to_thread(desk.put_into_git, answer.message)
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        screen.say(words)
        screen.show_notices(desk)
