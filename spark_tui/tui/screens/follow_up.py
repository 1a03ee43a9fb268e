"""Offers in the prompt, after an accept, the part of the instruction that is still undone.

The model finds that part; a follow-up that the user types is an ordinary instruction.
"""

from functools import partial
from typing import TYPE_CHECKING

from spark_tui.errors import SparkError
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.widgets.message_line import Note

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn

_LEFT = "the rest is not done yet: Enter asks for it"


class FollowUp:
    """Has the model read a turn's instruction again once the whole edit is accepted.

    Typing stops the model.
    """

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._number = 0

    def look(self) -> None:
        """Look whether anything of the instruction is left, once files were written."""
        screen = self._screen
        controller = self._screen.controller
        turn = controller.turn if controller else None
        if (
            controller
            and turn
            and self._waits(controller, turn)
            # everything was accepted: whoever rejected a part does not want it offered again
            and turn.file.is_whole(turn.review.base)
        ):
            screen.run_worker(self._look(controller, turn), group="following", exclusive=True)

    def stop(self) -> None:
        """Stop looking, as the user writes or asks for something else."""
        if self._number and self._screen.controller is not None:
            self._screen.controller.session.runner.cancel(self._number)
        self._number = 0

    async def _look(self, controller: "Controller", turn: "Turn") -> None:
        screen = self._screen
        rest = list[str | None]([None])
        looks = controller.session.left_over(turn)
        began = partial(setattr, self, "_number")
        try:
            await drive(controller.session.runner, looks, began, rest.append)
        except SparkError:
            return  # nobody asked for it
        # `stop` may have come while the last item was on its way.
        if self._number and rest[-1] and self._waits(controller, turn):
            screen.prompt.offer(rest[-1])
            # behind the message of the accept, which nobody may have read yet
            screen.say("; ".join(filter(None, [screen.query_one(Note).words, _LEFT])))

    def _waits(self, controller: "Controller", turn: "Turn") -> bool:
        """Whether nothing is open or under way, and nothing has happened since the turn."""
        is_free = not (controller.is_busy or controller.view.hunks)
        return controller.turn is turn and is_free and not self._screen.prompt.text
