"""Keeps reviews that were open when another turn took their place, and brings them back.

The module knows no widgets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spark_tui.session.events import Status
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import IN_TURN, TurnPhase, TurnState

MOST = 20
"""Reviews kept; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Left:
    """A review that was left open.

    Args:
        continued: Whether the turn behind it goes on from what this one wrote.
    """

    turn: Turn
    view: TurnState
    continued: bool


class LeftOpen:
    """The open reviews behind the turn on the screen, the latest on top.

    The turn on the screen rewrites one hunk of the latest, goes on from what that one wrote, or
    simply took its place.

    Mutable.
    """

    def __init__(self) -> None:
        self._left: list[Left] = []

    def __iter__(self) -> Iterator[Left]:
        return iter(self._left)

    @property
    def last(self) -> Left | None:
        """The review that would come back."""
        return self._left[-1] if self._left else None

    def leave(self, turn: Turn | None, view: TurnState, *, goes_on: bool) -> None:
        """Remember the review of a turn whose place another turn takes.

        Reviews kept before stay as long as the turn still runs.

        Args:
            goes_on: Whether the new turn goes on from what the old one wrote.
        """
        # The review is left open if hunks wait in it, or if the new turn goes on from what is
        # written of it. Otherwise it is over: what was left behind it goes with it, except while a
        # turn runs in which nothing was decided.
        running = view.phase in IN_TURN
        if turn is not None and (
            view.phase is TurnPhase.REVIEW or (goes_on and running and turn.closed_hunks)
        ):
            if goes_on:
                # The new turn shares this review and will change it; what comes back must not.
                turn.file.stand_alone()
            self._left = [*self._left, Left(turn, view, goes_on)][-MOST:]
        elif turn is None or not running or (turn.file.worked_at and turn.asked_at is None):
            self._left = []
        elif self._left:
            self._left[-1] = replace(self._left[-1], continued=False)

    def leads_back(self, turn: Turn) -> bool:
        """Whether giving a turn up brings the last review back, whatever the turn wrote."""
        continued = self.last is not None and self.last.continued
        return turn.asked_at is not None or (continued and not turn.file.worked_at)

    def comes_back(self, turn: Turn) -> bool:
        """Whether the last review comes back by itself, as the turn that ended came to nothing."""
        if turn.status.offers or turn.reply:
            return False
        nothing = turn.status is Status.ABSTAINED or not turn.hunks
        return self.leads_back(turn) or (nothing and not turn.file.worked_at)

    def can_step_back(self, turn: Turn) -> bool:
        """Whether taking a turn back brings the last review back.

        That holds if the user did nothing to the turn, or took all of that back.
        """
        return (
            turn.file.as_written
            and self.last is not None
            and self.last.turn.status is not Status.RUNNING
        )

    def take(self) -> Left | None:
        """Remove and return the latest review in which something is still open, if any."""
        while self._left:
            if (left := self._left.pop()).turn.hunks:
                return left
        return None

    def clear(self) -> None:
        """Forget them all."""
        self._left = []
