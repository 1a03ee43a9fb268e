"""Paints what a turn says, once a frame, and goes on to the review when it is over."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from spark_tui.crashes import problem_of
from spark_tui.tui.screens.host import Host
from spark_tui.tui.view import IN_TURN
from spark_tui.tui.widgets.note import Note

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk

FRAME_S = 1 / 60
_BACK = "the review is as it was before"


class Frames:
    """Has `screen` paint, and only while there is something to paint. Args: tell_over: is told that a turn ended."""

    def __init__(self, screen: Host, tell_over: Callable[[], object]) -> None:
        self._screen, self._tell_over = screen, tell_over
        self._timer: Timer | None = None
        self._ended_by: str | None = None
        """What ended a turn, "" where all went well, until the screen shows what came of it."""

    def mount(self) -> None:
        """From here on there is something to paint on."""
        self._timer = self._screen.screen.set_interval(FRAME_S, self._frame, pause=True)

    @property
    def ending(self) -> bool:
        """Whether a turn ended and the screen does not show yet what came of it."""
        return self._ended_by is not None

    def run(self) -> None:
        """Something comes: paint until nothing does."""
        assert self._timer is not None
        self._timer.resume()
        self._frame()

    def _frame(self) -> None:
        """Take what the turn said, and paint once."""
        screen, desk = self._screen, self._screen.desk
        if desk is None or self._timer is None:
            return
        was, failed = desk.view.phase, desk.view.problem
        news, error = desk.flush()
        if was in IN_TURN and desk.view.phase not in IN_TURN:
            self._ended_by = str(problem_of(error)) if error else ""
        if self._ended_by is not None and desk.current and desk.view.phase not in IN_TURN:
            self._over(desk, self._ended_by)
        elif news:
            screen.paint()
        screen.watching.judge()
        screen.query_one(Note).look_again()
        if desk.view.held:
            screen.say(desk.view.held)
            desk.view.held = ""
        if desk.view.problem and not failed:
            screen.paint()
            screen.say(f"the engine failed ({desk.view.problem}): Enter goes on from the last token", look="error")
        if desk.settled:
            self._timer.pause()

    def _over(self, desk: "Desk", problem: str) -> None:
        """The turn ended: on to the review, unless the user is writing."""
        self._ended_by = None
        self._tell_over()
        screen, turn, gave_up = self._screen, desk.turn, self._screen.sending.gave_up
        said = problem or (desk.view.message if desk.view.abstained else "")
        if desk.view.abstained and desk.asked is None and not (screen.prompt.text or gave_up):
            screen.prompt.offer(screen.sending.sent)  # a refusal is answered by writing on
        back = desk.come_back()
        words = screen.looking.words_back(turn) if said or back or not desk.view.hunks else ""
        said = "; ".join(filter(None, [said, words, _BACK if back else ""]))
        screen.paint()
        focus = bool(desk.view.hunks) and not screen.prompt.text and (back or not gave_up)
        screen.sending.gave_up = False
        screen.sending.read_ahead()
        if focus and not screen.bench.diff.has_focus:
            screen.holding.begin()
        screen.bench.begin_review(focus=focus, at=desk.asked)
        if said:
            screen.say(said, look="error" if problem else "warning", stays=True)
        elif desk.turn:
            odd = (desk.view.odd[hunk.id].words for hunk in screen.bench.selected if hunk.id in desk.view.odd)
            if words := "; ".join(filter(None, [desk.turn.note, *odd])):
                screen.say(words, look="warning")
