"""Paints the main screen: what the turn says, once a frame, and the lines above and below.

Those lines tell the instruction, the place, the keys that mean something now, and the figures. When
the turn is over, the painter goes on to the review.
"""

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from textual.timer import Timer

from spark_tui.crash_report import problem_of
from spark_tui.tui.screens.actions import Actions
from spark_tui.tui.screens.completion_control import CompletionControl
from spark_tui.tui.screens.file_watch import FileWatch
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.key_guard import CancellableWork, KeyGuard
from spark_tui.tui.screens.look_back import LookBack
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.turn_state import IN_TURN, HunkState
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import SAY
from spark_tui.tui.widgets.status_bars import (
    Bar,
    BarPiece,
    hints,
    hints_in_answer,
    hints_in_list,
    meters,
    where_to,
)
from spark_tui.tui.widgets.thought import ThoughtFold

if TYPE_CHECKING:
    from spark_tui.tui.desk import Desk

FRAME_S = 1 / 60
_BACK = "the review is as it was before"
_TITLE = 400
"""Characters of an instruction that can be seen of it."""
_LATE_S = 1.0
"""How long after the end of a turn an Esc was meant for it."""
_LATE = "it was written before Esc came; what you type redirects it all the same"
_PACED = "; /pace 12, or spark --pace 12, writes slowly enough to stop"
_OUTCOME = 20
"""Columns of what is said of the edit that are worth having."""


class Painter:
    """Has `screen` paint, and only while there is something to paint."""

    def __init__(
        self,
        screen: Host,
        preparing: CancellableWork,
        sending: PromptDispatch,
        looking: LookBack,
        helping: CompletionControl,
        actions: Actions,
        holding: KeyGuard,
        watching: FileWatch,
    ) -> None:
        self._screen = screen
        self._preparing = preparing
        self._sending = sending
        self._looking = looking
        self._helping = helping
        self._actions = actions
        self._holding = holding
        self._watching = watching
        self._offered = False
        self._timer: Timer | None = None
        self._error: Exception | None = None
        """What ended the turn, if anything did."""
        self._ended_by: str | None = None
        """What ended a turn, "" where all went well, until the screen shows what came of it."""
        self._over_at = -inf
        self._paced = _PACED
        """When the last edit was there to be looked at; how to slow the next one down, until
        that was said.
        """

    def mount(self) -> None:
        """From here on there is something to paint on."""
        self._timer = self._screen.set_interval(FRAME_S, self._frame, pause=True)

    @property
    def ending(self) -> bool:
        """Whether a turn ended and the screen does not show yet what came of it."""
        return self._ended_by is not None

    def late(self) -> str:
        """What to say of an Esc that an edit was too fast for, or ""."""
        if not self._screen.view.hunks or self._screen.clock() - self._over_at >= _LATE_S:
            return ""
        more = self._paced
        self._paced = ""
        return _LATE + more

    def run(self) -> None:
        """Something comes: paint until nothing does."""
        assert self._timer is not None
        self._timer.resume()
        self._frame()

    def _frame(self) -> None:
        """Take what the turn said, and paint once."""
        screen = self._screen
        desk = self._screen.desk
        if desk is None or self._timer is None:
            return
        was = desk.view.phase
        failed = desk.view.problem
        news, error = desk.flush()
        if was in IN_TURN and desk.view.phase not in IN_TURN:
            self._error = error
            self._ended_by = str(problem_of(error)) if error else ""
        if self._ended_by is not None and desk.current and desk.view.phase not in IN_TURN:
            self._over(desk, self._ended_by)
        elif news:
            screen.paint()
        self._watching.judge()
        screen.query_one(Note).look_again()
        if desk.view.held:
            screen.say(desk.view.held)
            desk.view.held = ""
        if desk.view.problem and not failed:
            screen.paint()
            host = desk.session.host_of(desk.turn) if desk.turn else desk.session.host
            why = desk.view.problem
            far = host.remote
            engine = f"the engine failed ({why}): Enter goes on from the last token"
            screen.say(
                f"{why}; Enter goes on from there, Esc drops it" if far else engine, look="error"
            )
        if desk.settled:
            self._timer.pause()

    def _over(self, desk: "Desk", problem: str) -> None:
        """Handle the end of the turn: let another model take over, else go on to the review."""
        self._ended_by = None
        turn = desk.turn
        succession = desk.session.succession
        if turn and not self._sending.gave_up and (name := succession.heir(turn, self._error)):
            words = succession.reason(turn, self._error, name)
            settle = partial(self._settle, desk, problem)
            self._sending.take_over(desk, turn, self._error, words, settle)
        else:
            self._settle(desk, problem)

    def _settle(self, desk: "Desk", problem: str, refusal: str = "") -> None:
        """Go on to the review, or say why there is none; the focus follows unless the user writes.

        Args:
            refusal: Why the model that was to take over cannot be asked.
        """
        problem = "; ".join(filter(None, [problem, refusal]))
        self._screen.post_message(self._screen.TurnOver())
        screen = self._screen
        turn = desk.turn
        gave_up = self._sending.gave_up
        self._over_at = -inf if gave_up else screen.clock()
        answered = turn is not None and bool(turn.said)  # which is shown where the diff was
        refused = desk.view.abstained and not answered
        said = problem or (desk.view.message if refused else "")
        if refused and desk.asked is None and not (screen.prompt.text or gave_up):
            screen.prompt.offer(self._sending.sent)  # a refusal is answered by writing on
        back = desk.come_back()
        if not (back or problem):  # what is said where the diff was is not said once more
            said = said.removeprefix(desk.view.withdrawn).removeprefix("; ")
        words = self._looking.words_back(turn) if said or back or not desk.view.hunks else ""
        advice = turn.advice if turn and said and not back else ""
        said = "; ".join(filter(None, [said, words, advice, _BACK if back else ""]))
        screen.paint()
        focus = bool(desk.view.hunks) and not screen.prompt.text and (back or not gave_up)
        self._sending.gave_up = False
        self._sending.read_ahead()
        if focus and not screen.bench.diff.has_focus:
            self._holding.begin()
        screen.bench.begin_review(focus=focus, at=desk.asked)
        if not (problem or gave_up or back):
            self._actions.varying.write_other_places()
        if said:
            screen.say(said, look="error" if problem else "warning", stays=True)
        elif desk.turn:
            odd = (
                desk.view.odd[hunk.id].words
                for hunk in screen.bench.selected
                if hunk.id in desk.view.odd
            )
            if words := "; ".join(filter(None, [desk.turn.note, *odd])):
                screen.say(words, look="warning")

    def paint_words(self) -> None:
        """Show them as they are now."""
        screen = self._screen
        desk = self._screen.desk
        self._offered = screen.prompt.is_offered
        in_diff = f"letters are keys of the diff; {screen.keys.key('focus.prompt')} writes here"
        letters_are = self._holding.letters or (in_diff if screen.bench.diff.has_focus else SAY)
        screen.prompt.placeholder = "" if screen.is_editing else letters_are
        if desk:
            where = [BarPiece(desk.folder, "muted", 3), BarPiece(desk.branch, "faint", 2)]
        else:
            where = []
        self._show("title", self._title(), where)
        self._show("region", self._region(), self._outcome())
        self._show("hints", self._hints())
        self._show("meters", *self._meters())
        view = screen.view
        screen.query_one(ThoughtFold).show(view.thought, view.figures.thought, thinks=view.thinks)

    def cursor_moved(self) -> None:
        """What is typed may take the place of the text now, or no more."""
        if self._screen.prompt.is_offered != self._offered:
            self.paint_words()

    def _show(self, name: str, left: list[BarPiece], right: list[BarPiece] | None = None) -> None:
        self._screen.query_one(f"#{name}", Bar).show(left, right or ())

    def _title(self) -> list[BarPiece]:
        screen = self._screen
        asked = screen.view.instruction or (self._sending.sent if screen.is_starting else "")
        return [BarPiece(asked[:_TITLE], "text", 9) if asked else BarPiece("spark", "accent", 9)]

    def _region(self) -> list[BarPiece]:
        screen = self._screen
        desk = self._screen.desk
        if screen.preview is not None:
            return [BarPiece(screen.preview.place, "text", 2)]
        ahead = desk.ahead if desk and self._waits else None
        looking = self._sending.reading_ahead or self._helping.choosing
        refused = desk.refused if desk else ""
        if (
            ahead and desk and not desk.has_looked(screen.prompt.full)
        ):  # what is shown is where Enter leads
            ahead = ""
            looking = True
        ahead = ahead and f"{ahead}{'' if desk and desk.weighed else '?'}"
        refused = "" if refused and screen.said(refused) else refused
        return where_to(
            screen.view, ahead, screen.keys, guessed=self._guessed, looking=looking, refused=refused
        )

    @property
    def _guessed(self) -> bool:
        return (
            bool(self._screen.view.hunks)
            and self._screen.desk is not None
            and self._screen.desk.guessed
        )

    @property
    def _waits(self) -> bool:
        """Whether Enter would send the words as a new request, whose place matters more then."""
        return self._screen.prompt.is_instruction and self._sending.phase not in IN_TURN

    def _outcome(self) -> list[BarPiece]:
        view = self._screen.view
        turn = self._screen.desk and self._screen.desk.turn
        if view.trying and view.phase in IN_TURN:
            return [BarPiece(view.trying, "muted", 3, least=_OUTCOME)]
        if view.hunks and turn and turn.file.overtaken:
            since = [BarPiece("the file changed since", "warning", 3)]
        else:
            since = []
        look, weight = ("warning", 3) if view.verdict or view.unsure else ("faint", 0)
        tells = view.outcome and not self._waits  # beside another place it would be said of that
        return [*since, *([BarPiece(view.outcome, look, weight, least=_OUTCOME)] if tells else [])]

    def _hints(self) -> list[BarPiece]:
        screen = self._screen
        view = self._screen.view
        desk = self._screen.desk
        phase = self._sending.phase
        if screen.is_editing or not screen.is_active:  # what is on top has keys of its own
            return []
        if preparing := self._preparing.hints:
            return [*preparing]
        if screen.query_one(Completion).is_open:
            return hints_in_list(sends=self._helping.sends)
        if screen.bench.is_read and phase not in IN_TURN:
            return hints_in_answer(screen.keys, screen.bench.code_count)
        return hints(
            phase,
            screen.keys,
            in_diff=screen.bench.diff.has_focus,
            has_text=bool(screen.prompt.text),
            hunks=len(view.hunks),
            written=any(
                view.state(hunk) is not HunkState.WRITING for hunk in screen.bench.selected
            ),
            again=desk is not None and desk.leads_back,
            commits=desk is None or desk.session.staging.may_wait,
            offered=self._offered,
            others=self._has_others,
            guessed=self._guessed,
            files=view.files.count > 1,
            diff=screen.bench.diff.display,
            words=bool(view.words),
        )

    @property
    def _has_others(self) -> bool:
        """Whether to name the key that leads to other answers."""
        view = self._screen.view
        desk = self._screen.desk
        is_heir = desk is not None and desk.turn is not None and desk.turn.before is not None
        return (view.unsure or view.abstained or is_heir) and self._actions.varying.has_others

    def _meters(self) -> tuple[list[BarPiece], list[BarPiece]]:
        screen = self._screen
        desk = self._screen.desk
        waiting = screen.is_starting or (desk is not None and not desk.measured)
        view = screen.view
        phase = self._sending.phase
        if desk is None:
            return meters("spark", view, phase, None, waiting=waiting)
        pacer = desk.pacer
        simulated = desk.simulated
        host = desk.session.host_of(desk.turn) if desk.turn else desk.session.host
        limit = host.context
        over = phase not in IN_TURN and not waiting
        cost = desk.turn.answerer.cost if desk.turn and over else None
        return meters(
            desk.named,
            view,
            phase,
            limit,
            pacer=pacer,
            simulated=simulated,
            cost=cost,
            waiting=waiting,
            wrote="" if waiting else desk.wrote,
        )
