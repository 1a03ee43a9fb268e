"""Shows other answers to the same request: at the same place, at other places, or asked for anew.

`OtherAnswers` writes and shows answers at the place of the turn, and asks anew with a reason.
`OtherPlaces` writes the edits of the request at other places in the background.
"""

import asyncio
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.editing.hunks import diff
from spark_tui.errors import SparkError
from spark_tui.providers.base import Ability
from spark_tui.session.accept import ShownAnswer, proposed_now, show_another, varied
from spark_tui.session.alternatives import Alternatives, PlacedAnswer
from spark_tui.session.events import Event, HandedOver, Status
from spark_tui.session.targets import in_words
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.judged_answer import JudgedAnswer
from spark_tui.tui.screens.modals import AskScreen, TextQuestion
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.widgets.message_line import Note

if TYPE_CHECKING:
    from spark_tui.editing.text import Text
    from spark_tui.session.controller import Controller
    from spark_tui.session.hunk_items import HunkLike
    from spark_tui.session.turn import Turn

_WHOLE = (
    "a rename goes as a whole: for another name {prompt.earlier} in the prompt brings its "
    "words back, to be changed; "
    "{hunk.reject} leaves out this hunk alone"
)
_SEARCH = "going on"
"""The group of the worker that looks for the likeliest other place that has an edit."""

COUNT = 8
"""The most answers at one place, the turn's own among them; there may be fewer likely ones."""


class OtherPlaces:
    """Writes the edits of one request at other places, and shows one after the other.

    Mutable.

    Args:
        screen: Shows the edits.
        ended: Called once the engine is free again, to read what is being typed.
    """

    def __init__(self, screen: Host, ended: Callable[[], None]) -> None:
        self._screen = screen
        self._ended = ended
        self._alternatives: Alternatives | None = None
        self._history: list[PlacedAnswer] = []
        """The answers in the order in which they were shown; steps lead back and on through them.
        """
        self._position = 0
        self._varied: Turn | None = None
        """The turn that more answers were written for, once every known answer had been shown."""
        self._number: int | None = None
        """The number by which the runner stops the writing that is under way; None while nothing
        is being written.
        """
        self._news = asyncio.Event()  # set when a turn at another place, or all writing, has ended

    def write(self) -> None:
        """Begin to write the edits at other places, unless the shown edit is sure."""
        controller = self._screen.controller
        if controller is None or controller.turn is None or controller.turn.status is Status.OK:
            return
        alternatives = controller.session.alternatives_to(controller.turn)
        if alternatives is not None and not alternatives.are_written:
            self._begin(controller, alternatives)

    def stop(self) -> None:
        """Write no more edits at other places."""
        if self._number is not None and self._screen.controller is not None:
            self._screen.controller.session.runner.cancel(self._number)

    def go_on(self) -> None:
        """Show the likeliest other place that has an edit: the place on the screen has none."""
        controller = self._screen.controller
        turn = controller.turn if controller is not None else None
        if controller is None or turn is None or controller.session.alternatives_to(turn) is None:
            return
        self._screen.run_worker(self._go_on(controller, turn), group=_SEARCH, exit_on_error=False)

    def stop_search(self) -> None:
        """Show no other place unasked, and write no more edits for that."""
        if self._screen.workers.cancel_group(self._screen, _SEARCH):
            self.stop()

    async def _go_on(self, controller: "Controller", turn: "Turn") -> None:
        alternatives = controller.session.alternatives_to(turn)
        if alternatives is None:
            return
        self._enter(alternatives, turn)
        here = in_words(turn.region)
        stop = self._screen.keys.key("turn.stop")
        note = self._screen.query_one(Note)
        search = f"no edit found at {here}; trying other places, {stop} stops that"
        if not alternatives.are_written:
            note.say(search)  # by the note alone: Esc brings back why there is no edit here
        answer = await self._next(controller, alternatives, offered=True)
        # Where nothing was found, the reason comes back, unless something newer is said.
        if answer is None and note.words in ("", search):
            words, look = self._screen.view.reason
            self._screen.say(words, look=look, stays=True)
        # The user did not ask for this place: it is shown only if nothing else was begun meanwhile.
        is_waiting = not self._screen.prompt.text or self._screen.prompt.is_offered
        if (
            answer is None
            or controller.turn is not turn
            or not is_waiting
            or self._screen.is_starting
        ):
            return
        self._history.append(answer)
        self._show(controller, alternatives, len(self._history) - 1)
        if self._screen.prompt.is_offered:
            self._screen.prompt.put_away(self._screen.prompt.full)
        self._screen.begin_review(focus=True)
        # At the same place, the words were read once more, without the turn before.
        if answer.turn.region == turn.region:
            self._screen.say(f"no edit of {here} goes on from the last one; this begins anew")
        else:
            self._screen.say(f"no edit found at {here}; this is the likeliest other place")

    async def step(self, controller: "Controller", turn: "Turn", step: int) -> bool:
        """Show the next answer of all places, or the previous one.

        Returns:
            Whether there is such an answer.
        """
        alternatives = controller.session.alternatives_to(turn)
        if alternatives is None:
            return False
        self._enter(alternatives, turn)
        # Back, and on again, leads through what was shown; only behind its end is a new answer due.
        if step < 0 or self._position + step < len(self._history):
            position = max(0, min(self._position + step, len(self._history) - 1))
            return self._show(controller, alternatives, position)
        answer = await self._next(controller, alternatives)
        if answer is None or controller.turn is not turn:  # the user went on while it was written
            return answer is not None
        self._history.append(answer)
        return self._show(controller, alternatives, len(self._history) - 1)

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
        self, controller: "Controller", alternatives: Alternatives, *, offered: bool = False
    ) -> PlacedAnswer | None:
        """The likeliest answer that was not shown yet; missing places are written first.

        Args:
            controller: Has the engine.
            alternatives: The answers at all places.
            offered: Whether an answer counts only where its turn offers an edit by itself.
        """
        # First an answer that is known. Otherwise the edits of further places are written, here or
        # by the writing that is under way, until one of them brings an answer.
        answer = self._unseen(alternatives, offered)
        while answer is None and not alternatives.are_written:
            if not offered:  # else the screen still says why there is no edit here
                stop = self._screen.keys.key("turn.stop")
                self._screen.say(f"writing the edit at the next place; {stop} stops it")
            self._news.clear()
            if not self._is_writing:
                self._begin(controller, alternatives)
            await self._news.wait()
            answer = self._unseen(alternatives, offered)
            if answer is None and not self._is_writing:
                return None  # the writing was stopped
        # At last, once for each turn, more answers are written at the place on the screen.
        turn = controller.turn
        if answer is not None or offered or turn is None or self._varied is turn:
            return answer
        session = controller.session
        tell = partial(say_handed_over, self._screen)
        try:
            await drive(session.runner, session.vary(turn, COUNT), self._began, tell)
        finally:
            self._number = None
        self._varied = turn  # only now: after an error, the next step tries once more
        return self._unseen(alternatives, offered)

    def _unseen(self, alternatives: Alternatives, offered: bool) -> PlacedAnswer | None:
        # An answer is known by the file that it makes, not by its turn.
        shown = [(answer.turn.region.path, answer.candidate.file) for answer in self._history]
        for answer in alternatives.answers():
            # Two turns may write the same edit; once is enough.
            is_left = (answer.turn.region.path, answer.candidate.file) not in shown
            if is_left and (answer.turn.status.offers or not offered):
                return answer
        return None

    def _show(self, controller: "Controller", alternatives: Alternatives, position: int) -> bool:
        if not self._history:
            return False
        answer = self._history[position]
        self._position = position
        turn = answer.turn
        is_another = controller.turn is not turn
        if is_another:
            controller.show_alternative(turn, alternatives.events_of(turn))
        # A turn may have several answers; only one of them is its proposal.
        if not turn.file.is_whole(answer.candidate.file):
            turn.show(answer.candidate)
        # No event has told the view that the hunks of this answer are complete.
        wrong = "; ".join(check.fault for check in turn.checks if not check.ok)
        controller.view.close([part.hunk for part in turn.parts], wrong)
        controller.refresh()
        self._screen.run_frames()
        if is_another and controller.view.hunks and not self._screen.prompt.text:
            self._screen.bench.follow()
            self._screen.begin_review(focus=True)
        # Answers of several models are told apart by the model, those of one model by likelihood.
        who = f"{turn.writer} in " if turn.before or controller.session.is_succeeded(turn) else ""
        likely = "" if turn.before else f": {_likelihood(answer.weight)}"
        self._screen.say(f"{who}{in_words(turn.region)}{likely}")
        return True

    def _begin(self, controller: "Controller", alternatives: Alternatives) -> None:
        self._number = 0  # under way from now on; the runner's number comes with `_began`
        self._screen.run_worker(
            self._write(controller, alternatives), group="other places", exit_on_error=False
        )

    async def _write(self, controller: "Controller", alternatives: Alternatives) -> None:
        try:
            await drive(controller.session.runner, alternatives.write(), self._began, self._take)
        finally:
            self._number = None
            self._news.set()  # even without an answer: `_next` must not wait forever
            if self._screen.is_attached and self._screen.view.phase not in IN_TURN:
                self._screen.paint_words()
                self._ended()

    def _began(self, number: int) -> None:
        self._number = number

    def _take(self, finished: "Turn | None") -> None:
        if finished is not None:
            self._news.set()


class OtherAnswers:
    """Shows other answers to the request of the turn on the screen.

    What may wait runs in workers of `screen`.
    """

    def __init__(self, screen: Host, dispatch: PromptDispatch) -> None:
        self._screen = screen
        self._dispatch = dispatch
        self._known: Turn | None = None
        self._given_up: tuple[object, list[Text]] = (None, [])  # of this turn, whole files
        self._offered: Turn | None = None
        """The turn whose held-back answers the user has heard of, and now sees too."""
        self._number = 0
        """The number by which the runner stops the writing of answers."""
        self._steps = 0
        """Steps still to take, for keys that came while an answer was worked out."""
        self._is_writing = False
        """Whether a key has an answer written, so that further keys have nothing to show yet."""
        self._other_places = OtherPlaces(screen, dispatch.read_ahead)
        self._judged = JudgedAnswer(screen)

    @property
    def has_others(self) -> bool:
        """Whether a key leads to other answers that are known already.

        The key works in the diff. It works in the prompt, too, where the request brought no edit
        and the user has typed nothing since.
        """
        screen = self._screen
        turn = self._screen.controller.turn if self._screen.controller else None
        waits = screen.view.abstained and (screen.prompt.is_offered or not screen.prompt.text)
        if (
            turn is None
            or screen.view.phase in IN_TURN
            or not (waits or screen.bench.diff.has_focus)
        ):
            return False
        alternatives = (
            screen.controller.session.alternatives_to(turn) if screen.controller else None
        )
        elsewhere = alternatives is not None
        # Beside an answer in words, or of a further model, only a turn that has answered counts.
        if alternatives is not None and (turn.reply or turn.before is not None):
            elsewhere = any(answer.turn is not turn for answer in alternatives.answers())
        # With something accepted no other answer fits. The turn's own answer, if one is offered, is
        # the first of its variations.
        known_here = (
            turn.review.base == turn.file.base and len(turn.variations) > turn.status.offers
        )
        return elsewhere or known_here

    def step(self, step: int) -> None:
        """Show the next answer, or the previous one; the first step has the answers written."""
        if self._is_writing:
            self._screen.refuses()
        elif self._screen.is_varying:
            self._steps += step
        elif (found := self._turn()) is not None:
            found[0].is_varying = True
            self._screen.run_worker(self._step(*found, step), group="vary")

    def again(self) -> None:
        """Give up the text of the selected hunk: ask for the reason, and show something else."""
        if (found := self._turn()) is None:
            return
        if not (hunks := self._screen.bench.selected):
            self._screen.say("no hunk here")
        elif _goes_whole(found[1]):
            self._screen.say(self._screen.keys.fill(_WHOLE, most=1), look="warning")
        else:
            self._screen.run_worker(self._again(*found, hunks[0]), group="vary")

    def write_other_places(self) -> None:
        """Judge the answers, and write the edits at other places, beside a doubtful first one.

        Where there is no edit at the first place, the screen goes on to the likeliest other place
        that has one.
        """
        turn = self._screen.controller.turn if self._screen.controller else None
        if turn is not None and turn.reply:
            return
        if self._screen.view.abstained:
            self._other_places.go_on()
        else:
            self._judged.begin(then=self._other_places.write)

    def leave_other_places(self) -> None:
        """Judge no more answers and write no more edits at other places: the engine is needed."""
        self._judged.stop()
        self._other_places.stop()

    def stop_search(self) -> None:
        """Show no other answer, where the screen would go on to one on its own."""
        self._judged.stop()
        self._other_places.stop_search()

    def stop(self) -> bool:
        """Write no more answers.

        Returns:
            Whether any were being written.
        """
        self._other_places.stop()
        if self._screen.is_varying and self._screen.controller is not None:
            self._screen.controller.session.runner.cancel(self._number)
        return self._screen.is_varying

    # None while something else is under way; a message then says what.
    def _turn(self) -> "tuple[Controller, Turn] | None":
        screen = self._screen
        if (
            screen.controller is None
            or screen.controller.turn is None
            or screen.view.phase in IN_TURN
        ):
            screen.say("other answers can be asked for once the turn is over")
            return None
        if screen.is_deciding:
            screen.say(
                "a decision is being carried out; ask for other answers after that", look="warning"
            )
            return None
        return None if screen.is_varying else (screen.controller, screen.controller.turn)

    async def _step(
        self, controller: "Controller", asked: "Turn", step: int, hunk: "HunkLike | None" = None
    ) -> None:
        screen = self._screen
        try:
            turn = varied(asked)
            # A step for a whole answer goes through the edits at all places, if others are known.
            if hunk is None:
                turn.file.refuse_mixture()
                if controller.session.alternatives_to(turn) is not None:
                    # Further keys may have come before this worker began.
                    await self._step_through_places(controller, turn, step + self._steps)
                    return
            # Otherwise the answers are those at this place, which are written once for each turn.
            if self._known is not turn and not (step == 1 and _is_next_judged(turn)):
                screen.say(f"writing other answers; {screen.keys.key('turn.stop')} stops it")
                session = controller.session
                began = partial(setattr, self, "_number")
                tell = partial(say_handed_over, screen)
                self._is_writing = True
                await drive(session.runner, session.vary(turn, COUNT), began, tell)
                self._is_writing = False
                self._known = turn
            given_up = self._given_up[1] if self._given_up[0] is turn else []
            of = hunk.id if hunk else None
            shown = None
            # Working out an answer takes a moment; each key pressed meanwhile is one more step.
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
            controller.is_varying = False
            self._is_writing = False
            self._steps = 0
        if controller.turn is turn:
            self._show(controller, turn, shown)

    async def _step_through_places(
        self, controller: "Controller", turn: "Turn", steps: int
    ) -> None:
        """Go so many answers on, or back, one at a time: each may have to be written first."""
        step = 1 if steps > 0 else -1
        self._is_writing = True
        for _ in range(abs(steps)):
            if not await self._other_places.step(controller, turn, step):
                self._report_no_other(controller, controller.turn or turn)
                return
            # The user may have gone on to another request meanwhile.
            if controller.turn is None or self._screen.phase in IN_TURN:
                return
            turn = controller.turn

    def _show(self, controller: "Controller", turn: "Turn", shown: ShownAnswer | None) -> None:
        if shown is None:
            self._report_no_other(controller, turn)
            return
        wrong = shown.problem or "; ".join(check.fault for check in turn.checks if not check.ok)
        controller.view.close(
            [part.hunk for part in turn.parts if part.hunk not in controller.view.hunks], wrong
        )
        controller.refresh()
        self._screen.run_frames()
        self._screen.say(describe_answer(shown))

    def _report_no_other(self, controller: "Controller", turn: "Turn") -> None:
        """Say what was tried; the next step shows the answers that were held back."""
        keys = self._screen.keys
        how = f"; {keys.key('hunk.again')} with a reason asks anew" if controller.view.hunks else ""
        # An answer that was held back is shown only to a user who was told about it.
        if turn.candidates.held_back and self._offered is not turn:
            self._offered = turn
            how = f"; {keys.key('variation.next')} shows what was held back"
        if Ability.PROBABILITIES in turn.answerer.can:
            self._screen.say(f"no other likely answer: {turn.candidates.tried}{how}")
        else:
            self._screen.say(f"{turn.writer} wrote no other answer{how}")

    async def _again(self, controller: "Controller", turn: "Turn", hunk: "HunkLike") -> None:
        reason = await self._screen.app.push_screen_wait(
            AskScreen(_why(len(self._screen.view.hunks) - 1, is_change=turn.is_change))
        )
        if reason is None or controller.turn is not turn:
            return
        # With a reason the model writes the hunk again, and reads the reason. Without one, the
        # present answer is given up, and the next likely answer provides the hunk.
        if reason and not self._screen.is_starting:
            words = turn.words_for(hunk.old_lines, hunk.new_lines)
            instruction = ", ".join(filter(None, [words, " ".join(reason.split())]))
            self._dispatch.begin(controller, instruction, partial(controller.ask_again, hunk))
        if reason:
            return
        before = self._given_up[1] if self._given_up[0] is turn else []
        self._given_up = turn, [*before, *proposed_now(turn)]
        controller.is_varying = True
        await self._step(controller, turn, 1, hunk)


def say_handed_over(screen: Host, event: Event) -> None:
    """Say that another model goes on with the answers."""
    if isinstance(event, HandedOver):
        screen.say(event.line)


def _is_next_judged(turn: "Turn") -> bool:
    """Whether the answer after the one shown is the choice of a second model, and so known."""
    own = turn.candidates.own
    shown = own is not None and turn.file.is_whole(own.file)
    return shown and turn.candidates.are_judged and len(turn.variations) > 1


def _goes_whole(turn: "Turn") -> bool:
    """Whether the hunks of a turn go together: one alone would leave two names for one thing."""
    renames = turn.kind == "rename" and turn.asked_at is None
    return renames and len(diff(turn.base, turn.file.proposal)) > 1


def _why(others: int, *, is_change: bool) -> TextQuestion:
    """The question what should be different.

    Args:
        others: The number of open hunks besides the selected one.
        is_change: Whether no model wrote the hunk, so that there is no next answer.
    """
    words = "What should be different?"
    stays = ""
    if others > 0:
        words = "What should be different in this hunk?"
        stays = "The other hunks stay as they are. "
    return TextQuestion(
        words,
        "write it again",
        more=f"{stays}{'' if is_change else 'Without words the next likely answer is taken.'}",
        may_be_empty=not is_change,
        example="shorter, say",
    )


def describe_answer(shown: ShownAnswer) -> str:
    """Which answer is shown, and how likely it is."""
    if shown.problem:
        return f"variation {shown.number} of {shown.total}, held back: {shown.problem}"
    return f"variation {shown.number} of {shown.total}, {_likelihood(shown.logprob)}"


def _likelihood(logprob: float) -> str:
    """Describe how likely an answer is, from its log-probability."""
    share = math.exp(min(0.0, logprob)) * 100
    return f"likelihood {share:.0f} %" if share >= 1 else "likelihood below 1 %"
