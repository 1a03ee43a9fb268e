"""Has a second model judge the answers of a turn that is not sure, while the user reads the first.

The answer that it prefers takes the place of the one shown only while nobody can have read that:
within `CHANGES_S`, and before a key. Later it is the next answer, and the message line says so.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.session.events import Status
from spark_tui.session.turn import Verdict
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.second_model import SecondModel
    from spark_tui.session.turn import Turn

CHANGES_S = 2.0
"""Seconds in which another answer may take the place of the one shown."""
_JUDGES = "{name} judges the answers"
_CHANGED = "{name} prefers this answer; {key} shows the one of {writer}"
_OTHER = "{name} prefers another answer: {key} shows it"


class JudgedAnswer:
    """Shows what a second model makes of the answers. Mutable.

    Args:
        screen: Shows the answers.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._number: int | None = None
        """The number by which the runner stops the judge; None while it is not at work."""

    def begin(self, then: Callable[[], None]) -> None:
        """Have the answers of the turn on the screen judged, where that may help.

        Args:
            then: Called afterwards, unless the judge was stopped; at once where nothing is judged.
        """
        controller = self._screen.controller
        turn = controller.turn if controller is not None else None
        if (
            controller is None
            or turn is None
            or turn.second is None
            or turn.status is not Status.UNSURE
            or not turn.may_be_judged
        ):
            then()
            return
        self._number = 0  # at work from now on; the runner's number comes once it has begun
        work = self._judge(controller, turn, turn.second, then)
        self._screen.run_worker(work, group="judged answer", exit_on_error=False)

    def stop(self) -> None:
        """Stop the judge; the answer on the screen stands as it is."""
        if self._number is not None and self._screen.controller is not None:
            self._screen.controller.session.runner.cancel(self._number)

    def _began(self, number: int) -> None:
        self._number = number

    async def _judge(
        self,
        controller: "Controller",
        turn: "Turn",
        second: "SecondModel",
        then: Callable[[], None],
    ) -> None:
        screen = self._screen
        view = controller.view
        shown_at = screen.clock()
        inputs = screen.inputs
        view.judging = _JUDGES.format(name=second.name)
        screen.paint_words()
        problem = ""
        try:
            await drive(controller.session.runner, turn.have_judged(), self._began)
        except SparkError as e:
            problem = str(e)
        finally:
            self._number = None
            view.judging = ""
        if not screen.is_attached or controller.turn is not turn or screen.phase in IN_TURN:
            return
        if problem or turn.unjudged:
            screen.say(problem or turn.unjudged, look="warning")
        is_unread = screen.inputs == inputs and screen.clock() - shown_at < CHANGES_S
        self._tell(controller, turn, second, turn.take_verdict(may_change=is_unread))
        if turn.candidates.are_judged or problem or turn.unjudged:
            then()

    def _tell(
        self, controller: "Controller", turn: "Turn", second: "SecondModel", verdict: Verdict
    ) -> None:
        """Show what became of the answers."""
        screen = self._screen
        if verdict is Verdict.CHANGED:
            # No event has told the view that the hunks of this answer are complete.
            wrong = "; ".join(check.fault for check in turn.checks if not check.ok)
            controller.view.close([part.hunk for part in turn.parts], wrong)
        controller.refresh()
        screen.run_frames()
        screen.paint_words()
        key = screen.keys.key("variation.next")
        if verdict is Verdict.CHANGED:
            screen.say(_CHANGED.format(name=second.name, key=key, writer=turn.writer))
        elif verdict is Verdict.OTHER:
            screen.say(_OTHER.format(name=second.name, key=key))
