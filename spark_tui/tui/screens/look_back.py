"""Opens the screen that looks back at a turn, token by token, and begins a branch from there."""

import asyncio
from typing import TYPE_CHECKING, Any

from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn
    from spark_tui.tui.screens.token_scrubber import LookBackScreen


class LookBack:
    """Opens the look back for `screen`, and begins the branch that it ends with."""

    def __init__(self, screen: Host, sending: PromptDispatch) -> None:
        self._screen = screen
        self._sending = sending
        self._branch_of: tuple[Turn | None, str] = (None, "")
        """The last branch, and the words that the user typed to begin it."""

    def takes(self, key: str) -> bool:
        """Look back if a key in the empty prompt asks for that, and tell whether it does."""
        screen = self._screen
        # With nothing on the screen to look back at, a comma is the beginning of words.
        if not screen.is_starting and screen.view.phase not in IN_TURN | {TurnPhase.REVIEW}:
            return False
        for action, how in (("token.back", "back"), ("token.on", "on"), ("token.unsure", "unsure")):
            if key in screen.keys.keys(action):
                self.open(how)
                return True
        return False

    def fix(self) -> bool:
        """Fix the half-written line, if the cursor is there.

        Returns:
            Whether the cursor is there.
        """
        diff = self._screen.bench.diff
        if (
            self._screen.view.phase not in IN_TURN
            or diff.live_row is None
            or diff.cursor != diff.live_row
        ):
            return False
        self.open("fix")
        return True

    def open(self, how: str) -> None:
        """Look back; a turn that runs is paused.

        Args:
            how: See `LookBackScreen`.
        """
        screen = self._screen
        controller = self._screen.controller
        turn = self._turn
        if controller is None or turn is None:
            screen.say("nothing is written yet to look back at", holds=lambda: self._turn is None)
            return
        # The first paint waits for none of this.
        from spark_tui.tui.screens.token_scrubber import LookBackScreen, Scrub  # noqa: PLC0415

        self._sending.pause()  # what is looked at must not grow
        back = LookBackScreen(
            Scrub(turn), screen.view.instruction, how, screen.keys, beside=screen.bench.diff.beside
        )
        screen.app.push_screen(back, lambda begun: self._ended(controller, turn, begun, back))

    @property
    def _turn(self) -> "Turn | None":
        """The turn on the screen, if it wrote something and no other turn is about to begin."""
        screen = self._screen
        turn = screen.controller.turn if screen.controller and not screen.is_starting else None
        return turn if turn is not None and len(turn.tape) else None

    def words_back(self, turn: "Turn | None") -> str:
        """Put the words of a branch into the history, where nothing came of the branch.

        Returns:
            The message that says so, or "".
        """
        branch, words = self._branch_of
        if turn is None or turn is not branch or not words:
            return ""
        self._screen.prompt.remember(words)
        return f"{self._screen.keys.key('prompt.earlier')} brings back what you typed"

    def _ended(
        self, controller: "Controller", turn: "Turn", begun: Any, back: "LookBackScreen"
    ) -> None:
        if begun is not None and not self._screen.busy:
            self._screen.run_worker(self._branch(controller, turn, begun, back), group="turn")

    async def _branch(
        self, controller: "Controller", turn: "Turn", begun: Any, back: "LookBackScreen"
    ) -> None:
        screen = self._screen
        with screen.reported_errors():
            branch = await asyncio.to_thread(controller.session.branch, turn, begun)
            self._branch_of = branch, back.typed.strip()
            screen.bench.follow()
            controller.play(branch, controller.view.instruction, goes_on=True)
            screen.run_frames()
