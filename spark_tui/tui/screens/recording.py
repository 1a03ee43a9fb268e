"""What was accepted, from then on: taken back, done again, and committed."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.tui.screens.cancellable_work import Asker, CancellableWork
from spark_tui.tui.screens.commit import CommitChoice, CommitScreen
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.undo_preview import TurnScreen, previewed

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk
    from spark_tui.vcs.preview import Chosen, Preview


class Recording:
    """What the user asks of the journal and of git. What may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, preparing: CancellableWork, sending: PromptDispatch) -> None:
        self._screen, self._preparing, self._sending = screen, preparing, sending
        self._message = ""
        """Words for a commit that was not made."""

    def turn(self, *, back: bool) -> None:
        """Undo, or redo, once the user has seen what that does; what wrote nothing, as a rejection, at once."""
        screen = self._screen
        if (desk := screen.desk) is None:
            return
        before = screen.bench.known
        if not screen.busy and (words := desk.step_back(again=not back)):
            screen.run_frames()
            screen.bench.select_other_than(before)
            screen.say(words)
        elif not (back or desk.turn is None or desk.turn.file.journal_leads_on):
            screen.say("nothing to redo here; /log can redo earlier edits")
        else:
            screen.run_worker(self._turn(desk, back=back), group="disk")

    def commit(self) -> None:
        """Stage and commit what was accepted, if there is something to commit."""
        if (desk := self._screen.desk) is not None:
            self._screen.run_worker(self._offer_commit(desk), group="disk")

    async def _turn(self, desk: "Desk", *, back: bool) -> None:
        screen = self._screen
        before = screen.bench.known
        with screen.telling():
            work = partial(desk.session.past.preview_last, back=back)
            if (words := await self.carry_out(desk, screen, work, back=back)) is not None:
                other = f"{screen.way_to('redo')} redoes it" if back else f"{screen.way_to('undo')} takes it back"
                screen.say(f"{words}; {other}")
                screen.bench.select_other_than(before)

    async def carry_out(
        self, desk: "Desk", asker: Asker, work: "Callable[[Chosen | None], Preview]", *, back: bool
    ) -> str | None:
        """Take something back, or do it again, once the user has seen what that does.

        Args: asker: the screen that it is for. work: what it comes to; see `previewed`.
        Returns: that in words; None: it is left. Raises: SparkError.
        """
        screen = self._screen
        try:
            found = await previewed(asker, self._preparing, work, screen.clock, back=back)
            if found is None or not await self._agreed(*found):
                return None
            async with screen.disk:
                words = desk.turned(await asyncio.to_thread(desk.turn_batch, found[0]))
            screen.app.clear_notifications()
            screen.post_message(screen.Written())
        finally:
            screen.show_notices()
        desk.refresh()
        screen.run_frames()
        self._sending.read_ahead()
        return words

    async def _agreed(self, preview: "Preview", kept: bool) -> bool:
        """Whether it is to be done as shown; where the user keeps all that is there, nothing is left to show."""
        if kept and not preview.patch:
            return True
        screen = self._screen
        return await screen.app.push_screen_wait(TurnScreen(preview, screen.clock, screen.keys, screen.write))

    async def _offer_commit(self, desk: "Desk") -> None:
        """Ask for the message."""
        screen = self._screen

        def decided(answer: CommitChoice | None) -> None:
            if answer is not None:
                self._message = answer.message if answer.message != offer.message else ""
                screen.run_worker(self._put_into_git(desk, answer), group="disk")

        with screen.telling():
            offer = await self._preparing.work("commit", desk.offer)
            screen.paint_words()
            screen.app.push_screen(CommitScreen(offer, screen.keys, own=self._message), decided)

    async def _put_into_git(self, desk: "Desk", answer: CommitChoice) -> None:
        screen = self._screen
        with screen.telling():
            async with screen.disk:
                words = await asyncio.to_thread(desk.put_into_git, answer.message if answer.commit else None)
            if answer.commit:
                self._message = ""
            screen.say(words)
            screen.paint_words()
            screen.show_notices()
