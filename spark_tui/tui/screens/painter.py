"""Paints the main screen: what the turn reports, once a frame, and the lines above and below.

Those lines show the instruction, the place, the keys that mean something now, and the figures. When
the turn is over, the painter begins the review.
"""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from textual.timer import Timer

from spark_tui.crash_report import problem_of
from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import IN_TURN
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.completion_control import CompletionControl
from spark_tui.tui.screens.file_watch import FileWatch
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.screens.next_edit import NextEditOffer
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import SAY
from spark_tui.tui.widgets.status_bars import (
    Bar,
    BarPiece,
    FooterState,
    hints_in_answer,
    hints_in_list,
    meters,
    where_to,
)
from spark_tui.tui.widgets.thought import ThoughtFold

if TYPE_CHECKING:
    from spark_tui.providers.registry import ProviderHost
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn
    from spark_tui.tui.screens.other_answers import OtherAnswers

FRAME_S = 1 / 60
_BACK = "the review is as it was before"
_TITLE = 400
"""Characters of an instruction that the title takes: more than a line has room for."""
_LATE_S = 1.0
"""Seconds after the end of a turn in which an Esc was still meant for the turn."""
_LATE = "it was written before Esc came; what you type redirects it all the same"
_PACED = "; /pace 12, or spark --pace 12, writes slowly enough to stop"
_NAMES_FOCUS = 60
"""Columns from which the footer names what has the focus."""
_OUTCOME = 20
"""Columns to which the words about the edit may be shortened; fewer would tell nothing."""


class Painter:
    """Paints `screen`, and only while there is something to paint."""

    def __init__(
        self,
        screen: Host,
        pending: CancellableWork,
        dispatch: PromptDispatch,
        look_back: LookBack,
        completion: CompletionControl,
        file_watch: FileWatch,
        next_edit: NextEditOffer,
        answers: "Callable[[], OtherAnswers]",
    ) -> None:
        self._screen = screen
        self._pending = pending
        self._dispatch = dispatch
        self._look_back = look_back
        self._completion = completion
        self._file_watch = file_watch
        self._next_edit = next_edit
        self._answers = answers
        self._offered = False
        self._timer: Timer | None = None
        self._error: Exception | None = None
        """The error that ended the turn, if one did."""
        self._ended_by: str | None = None
        """The words of that error, "" where the turn ended by itself; None while no end waits to be
        shown.
        """
        self._over_at = -inf
        """When the last edit was complete, in seconds of the screen's clock."""
        self._paced = _PACED
        """The advice how to slow the next edit down; empty once the user has read it."""

    def mount(self) -> None:
        """Make the timer of the frames."""
        self._timer = self._screen.set_interval(FRAME_S, self._frame, pause=True)

    @property
    def ending(self) -> bool:
        """Whether a turn has ended and the screen does not show the result yet."""
        return self._ended_by is not None

    def late(self) -> str:
        """Return the message about an Esc that came just after the edit was written, or ""."""
        if not self._screen.view.hunks or self._screen.clock() - self._over_at >= _LATE_S:
            return ""
        more = self._paced
        self._paced = ""  # advice is given once
        return _LATE + more

    def run(self) -> None:
        """Paint until nothing more comes."""
        assert self._timer is not None
        self._timer.resume()
        self._frame()  # now: a key shows what it did without waiting for the timer

    def _frame(self) -> None:
        """Take the events of the turn, and paint once."""
        screen = self._screen
        controller = self._screen.controller
        if controller is None or self._timer is None:
            return
        # `flush` does not say that the turn has ended: the phases before and after it do.
        phase_before = controller.view.phase
        problem_before = controller.view.problem
        news, error = controller.flush()
        if phase_before in IN_TURN and controller.view.phase not in IN_TURN:
            self._error = error
            self._ended_by = str(problem_of(error)) if error else ""
        # Another thread may hold the turn's lock just then, and the view misses the last hunks. So
        # the review begins at the first frame after the end whose view is current.
        if (
            self._ended_by is not None
            and controller.current
            and controller.view.phase not in IN_TURN
        ):
            self._over(controller, self._ended_by)
        elif news:
            screen.paint()
        self._file_watch.judge()
        # A message such as "still being written" goes as soon as that is over.
        screen.query_one(Note).look_again()
        if controller.view.held:
            screen.say(controller.view.held)
            controller.view.held = ""
        if controller.view.problem and not problem_before:
            self._say_problem(controller)
        if controller.settled:
            self._timer.pause()

    def _say_problem(self, controller: "Controller") -> None:
        """Say why the engine, or the endpoint, stands still."""
        self._screen.paint()
        why = controller.view.problem
        if _host_of(controller).remote:
            words = f"{why}; Enter goes on from there, Esc drops it"
        else:
            words = f"the engine failed ({why}): Enter goes on from the last token"
        self._screen.say(words, look="error")

    def _over(self, controller: "Controller", problem: str) -> None:
        """Handle the end of the turn: let another model take over, else begin the review."""
        self._ended_by = None
        turn = controller.turn
        succession = controller.session.succession
        # A user who dropped the turn wants no further model asked.
        if turn and not controller.view.given_up and (name := succession.heir(turn, self._error)):
            words = succession.reason(turn, self._error, name)
            settle = partial(self._settle, controller, problem)
            self._dispatch.take_over(controller, turn, self._error, words, settle)
        else:
            self._settle(controller, problem)

    def _settle(self, controller: "Controller", problem: str, refusal: str = "") -> None:
        """Begin the review, or say why there is none; the focus follows unless the user writes.

        Args:
            problem: The error that ended the turn, in words, or "".
            refusal: Why the model that was to take over cannot be asked.
        """
        screen = self._screen
        problem = "; ".join(filter(None, [problem, refusal]))
        screen.post_message(screen.TurnOver())
        screen.show_notices()
        turn = controller.turn
        # All this is read now: `come_back` may put another turn and another view on the screen.
        gave_up = controller.view.given_up
        if gave_up:
            self._over_at = -inf
        else:
            self._over_at = screen.clock()
        answered = turn is not None and bool(turn.reply)  # which is shown where the diff was
        refused = controller.view.abstained and not answered
        reason = problem
        if refused and not problem:
            reason = controller.view.message
        if refused and controller.asked is None and not (screen.prompt.text or gave_up):
            screen.prompt.offer(self._dispatch.sent)  # a refusal is answered by writing on
        came_back = controller.come_back()
        if not (came_back or problem):
            # What is said where the diff was is not said once more.
            reason = reason.removeprefix(controller.view.withdrawn).removeprefix("; ")
        words = self._words_of_end(controller, turn, reason, came_back=came_back)
        # Painted first, as the review selects one of the hunks that the diff shows. The message
        # comes last, as it may be about the hunk that the review selects.
        screen.paint()
        self._begin_review(controller, stays=gave_up and not came_back)
        if not (problem or gave_up or came_back):
            self._answers().write_other_places()
        if words:
            look = "error" if problem else "warning"
            screen.say(words, look=look, stays=True)
        elif controller.turn:
            self._say_note(controller, controller.turn)

    def _words_of_end(
        self, controller: "Controller", turn: "Turn | None", reason: str, *, came_back: bool
    ) -> str:
        """The message at the end of a turn, or "".

        Args:
            turn: The turn that ended.
            reason: Why there is no edit, or "".
            came_back: Whether the review before the turn is on the screen again.
        """
        kept = advice = back = ""
        # Only a branch that brought no edit would lose the words that it began with.
        if reason or came_back or not controller.view.hunks:
            kept = self._look_back.words_back(turn)
        if came_back:
            back = _BACK
        elif turn and reason:
            advice = turn.advice
        return "; ".join(filter(None, [reason, kept, advice, back]))

    def _begin_review(self, controller: "Controller", *, stays: bool) -> None:
        """Go to the first hunk, and to the diff unless the user is writing.

        Args:
            stays: The focus stays in the prompt, whatever there is to review.
        """
        screen = self._screen
        # `is_typing`: the user may have emptied the prompt a moment ago, to write something else.
        is_writing = bool(screen.prompt.text) or screen.guard.is_typing
        # A user who did not expect a review may be about to type words.
        stays = stays or self._dispatch.came_by_itself
        focus = bool(controller.view.hunks) and not is_writing and not stays
        self._dispatch.read_ahead()
        screen.begin_review(focus=focus, hunk=controller.asked)

    def _say_note(self, controller: "Controller", turn: "Turn") -> None:
        """Say what the turn notes about the edit, and what is odd about the selected hunk."""
        odd = controller.view.odd
        notes = [odd[hunk.id].words for hunk in self._screen.bench.selected if hunk.id in odd]
        if words := "; ".join(filter(None, [turn.note, *notes])):
            self._screen.say(words, look="warning")

    def paint_words(self) -> None:
        """Show the lines above and below as they are now."""
        screen = self._screen
        controller = self._screen.controller
        self._offered = screen.prompt.is_offered
        screen.prompt.placeholder = self._placeholder()
        where = []
        if controller:
            where = [
                BarPiece(controller.folder, "muted", 3),
                BarPiece(controller.branch, "faint", 2),
            ]
        self._show("title", self._title(), where)
        self._show("region", self._region(), self._outcome())
        self._show("hints", self._hints())
        screen.query_one("#mark").set_class(screen.prompt.has_focus, "-focused")
        self._show("meters", *self._meters())
        view = screen.view
        screen.query_one(ThoughtFold).show(view.thought, view.figures.thought, thinks=view.thinks)

    def _placeholder(self) -> str:
        """The placeholder of an empty prompt: what letters do, or where Tab leads."""
        screen = self._screen
        if screen.is_editing:
            return ""
        if screen.bench.diff.has_focus:
            return f"letters are keys of the diff; {screen.keys.key('focus.prompt')} writes here"
        return self._next_edit.words or SAY

    def cursor_moved(self) -> None:
        """Paint the hints anew if the cursor began, or ended, the selection of the whole text."""
        if self._screen.prompt.is_offered != self._offered:
            self.paint_words()

    def _show(self, name: str, left: list[BarPiece], right: list[BarPiece] | None = None) -> None:
        self._screen.query_one(f"#{name}", Bar).show(left, right or ())

    def _title(self) -> list[BarPiece]:
        screen = self._screen
        instruction = screen.view.instruction
        # The view gets the instruction only when its turn is made, which takes a moment.
        if not instruction and screen.is_starting:
            instruction = self._dispatch.sent
        if instruction:
            return [BarPiece(instruction[:_TITLE], "text", 9)]
        return [BarPiece("spark", "accent", 9)]

    def _region(self) -> list[BarPiece]:
        screen = self._screen
        controller = self._screen.controller
        if screen.preview is not None:
            return [BarPiece(screen.preview.place, "text", 2)]
        ahead = None
        refused = ""
        looking = self._dispatch.reading_ahead or self._completion.choosing
        if controller:
            refused = controller.refused
            if self._waits:
                ahead = controller.ahead
            if ahead and not controller.has_looked(screen.prompt.full):
                # Only where Enter leads is shown, and that is not known yet.
                ahead = ""
                looking = True
            if ahead and not controller.weighed:
                # found without the model, which may still prefer another place
                ahead = f"{ahead}?"
        # The message line says it already.
        if refused and screen.shows_message(refused):
            refused = ""
        return where_to(
            screen.view, ahead, screen.keys, guessed=self._guessed, looking=looking, refused=refused
        )

    @property
    def _guessed(self) -> bool:
        return (
            bool(self._screen.view.hunks)
            and self._screen.controller is not None
            and self._screen.controller.guessed
        )

    @property
    def _waits(self) -> bool:
        """Whether Enter would send the words as a new request; its place is then what matters."""
        return self._screen.prompt.is_instruction and self._screen.phase not in IN_TURN

    def _outcome(self) -> list[BarPiece]:
        view = self._screen.view
        turn = self._screen.controller and self._screen.controller.turn
        # While the user's command tries the answers, nothing else is known about the edit.
        if view.trying and view.phase in IN_TURN:
            return [BarPiece(view.trying, "muted", 3, least=_OUTCOME)]
        pieces = []
        if view.hunks and turn and turn.file.overtaken:
            pieces.append(BarPiece("the file changed since", "warning", 3))
        if view.judging and not self._waits:
            pieces.append(BarPiece(view.judging, "muted", 2))
        look = "faint"
        weight = 0
        if view.verdict or view.unsure:
            look = "warning"
            weight = 3
        # Beside the place of another request the outcome would seem to be about that place.
        if view.outcome and not self._waits:
            pieces.append(BarPiece(view.outcome, look, weight, least=_OUTCOME))
        return pieces

    def _hints(self) -> list[BarPiece]:
        screen = self._screen
        view = self._screen.view
        controller = self._screen.controller
        phase = screen.phase
        if screen.is_editing or not screen.is_active:  # what is on top has keys of its own
            return []
        # In the order in which keys are taken: by a sheet that is being prepared, the list above
        # the prompt, an answer in words, and at last the diff or the prompt.
        if pending := self._pending.hints:
            return [*pending]
        if screen.query_one(Completion).is_open:
            return [*self._focus("list"), *hints_in_list(sends=self._completion.sends)]
        if screen.bench.is_read and phase not in IN_TURN:
            answer_hints = hints_in_answer(screen.keys, screen.bench.code_count)
            return [*self._focus("answer"), *answer_hints]
        state = FooterState(
            phase,
            in_diff=screen.bench.diff.has_focus,
            has_text=bool(screen.prompt.text),
            hunks=len(view.hunks),
            is_written=any(
                view.state(hunk) is not HunkState.WRITING for hunk in screen.bench.selected
            ),
            leads_back=controller is not None and controller.leads_back,
            may_commit=controller is None or controller.session.staging.may_wait,
            is_offered=self._offered,
            has_others=self._has_others,
            is_guessed=self._guessed,
            has_files=view.files.count > 1,
            has_diff=screen.bench.diff.display,
            has_answer=bool(view.words),
            has_next=bool(self._next_edit.words),
        )
        name = "diff" if state.in_diff else "prompt"
        return [*self._focus(name), *state.hints(screen.keys)]

    def _focus(self, name: str) -> list[BarPiece]:
        """The name of the part that has the focus, unless the keys behind it need the room."""
        if self._screen.size.width < _NAMES_FOCUS:
            return []
        return [BarPiece(f" {name} ", "focus", 9)]

    @property
    def _has_others(self) -> bool:
        """Whether to name the key that leads to other answers.

        A sure answer needs no other, unless another model gave an answer before it.
        """
        view = self._screen.view
        controller = self._screen.controller
        is_heir = (
            controller is not None
            and controller.turn is not None
            and controller.turn.before is not None
        )
        return (view.unsure or view.abstained or is_heir) and self._answers().has_others

    def _meters(self) -> tuple[list[BarPiece], list[BarPiece]]:
        screen = self._screen
        controller = self._screen.controller
        # Until the next turn is measured, figures of another model, or of the turn before, mislead.
        waiting = screen.is_starting or (controller is not None and not controller.measured)
        view = screen.view
        phase = self._screen.phase
        if controller is None:
            return meters("spark", view, phase, None, waiting=waiting, full=screen.shows_meters)
        cost = None
        if controller.turn and phase not in IN_TURN and not waiting:
            cost = controller.turn.answerer.cost
        wrote = ""
        if not waiting:
            wrote = controller.wrote
        return meters(
            controller.named,
            view,
            phase,
            _host_of(controller).known_context,
            pacer=controller.pacer,
            simulated=controller.simulated,
            cost=cost,
            waiting=waiting,
            wrote=wrote,
            full=screen.shows_meters,
        )


def _host_of(controller: "Controller") -> "ProviderHost":
    """The host of the model that writes the turn, else of the model for the next turn."""
    if controller.turn:
        return controller.session.host_of(controller.turn)
    return controller.session.host
