"""The conversation of a session: what chat models read of earlier turns and their outcomes.

Exchanges are only appended. What happens to an edit later is news for the next request: text that a
model has read once never changes.
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
"""Exchanges kept; more than a prompt has room for."""
_FREED = 32
"""Exchanges forgotten at once."""
_MOST_LINES = 12
"""Lines shown of a failed check."""
_MOST_CHARACTERS = 6000
"""Characters shown of an accepted patch."""


@dataclass(slots=True)
class _Followed:
    """A turn that may become an exchange, and the last reported outcome of its edit."""

    turn: Turn
    is_told: bool = False
    outcome: str = ""


class Conversation:
    """The turns of a session as exchanges. Mutable.

    Args:
        check: The user's own check, whose failures are reported.
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
        """Return the exchanges so far, and the news since the last of them."""
        # Turns of chat models first: what their requests told as news is read. Otherwise a turn of
        # another model would take the same news along, and tell it twice.
        for followed in sorted(self._followed, key=lambda each: not _is_chat(each.turn)):
            turn = followed.turn
            outcome = _outcome(turn)
            if not followed.is_told and _is_exchange(turn):
                self._add(turn)
                followed.is_told = True
                self._unsaid.append(outcome)
            elif followed.is_told and outcome != followed.outcome:
                asked = turn.request.instruction
                self._unsaid.append(f"About “{asked}”, since then: {outcome}")
            followed.outcome = outcome
        self._hear_check()
        return tuple(self._exchanges), "\n\n".join(filter(None, self._unsaid))

    def _add(self, turn: Turn) -> None:
        """Make an exchange of a turn.

        The pending news counts as read with the turn's request, if a chat model read that.
        """
        answer = ""
        news = "\n\n".join(filter(None, self._unsaid))
        if _is_chat(turn):
            answer = turn.tape.text(len(turn.tape) - 1)
            news = turn.ask.news
        lines = () if has_several(turn) else tuple(turn.page.within(_result(turn)))
        self._exchanges.append(Exchange(turn.ask.request, answer, lines, turn.ask.around, news))
        self._unsaid = [part for part in self._unsaid if part not in news]
        if len(self._exchanges) > _MOST_TURNS:
            del self._exchanges[:_FREED]

    def _hear_check(self) -> None:
        """Report a failed run of the check, once."""
        check = self._check
        if not check.status or check.begun == self._checks_told:
            return
        self._checks_told = check.begun
        output = "\n".join(last_lines(check.output.decode("utf-8", "replace"))[-_MOST_LINES:])
        self._unsaid.append(f"The check `{check.line}` failed:\n\n{output}")


def _is_exchange(turn: Turn) -> bool:
    """Whether a chat model read the turn, or the user decided about another model's edit."""
    return len(turn.tape) > 0 and (_is_chat(turn) or turn.file.touched)


def _is_chat(turn: Turn) -> bool:
    return isinstance(turn.answerer, Talker)


def _result(turn: Turn) -> Text:
    """The file with the accepted hunks, else as proposed."""
    with turn.lock:
        accepted = turn.review.base
        proposal = turn.file.proposal
    return proposal if accepted == turn.base else accepted


def _outcome(turn: Turn) -> str:
    """What became of the edit of a turn, as a sentence for the model."""
    with turn.lock:
        accepted = turn.review.base
        is_open = bool(turn.review.hunks)
        is_whole = turn.file.is_whole(accepted)
    # An answer in words proposes nothing to decide about.
    if turn.reply:
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
