"""Other answers to the same request: written together and shown one by one, or asked anew."""

import asyncio
import math
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.editing.hunks import diff
from spark_tui.errors import SparkError
from spark_tui.providers.base import Ability
from spark_tui.session.accept import ShownAnswer, proposed_now, show_another, varied
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import AskScreen, Question
from spark_tui.tui.screens.other_places import COUNT, OtherPlaces
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.turn_state import IN_TURN
from spark_tui.tui.widgets.message_line import in_our_words

if TYPE_CHECKING:
    from spark_tui.editing.text import Text
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk
    from spark_tui.tui.widgets.diff_rows import HunkLike

_WHOLE = (
    "a rename goes as a whole: for another name {prompt.earlier} in the prompt brings its "
    "words back, to be changed; "
    "{hunk.reject} leaves out this hunk alone"
)


class Variations:
    """The variations of the turn on the screen. What may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, sending: PromptDispatch) -> None:
        self._screen = screen
        self._sending = sending
        self._known: Turn | None = None
        self._given_up: tuple[object, list[Text]] = (None, [])
        self._offered: Turn | None = None
        """The turn of which it was told what was held back, so that this is shown, too."""
        self._number = 0
        """The number by which the runner stops the writing of answers."""
        self._steps = 0
        """Steps still to take, for keys that came while an answer was worked out."""
        self._other_places = OtherPlaces(screen, sending.read_ahead)

    @property
    def has_others(self) -> bool:
        """Whether a key leads to other answers that are known already.

        It does from the prompt, too, where nothing came of a request and nothing else was written
        since.
        """
        screen = self._screen
        turn = self._screen.desk.turn if self._screen.desk else None
        waits = screen.view.abstained and (screen.prompt.is_offered or not screen.prompt.text)
        if (
            turn is None
            or screen.view.phase in IN_TURN
            or not (waits or screen.bench.diff.has_focus)
        ):
            return False
        alternatives = screen.desk.session.alternatives_to(turn) if screen.desk else None
        elsewhere = alternatives is not None
        if alternatives is not None and (turn.said or turn.before is not None):
            elsewhere = any(answer.turn is not turn for answer in alternatives.answers())
        known_here = turn.review.base == turn.base and len(turn.variations) > turn.status.offers
        return elsewhere or known_here

    def step(self, step: int) -> None:
        """Show the next answer, or the previous one; the first time they are written."""
        if self._screen.is_varying:
            self._steps += step
        elif (found := self._turn()) is not None:
            self._screen.is_varying = True
            self._steps = 0
            self._screen.run_worker(self._step(*found, step), group="vary")

    def again(self) -> None:
        """Give what is in the selected hunk up: ask why, and show something else there."""
        if (found := self._turn()) is None:
            return
        if not (hunks := self._screen.bench.selected):
            self._screen.say("no hunk here")
        elif _goes_whole(found[1]):
            self._screen.say(self._screen.keys.fill(_WHOLE, most=1), look="warning")
        else:
            self._screen.run_worker(self._again(*found, hunks[0]), group="vary")

    def write_other_places(self) -> None:
        """Write the edits at other places while the user looks at a doubtful first one.

        Where there is no edit at the first place, the screen goes on to the likeliest other place
        that has one.
        """
        turn = self._screen.desk.turn if self._screen.desk else None
        if turn is not None and turn.said:
            return
        if self._screen.view.abstained:
            self._other_places.go_on()
        else:
            self._other_places.write()

    def leave_other_places(self) -> None:
        """Write no more edits at other places: the engine is needed."""
        self._other_places.stop()

    def stop(self) -> bool:
        """Write no more answers.

        Returns:
            Whether any were being written.
        """
        self._other_places.stop()
        if self._screen.is_varying and self._screen.desk is not None:
            self._screen.desk.session.runner.cancel(self._number)
        return self._screen.is_varying

    def _turn(self) -> "tuple[Desk, Turn] | None":
        screen = self._screen
        if screen.desk is None or screen.desk.turn is None or screen.view.phase in IN_TURN:
            screen.say("other answers can be asked for once the turn is over")
            return None
        if screen.is_deciding:
            screen.say(
                "a decision is being carried out; ask for other answers after that", look="warning"
            )
            return None
        return None if screen.is_varying else (screen.desk, screen.desk.turn)

    async def _step(
        self, desk: "Desk", asked: "Turn", step: int, hunk: "HunkLike | None" = None
    ) -> None:
        screen = self._screen
        try:
            turn = varied(asked)
            if hunk is None:
                turn.file.refuse_mixture()
                if desk.session.alternatives_to(turn) is not None:
                    if not await self._other_places.step(desk, turn, step):
                        self._report_no_other(desk, desk.turn or turn)
                    return
            if self._known is not turn:
                screen.say(f"writing other answers; {screen.keys.key('turn.stop')} stops it")
                await drive(
                    desk.session.runner, turn.vary(COUNT), partial(setattr, self, "_number")
                )
                self._known = turn
                self._steps = 0
            given_up = self._given_up[1] if self._given_up[0] is turn else []
            of = hunk.id if hunk else None
            shown = None
            while step:
                shown = await asyncio.to_thread(
                    show_another, turn, step, given_up, of, held=self._offered is turn
                )
                step = self._steps
                self._steps = 0
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        finally:
            screen.is_varying = False
        if desk.turn is turn:
            self._show(desk, turn, shown)

    def _show(self, desk: "Desk", turn: "Turn", shown: ShownAnswer | None) -> None:
        if shown is None:
            self._report_no_other(desk, turn)
            return
        wrong = shown.problem or "; ".join(check.fault for check in turn.checks if not check.ok)
        desk.view.close(
            [part.hunk for part in turn.parts if part.hunk not in desk.view.hunks], wrong
        )
        desk.refresh()
        self._screen.run_frames()
        self._screen.say(describe_answer(shown))

    def _report_no_other(self, desk: "Desk", turn: "Turn") -> None:
        """Say what was tried; what was held back is shown the next time."""
        keys = self._screen.keys
        how = f"; {keys.key('hunk.again')} with a reason asks anew" if desk.view.hunks else ""
        if turn.candidates.held_back and self._offered is not turn:
            self._offered = turn
            how = f"; {keys.key('variation.next')} shows what was held back"
        if Ability.PROBABILITIES in turn.answerer.can:
            self._screen.say(f"no other likely answer: {turn.candidates.tried}{how}")
        else:
            self._screen.say(f"{turn.writer} wrote no other answer{how}")

    async def _again(self, desk: "Desk", turn: "Turn", hunk: "HunkLike") -> None:
        reason = await self._screen.app.push_screen_wait(
            AskScreen(_why(len(self._screen.view.hunks) - 1))
        )
        if reason is None or desk.turn is not turn:
            return
        if reason and not self._screen.is_starting:
            words = turn.words_for(hunk.old_lines, hunk.new_lines)
            instruction = f"{words}, {' '.join(reason.split())}"
            self._sending.begin(desk, instruction, partial(desk.ask_again, hunk))
        if reason:
            return
        before = self._given_up[1] if self._given_up[0] is turn else []
        self._given_up = turn, [*before, *proposed_now(turn)]
        self._screen.is_varying = True
        await self._step(desk, turn, 1, hunk)


def _goes_whole(turn: "Turn") -> bool:
    """Whether the hunks of a turn go together: one alone would leave two names for one thing."""
    renames = turn.kind == "rename" and turn.asked_at is None
    return renames and len(diff(turn.base, turn.file.proposal)) > 1


def _why(others: int) -> Question:
    """The question what should be different.

    Args:
        others: Open hunks besides the one that is meant.
    """
    words = "What should be different?"
    stays = ""
    if others > 0:
        words = "What should be different in this hunk?"
        stays = "The other hunks stay as they are. "
    return Question(
        words,
        "write it again",
        more=f"{stays}Without words the next likely answer is taken.",
        may_be_empty=True,
        example="shorter, say",
    )


def describe_answer(shown: ShownAnswer) -> str:
    """Which answer is shown, and how likely it is."""
    if shown.problem:
        return (
            f"variation {shown.number} of {shown.total}, held back: {in_our_words(shown.problem)}"
        )
    share = math.exp(min(0.0, shown.logprob)) * 100
    likelihood = f"{share:.0f} %" if share >= 1 else "below 1 %"
    return f"variation {shown.number} of {shown.total}, likelihood {likelihood}"
