"""Turns of earlier sessions: what was asked, how it ended, its patch, and whether that is still applied."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.widgets import OptionList

from spark_tui.session.keeping.past import EarlierTurn
from spark_tui.tui.desk import Desk
from spark_tui.tui.places import in_our_words
from spark_tui.tui.screens.browse import Browser, Words

_LOOKS = {"ok": "ok", "unsure": "warning", "abstained": "warning", "interrupted": "warning", "running": "faint"}


class ResumeScreen(Browser[EarlierTurn, EarlierTurn | None]):
    """Enter brings the instruction back. Args: session_id: show this session's turns only; its start will do."""

    HEADLINE = "Earlier turns in this repository"
    NOTHING = "No turns from earlier sessions here."
    KEYS: ClassVar[tuple[Words, ...]] = (
        ("Enter", "bring its words back"), ("Up Down", "choose"), ("PgDn", "read on"), ("Esc", "close"),
    )  # fmt: skip

    def __init__(self, desk: Desk, session_id: str = "") -> None:
        super().__init__()
        self._desk, self._session_id = desk, session_id

    def read(self) -> Sequence[EarlierTurn]:
        """See `Browser`."""
        return self._desk.session.past.turns(self._session_id)

    def describe(self, item: EarlierTurn) -> Sequence[Words]:
        """See `Browser`."""
        turn = item.turn
        when = f"{turn.time.astimezone():%Y-%m-%d %H:%M}  ", "faint"
        words = " ".join(turn.instruction.split()), "text"
        ended = f"  {turn.status}", _LOOKS.get(turn.status, "muted")
        state = f"  {item.state}", "ok" if item.state == "applied" else "faint"
        return when, words, ended, state, (f"  {turn.path}:{turn.start_line}-{turn.end_line}", "muted")

    def patch(self, item: EarlierTurn) -> str:
        """See `Browser`."""
        turn = item.turn
        said = f"{in_our_words(turn.message)}\n" if turn.message else ""
        came_to = "" if turn.patch else "; it proposed nothing"
        if turn.patch and not turn.journal_ids:
            came_to = " of what it proposed:"
        return f"session {item.session_id}: {item.state}{came_to}\n{said}\n{turn.patch}"

    @on(OptionList.OptionSelected)
    def _on_selected(self) -> None:
        self.dismiss(self.chosen)


def told(earlier: EarlierTurn) -> str:
    """What to say of a turn whose words were brought back."""
    when = f"{earlier.turn.time.astimezone():%Y-%m-%d %H:%M}"
    return f"asked {when} about {earlier.turn.path}:{earlier.turn.start_line}-{earlier.turn.end_line}: {earlier.state}"
