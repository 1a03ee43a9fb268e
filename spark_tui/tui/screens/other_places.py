"""The edits of one request at other places: written in the background, shown one by one."""

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from spark_tui.session.alternatives import Alternatives, PlacedAnswer
from spark_tui.session.events import Status
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.targets import in_words
from spark_tui.tui.turn_state import IN_TURN

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk


COUNT = 8
"""Answers at one place in all, if there are as many likely ones."""


class OtherPlaces:
    """Writes the edits of one request at other places, and goes through them.

    Mutable.

    Args:
        screen: Shows them.
        ended: Called once the engine is free again, for what is being typed.
    """

    def __init__(self, screen: Host, ended: Callable[[], None]) -> None:
        self._screen = screen
        self._ended = ended
        self._alternatives: Alternatives | None = None
        self._history: list[PlacedAnswer] = []
        """The answers that were shown, in that order; going back and on leads through them."""
        self._position = 0
        self._varied: Turn | None = None
        """The turn of which more answers were written, once no place had one that was not shown."""
        self._number: int | None = None
        """The number by which the runner stops the writing that is under way; None while there
        is none.
        """
        self._news = asyncio.Event()

    def write(self) -> None:
        """Begin to write the edits at other places, unless the shown edit is sure."""
        desk = self._screen.desk
        if desk is None or desk.turn is None or desk.turn.status is Status.OK:
            return
        alternatives = desk.session.alternatives_to(desk.turn)
        if alternatives is not None and not alternatives.are_written:
            self._begin(desk, alternatives)

    def stop(self) -> None:
        """Write no more edits at other places."""
        if self._number is not None and self._screen.desk is not None:
            self._screen.desk.session.runner.cancel(self._number)

    def go_on(self) -> None:
        """Go on to the likeliest other place with an edit, as the place on the screen has none."""
        desk = self._screen.desk
        turn = desk.turn if desk is not None else None
        if desk is None or turn is None or desk.session.alternatives_to(turn) is None:
            return
        self._screen.run_worker(self._go_on(desk, turn), group="going on", exit_on_error=False)

    async def _go_on(self, desk: "Desk", turn: "Turn") -> None:
        alternatives = desk.session.alternatives_to(turn)
        if alternatives is None:
            return
        self._enter(alternatives, turn)
        answer = await self._next(desk, alternatives, offered=True)
        is_waiting = not self._screen.prompt.text or self._screen.prompt.is_offered
        if answer is None or desk.turn is not turn or not is_waiting or self._screen.is_starting:
            return
        self._history.append(answer)
        self._show(desk, alternatives, len(self._history) - 1)
        if self._screen.prompt.is_offered:
            self._screen.prompt.put_away(self._screen.prompt.full)
        self._screen.begin_review(focus=True)
        self._screen.say(
            f"no edit found at {in_words(turn.region)}; this is the likeliest other place"
        )

    async def step(self, desk: "Desk", turn: "Turn", step: int) -> bool:
        """Show the next answer of all places, or the previous one.

        Returns:
            Whether one was shown; without one, the turn's place may have more answers that are not
            written yet.
        """
        alternatives = desk.session.alternatives_to(turn)
        if alternatives is None:
            return False
        self._enter(alternatives, turn)
        if step < 0 or self._position + step < len(self._history):
            position = max(0, min(self._position + step, len(self._history) - 1))
            return self._show(desk, alternatives, position)
        answer = await self._next(desk, alternatives)
        if answer is None or desk.turn is not turn:
            return answer is not None
        self._history.append(answer)
        return self._show(desk, alternatives, len(self._history) - 1)

    def _enter(self, alternatives: Alternatives, turn: "Turn") -> None:
        """Begin the history with the answer on the screen, if the request is a new one."""
        if self._alternatives is alternatives and self._history:
            return
        self._alternatives = alternatives
        self._history = []
        self._position = 0
        self._varied = None
        for answer in alternatives.answers():
            if answer.turn is turn and turn.file.is_whole(answer.candidate.file):
                self._history = [answer]

    @property
    def _is_writing(self) -> bool:
        return self._number is not None

    async def _next(
        self, desk: "Desk", alternatives: Alternatives, *, offered: bool = False
    ) -> PlacedAnswer | None:
        """The likeliest answer that was not shown yet; missing places are written first.

        Args:
            desk: Has the engine.
            alternatives: The places.
            offered: Whether only what a place offers by itself counts.
        """
        answer = self._unseen(alternatives, offered)
        while answer is None and not alternatives.are_written:
            if not offered:  # else why there is no edit here is still to be read
                stop = self._screen.keys.key("turn.stop")
                self._screen.say(f"writing the edit at the next place; {stop} stops it")
            self._news.clear()
            if not self._is_writing:
                self._begin(desk, alternatives)
            await self._news.wait()
            answer = self._unseen(alternatives, offered)
            if answer is None and not self._is_writing:
                return None  # it was stopped
        if answer is not None or offered or desk.turn is None or self._varied is desk.turn:
            return answer
        self._varied = desk.turn
        await drive(desk.session.runner, desk.turn.vary(COUNT), self._began)
        self._number = None
        return self._unseen(alternatives, offered)

    def _unseen(self, alternatives: Alternatives, offered: bool) -> PlacedAnswer | None:
        shown = [(answer.turn, answer.candidate.file) for answer in self._history]
        for answer in alternatives.answers():
            is_left = (answer.turn, answer.candidate.file) not in shown
            if is_left and (answer.turn.status.offers or not offered):
                return answer
        return None

    def _show(self, desk: "Desk", alternatives: Alternatives, position: int) -> bool:
        if not self._history:
            return False
        answer = self._history[position]
        self._position = position
        turn = answer.turn
        is_another = desk.turn is not turn
        if is_another:
            desk.show_alternative(turn, alternatives.events_of(turn))
        if not turn.file.is_whole(answer.candidate.file):
            turn.show(answer.candidate)
        wrong = "; ".join(check.fault for check in turn.checks if not check.ok)
        desk.view.close([part.hunk for part in turn.parts], wrong)
        desk.refresh()
        self._screen.run_frames()
        if is_another and desk.view.hunks and not self._screen.prompt.text:
            self._screen.bench.follow()
            self._screen.bench.begin_review(focus=True)
        who = f"{turn.writer} in " if turn.before or desk.session.is_succeeded(turn) else ""
        likely = "" if turn.before else f": {_likelihood(answer.weight)}"
        self._screen.say(f"{who}{in_words(turn.region)}{likely}")
        return True

    def _begin(self, desk: "Desk", alternatives: Alternatives) -> None:
        self._number = 0
        self._screen.run_worker(
            self._write(desk, alternatives), group="other places", exit_on_error=False
        )

    async def _write(self, desk: "Desk", alternatives: Alternatives) -> None:
        try:
            await drive(desk.session.runner, alternatives.write(), self._began, self._take)
        finally:
            self._number = None
            self._news.set()
            if self._screen.is_attached and self._screen.view.phase not in IN_TURN:
                self._screen.paint_words()
                self._ended()

    def _began(self, number: int) -> None:
        self._number = number

    def _take(self, finished: "Turn | None") -> None:
        if finished is not None:
            self._news.set()


def _likelihood(logprob: float) -> str:
    share = math.exp(min(0.0, logprob)) * 100
    return f"likelihood {share:.0f} %" if share >= 1 else "likelihood below 1 %"
