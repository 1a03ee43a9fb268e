"""The lines above and below the diff: what was asked, where it leads, the keys that mean something, the figures."""

from spark_tui.tui.footer import hints, hints_in_list, meters, where_to
from spark_tui.tui.items import State
from spark_tui.tui.screens.host import Host
from spark_tui.tui.view import IN_TURN
from spark_tui.tui.widgets.bar import Bar, Piece
from spark_tui.tui.widgets.completion import Completion

_TITLE = 400
"""Characters of an instruction that can be seen of it."""
_OUTCOME = 20
"""Columns of what is said of the edit that are worth having."""


class Framing:
    """Paints those lines of `screen`."""

    def __init__(self, screen: Host) -> None:
        self._screen = screen
        self._offered = False

    def paint(self) -> None:
        """Show them as they are now."""
        self._offered = self._screen.prompt.is_offered
        self._show("title", self._title(), self._where())
        self._show("region", self._region(), self._outcome())
        self._show("hints", self._hints())
        self._show("meters", *self._meters())

    def cursor_moved(self) -> None:
        """What is typed may take the place of the text now, or no more."""
        if self._screen.prompt.is_offered != self._offered:
            self.paint()

    def _show(self, name: str, left: list[Piece], right: list[Piece] | None = None) -> None:
        self._screen.query_one(f"#{name}", Bar).show(left, right or ())

    def _title(self) -> list[Piece]:
        sending = self._screen.sending
        asked = self._screen.view.instruction or (sending.sent if sending.starting else "")
        return [Piece(asked[:_TITLE], "text", 9) if asked else Piece("spark", "accent", 9)]

    def _where(self) -> list[Piece]:
        desk = self._screen.desk
        return [Piece(desk.folder, "muted", 3), Piece(desk.branch, "faint", 2)] if desk else []

    def _region(self) -> list[Piece]:
        screen, desk = self._screen, self._screen.desk
        waits = screen.prompt.is_instruction and screen.sending.phase not in IN_TURN
        ahead = desk.ahead if desk and waits else None
        looking, refused = screen.sending.reading_ahead or screen.helping.choosing, desk.refused if desk else ""
        if ahead and desk and not desk.has_looked(screen.prompt.full):  # what is shown is where Enter leads
            ahead, looking = "", True
        said = bool(refused) and screen.said(refused)
        return where_to(screen.view, ahead, screen.keys, looking=looking, refused=refused, said=said)

    def _outcome(self) -> list[Piece]:
        view, turn = self._screen.view, self._screen.desk and self._screen.desk.turn
        since = [Piece("the file changed since", "warning", 3)] if view.hunks and turn and turn.file.overtaken else []
        look, weight = ("warning", 3) if view.verdict or view.unsure else ("faint", 0)
        return [*since, *([Piece(view.outcome, look, weight, least=_OUTCOME)] if view.outcome else [])]

    def _hints(self) -> list[Piece]:
        screen, view, desk = self._screen, self._screen.view, self._screen.desk
        if screen.editing or not screen.is_active:  # what is on top has keys of its own
            return []
        if preparing := screen.preparing.hints:
            return [*preparing]
        if screen.query_one(Completion).is_open:
            return hints_in_list()
        return hints(
            screen.sending.phase,
            screen.keys,
            in_diff=screen.bench.diff.has_focus,
            has_text=bool(screen.prompt.text),
            hunks=len(view.hunks),
            written=any(view.state(hunk) is not State.WRITING for hunk in screen.bench.selected),
            again=desk is not None and desk.leads_back,
            commits=desk is None or desk.session.staging.may_wait,
            offered=self._offered,
            others=view.unsure and screen.handling.varying.has_others,
        )

    def _meters(self) -> tuple[list[Piece], list[Piece]]:
        screen, desk = self._screen, self._screen.desk
        waiting = screen.sending.starting or (desk is not None and not desk.measured)
        model, limit = (desk.writer, desk.context_limit) if desk else ("spark", None)
        return meters(model, screen.view, screen.sending.phase, limit, desk, waiting=waiting)
