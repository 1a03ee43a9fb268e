"""The conversation of a session: what chat models are told of the turns before, and of what became
of them.

Exchanges are only added, and what happens to an edit later is news for the next request: nothing
that a model was told once is told differently.
"""

from dataclasses import dataclass

from spark_tui.editing.text import Text
from spark_tui.providers.base import Talker
from spark_tui.providers.conversation import Exchange
from spark_tui.session.accept import changes_between, has_several
from spark_tui.session.check import CheckCommand
from spark_tui.session.events import Status
from spark_tui.session.repair.sandbox import last_lines
from spark_tui.session.turn import Turn

_MOST_TURNS = 64
"""Exchanges that are kept; more than a prompt has room for."""
_FREED = 32
"""Exchanges that are forgotten at once."""
_MOST_LINES = 12
"""Lines of a failed check that are told."""
_MOST_CHARACTERS = 6000
"""Characters of an accepted patch that are told."""


@dataclass(slots=True)
class _Followed:
    """A turn that may become an exchange, and what was told last of its edit."""

    turn: Turn
    is_told: bool = False
    outcome: str = ""


class Conversation:
    """The turns of a session as exchanges.

    Mutable.

    Args:
        check: The user's own check, whose failure is told.
    """

    def __init__(self, check: CheckCommand) -> None:
        self._check = check
        self._checks_told = 0
        self._followed: list[_Followed] = []
        self._exchanges: list[Exchange] = []
        self._unsaid: list[str] = []

    def follow(self, turn: Turn) -> None:
        """Take note of a turn that was begun."""
        if all(each.turn is not turn for each in self._followed):
            self._followed = [*self._followed, _Followed(turn)][-_MOST_TURNS:]

    def so_far(self) -> tuple[tuple[Exchange, ...], str]:
        """Return the exchanges up to now, and what has happened since the last of them."""
        for each in sorted(self._followed, key=lambda one: not _is_chat(one.turn)):
            outcome = _outcome(each.turn)
            if not each.is_told and _is_exchange(each.turn):
                self._add(each.turn)
                each.is_told = True
                self._unsaid.append(outcome)
            elif each.is_told and outcome != each.outcome:
                self._unsaid.append(
                    f"About “{each.turn.request.instruction}”, since then: {outcome}"
                )
            each.outcome = outcome
        self._hear_check()
        return tuple(self._exchanges), "\n\n".join(filter(None, self._unsaid))

    def _add(self, turn: Turn) -> None:
        """Make an exchange of a turn; what was not said yet was said with its request, if it
        was sent.
        """
        answer = ""
        said = "\n\n".join(filter(None, self._unsaid))
        if _is_chat(turn):
            answer = turn.tape.text(len(turn.tape) - 1)
            said = turn.ask.news
        lines = () if has_several(turn) else tuple(turn.page.within(_result(turn)))
        self._exchanges.append(Exchange(turn.ask.request, answer, lines, turn.ask.around, said))
        self._unsaid = [each for each in self._unsaid if each not in said]
        if len(self._exchanges) > _MOST_TURNS:
            del self._exchanges[:_FREED]

    def _hear_check(self) -> None:
        """Tell of a run of the check that failed, once."""
        check = self._check
        if not check.status or check.begun == self._checks_told:
            return
        self._checks_told = check.begun
        output = "\n".join(last_lines(check.output.decode("utf-8", "replace"))[-_MOST_LINES:])
        self._unsaid.append(f"The check `{check.line}` failed:\n\n{output}")


def _is_exchange(turn: Turn) -> bool:
    """Whether a turn was said to a chat model, or the user decided about the edit of another
    one.
    """
    return len(turn.tape) > 0 and (_is_chat(turn) or turn.file.touched)


def _is_chat(turn: Turn) -> bool:
    return isinstance(turn.answerer, Talker)


def _result(turn: Turn) -> Text:
    """The file with what was accepted, else with what was proposed."""
    with turn.lock:
        accepted = turn.review.base
        proposal = turn.file.proposal
    return proposal if accepted == turn.base else accepted


def _outcome(turn: Turn) -> str:
    """Say what became of the edit of a turn."""
    with turn.lock:
        accepted = turn.review.base
        is_open = bool(turn.review.hunks)
        is_whole = turn.file.is_whole(accepted)
    if turn.said:
        return ""
    if accepted != turn.base:
        if is_whole:
            return "The user accepted this edit."
        changes = changes_between(turn.base, accepted, turn.region.path)
        patch = b"".join(each.patch for each in changes if each.before != each.after)
        shown = patch.decode("utf-8", "replace")[:_MOST_CHARACTERS]
        return f"The user accepted only this, and rejected the rest:\n\n```diff\n{shown}```"
    if turn.file.touched and not is_open:
        return "The user rejected this edit."
    if turn.status is Status.ABSTAINED:
        return f"This edit was not offered to the user: {turn.message}"
    is_whole = turn.status.offers
    return "The user has not accepted this edit." if is_whole else "The user stopped this answer."
