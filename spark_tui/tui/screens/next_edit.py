"""Offers, after an accept, an edit at the next place that wants the same change."""

import asyncio
import threading
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import every

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.next_edit import NextEdit
    from spark_tui.session.turn import Turn

_LOOK_S = 1.0
"""How often to look whether the file of an offered edit is still the same."""


class NextEditOffer:
    """Has the next edit looked for once the whole edit of a turn is accepted. Mutable.

    The placeholder of the empty prompt names the edit until something is typed or written. A key
    opens the edit, and nothing is written before the user accepts it.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._found: NextEdit | None = None
        self._behind: Turn | None = None
        """The turn whose edit was accepted."""
        self._stop = threading.Event()
        """Ends the search."""

    def mount(self) -> None:
        """Begin to watch the files of offered edits."""
        every(_LOOK_S, self._screen, self._look_after)

    @property
    def words(self) -> str:
        """The offer, or "" where there is none."""
        found = self._found
        if found is None or not self._waits(self._behind):
            return ""
        added, removed = found.size
        name = visible(PurePath(found.turn.region.path).name)
        return f"next: +{added} −{removed} {name}, {self._screen.keys.key('focus.diff')}"

    def look(self) -> None:
        """Look for the next edit, once files were written; an older offer ends."""
        self.withdraw()
        controller = self._screen.controller
        if controller is None or controller.turn is None or not controller.settings.next_edit:
            return
        if self._waits(controller.turn):
            self._behind = controller.turn
            work = self._look(controller, controller.turn)
            self._screen.run_worker(work, group="next edit", exclusive=True, exit_on_error=False)

    def withdraw(self) -> None:
        """Offer nothing, and have a search that is under way end at the next token."""
        self._stop.set()
        if self._found is not None:
            self._found = None
            self._screen.paint_words()

    def open(self) -> bool:
        """Open the offered edit, as a turn of its own.

        Returns:
            Whether one is offered.
        """
        controller = self._screen.controller
        found = self._found
        if controller is None or found is None or not self.words:
            return False
        work = self._open(controller, found)
        self._screen.run_worker(work, group="next edit", exclusive=True)
        return True

    async def _look(self, controller: "Controller", turn: "Turn") -> None:
        stop = threading.Event()
        self._stop = stop
        found = None
        try:
            with suppress(SparkError):  # nobody asked for it
                found = await asyncio.to_thread(controller.session.next_edit, turn, stop.is_set)
            is_wanted = not stop.is_set()
        finally:
            # Where this worker is cancelled the thread still searches, and quitting would wait for
            # the thread.
            stop.set()
        if found is not None and is_wanted and self._waits(turn):
            self._found = found
            self._screen.paint_words()

    def _look_after(self) -> None:
        """Have an offer withdrawn if its file was edited meanwhile."""
        controller = self._screen.controller
        if controller is not None and self._found is not None:
            work = self._check(controller, self._found)
            self._screen.run_worker(work, group="next edit", exclusive=True)

    async def _check(self, controller: "Controller", found: "NextEdit") -> bool:
        """Whether an offer stands; an offer for a file that was edited is withdrawn."""
        is_current = await asyncio.to_thread(controller.session.is_current, found)
        if not is_current and found is self._found:
            self.withdraw()
        return is_current and found is self._found and bool(self.words)

    async def _open(self, controller: "Controller", found: "NextEdit") -> None:
        # The first paint waits for no session.
        from spark_tui.session.targets import in_words  # noqa: PLC0415

        screen = self._screen
        # The last look may be a second old.
        if not await self._check(controller, found):
            screen.say(f"{found.turn.region.path} was edited meanwhile: there is no next edit")
            return
        self._found = None
        controller.show_next(found)
        screen.bench.follow()
        screen.paint()
        screen.begin_review(focus=True)
        screen.say(f"the same change at {in_words(found.turn.region)}")

    def _waits(self, turn: "Turn | None") -> bool:
        """Whether nothing is open, under way or typed, and the turn is still the last one."""
        controller = self._screen.controller
        if controller is None or turn is None or controller.turn is not turn:
            return False
        is_free = not (controller.is_busy or controller.view.hunks)
        return is_free and not self._screen.prompt.text
